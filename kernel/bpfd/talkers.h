/* SPDX-License-Identifier: Apache-2.0 */
/* talkers.h - chooses the counts, and the flows in the kernel, that have the most bytes. Pure. */
#ifndef NS_BPFD_TALKERS_H
#define NS_BPFD_TALKERS_H

#include "ns_programs.h"
#include <stdio.h>

#define NS_TALKERS_MOST 16u /* with the longest names, addresses and numbers they fit into one answer */

struct ns_talker {
    const char *container;
    struct ns_ring_record record; /* as it was read */
};

/* The chosen records, the most bytes first. The caller sets `most`. */
struct ns_talkers {
    unsigned most, count;
    uint64_t records; /* counts and flows that there are */
    uint64_t other;   /* packets that found no place among the counts */
    struct ns_talker talker[NS_TALKERS_MOST];
};

/* Adds the counts and flows of a container, given its NS_RECORDS records. `container` must outlive the talkers. */
void ns_talkers_add(struct ns_talkers *talkers, const char *container, const struct ns_ring_record *records);

/* Writes the pairs of the answer (docs/protocols/bpfd.md, "Orders"). */
void ns_talkers_print(const struct ns_talkers *talkers, uint64_t now_usec, FILE *out);

#endif
