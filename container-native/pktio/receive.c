/* SPDX-License-Identifier: Apache-2.0 */
#include "receive.h"

#include "ns_log.h"
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#define IN_SLOT (NS_RING_SLOT_SIZE - NS_DELIVER_AT) /* bytes that recvmmsg may put into a slot */

/*
 * One batch. It is static, because it is large and there is one receiving thread. It keeps its slots from one batch
 * to the next, and only used slots are replaced, so a batch of few packets is cheap. The first `ready` messages have
 * a slot, the others have none.
 */
static struct batch {
    uint8_t head[NS_NFQ_BATCH][NS_MESSAGE_HEAD];
    uint8_t spill[NS_RING_SLOT_SIZE]; /* takes packets that have no slot; never read */
    uint32_t slot[NS_NFQ_BATCH];
    struct iovec parts[NS_NFQ_BATCH][2];
    struct mmsghdr messages[NS_NFQ_BATCH];
    unsigned ready;
    unsigned used; /* messages of the last batch, of which some have lost their slot */
} batch __attribute__((aligned(64)));

static void set_slot(struct ns_pktio *pktio, unsigned i, uint32_t slot) {
    batch.slot[i] = slot;
    batch.parts[i][1].iov_base =
        slot == NS_TABLE_NONE ? batch.spill : pktio->ring.slot + (size_t)slot * NS_RING_SLOT_SIZE + NS_DELIVER_AT;
}

void ns_receive_begin(struct ns_pktio *pktio) {
    for (unsigned i = 0; i < NS_NFQ_BATCH; i++) {
        batch.parts[i][0] = (struct iovec){.iov_base = batch.head[i], .iov_len = NS_MESSAGE_HEAD};
        batch.parts[i][1].iov_len = IN_SLOT;
        set_slot(pktio, i, NS_TABLE_NONE);
        batch.messages[i].msg_hdr = (struct msghdr){.msg_iov = batch.parts[i], .msg_iovlen = 2};
    }
    batch.ready = batch.used = 0;
}

/* Returns a free slot. If none is free, returns the slot of the last message behind `i` that has a slot. */
static uint32_t slot_for(struct ns_pktio *pktio, unsigned i) {
    uint32_t slot = ns_table_take(&pktio->table);

    while (slot == NS_TABLE_NONE && batch.ready > i + 1) {
        slot = batch.slot[--batch.ready];
        set_slot(pktio, batch.ready, NS_TABLE_NONE);
    }
    return slot;
}

static void refill(struct ns_pktio *pktio) {
    unsigned used = batch.used < batch.ready ? batch.used : batch.ready;
    uint32_t slot;

    for (unsigned i = 0; i < used && i < batch.ready; i++) {
        if (batch.slot[i] == NS_TABLE_NONE)
            set_slot(pktio, i, slot_for(pktio, i));
        if (batch.slot[i] == NS_TABLE_NONE)
            batch.ready = i;
    }
    while (batch.ready < NS_NFQ_BATCH && (slot = ns_table_take(&pktio->table)) != NS_TABLE_NONE)
        set_slot(pktio, batch.ready++, slot);
    batch.used = 0;
}

/* Handles the kernel's refusal of one of our requests. */
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

    switch (ns_message_parse(&arrival.message, batch.head[i], batch.messages[i].msg_len)) {
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

struct ns_received ns_receive(struct ns_pktio *pktio, const struct ns_nfq *nfq, bool copy, bool slots_only,
                              uint64_t now) {
    struct ns_received received = {.status = NS_RECEIVE_OK};
    unsigned room;
    int count;

    refill(pktio);
    room = slots_only ? batch.ready : NS_NFQ_BATCH;
    if (room == 0) {
        received.status = NS_RECEIVE_NO_ROOM;
        return received;
    }
    count = recvmmsg(nfq->fd, batch.messages, room, MSG_DONTWAIT, NULL);
    if (count < 0 && errno == ENOBUFS) {
        ns_count(&pktio->counters->enobufs);
    } else if (count < 0 && errno != EAGAIN && errno != EINTR) {
        received.status = NS_RECEIVE_FAILED;
        received.error = errno;
    }
    for (int i = 0; i < count; i++)
        take(pktio, (unsigned)i, copy, now, &received);
    received.count = batch.used = count < 0 ? 0 : (unsigned)count;
    received.emptied = received.count < batch.ready;
    return received;
}
