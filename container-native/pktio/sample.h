/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.h - turns the record of a sampled packet that bpfd's program writes (struct ns_sample) into a packet as a
 * queue delivers it: single, with complete checksums. Pure.
 *
 * An aggregate gets the headers of the sampled packet: lengths, IPv4's id and header checksum, TCP's number and
 * flags.
 *
 * A checksum left open for a network card stands at the sum of the pseudo header, and is computed. A complete
 * checksum that equals that sum by chance comes out unchanged.
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
    uint8_t packet[NS_RING_PACKET_MAX]; /* directly behind `before` */
};

/*
 * Reads a record of `length` bytes. Returns false if it is not a sample. A whole packet gets its final headers and
 * checksums; its headers may still be malformed.
 */
bool ns_sample_read(struct ns_sampled *sampled, const uint8_t *record, size_t length);

#endif
