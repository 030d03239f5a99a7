/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues.h - the netfilter queues of a reader (pktio, sigio), seen from the process that outlives it.
 *
 * The kernel drops what is in a queue when the socket that bound it is closed. So the sockets are made here, the reader
 * inherits and binds them, and ours stays open: when it dies, whatever the kernel still has for it is let go on, unchanged, and
 * only then the socket is closed. Until then a full queue fails open and everything else waits, some milliseconds.
 */
#ifndef NS_QUEUES_H
#define NS_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

struct ns_queues {
    uint16_t queue;            /* of packets; queue + 1 is that of copies */
    int packets_fd, copies_fd; /* -1 = none */
};

#define NS_QUEUES_NONE ((struct ns_queues){0, -1, -1})

/* Makes the sockets, not yet bound. 0, or -1 with errno. */
int ns_queues_open(struct ns_queues *queues, uint16_t queue, bool copies);

/* Packets that wait in the kernel for the reader, or for its verdict. */
uint64_t ns_queues_waiting(const struct ns_queues *queues);

/*
 * For a reader that is gone: new packets bypass, those that wait go on unchanged, the sockets are closed. Returns how many went
 * on. Needs CAP_NET_ADMIN. Does nothing for NS_QUEUES_NONE.
 */
uint64_t ns_queues_release(struct ns_queues *queues);

#endif
