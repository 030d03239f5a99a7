/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-queue - does the least that a reader of a netfilter queue can do. It reads up to 64 packets with one call
 * and gives one verdict for all of them. The other readers of the bench are measured against it.
 *
 *   lab-queue QUEUE LENGTH
 */
#include "message.h"
#include "nfq.h"
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#define PACKET_MAX 1792u /* as in pktio */

static struct {
    uint8_t bytes[NS_NFQ_BATCH][2048];
    struct iovec part[NS_NFQ_BATCH];
    struct mmsghdr message[NS_NFQ_BATCH];
} batch __attribute__((aligned(64)));

static int receive(int fd) {
    for (unsigned i = 0; i < NS_NFQ_BATCH; i++) {
        batch.part[i] = (struct iovec){batch.bytes[i], sizeof batch.bytes[i]};
        batch.message[i].msg_hdr = (struct msghdr){.msg_iov = &batch.part[i], .msg_iovlen = 1};
    }
    return recvmmsg(fd, batch.message, NS_NFQ_BATCH, MSG_WAITFORONE, NULL);
}

/* Accepts all packets of a batch with one verdict, because their ids only grow. */
static void accept_all(struct ns_nfq *queue, unsigned count, struct ns_counters *counters) {
    struct ns_message message;
    unsigned packets = 0;
    uint32_t last = 0;

    for (unsigned i = 0; i < count; i++) {
        if (ns_message_parse(&message, batch.bytes[i], batch.message[i].msg_len) == NS_MESSAGE_PACKET) {
            last = message.id;
            packets++;
        }
    }
    if (packets == 0)
        return;
    ns_nfq_accept_up_to(queue, last);
    ns_nfq_flush(queue);
    counters->received += packets;
    counters->passed += packets;
}

int main(int argc, char **argv) {
    struct ns_counters *counters;
    struct ns_nfq queue;
    int fd;

    if (argc != 3) {
        fprintf(stderr, "usage: lab-queue QUEUE LENGTH\n");
        return 2;
    }
    reader_follow_parent();
    counters = reader_counters(&fd);
    if (ns_nfq_open(&queue, -1, (uint16_t)atoi(argv[1]), (uint32_t)atoi(argv[2]), PACKET_MAX) != 0)
        reader_fail("queue");
    reader_ready();
    while (queue.failed == 0) {
        int count = receive(queue.fd);

        if (count > 0)
            accept_all(&queue, (unsigned)count, counters);
        else if (errno == ENOBUFS)
            counters->enobufs++;
        else if (errno != EINTR)
            reader_fail("recvmmsg");
    }
    return 1;
}
