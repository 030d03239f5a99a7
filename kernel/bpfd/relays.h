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

/* Ends the relays that would be refused now: after a change of filters, or of the node's addresses. */
void ns_relays_check_again(struct ns_bpfd *bpfd);

/* Ends the relays that have expired. */
void ns_relays_sweep(struct ns_bpfd *bpfd, struct ns_granted *granted, uint64_t now);

/* Prints the counters of a container as pairs of `stats`. */
void ns_relays_print(const struct ns_bpfd *bpfd, const struct ns_granted *granted, FILE *out);

#endif
