/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.c - cursors and sleep flags shared with the container.
 *
 * Each side announces its sleep, then looks for work once more. The other side publishes work, then looks at the
 * flag. Between the two steps both sides have a full fence, so that at least one of them sees the other (Dekker).
 */
#include "asks.h"
#include "ns_log.h"

void ns_ring_abandon(struct ns_pktio *pktio, const char *why) {
    pktio->abandoned = true;
    ns_count(&pktio->counters->ring_corrupt);
    ns_error("ring abandoned: %s; all packets pass", why);
    ns_pktio_accept_all(pktio, &pktio->counters->ring_corrupt);
}

void ns_ring_look(struct ns_pktio *pktio) {
    uint64_t consumed = __atomic_load_n(&pktio->ring.s->consumed, __ATOMIC_ACQUIRE);
    uint64_t answered = __atomic_load_n(&pktio->ring.s->answered, __ATOMIC_ACQUIRE);

    if (pktio->abandoned)
        return;
    /* Differences are unsigned, so a cursor that went back is as far out of range as a cursor that ran ahead. */
    if (pktio->produced - consumed > pktio->ring.slots || consumed - pktio->consumed > pktio->ring.slots)
        ns_ring_abandon(pktio, "cursor consumed out of range");
    else if (answered - pktio->taken > 2ull * pktio->ring.slots)
        ns_ring_abandon(pktio, "cursor answered out of range");
    else {
        pktio->consumed = consumed;
        pktio->answered = answered;
    }
}

bool ns_ring_publish(struct ns_pktio *pktio) {
    if (pktio->ring.d->produced == pktio->produced)
        return false;
    __atomic_store_n(&pktio->ring.d->produced, pktio->produced, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return __atomic_load_n(&pktio->ring.s->container_sleeps, __ATOMIC_RELAXED) != 0;
}

bool ns_ring_sleep(struct ns_pktio *pktio) {
    __atomic_store_n(&pktio->ring.d->pktio_sleeps, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (pktio->abandoned ||
        (__atomic_load_n(&pktio->ring.s->answered, __ATOMIC_RELAXED) == pktio->taken && !ns_asks_wait(pktio, true)))
        return true;
    ns_ring_wake(pktio);
    return false;
}

void ns_ring_wake(struct ns_pktio *pktio) {
    __atomic_store_n(&pktio->ring.d->pktio_sleeps, 0, __ATOMIC_RELAXED);
}
