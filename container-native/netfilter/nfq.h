/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nfq.h - one netlink socket bound to one netfilter queue. Needs CAP_NET_ADMIN in the calling thread for every
 * message.
 *
 * The caller reads from the socket. Refused requests arrive there, too, as NS_MESSAGE_ERROR. The socket is connected
 * to the kernel, which then lets nobody else send to it, so the sender of a message needs no check.
 */
#ifndef NS_NFQ_H
#define NS_NFQ_H

#include "kernel.h"
#include <stddef.h>
#include <stdint.h>

#define NS_NFQ_BATCH 64u
#define NS_NFQ_BUFFER (128u * 1024) /* bytes of requests in one send; below the default send buffer */

#define NS_NFQ_PACKET_MAX 65531u /* longest packet that fits into an attribute: 65,535 with its header */

/* nlmsg_seq of a request, to tell which request was refused */
enum ns_nfq_request { NS_NFQ_BIND = 1, NS_NFQ_FAIL_OPEN, NS_NFQ_CLOSE, NS_NFQ_VERDICT };

struct ns_nfq {
    int fd;
    uint16_t queue;
    int failed; /* errno of a failed send: verdicts are lost, and the process must end */
    size_t used;
    char *buffer;
};

/*
 * Enlarges the receive buffer and binds to the queue with copy range and length. `fd` is an unbound netlink socket to
 * take over, or -1 for a new one. Returns 0, or -1 with errno.
 */
int ns_nfq_open(struct ns_nfq *nfq, int fd, uint16_t queue, uint32_t queue_length, uint32_t copy_range);

/* Makes every new packet bypass the queue from now on. Queued packets can still be received. */
int ns_nfq_refuse_new(struct ns_nfq *nfq);

/* Unbinds and closes. The kernel drops packets without a verdict. */
void ns_nfq_close(struct ns_nfq *nfq);

void ns_nfq_answer(struct ns_nfq *nfq, const struct ns_answer *answer);
void ns_nfq_accept_up_to(struct ns_nfq *nfq, uint32_t id);
void ns_nfq_flush(struct ns_nfq *nfq);

#endif
