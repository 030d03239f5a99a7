/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resume.c - takes a ring up at the point that a predecessor reached.
 *
 * Only pktio writes region D, so its cursors and descriptors are as good as our own memory. The kernel has dropped
 * the packets that the predecessor held, but the container may still work in their slots. A slot is therefore LATE if
 * one of the last `slots` descriptors has lent it and no verdict taken has given it back. A LATE slot comes back with
 * the container's verdict. (The verdicts read here may be forged; a container only cheats itself.) Slots that no
 * descriptor names are free, but at the end of the row, because a packet stolen very long ago may live in one of
 * them.
 */
#include "pktio.h"

#include <string.h>

/* Sets every slot with a descriptor in the ring to LATE. The newest descriptor of a slot counts. */
static void lend_again(struct ns_pktio *pktio) {
    uint32_t slots = pktio->ring.slots;
    uint64_t first = pktio->produced > slots ? pktio->produced - slots : 0;

    for (uint64_t seq = pktio->produced; seq-- > first;) {
        const struct ns_ring_desc *desc = &pktio->ring.desc[seq & (slots - 1)];

        if (desc->seq != (uint32_t)seq || desc->slot >= slots)
            continue; /* overwritten by a descriptor that was never published */
        if (pktio->table.packets[desc->slot].state == NS_PACKET_FREE)
            ns_table_lend(&pktio->table, desc->slot, desc->seq, NS_PACKET_LATE);
    }
}

/* Takes the free slots out of the table, so that slots given back come before them. */
static uint32_t take_free(struct ns_pktio *pktio, uint32_t *slots) {
    uint32_t count = 0;

    for (uint32_t slot; (slot = ns_table_take(&pktio->table)) != NS_TABLE_NONE;) {
        if (pktio->table.packets[slot].state == NS_PACKET_FREE)
            slots[count++] = slot;
    }
    return count;
}

static void release_answered(struct ns_pktio *pktio) {
    uint64_t most = 2ull * pktio->ring.slots;
    uint64_t first = pktio->taken > most ? pktio->taken - most : 0;

    for (uint64_t n = first; n < pktio->taken; n++) {
        const struct ns_ring_verdict *verdict = &pktio->ring.verdict[n & (most - 1)];
        uint32_t code = __atomic_load_n(&verdict->code, __ATOMIC_RELAXED);
        uint32_t slot = ns_table_find(&pktio->table, __atomic_load_n(&verdict->seq, __ATOMIC_RELAXED));

        if (slot != NS_TABLE_NONE && code != NS_VERDICT_STOLEN)
            ns_table_release(&pktio->table, slot);
    }
}

void ns_resume(struct ns_pktio *pktio) {
    uint32_t unnamed[16384];
    uint32_t count;

    pktio->produced = pktio->ring.d->produced;
    pktio->taken = pktio->ring.d->taken;
    pktio->answered = pktio->taken;
    pktio->forwarded = pktio->ring.ask != NULL ? pktio->ring.d->forwarded : 0;
    pktio->consumed = pktio->produced > pktio->ring.slots ? pktio->produced - pktio->ring.slots : 0;
    lend_again(pktio);
    count = take_free(pktio, unnamed);
    release_answered(pktio);
    for (uint32_t i = 0; i < count; i++)
        ns_table_give_back(&pktio->table, unnamed[i]);
}
