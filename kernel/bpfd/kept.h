/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept.h - relays that outlive their container for a moment, so that calls go on while it starts again.
 *
 *     state   event                                      action                              next
 *     ------  -----------------------------------------  ----------------------------------  ------------------
 *     owned   the container died (order `keep`)          bound to the end of the grace       kept
 *     owned   `revoke`                                   removed                             -
 *     kept    same name asks for the same channel        replaced in place, numbers go on    owned by the asker
 *     kept    same name asks for a channel that clashes  removed, the question is taken      -
 *     kept    same name is granted, other lists          removed if they forbid it           kept, or -
 *     kept    another name may listen at its addresses   removed                             -
 *     kept    filters, node: would be refused now        removed                             -
 *     kept    `forget` (REMOVE, TTL, policy, stop)       removed                             -
 *     kept    its seconds, or the grace, are over        removed                             -
 *     kept    the next container dies, too               the grace stays as it is            kept
 *     any     bpfd ends, or the spawner                  removed with the kernel's maps      -
 *
 * A dead container keeps its slot and its records until its last relay is gone. It has no name any more, so that no
 * filter, order or count finds it. The programs know the end of the grace, too: it is the relays' time of expiry.
 */
#ifndef NS_BPFD_KEPT_H
#define NS_BPFD_KEPT_H

#include "flows.h"

#define NS_KEPT_MOST_MS 60000u /* the longest grace */

/* A relay that is kept; `granted` NULL = there is none. */
struct ns_kept_relay {
    struct ns_granted *granted;
    unsigned place;
};

/*
 * Takes the end of a container: keeps its relays until then, and ends all else of it. Returns the number of relays
 * that are kept. Without one the container is revoked, and `granted` is gone.
 */
unsigned ns_kept_begin(struct ns_bpfd *bpfd, struct ns_granted *granted, uint64_t until);

/* Ends all that is kept of containers of this name. */
void ns_kept_forget(struct ns_bpfd *bpfd, const char *name);

/* Ends what a container that is about to be granted must not find, by its own lists and by those of others. */
void ns_kept_meet(struct ns_bpfd *bpfd, const char *name, const struct ns_reach *listen,
                  const struct ns_reach *connect);

/* Finds the relay that is kept for a container of this name and the same channel. */
struct ns_kept_relay ns_kept_find(const struct ns_bpfd *bpfd, const char *name, const struct ns_ring_ask *ask);

/* Notes that another container of the name has the relay now. */
void ns_kept_taken_over(struct ns_bpfd *bpfd, struct ns_kept_relay kept);

/* Ends the kept relays of this name whose packets the question wants, too. Returns true if there were any. */
bool ns_kept_yield(struct ns_bpfd *bpfd, const char *name, const struct ns_ring_ask *ask);

/* Returns the number of relays that are kept for this name. They count against the quota of the next container. */
unsigned ns_kept_used(const struct ns_bpfd *bpfd, const char *name);

/* Frees a slot of a dead container for a living one: that with the earliest end. False = there is none. */
bool ns_kept_make_room(struct ns_bpfd *bpfd);

/* Ends what has been kept for long enough, and frees the slots of those that have nothing left. */
void ns_kept_sweep(struct ns_bpfd *bpfd, uint64_t now);

/* Prints the counters of this name, since bpfd's start, as pairs of `stats`. */
void ns_kept_print(const struct ns_bpfd *bpfd, const char *name, FILE *out);

#endif
