/* SPDX-License-Identifier: Apache-2.0 */
#include "pktio.h"

#include <linux/netfilter.h>
#include <string.h>

int ns_pktio_init(struct ns_pktio *pktio) {
    if (ns_table_init(&pktio->table, pktio->ring.slots) != 0)
        return -1;
    pktio->abandoned = false;
    pktio->accepts = 0;
    ns_resume(pktio);
    return 0;
}

void ns_pktio_destroy(struct ns_pktio *pktio) {
    ns_table_destroy(&pktio->table);
}

int ns_pktio_reopen(struct ns_pktio *pktio) {
    ns_pktio_accept_all(pktio, &pktio->counters->ring_corrupt);
    ns_pktio_flush(pktio);
    ns_table_destroy(&pktio->table);
    return ns_pktio_init(pktio);
}

static bool before(uint32_t a, uint32_t b) {
    return (int32_t)(a - b) < 0;
}

static void accept_one(struct ns_pktio *pktio, uint32_t id) {
    struct ns_answer answer = {.id = id, .verdict = NF_ACCEPT};

    pktio->kernel.answer(pktio->kernel.context, &answer);
}

/*
 * A batch verdict hits every id up to its own. It can therefore replace only the accepts that are older than
 * everything still outstanding. The other accepts follow one by one, so that packets leave in the order in which they
 * were answered. Drops and changes of lower ids have been answered before.
 */
void ns_pktio_settle(struct ns_pktio *pktio) {
    const struct ns_table *table = &pktio->table;
    bool any = table->order.first != NS_TABLE_NONE;
    uint32_t lowest = any ? table->packets[table->order.first].id : 0;
    uint32_t foldable = 0, highest = 0;

    for (uint32_t i = 0; i < pktio->accepts; i++) {
        uint32_t id = pktio->accept[i];

        if (any && !before(id, lowest))
            continue;
        if (foldable++ == 0 || before(highest, id))
            highest = id;
    }
    if (foldable == 1)
        accept_one(pktio, highest);
    else if (foldable > 1)
        pktio->kernel.accept_up_to(pktio->kernel.context, highest);
    for (uint32_t i = 0; i < pktio->accepts && foldable < pktio->accepts; i++) {
        if (any && !before(pktio->accept[i], lowest))
            accept_one(pktio, pktio->accept[i]);
    }
    pktio->accepts = 0;
}

void ns_pktio_accept(struct ns_pktio *pktio, bool xdp, uint32_t id) {
    if (xdp) {
        struct ns_answer answer = {.xdp = true, .id = id, .verdict = NF_ACCEPT};

        pktio->kernel.answer(pktio->kernel.context, &answer);
        return;
    }
    if (pktio->accepts == NS_PKTIO_FOLD)
        ns_pktio_settle(pktio);
    pktio->accept[pktio->accepts++] = id;
}

void ns_pktio_flush(struct ns_pktio *pktio) {
    ns_pktio_settle(pktio);
    pktio->kernel.flush(pktio->kernel.context);
    __atomic_store_n(&pktio->counters->held, ns_table_outstanding(&pktio->table), __ATOMIC_RELAXED);
    __atomic_store_n(&pktio->counters->xdp_held, pktio->table.frames.count, __ATOMIC_RELAXED);
}

uint32_t ns_pktio_accept_all(struct ns_pktio *pktio, uint64_t *reason) {
    uint32_t count = 0;

    for (uint32_t slot; (slot = ns_table_first(&pktio->table)) != NS_TABLE_NONE; count++) {
        const struct ns_packet *packet = &pktio->table.packets[slot];

        ns_table_late(&pktio->table, slot);
        ns_pktio_accept(pktio, packet->xdp, packet->id);
        if (reason != NULL)
            ns_count(reason);
    }
    return count;
}
