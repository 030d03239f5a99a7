/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues.h - the netfilter queues of a reader (pktio, sigio), seen from the process that outlives it.
 *
 * The kernel drops the packets in a queue when the socket that bound the queue is closed. So the spawner makes the
 * sockets. The reader inherits and binds them, and the spawner's own copies stay open. When the reader dies, the
 * spawner lets the packets go on that the kernel still has for the reader, unchanged. Only then it closes the socket.
 * Until then a full queue fails open and everything else waits, some milliseconds.
 */
#ifndef NS_QUEUES_H
#define NS_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

struct ns_queues {
    uint16_t queue;            /* of packets; queue + 1 is the queue of copies */
    int packets_fd, copies_fd; /* -1 = none */
};

#define NS_QUEUES_NONE ((struct ns_queues){0, -1, -1})

/* Makes the sockets, not yet bound. 0, or -1 with errno. */
int ns_queues_open(struct ns_queues *queues, uint16_t queue, bool copies);

/* Returns the number of packets that wait in the kernel for the reader, or for its verdict. */
uint64_t ns_queues_waiting(const struct ns_queues *queues);

/*
 * Releases the queues of a reader that is gone. New packets bypass them, waiting packets go on unchanged, and the
 * sockets are closed. Returns the number of packets that went on. Needs CAP_NET_ADMIN. Does nothing for
 * NS_QUEUES_NONE.
 */
uint64_t ns_queues_release(struct ns_queues *queues);

#endif
