/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment.h - segments of TCP in their two forms. Checksums are computed anew, because the local stack leaves them to a
 * device that is not there.
 *
 *     local   IP, TCP with ports; names of the local stack
 *     wire    TCP behind SAL: ports 0, and two words in the pseudo-header of the checksum
 */
#ifndef NS_SALD_SEGMENT_H
#define NS_SALD_SEGMENT_H

#include "ns_sal.h"
#include <stdbool.h>
#include <stddef.h>

#define NS_SAL_TCP_LEAST 20u
#define NS_SAL_TCP_MOST 60u      /* bytes of the header */
#define NS_SAL_PACKET_MAX 65575u /* bytes of the longest local packet */

#define NS_TCP_FIN 0x01u
#define NS_TCP_SYN 0x02u
#define NS_TCP_RST 0x04u
#define NS_TCP_ACK 0x10u

struct ns_sal_segment {
    struct ns_sal_tuple tuple; /* of a local packet: as it leaves the local stack */
    const uint8_t *tcp;        /* header and data */
    size_t length;
    size_t header; /* bytes of the header */
    unsigned flags;
    uint32_t seq, ack;
};

/* Reads TCP's header. Returns false if it is no whole one. */
bool ns_sal_segment_read(struct ns_sal_segment *segment, const uint8_t *tcp, size_t length);

/* Reads a local packet. Returns false if it is no whole packet of TCP, or a fragment. */
bool ns_sal_segment_local(struct ns_sal_segment *segment, const uint8_t *packet, size_t length);

/*
 * Writes the form of the wire into `segment->length` bytes. Source and destination are the words of the pseudo-header
 * in host order: flowIDs, or the addresses of raw IP.
 */
void ns_sal_segment_to_wire(uint8_t *tcp, const struct ns_sal_segment *segment, uint32_t source, uint32_t destination);

/* Tells whether the checksum of a segment from the wire is right. */
bool ns_sal_segment_is_right(const uint8_t *tcp, size_t length, uint32_t source, uint32_t destination);

/*
 * Writes the local packet that goes to the local stack: from the tuple's destination to its source. Returns its
 * length, or 0 if it is too long.
 */
size_t ns_sal_segment_to_local(uint8_t packet[NS_SAL_PACKET_MAX], const struct ns_sal_tuple *tuple, const uint8_t *tcp,
                               size_t length);

/* Computes the checksum of a local packet of TCP anew. The packet is sound. */
void ns_sal_segment_finish(uint8_t *packet, size_t length);

/* Makes a RST with these numbers, 20 bytes. */
void ns_sal_segment_rst(uint8_t tcp[NS_SAL_TCP_LEAST], uint32_t seq, uint32_t ack, bool has_ack);

#endif
