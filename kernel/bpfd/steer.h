/* SPDX-License-Identifier: Apache-2.0 */
/* steer.h - tells steer.bpf.c the AF_XDP socket for each frame: docs/protocols/afxdp.md. */
#ifndef NS_BPFD_STEER_H
#define NS_BPFD_STEER_H

#include "flows.h"
#include "ns_steer.h"
#include <stdio.h>

/* Asks a granted container for its sockets, because it may have sent them before, or to a predecessor of ours. */
void ns_steer_ask(const struct ns_granted *granted);

/*
 * Handles a message of struct ns_steer_attach, with this socket or none (-1), and takes the socket. Returns false if
 * the message is bad or could not be obeyed.
 */
bool ns_steer_heed(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_steer_attach *message, int socket);

/* Steers nothing more to this container, and writes the list anew. */
void ns_steer_forget(struct ns_bpfd *bpfd, const struct ns_granted *granted);

/*
 * Writes the programs' list after a change of filters or containers. When the function returns, no program uses the
 * old list.
 */
void ns_steer_filter(const struct ns_bpfd *bpfd);

/* Set the counters of a container to zero, and print them as pairs of `stats`. */
void ns_steer_begin_counts(const struct ns_bpfd *bpfd, const struct ns_granted *granted);
void ns_steer_print_counts(const struct ns_bpfd *bpfd, const struct ns_granted *granted, FILE *out);

/* Compiles the list as the programs walk it. `slot` returns the slot of a container by its name, or -1. Pure. */
void ns_steer_compile(struct ns_steer_filters *out, const struct ns_way_filters *filters,
                      int (*slot)(const void *context, const char *container), const void *context);

#endif
