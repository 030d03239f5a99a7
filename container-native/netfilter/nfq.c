/* SPDX-License-Identifier: Apache-2.0 */
#include "nfq.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <libnetfilter_queue/libnetfilter_queue.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUEST_MAX 128u                  /* headers and attributes of one request, without a payload */
#define RECEIVE_BUFFER_PACKET (8u * 1024) /* the kernel's charge for one queued packet, with room to spare */

/* Begins a request. `payload` is at most NS_NFQ_PACKET_MAX bytes, so a request always fits into an empty buffer. */
static struct nlmsghdr *begin(struct ns_nfq *nfq, int type, enum ns_nfq_request request, uint32_t payload) {
    struct nlmsghdr *header;

    if (nfq->used + REQUEST_MAX + payload > NS_NFQ_BUFFER)
        ns_nfq_flush(nfq);
    header = nfq_nlmsg_put(nfq->buffer + nfq->used, type, nfq->queue);
    header->nlmsg_seq = request;
    return header;
}

static void end(struct ns_nfq *nfq, const struct nlmsghdr *header) {
    nfq->used += MNL_ALIGN(header->nlmsg_len);
}

void ns_nfq_flush(struct ns_nfq *nfq) {
    ssize_t sent;

    if (nfq->used == 0)
        return;
    do {
        sent = sendto(nfq->fd, nfq->buffer, nfq->used, 0, NULL, 0);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0)
        nfq->failed = errno;
    nfq->used = 0;
}

void ns_nfq_answer(struct ns_nfq *nfq, const struct ns_answer *answer) {
    struct nlmsghdr *header = begin(nfq, NFQNL_MSG_VERDICT, NS_NFQ_VERDICT, answer->length);

    nfq_nlmsg_verdict_put(header, (int)answer->id, (int)answer->verdict);
    if (answer->has_mark)
        nfq_nlmsg_verdict_put_mark(header, answer->mark);
    if (answer->payload != NULL)
        nfq_nlmsg_verdict_put_pkt(header, answer->payload, answer->length);
    end(nfq, header);
}

void ns_nfq_accept_up_to(struct ns_nfq *nfq, uint32_t id) {
    struct nlmsghdr *header = begin(nfq, NFQNL_MSG_VERDICT_BATCH, NS_NFQ_VERDICT, 0);

    nfq_nlmsg_verdict_put(header, (int)id, NF_ACCEPT);
    end(nfq, header);
}

/*
 * Sets the copy mode and the flags of the queue. A queue that is bound but has no copy mode drops packets, so one
 * message does both. The flags have a message of their own, because a kernel that lacks one of them refuses the whole
 * message.
 */
static int configure(struct ns_nfq *nfq, uint32_t queue_length, uint32_t copy_range) {
    struct nlmsghdr *header = begin(nfq, NFQNL_MSG_CONFIG, NS_NFQ_BIND, 0);

    nfq_nlmsg_cfg_put_cmd(header, AF_UNSPEC, NFQNL_CFG_CMD_BIND);
    nfq_nlmsg_cfg_put_params(header, NFQNL_COPY_PACKET, (int)copy_range);
    nfq_nlmsg_cfg_put_qmaxlen(header, queue_length);
    end(nfq, header);

    header = begin(nfq, NFQNL_MSG_CONFIG, NS_NFQ_FAIL_OPEN, 0);
    mnl_attr_put_u32(header, NFQA_CFG_FLAGS, htonl(NFQA_CFG_F_FAIL_OPEN));
    mnl_attr_put_u32(header, NFQA_CFG_MASK, htonl(NFQA_CFG_F_FAIL_OPEN));
    end(nfq, header);

    ns_nfq_flush(nfq);
    errno = nfq->failed;
    return nfq->failed == 0 ? 0 : -1;
}

int ns_nfq_open(struct ns_nfq *nfq, int fd, uint16_t queue, uint32_t queue_length, uint32_t copy_range) {
    struct sockaddr_nl self = {.nl_family = AF_NETLINK}, kernel = {.nl_family = AF_NETLINK};
    int receive_buffer = (int)(queue_length * RECEIVE_BUFFER_PACKET);

    *nfq = (struct ns_nfq){.fd = fd, .queue = queue};
    nfq->buffer = malloc(NS_NFQ_BUFFER);
    if (nfq->buffer == NULL)
        return -1;
    if (nfq->fd < 0)
        nfq->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
    if (nfq->fd < 0 || bind(nfq->fd, (struct sockaddr *)&self, sizeof self) != 0 ||
        connect(nfq->fd, (struct sockaddr *)&kernel, sizeof kernel) != 0 ||
        setsockopt(nfq->fd, SOL_SOCKET, SO_RCVBUFFORCE, &receive_buffer, sizeof receive_buffer) != 0 ||
        configure(nfq, queue_length, copy_range) != 0) {
        int saved = errno;

        ns_nfq_close(nfq);
        errno = saved;
        return -1;
    }
    return 0;
}

int ns_nfq_refuse_new(struct ns_nfq *nfq) {
    struct nlmsghdr *header = begin(nfq, NFQNL_MSG_CONFIG, NS_NFQ_CLOSE, 0);

    nfq_nlmsg_cfg_put_qmaxlen(header, 0); /* the queue is full from now on, and a full queue fails open */
    end(nfq, header);
    ns_nfq_flush(nfq);
    return nfq->failed == 0 ? 0 : -1;
}

void ns_nfq_close(struct ns_nfq *nfq) {
    if (nfq->fd >= 0)
        close(nfq->fd); /* unbinds */
    nfq->fd = -1;
    free(nfq->buffer);
    nfq->buffer = NULL;
}
