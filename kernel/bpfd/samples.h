/* SPDX-License-Identifier: Apache-2.0 */
/* samples.h - ring buffers of containers, and the filters whose samples go there: kernel/bpf/sample.bpf.c takes them. */
#ifndef NS_BPFD_SAMPLES_H
#define NS_BPFD_SAMPLES_H

#include "flows.h"

/* Puts the container's ring buffer into its slot; makes it if `make`, where the kernel has such. 0, or -1 with errno. */
int ns_samples_open(struct ns_bpfd *bpfd, struct ns_granted *granted, bool make);

/* How much of it goes through in a second, 0 = any number. Without this, any. */
void ns_samples_limit(struct ns_bpfd *bpfd, const struct ns_granted *granted, uint64_t packets, uint64_t bytes);

/* Behind ns_samples_filter, which has taken its filters away. */
void ns_samples_close(struct ns_bpfd *bpfd, const struct ns_granted *granted);

/*
 * Writes the filters of the containers that there are, if they are others than before. No program uses the old ones when this is done.
 * 0, or -1 with the reason in the log.
 */
int ns_samples_filter(struct ns_bpfd *bpfd);

#endif
