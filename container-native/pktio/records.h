/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.h - copies bpfd's records of this container into region D for its modules.
 *
 *     bpfd's array (BPF_F_MMAPABLE, read-only here) --ten times a second--> region D (read-only in the container)
 *
 * The container does not get the array itself, and holds no descriptor of a BPF map. Records that were never used are
 * not copied, so that their pages of region D need no memory.
 */
#ifndef NS_RECORDS_H
#define NS_RECORDS_H

#include "ns_ring.h"
#include <stdbool.h>
#include <stdint.h>

#define NS_RECORD_RELAYS (NS_RING_RECORD_FLOWS + NS_RING_RECORD_COUNTS) /* number of the first relay's record */
#define NS_RECORDS (NS_RECORD_RELAYS + NS_RING_RELAYS)
#define NS_RECORDS_EVERY 100000000ull /* nanoseconds from one look to the next */

struct ns_records {
    const struct ns_ring_record *from; /* NULL = there are none */
    struct ns_ring_record *to;         /* NULL = the ring has no place for them */
    uint32_t version;                  /* the last version written, even; only grows, also over a restart */
    uint64_t next;                     /* time of the next look, of the monotonic clock */
    bool used[NS_RECORD_RELAYS];       /* the copy is not empty */
    struct ns_ring_relay *relays;      /* destination of the copies of relays; NULL = none */
};

/* Maps bpfd's array. Returns NULL with errno if `fd` is not such an array, or too short. */
const struct ns_ring_record *ns_records_map(int fd);

/* Clears the records that a predecessor has copied. `relays` may be NULL. */
void ns_records_begin(struct ns_records *records, const struct ns_ring_record *from, struct ns_ring_record *to,
                      struct ns_ring_relay *relays, uint64_t now);

/* Copies the records that have changed, if it is time. Returns the number of records written. */
uint32_t ns_records_copy(struct ns_records *records, uint64_t now);

#endif
