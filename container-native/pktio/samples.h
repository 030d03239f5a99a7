/* SPDX-License-Identifier: Apache-2.0 */
/*
 * samples.h - the ring buffer in which the kernel puts samples for this container, and their way into the ring as copies.
 *
 *     | read up to (8, a page; ours to write) | written up to (8, a page) | records, mapped twice in a row |
 *
 *     a record:  | 4: length, BUSY, DISCARD | 4 | struct ns_sample, packet | to the next 8 |
 *
 * Only the first page can be written from here, and it is this container's: a wrong number there makes samples come late or not at all.
 * What a pktio has not read, the next one reads.
 */
#ifndef NS_SAMPLES_H
#define NS_SAMPLES_H

#include "pktio.h"

#define NS_SAMPLES_BATCH 64u

struct ns_samples {
    int fd; /* becomes readable; -1 = there is none */
    uint64_t *consumed;
    const uint64_t *produced;
    const uint8_t *records; /* 2 * size bytes, the second half being the first again */
    uint64_t size, at;
};

/* Maps what `fd` is, -1 = nothing. 0, or -1 with errno: it is none, or shorter. */
int ns_samples_open(struct ns_samples *samples, int fd);
void ns_samples_close(struct ns_samples *samples);

/* Takes at most a batch; returns how many records there were. Never waits. */
unsigned ns_samples_receive(struct ns_samples *samples, struct ns_pktio *pktio, uint64_t now);

#endif
