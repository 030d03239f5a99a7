/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

#include <string.h>

#define SLOTS_MOST (2u * NS_DATAGRAMS_MOST) /* a power of two */
#define PROBES 8                            /* slots in which a handle may be */

/* Finds the row of a handle. An empty slot has 0, any other one the number of a row and 1. */
struct index {
    uint32_t mask;
    uint16_t slots[SLOTS_MOST];
};

static void clear(struct index *index, uint32_t entries) {
    uint32_t slots = 16;

    while (slots < 2 * entries)
        slots *= 2;
    index->mask = slots - 1;
    memset(index->slots, 0, slots * sizeof index->slots[0]);
}

static uint32_t add_row(struct ns_rows *rows, int64_t handle) {
    rows->row[rows->count] = (struct ns_row){.socket = handle};
    return rows->count++;
}

/*
 * Returns the number of the handle's row. The low half of a handle is a descriptor, so handles of open sockets differ
 * there. Handles of chance that meet in all slots get rows of their own, one for each entry.
 */
static uint32_t row_of(struct index *index, struct ns_rows *rows, int64_t handle) {
    for (uint32_t i = 0; i < PROBES; i++) {
        uint16_t *slot = &index->slots[((uint32_t)handle + i) & index->mask];

        if (*slot == 0)
            *slot = (uint16_t)(add_row(rows, handle) + 1);
        if (rows->row[*slot - 1].socket == handle)
            return *slot - 1u;
    }
    return add_row(rows, handle);
}

void ns_rows_sort(struct ns_rows *rows, const struct ns_datagrams *batch, uint32_t first, uint32_t count) {
    const struct ns_datagram *entries = (const struct ns_datagram *)(const void *)batch->memory;
    uint16_t of[NS_DATAGRAMS_MOST], at[NS_DATAGRAMS_MOST];
    struct index index;
    uint32_t next = 0;

    rows->count = 0;
    clear(&index, count);
    for (uint32_t i = 0; i < count; i++) {
        int64_t handle = __atomic_load_n(&entries[first + i].socket, __ATOMIC_RELAXED);

        of[i] = UINT16_MAX;
        if (handle == 0)
            continue;
        of[i] = (uint16_t)row_of(&index, rows, handle);
        rows->row[of[i]].count++;
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        rows->row[i].entries = rows->entries + next;
        at[i] = (uint16_t)next;
        next += rows->row[i].count;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (of[i] != UINT16_MAX)
            rows->entries[at[of[i]]++] = (uint16_t)(first + i);
    }
}
