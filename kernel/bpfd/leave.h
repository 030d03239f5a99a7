/* SPDX-License-Identifier: Apache-2.0 */
/* leave.h - the way of UDP out of containers, past the stack, with forward=direct. */
#ifndef NS_BPFD_LEAVE_H
#define NS_BPFD_LEAVE_H

#include "flows.h"
#include <stdio.h>

#define NS_NETWORKS 4096 /* numbers of containers' interfaces */

/* Attaches the program to the container's interface, if it has one and forward=direct. Its `listen` must be known. */
void ns_leave_begin(struct ns_bpfd *bpfd, struct ns_granted *granted);

/* Ends it, if it has begun. All packets of the container take the long way. */
void ns_leave_end(struct ns_bpfd *bpfd, struct ns_granted *granted);

/* Ends and begins all, after another order of interfaces. */
void ns_leave_again(struct ns_bpfd *bpfd);

/* Prints the counters. */
void ns_leave_print(struct ns_bpfd *bpfd, const struct ns_granted *granted, FILE *out);

#endif
