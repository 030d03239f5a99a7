/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.h - what bpfd's program has written of a sampled packet (struct ns_sample), as the packet that a queue would have handed over:
 * single, with complete checksums. Pure.
 *
 *     of an aggregate    lengths, IPv4's id and header checksum, TCP's number and flags are those of the packet that was taken
 *     left open          a checksum that a card was to compute, and so stands at the sum of the pseudo header, is computed. A right one
 *                        that is equal to that sum by chance comes out as it was
 */
#ifndef NS_SAMPLE_H
#define NS_SAMPLE_H

#include "ns_fastpath.h"
#include <stdbool.h>
#include <stddef.h>

#define NS_SAMPLE_BEFORE 96u /* bytes of room before the packet: its first 160 and these are a message's head */

struct ns_sampled {
    struct ns_sample head;
    uint32_t kept; /* bytes of the packet that are here; fewer than head.length if it is longer than a slot takes */
    uint8_t before[NS_SAMPLE_BEFORE];
    uint8_t packet[NS_RING_PACKET_MAX]; /* directly behind it */
};

/* Reads a record of `length` bytes. False: it is none. A packet that is whole is finished; its headers may still be malformed. */
bool ns_sample_read(struct ns_sampled *sampled, const uint8_t *record, size_t length);

#endif
