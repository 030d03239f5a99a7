/* SPDX-License-Identifier: Apache-2.0 */
/* serval.h - rules of service routers of Serval in the kernel: questions of containers, and the ends of rules. */
#ifndef NS_BPFD_SERVAL_H
#define NS_BPFD_SERVAL_H

#include "flows.h"

/* Begins the counters of a container that has just been granted, and ends the rules that an earlier bpfd had. */
void ns_serval_begin(struct ns_bpfd *bpfd, struct ns_granted *granted);

/* Handles a question. The answer is the record of its place, if the question is well formed. */
void ns_serval_ask(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_serval_ask *ask);

/* Ends all rules of a container. Packets to its routers go to the module's socket from then on, if there is one. */
void ns_serval_revoke(struct ns_bpfd *bpfd, struct ns_granted *granted);

/* Ends the rules that would be refused now: after a change of filters, of the node's addresses, or of interfaces. */
void ns_serval_check_again(struct ns_bpfd *bpfd);

/* Ends the rules that have expired. */
void ns_serval_sweep(struct ns_bpfd *bpfd, struct ns_granted *granted, uint64_t now);

/* Prints the counters of a container as pairs of `stats`. */
void ns_serval_print(const struct ns_bpfd *bpfd, const struct ns_granted *granted, FILE *out);

#endif
