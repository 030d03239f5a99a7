/* SPDX-License-Identifier: Apache-2.0 */
/* steer.h - which frames steer.bpf.c leads to which AF_XDP socket: docs/protocols/afxdp.md. */
#ifndef NS_BPFD_STEER_H
#define NS_BPFD_STEER_H

#include "flows.h"
#include "ns_steer.h"
#include <stdio.h>

/* Asks a container that was granted for its sockets: it may have sent them before, or to a predecessor of ours. */
void ns_steer_ask(const struct ns_granted *granted);

/* A message of struct ns_steer_attach has come, with this socket or none (-1); takes it. False if it is not one, or was not obeyed. */
bool ns_steer_heed(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_steer_attach *message, int socket);

/* Nothing more to this container; writes the list anew. */
void ns_steer_forget(struct ns_bpfd *bpfd, const struct ns_granted *granted);

/* Writes the programs' list, for other filters or other containers. When it returns no program uses the list before. */
void ns_steer_filter(const struct ns_bpfd *bpfd);

/* Counters of a container: all to zero, and as pairs of `stats`. */
void ns_steer_begin_counts(const struct ns_bpfd *bpfd, const struct ns_granted *granted);
void ns_steer_print_counts(const struct ns_bpfd *bpfd, const struct ns_granted *granted, FILE *out);

/* The list as the programs walk it; `slot` of a container by its name, or -1. Pure. */
void ns_steer_compile(struct ns_steer_filters *out, const struct ns_way_filters *filters,
                      int (*slot)(const void *context, const char *container), const void *context);

#endif
