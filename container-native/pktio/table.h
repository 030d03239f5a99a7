/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - which packet is in which slot: pktio's private memory of everything outstanding.
 *
 * One entry per slot. State, and who owns what:
 *
 *              lend                 verdict STOLEN
 *     FREE ------------> HELD ------------------------> STOLEN
 *      ^                  | |  deadline, ring abandoned   | |
 *      |   final verdict  | +-----------> LATE <----------+ |
 *      +------------------+---- final ----+                 |
 *      +--------------------------------- final verdict ----+
 *      FREE --lend_copy--> COPY --final verdict--> FREE
 *
 *     FREE    slot is ours
 *     HELD    slot is the container's, the kernel waits for a verdict until `deadline`
 *     STOLEN  as HELD, with the steal deadline
 *     LATE    slot is the container's, the kernel has its verdict already
 *     COPY    slot is the container's, the kernel never waited
 *
 * HELD and STOLEN entries are in the list `order` (kernel ids rise along it: the lowest outstanding id is its first), or if
 * they came by AF_XDP in `frames`, and in one of the lists `held`, `stolen` (deadlines rise along them, as each class has one constant span).
 *
 * A slot of a queue's packet is the next to be taken when it is released: it is still in the processor's caches, which all slots together outgrow (3 to 4 %
 * of a packet's time). By AF_XDP that was measured to cost most of the rate on two processors, so those go to the end (docs/benchmarks.md). What is given
 * back unused goes to the end, too.
 */
#ifndef NS_TABLE_H
#define NS_TABLE_H

#include "ns_ip.h"
#include <stdbool.h>
#include <stdint.h>

#define NS_TABLE_NONE UINT32_MAX
#define NS_TABLE_HEADER 128u /* bytes of a packet that we keep: headers beyond them are not understood */

enum ns_packet_state { NS_PACKET_FREE, NS_PACKET_HELD, NS_PACKET_STOLEN, NS_PACKET_LATE, NS_PACKET_COPY };

struct ns_packet {
    enum ns_packet_state state;
    uint32_t seq;      /* low 32 bits */
    uint32_t id;       /* the kernel's, or the frame */
    bool xdp;          /* came by AF_XDP */
    uint32_t mark;     /* as it came */
    uint32_t mtu;      /* of the interface it came in on, bytes */
    uint64_t deadline; /* nanoseconds of the monotonic clock; HELD and STOLEN */
    struct ns_ip ip;
    uint16_t kept; /* bytes of `header` */
    uint8_t header[NS_TABLE_HEADER];
};

struct ns_table_link {
    uint32_t next, previous;
};

struct ns_table_list {
    uint32_t first, last, count;
    struct ns_table_link *links; /* one per slot */
};

struct ns_table {
    uint32_t slots;
    struct ns_packet *packets; /* by slot */
    struct ns_table_list order, frames, held, stolen, free;
    uint32_t *buckets, *chain; /* slot by seq: buckets[seq & (slots - 1)], then chain[slot] */
};

/* 0, or -1 with ENOMEM. All slots are free. */
int ns_table_init(struct ns_table *table, uint32_t slots);
void ns_table_destroy(struct ns_table *table);

/* Takes a free slot out, NS_TABLE_NONE if there is none; the caller lends it or gives it back unused. */
uint32_t ns_table_take(struct ns_table *table);
void ns_table_give_back(struct ns_table *table, uint32_t slot);

/* Slots that have been taken: the entry becomes HELD, COPY or LATE under `seq`. The caller has set `xdp` and fills the other fields. */
struct ns_packet *ns_table_lend(struct ns_table *table, uint32_t slot, uint32_t seq, enum ns_packet_state state);

/* Slot of the entry with this seq that is not FREE, else NS_TABLE_NONE. */
uint32_t ns_table_find(const struct ns_table *table, uint32_t seq);

/* HELD -> STOLEN. */
void ns_table_steal(struct ns_table *table, uint32_t slot, uint64_t deadline);

/* HELD, STOLEN -> LATE. */
void ns_table_late(struct ns_table *table, uint32_t slot);

/* Any -> FREE. */
void ns_table_release(struct ns_table *table, uint32_t slot);

/* First of HELD or STOLEN whose deadline is not after `now`, else NS_TABLE_NONE. */
uint32_t ns_table_expired(const struct ns_table *table, uint64_t now);

/* The nearest deadline, UINT64_MAX if nothing is outstanding. */
uint64_t ns_table_deadline(const struct ns_table *table);

/* Packets that wait for an answer, the kernel's and those in frames. */
static inline uint32_t ns_table_outstanding(const struct ns_table *table) {
    return table->order.count + table->frames.count;
}

/* One of them, NS_TABLE_NONE if there is none. */
static inline uint32_t ns_table_first(const struct ns_table *table) {
    return table->order.first != NS_TABLE_NONE ? table->order.first : table->frames.first;
}

#endif
