/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answers.h - answers by template in the kernel: questions of containers, and the ends of answers.
 *
 *     state   question         what bpfd does                                   next
 *     ------  ---------------  -----------------------------------------------  ------
 *     any     a piece of PUT   waits for the last one                           as it is
 *     free    the last piece   checks the entry, puts it into the kernel        active, or free if it is refused
 *     active  the last piece   ends what the place has; then as for a free one
 *     active  ARM              gives it other seconds and another budget        active
 *     free    ARM              refuses it: gone                                 free
 *     any     WITHDRAW         ends what the place has                          free
 *
 * An entry whose budget is used up stays active, and its packets go the long way, until it is armed or ends.
 */
#ifndef NS_BPFD_ANSWERS_H
#define NS_BPFD_ANSWERS_H

#include "flows.h"

/* Begins the counters of a container that has just been granted. */
void ns_answers_begin(struct ns_bpfd *bpfd, struct ns_granted *granted);

/* Handles a question. The answer is the record of its place, if the question is well formed. */
void ns_answers_ask(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_answer_ask *ask);

/* Ends all answers of a container. */
void ns_answers_revoke(struct ns_bpfd *bpfd, struct ns_granted *granted);

/* Ends the answers that would be refused now, and those whose packets other modules of the container see now. */
void ns_answers_check_again(struct ns_bpfd *bpfd, const struct ns_way_filters *before);

/* Ends the answers that have expired. */
void ns_answers_sweep(struct ns_bpfd *bpfd, struct ns_granted *granted, uint64_t now);

/* Prints the counters of a container as pairs of `stats`. */
void ns_answers_print(const struct ns_bpfd *bpfd, const struct ns_granted *granted, FILE *out);

#endif
