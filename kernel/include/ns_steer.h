/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_steer.h - the structures that kernel/bpf/steer.bpf.c, bpfd and pktio share about the AF_XDP plane;
 * docs/protocols/afxdp.md explains them.
 *
 *     interface -> XDP entry -> steer: filter? socket? both routes? -> XSKMAP -> pktio -> ring
 *                                 | no, any of it                                  |
 *                                 v                                                v
 *                              kernel stack, netfilter queue               transmit ring of a port
 *
 * The program writes struct ns_steer_meta in front of each frame that it steers. It has the router's route for the
 * packet, and the route for a packet that goes back.
 */
#ifndef NS_STEER_H
#define NS_STEER_H

#include <stdint.h>

#define NS_STEER_FILTERS 256u
#define NS_STEER_SOCKETS 64u
#define NS_STEER_PORTS 15u       /* of one container */
#define NS_STEER_FRAME_MAX 1792u /* from the link header on: a UMEM frame has 2048 bytes and a headroom of 256 */
#define NS_STEER_MAGIC 0x59u     /* of the metadata, and its version */
#define NS_STEER_SLOTS 256u      /* of containers */

/*
 * The way out of a packet: the container's port of that number, with these link addresses. A destination of zeros
 * means that the neighbour is not known yet. The kernel then sends the packet by the port's interface, and asks for
 * the neighbour.
 */
struct ns_steer_route {
    uint8_t port;  /* 1..15 */
    uint8_t magic; /* NS_STEER_MAGIC */
    uint16_t mtu;  /* of the route, bytes; 0 while the neighbour is not known */
    uint8_t destination[6], source[6];
};

struct ns_steer_meta {
    struct ns_steer_route forward, back;
};
_Static_assert(sizeof(struct ns_steer_meta) == 32, "the most that every kernel takes");

/*
 * A message from pktio to bpfd, with a bound socket by SCM_RIGHTS: frames of this interface and queue may go to the
 * socket. With `port` 0 and no socket, frames may no longer go there. bpfd answers a message with `port` 0 by the
 * same bytes when it is done. Frames that have come by then are in the socket's ring.
 */
#define NS_STEER_ATTACH 0x4b53584eu /* "NXSK" */
#define NS_STEER_AGAIN UINT32_MAX   /* `port`, from bpfd: asks for all sockets again */
struct ns_steer_attach {
    uint32_t magic;
    uint32_t ifindex, queue;
    uint32_t port;
    uint8_t address[6]; /* link address of the interface: only frames to it are ours to forward */
    uint16_t zero;
};

/* --- maps --- */

struct ns_steer_filter {
    uint32_t source[4], source_mask[4]; /* network order */
    uint32_t destination[4], destination_mask[4];
    uint16_t source_ports[2]; /* first and last, host order; 0-65535 = any, and packets without ports */
    uint16_t destination_ports[2];
    uint8_t family, protocol; /* 4 or 6; 0 = any */
    uint8_t steer;            /* 0: the packet is the filter's, but is not steered */
    uint8_t zero;
    uint16_t container;
    uint16_t zero2;
};

/*
 * The whole list, in the order of the firewall's rules; the first filter that matches decides. Each list is a map of
 * its own, so that a new list takes its place as a whole. A packet meets the old list or the new one.
 */
struct ns_steer_filters {
    uint32_t count, zero;
    struct ns_steer_filter filter[NS_STEER_FILTERS];
};

struct ns_steer_queue { /* key of steer_queues */
    uint32_t ifindex, queue;
};

struct ns_steer_socket { /* the value in steer_queues */
    uint32_t index;      /* in the XSKMAP */
    uint16_t container, zero;
    uint8_t address[6];
    uint16_t zero2;
};

struct ns_steer_exit { /* key of steer_ports; the value is the port, a uint32_t */
    uint32_t container, ifindex;
};

/*
 * Counters of one container, by their name in `stats`. They count packets that came to a receive queue where the
 * container has a socket. The first counter counts the steered packets. Each of the others counts packets that went
 * on to the stack, for the reason that it names.
 */
#define NS_STEER_REASONS(X)                                                                                            \
    X(STEERED, "steered", "to a socket")                                                                               \
    X(OTHER, "steer-other", "no filter of the plane")                                                                  \
    X(UNFIT, "steer-unfit", "a fragment, options, a VLAN, too long, malformed, not for our link address")              \
    X(MARTIAN, "steer-martian", "an address that no router forwards: loopback, link-local, multicast, broadcast")      \
    X(TTL, "steer-ttl", "the last hop")                                                                                \
    X(NO_ROUTE, "steer-no-route", "the router would not forward it now: no route, too big, its own address")           \
    X(NO_BACK, "steer-no-back", "the same for its way back")                                                           \
    X(OTHER_BACK, "steer-other-back", "the way back to its source is not the interface it came in by")                 \
    X(NO_PORT, "steer-no-port", "it leaves by an interface where the container has no socket")                         \
    X(NO_SOCKET, "steer-no-socket", "the socket has gone")

enum ns_steer_count {
#define NS_X(name, key, text) NS_STEER_##name,
    NS_STEER_REASONS(NS_X)
#undef NS_X
        NS_STEER_COUNTS
};

/* Returns the place of a container's counter in steer_counts. */
static inline uint32_t ns_steer_counter(uint32_t slot, uint32_t count) {
    return slot * NS_STEER_COUNTS + count;
}

#endif
