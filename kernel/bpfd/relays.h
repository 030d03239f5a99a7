/* SPDX-License-Identifier: Apache-2.0 */
/* relays.h - channels of TURN servers in the kernel: questions of containers, and the ends of relays. */
#ifndef NS_BPFD_RELAYS_H
#define NS_BPFD_RELAYS_H

#include "flows.h"

/* Begins the records and counters of a container that has just been granted. Ends what an earlier bpfd has left. */
void ns_relays_begin(struct ns_bpfd *bpfd, struct ns_granted *granted);

/* Handles a question. The answer is the record of its place, if the question is well formed. */
void ns_relays_ask(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_ring_ask *ask);

/* Ends all relays of a container. */
void ns_relays_revoke(struct ns_bpfd *bpfd, struct ns_granted *granted);

/* Ends a relay, and counts the end. */
void ns_relays_end(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned place, uint64_t *count);

/* Begins the numbers of all relays with 0. Their times go on. */
void ns_relays_begin_numbers(const struct ns_granted *granted);

/*
 * Writes the relays of a container that has died, by its present lists: none lives longer than `until`. For the next
 * 15 s none of their packets is let go, because nobody is there to see it.
 */
void ns_relays_bound(struct ns_bpfd *bpfd, struct ns_granted *granted, uint64_t until, uint64_t now);

/* Ends the container's relays that have an address and port of the list, which another container may use now. */
void ns_relays_yield(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_reach *listen);

/* Ends the relays that would be refused now: after a change of filters, or of the node's addresses. */
void ns_relays_check_again(struct ns_bpfd *bpfd);

/* Does the same for one container, after a change of its lists. */
void ns_relays_check_container(struct ns_bpfd *bpfd, struct ns_granted *granted);

/* Ends the relays that have expired. */
void ns_relays_sweep(struct ns_bpfd *bpfd, struct ns_granted *granted, uint64_t now);

/* Prints the counters of a container as pairs of `stats`. */
void ns_relays_print(const struct ns_bpfd *bpfd, const struct ns_granted *granted, FILE *out);

#endif
