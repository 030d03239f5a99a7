/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - pktio's private memory of everything outstanding: the packet in each slot.
 *
 * There is one entry per slot.
 *
 *              lend                 verdict STOLEN
 *     FREE ------------> HELD ------------------------> STOLEN
 *      ^                  | |  deadline, ring abandoned   | |
 *      |   final verdict  | +-----------> LATE <----------+ |
 *      +------------------+---- final ----+                 |
 *      +--------------------------------- final verdict ----+
 *      FREE --lend_copy--> COPY --final verdict--> FREE
 *
 *     FREE    the slot is ours.
 *     HELD    the slot is the container's; the kernel waits for a verdict until `deadline`.
 *     STOLEN  as HELD, with the steal deadline.
 *     LATE    the slot is the container's; the kernel has its verdict already.
 *     COPY    the slot is the container's; the kernel never waited.
 *
 * HELD and STOLEN entries are in the list `order`, or in `frames` if they came by AF_XDP. Kernel ids rise along
 * `order`, so its first entry has the lowest outstanding id. The same entries are also in one of the lists `held` and
 * `stolen`. Deadlines rise along these two lists, because each class has one constant span.
 *
 * After a release, the slot of a queue's packet is the next one to be taken: it is still in the processor's caches,
 * which all slots together outgrow (3 to 4 % of a packet's time). For AF_XDP the same order was measured to cost most
 * of the rate on two processors, so AF_XDP slots go to the end (docs/benchmarks.md). Slots given back unused go to
 * the end, too.
 */
#ifndef NS_TABLE_H
#define NS_TABLE_H

#include "ns_ip.h"
#include <stdbool.h>
#include <stdint.h>

#define NS_TABLE_NONE UINT32_MAX
#define NS_TABLE_HEADER 128u /* bytes of a packet that we keep; headers beyond them are not understood */

enum ns_packet_state { NS_PACKET_FREE, NS_PACKET_HELD, NS_PACKET_STOLEN, NS_PACKET_LATE, NS_PACKET_COPY };

struct ns_packet {
    enum ns_packet_state state;
    uint32_t seq;      /* low 32 bits */
    uint32_t id;       /* the kernel's packet id, or the frame */
    bool xdp;          /* came by AF_XDP */
    uint32_t mark;     /* as it came */
    uint32_t mtu;      /* of the interface that the packet came in on, bytes */
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

/* Makes all slots free. Returns 0, or -1 with ENOMEM. */
int ns_table_init(struct ns_table *table, uint32_t slots);
void ns_table_destroy(struct ns_table *table);

/*
 * Takes a free slot out, or returns NS_TABLE_NONE if there is none. The caller lends the slot or gives it back
 * unused.
 */
uint32_t ns_table_take(struct ns_table *table);
void ns_table_give_back(struct ns_table *table, uint32_t slot);

/*
 * Makes the entry of a taken slot HELD, COPY or LATE under `seq`. The caller has set `xdp` and fills the other
 * fields.
 */
struct ns_packet *ns_table_lend(struct ns_table *table, uint32_t slot, uint32_t seq, enum ns_packet_state state);

/* Returns the slot of the entry with this seq that is not FREE, else NS_TABLE_NONE. */
uint32_t ns_table_find(const struct ns_table *table, uint32_t seq);

/* Moves an entry from HELD to STOLEN. */
void ns_table_steal(struct ns_table *table, uint32_t slot, uint64_t deadline);

/* Moves an entry from HELD or STOLEN to LATE. */
void ns_table_late(struct ns_table *table, uint32_t slot);

/* Moves an entry from any state to FREE. */
void ns_table_release(struct ns_table *table, uint32_t slot);

/* Returns the first HELD or STOLEN entry with a deadline at or before `now`, else NS_TABLE_NONE. */
uint32_t ns_table_expired(const struct ns_table *table, uint64_t now);

/* Returns the nearest deadline, or UINT64_MAX if nothing is outstanding. */
uint64_t ns_table_deadline(const struct ns_table *table);

/* Returns the number of packets that wait for an answer, by the kernel's queue or in frames. */
static inline uint32_t ns_table_outstanding(const struct ns_table *table) {
    return table->order.count + table->frames.count;
}

/* Returns one of these packets, or NS_TABLE_NONE if there is none. */
static inline uint32_t ns_table_first(const struct ns_table *table) {
    return table->order.first != NS_TABLE_NONE ? table->order.first : table->frames.first;
}

#endif
