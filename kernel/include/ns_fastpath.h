/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_fastpath.h - what bpfd and its programs have in common with pktio and the spawner. Host byte order unless said otherwise; the
 * words to it are in docs/protocols/bpfd.md.
 *
 *     pktio --- struct ns_offload ---> bpfd --- flows, counting and sampling filters ---> programs
 *       ^ ^                                                                                 |  |
 *       | +------------ struct ns_ring_record (mapped, read-only) <-------------------------+  |
 *       +-------------- struct ns_sample, packet (ring buffer) <-------------------------------+
 *
 * A container has NS_RECORDS records, laid out as region D of the ring has them (ns_ring.h): offloaded flows, then counts, the last
 * of which takes what found no place. `version` is odd while state, seq and the flow are written; packets, bytes and last_usec are
 * written by the programs, each whole and by itself.
 */
#ifndef NS_FASTPATH_H
#define NS_FASTPATH_H

#include "ns_ring.h"

#define NS_OFFLOAD_MARK 0x00200000u /* O: of a packet that tc has done; it goes past the queues */

#define NS_FLOW_IDLE_SECONDS 30u /* without a packet, then it has ended */
#define NS_RECORDS (NS_RING_RECORD_FLOWS + NS_RING_RECORD_COUNTS)
#define NS_RECORD_OTHER (NS_RECORDS - 1u)

enum ns_offload_action { NS_OFFLOAD_PASS, NS_OFFLOAD_DROP, NS_OFFLOAD_REWRITE };

/* Bits of ns_offload.set: which of the new values are meant. */
#define NS_SET_ADDRESSES 1u
#define NS_SET_PORTS 2u
#define NS_SET_DSCP 4u
#define NS_SET_TTL 8u

/* One request, one datagram. An IPv4 address is in the first 4 bytes of its 16, the rest zero; ports are 0 where there are none. */
struct ns_offload {
    uint8_t family;   /* 4 or 6 */
    uint8_t protocol; /* of the upper layer */
    uint8_t action;   /* enum ns_offload_action */
    uint8_t zero;
    uint16_t seconds; /* 1 to 65535 */
    uint16_t zero2;
    uint32_t seq; /* of the packet whose verdict asks: comes back in the record */
    uint8_t source[16], destination[16];
    uint16_t source_port, destination_port; /* the flow as it arrives */
    uint8_t new_source[16], new_destination[16];
    uint16_t new_source_port, new_destination_port; /* of a rewrite: whole, also what stays as it is */
    uint8_t dscp;                                   /* 0 to 63, 0xff = leave */
    uint8_t ttl;                                    /* 1 to 255, 0xff = leave */
    uint8_t set;                                    /* NS_SET_* */
    uint8_t zero3;
};
_Static_assert(sizeof(struct ns_offload) == 88, "a request has 88 bytes");

#define NS_SAMPLE_FILTERS 16u              /* whose samples the kernel takes, of all containers together, each family */
#define NS_SAMPLE_RING_BYTES (256u * 1024) /* of a container's ring buffer: a power of two, whole pages */

/*
 * A sample in the container's ring buffer: this, and behind it the IP packet, of which NS_RING_PACKET_MAX bytes are kept.
 *
 * Packets that the kernel had merged, or not yet cut, when it took one of them: `headers` counts the bytes up to the upper layer's data.
 * These are the whole aggregate's, lengths and checksums too; behind them is the data of this packet alone.
 */
struct ns_sample {
    uint64_t nsec;   /* when it was taken, CLOCK_MONOTONIC */
    uint32_t length; /* of this packet, bytes */
    uint32_t mark;
    uint32_t ifindex; /* of the interface it came in on */
    uint32_t lost;    /* samples since the one before, for which there was no room, or that were too many a second */
    uint8_t family;   /* 4 or 6 */
    uint8_t zero;
    uint16_t headers; /* 0 = it came alone */
    uint16_t segment, segments;
    uint16_t segment_bytes; /* of data, of each but the last */
    uint16_t zero2[3];
};
_Static_assert(sizeof(struct ns_sample) == 40, "a sample begins with 40 bytes");

#endif
