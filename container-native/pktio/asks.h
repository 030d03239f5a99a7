/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asks.h - passes the container's questions about relays on to bpfd: see struct ns_ring_ask. pktio does not read them.
 * bpfd believes none.
 */
#ifndef NS_ASKS_H
#define NS_ASKS_H

#include "pktio.h"

/*
 * Sends the questions that have come, at most NS_RING_ASKS. A question that does not fit into the socket stays for the
 * next call. Without a fast path, and after bpfd's end, questions are dropped and counted. A cursor out of range
 * abandons the ring.
 */
void ns_asks_forward(struct ns_pktio *pktio);

/* Tells whether questions wait. `ready`: they can be sent at once; else the socket was full. */
bool ns_asks_wait(const struct ns_pktio *pktio, bool ready);

#endif
