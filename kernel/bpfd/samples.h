/* SPDX-License-Identifier: Apache-2.0 */
/*
 * samples.h - the ring buffers of containers, and the filters of the samples in them. kernel/bpf/sample.bpf.c takes
 * the samples.
 */
#ifndef NS_BPFD_SAMPLES_H
#define NS_BPFD_SAMPLES_H

#include "flows.h"

/*
 * Puts the container's ring buffer into its slot. Makes it if `make`, and if the kernel has ring buffers. Returns 0,
 * or -1 with errno.
 */
int ns_samples_open(struct ns_bpfd *bpfd, struct ns_granted *granted, bool make);

/* Limits the container's samples in a second, 0 = any number. Without a call there is no limit. */
void ns_samples_limit(struct ns_bpfd *bpfd, const struct ns_granted *granted, uint64_t packets, uint64_t bytes);

/* Closes the ring buffer. Called after ns_samples_filter, which has taken its filters away. */
void ns_samples_close(struct ns_bpfd *bpfd, const struct ns_granted *granted);

/*
 * Writes the filters of the present containers, if they have changed. When the function returns, no program uses the
 * old filters. Returns 0, or -1 with the reason in the log.
 */
int ns_samples_filter(struct ns_bpfd *bpfd);

#endif
