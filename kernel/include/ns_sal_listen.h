/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * ns_sal_listen.h - the maps by which kernel/bpf/sal_listen.bpf.c wakes sald when a program begins to listen on a
 * watched port, or ends (docs/protocols/sald.md, "How sald sees a program listen").
 *
 *     program: listen(), bind() --> port watched? -- yes --> event --> sald asks sock_diag
 *     program: close(), its end --> port or socket known? -- yes --> event --> the same
 *
 * Ports are in host order.
 */
#ifndef NS_SAL_LISTEN_H
#define NS_SAL_LISTEN_H

#include <stdint.h>

#define NS_SAL_LISTEN_PORTS 128u         /* watched at once */
#define NS_SAL_LISTEN_SOCKETS 512u       /* with an event at their end */
#define NS_SAL_LISTEN_EVENT_BYTES 65536u /* of the ring buffer: a power of two, whole pages */

/* A watched port. Key of ns_listen_ports, and the value for a socket on it in ns_listen_sockets. */
struct ns_sal_listen_port {
    uint64_t net; /* cookie of sald's network namespace, because the programs see those of all */
    uint16_t port;
    uint8_t protocol; /* of IP */
    uint8_t zero[5];
};

enum ns_sal_listen_kind {
    NS_SAL_LISTEN_BEGINS = 1, /* the socket is in the kernel's tables */
    NS_SAL_LISTEN_ENDS,       /* the socket is about to leave them */
};

struct ns_sal_listen_event {
    uint16_t port;
    uint8_t protocol;
    uint8_t family; /* 4 or 6 */
    uint32_t kind;  /* enum ns_sal_listen_kind */
};

/* Elements of ns_listen_counts. */
enum ns_sal_listen_count {
    NS_SAL_LISTEN_EVENTS,
    NS_SAL_LISTEN_LOST, /* of these, events for which the ring buffer had no room */
    NS_SAL_LISTEN_COUNT_KINDS,
};

#endif
