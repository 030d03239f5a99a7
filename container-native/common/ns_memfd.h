/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_memfd.h - shared memory of fixed size: sealed memfds, and the ring made of two of them.
 *
 * The owner of a region is the uid that made it, mode 0600: whoever is handed the
 * read-only descriptor under another uid cannot reopen it writable through /proc/self/fd.
 * All descriptors are close-on-exec. Functions return 0, or -1 with errno.
 */
#ifndef NS_MEMFD_H
#define NS_MEMFD_H

#include "ns_ring.h"
#include <stddef.h>
#include <stdint.h>

/*
 * Makes a zeroed region of `bytes` (> 0), sealed against
 * shrinking, growing and further seals. *read_only may be NULL.
 */
int ns_memfd_create(const char *name, uint64_t bytes, int *read_write, int *read_only);

/*
 * Is fd a region of at least `bytes` that can never shrink?
 * EBADMSG if not. Check before mapping a foreign descriptor.
 */
int ns_memfd_check(int fd, uint64_t bytes);

/* The descriptors of a ring, -1 = not open. */
struct ns_ring_fds {
    int desc_rw; /* region D for pktio */
    int desc_ro; /* region D for the container */
    int slots;   /* region S, read-write for both */
};

/* Makes both regions and fills their headers. `slots` is a power of two, 64..16384, else EINVAL. */
int ns_ring_create(uint32_t slots, struct ns_ring_fds *fds);
void ns_ring_close(struct ns_ring_fds *fds);

/* Both regions as mapped into this process. In the container region D is mapped read-only. */
struct ns_ring_map {
    uint32_t slots;            /* as told by the caller, not as read from the region */
    uint64_t d_bytes, s_bytes; /* mapped of the regions */
    struct ns_ring_d *d;
    struct ns_ring_desc *desc;
    struct ns_ring_record *records; /* NULL in a ring of minor version 0 */
    struct ns_ring_relay *relays;   /* NULL in a ring before minor version 2, and then there are no questions */
    struct ns_ring_s *s;
    struct ns_ring_verdict *verdict;
    struct ns_ring_ask *ask;
    uint8_t *slot; /* slot i begins at slot + i * NS_RING_SLOT_SIZE */
};

/*
 * Maps a ring of `slots`, of any minor version; checks sizes, seals, and
 * the header of D. `writable` is for region D: pktio 1, container 0.
 */
int ns_ring_map(struct ns_ring_map *map, int desc_fd, int slots_fd, uint32_t slots, int writable);
void ns_ring_unmap(struct ns_ring_map *map);

#endif
