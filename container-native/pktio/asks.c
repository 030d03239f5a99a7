/* SPDX-License-Identifier: Apache-2.0 */
#include "asks.h"

#include "offload.h"
#include <string.h>

/* Sends one question. Returns false if it must be sent again later. */
static bool forward(struct ns_pktio *pktio, const struct ns_ring_ask *shared) {
    struct ns_ring_ask ask;

    memcpy(&ask, shared, sizeof ask); /* the container may write on; bpfd gets one copy */
    switch (ns_offload_send_bytes(pktio->fastpath_fd, &ask, sizeof ask)) {
    case NS_OFFLOAD_OVERFLOW:
        return false;
    case NS_OFFLOAD_REQUESTED:
        ns_count(&pktio->counters->relay_asked);
        break;
    default:
        ns_count(&pktio->counters->relay_unavailable);
        break;
    }
    return true;
}

void ns_asks_forward(struct ns_pktio *pktio) {
    uint64_t asked;

    pktio->asks_full = false;
    if (pktio->ring.ask == NULL || pktio->abandoned)
        return;
    asked = __atomic_load_n(&pktio->ring.s->asked, __ATOMIC_ACQUIRE);
    if (asked - pktio->forwarded > NS_RING_ASKS) {
        ns_ring_abandon(pktio, "cursor asked out of range");
        return;
    }
    if (asked == pktio->forwarded)
        return;
    while (pktio->forwarded != asked && !pktio->asks_full) {
        if (forward(pktio, &pktio->ring.ask[pktio->forwarded & (NS_RING_ASKS - 1)]))
            pktio->forwarded++;
        else
            pktio->asks_full = true;
    }
    __atomic_store_n(&pktio->ring.d->forwarded, pktio->forwarded, __ATOMIC_RELEASE);
}

bool ns_asks_wait(const struct ns_pktio *pktio, bool ready) {
    if (pktio->ring.ask == NULL || pktio->abandoned || pktio->asks_full == ready)
        return false;
    return __atomic_load_n(&pktio->ring.s->asked, __ATOMIC_RELAXED) != pktio->forwarded;
}
