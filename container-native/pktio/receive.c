/* SPDX-License-Identifier: Apache-2.0 */
#include "receive.h"

#include "ns_log.h"
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#define IN_SLOT (NS_RING_SLOT_SIZE - NS_DELIVER_AT) /* what recvmmsg may put into a slot */

/* One batch; static, since there is one receiving thread and it is large. */
static struct batch {
    uint8_t head[NS_NFQ_BATCH][NS_MESSAGE_HEAD];
    uint8_t spill[NS_RING_SLOT_SIZE]; /* takes what has no slot; never read */
    uint32_t slot[NS_NFQ_BATCH];
    struct iovec parts[NS_NFQ_BATCH][2];
    struct sockaddr_nl sender[NS_NFQ_BATCH];
    struct mmsghdr messages[NS_NFQ_BATCH];
} batch __attribute__((aligned(64)));

static void prepare(struct ns_pktio *pktio) {
    for (unsigned i = 0; i < NS_NFQ_BATCH; i++) {
        uint32_t slot = ns_table_take(&pktio->table);
        uint8_t *rest = batch.spill;

        if (slot != NS_TABLE_NONE)
            rest = pktio->ring.slot + (size_t)slot * NS_RING_SLOT_SIZE + NS_DELIVER_AT;
        batch.slot[i] = slot;
        batch.parts[i][0] = (struct iovec){.iov_base = batch.head[i], .iov_len = NS_MESSAGE_HEAD};
        batch.parts[i][1] = (struct iovec){.iov_base = rest, .iov_len = IN_SLOT};
        batch.messages[i].msg_hdr = (struct msghdr){
            .msg_name = &batch.sender[i],
            .msg_namelen = sizeof batch.sender[i],
            .msg_iov = batch.parts[i],
            .msg_iovlen = 2,
        };
    }
}

static void give_back(struct ns_pktio *pktio) {
    for (unsigned i = 0; i < NS_NFQ_BATCH; i++) {
        if (batch.slot[i] != NS_TABLE_NONE)
            ns_table_give_back(&pktio->table, batch.slot[i]);
    }
}

/* A request of ours that the kernel refused. */
static void refused(struct ns_pktio *pktio, const struct ns_message *message, struct ns_received *received) {
    if (message->error == 0)
        return;
    if (message->request != (NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_CONFIG)) {
        ns_count(&pktio->counters->send_errors);
    } else if (message->sequence == NS_NFQ_BIND) {
        received->status = NS_RECEIVE_REFUSED;
        received->error = message->error;
    } else {
        ns_warn("queue setting %u refused: %s", message->sequence, strerror(message->error));
    }
}

static void take(struct ns_pktio *pktio, unsigned i, bool copy, uint64_t now, struct ns_received *received) {
    struct ns_arrival arrival = {.copy = copy, .head = batch.head[i], .slot = batch.slot[i]};
    const struct msghdr *header = &batch.messages[i].msg_hdr;
    size_t length = batch.messages[i].msg_len;

    if (header->msg_namelen != sizeof batch.sender[i] || batch.sender[i].nl_pid != 0)
        return; /* not from the kernel */
    switch (ns_message_parse(&arrival.message, batch.head[i], length)) {
    case NS_MESSAGE_PACKET:
        arrival.understood = true;
        break;
    case NS_MESSAGE_BAD_BUT:
        break;
    case NS_MESSAGE_ERROR:
        refused(pktio, &arrival.message, received);
        return;
    case NS_MESSAGE_OTHER:
        return;
    }
    if (ns_deliver(pktio, &arrival, now))
        batch.slot[i] = NS_TABLE_NONE;
}

struct ns_received ns_receive(struct ns_pktio *pktio, const struct ns_nfq *nfq, bool copy, uint64_t now) {
    struct ns_received received = {.status = NS_RECEIVE_OK};
    int count;

    prepare(pktio);
    count = recvmmsg(nfq->fd, batch.messages, NS_NFQ_BATCH, MSG_DONTWAIT, NULL);
    if (count < 0 && errno == ENOBUFS) {
        ns_count(&pktio->counters->enobufs);
    } else if (count < 0 && errno != EAGAIN && errno != EINTR) {
        received.status = NS_RECEIVE_FAILED;
        received.error = errno;
    }
    for (int i = 0; i < count; i++)
        take(pktio, (unsigned)i, copy, now, &received);
    received.count = count < 0 ? 0 : (unsigned)count;
    give_back(pktio);
    return received;
}
