/* SPDX-License-Identifier: Apache-2.0 */
/*
 * samples.h - takes samples for this container from the kernel's ring buffer, and puts them into the ring as copies.
 *
 *     | read up to (8, a page; ours to write) | written up to (8, a page) | records, mapped twice in a row |
 *
 * A record has this form.
 *
 *     | 4: length, BUSY, DISCARD | 4 | struct ns_sample, packet | to the next 8 |
 *
 * pktio can write only the first page. That page belongs to this container: a wrong number there makes samples come
 * late or not at all. The next pktio reads the records that this one has not read.
 */
#ifndef NS_SAMPLES_H
#define NS_SAMPLES_H

#include "pktio.h"

#define NS_SAMPLES_BATCH 64u

struct ns_samples {
    int fd; /* becomes readable with a sample; -1 = there is no ring buffer */
    uint64_t *consumed;
    const uint64_t *produced;
    const uint8_t *records; /* 2 * size bytes: the second half repeats the first */
    uint64_t size, at;
};

/*
 * Maps the ring buffer `fd`; maps nothing for -1. Returns 0, or -1 with errno if `fd` is not a ring buffer, or too
 * short.
 */
int ns_samples_open(struct ns_samples *samples, int fd);
void ns_samples_close(struct ns_samples *samples);

/* Takes at most a batch. Returns the number of records taken. Never waits. */
unsigned ns_samples_receive(struct ns_samples *samples, struct ns_pktio *pktio, uint64_t now);

#endif
