/* SPDX-License-Identifier: Apache-2.0 */
/* receive.h - takes a batch of messages from a queue's socket. Headers go into private memory, packets into slots. */
#ifndef NS_RECEIVE_H
#define NS_RECEIVE_H

#include "nfq.h"
#include "pktio.h"

enum ns_receive_status {
    NS_RECEIVE_OK,
    NS_RECEIVE_NO_ROOM, /* nothing was read: no slot is free, and packets without a slot must wait */
    NS_RECEIVE_REFUSED, /* the kernel refused to bind us: `error` */
    NS_RECEIVE_FAILED,  /* the socket cannot be read: `error` */
};

struct ns_received {
    enum ns_receive_status status;
    int error;      /* errno */
    unsigned count; /* messages taken, 0..NS_NFQ_BATCH */
    bool emptied;   /* there were fewer messages than slots */
};

/*
 * Forgets the slots kept for the next batch. Called before the first batch, and after ns_pktio_reopen, which makes a
 * new table.
 */
void ns_receive_begin(struct ns_pktio *pktio);

/*
 * Receives a batch. Never waits. `copy`: the socket is the socket of the queue of copies. `slots_only`: takes no more
 * packets than there are slots.
 */
struct ns_received ns_receive(struct ns_pktio *pktio, const struct ns_nfq *nfq, bool copy, bool slots_only,
                              uint64_t now);

#endif
