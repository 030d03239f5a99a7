/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nfq.h - one netlink socket bound to one netfilter queue. Needs CAP_NET_ADMIN in the calling thread for every message.
 *
 * Reading from the socket is the caller's; refused requests arrive there, too, as NS_MESSAGE_ERROR. The socket is connected to
 * the kernel, which then lets nobody else send to it: a message has no sender to be looked at.
 */
#ifndef NS_NFQ_H
#define NS_NFQ_H

#include "kernel.h"
#include <stddef.h>
#include <stdint.h>

#define NS_NFQ_BATCH 64u
#define NS_NFQ_BUFFER (128u * 1024) /* bytes of requests in one send; below the default send buffer */

#define NS_NFQ_PACKET_MAX 65531u /* longest packet that fits into an attribute: 65,535 with its header */

/* nlmsg_seq of requests, to tell what was refused */
enum ns_nfq_request { NS_NFQ_BIND = 1, NS_NFQ_FAIL_OPEN, NS_NFQ_CLOSE, NS_NFQ_VERDICT };

struct ns_nfq {
    int fd;
    uint16_t queue;
    int failed; /* errno of a send that did not work: verdicts are lost, the process must end */
    size_t used;
    char *buffer;
};

/*
 * Enlarges the receive buffer, binds to the queue with copy range and length. `fd` is an unbound netlink socket to take over, or
 * -1 = a new one. 0, or -1 with errno.
 */
int ns_nfq_open(struct ns_nfq *nfq, int fd, uint16_t queue, uint32_t queue_length, uint32_t copy_range);

/* From now on every new packet bypasses the queue; what has been queued can still be received. */
int ns_nfq_refuse_new(struct ns_nfq *nfq);

/* Unbinds and closes. Packets without a verdict are dropped by the kernel. */
void ns_nfq_close(struct ns_nfq *nfq);

void ns_nfq_answer(struct ns_nfq *nfq, const struct ns_answer *answer);
void ns_nfq_accept_up_to(struct ns_nfq *nfq, uint32_t id);
void ns_nfq_flush(struct ns_nfq *nfq);

#endif
