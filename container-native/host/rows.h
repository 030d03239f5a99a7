/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - sorts the entries of a batch by their sockets. Each socket then sends all of its entries by one system call,
 * however they are mixed:
 *
 *     entries   0:A  1:B  2:-  3:A  4:B  5:A
 *     rows      A: 0 3 5   B: 1 4                  in the order of their first entries; 2 has no socket
 */
#ifndef NS_ROWS_H
#define NS_ROWS_H

#include "datagrams.h"

/* The entries of one socket, in the order of the batch. */
struct ns_row {
    int64_t socket; /* its handle */
    const uint16_t *entries;
    uint32_t count;
};

struct ns_rows {
    struct ns_row row[NS_DATAGRAMS_MOST];
    uint16_t entries[NS_DATAGRAMS_MOST];
    uint32_t count; /* rows */
};

/*
 * Sorts `count` entries from `first`, which the batch has. Reads each handle once, because Java may write it at any
 * time. Entries with the handle 0 are in no row. Takes a time in proportion to `count`, whatever the handles are.
 */
void ns_rows_sort(struct ns_rows *rows, const struct ns_datagrams *batch, uint32_t first, uint32_t count);

#endif
