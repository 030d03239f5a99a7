/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_fastpath.h - the structures that bpfd and its programs share with pktio and the spawner. Host byte order unless
 * said otherwise; docs/protocols/bpfd.md explains them.
 *
 *     pktio --- struct ns_offload ---> bpfd --- flows, relays, filters to count and sample ---> programs
 *       ^ ^     struct ns_ring_ask                                                          |  |
 *       | +------------ struct ns_ring_record (mapped, read-only) <-------------------------+  |
 *       +-------------- struct ns_sample, packet (ring buffer) <-------------------------------+
 *
 * A container has NS_RECORDS records. They are laid out as in region D of the ring (ns_ring.h): offloaded flows, then
 * counts, then relays. The last count takes all packets that found no place. `version` is odd while state, seq and the
 * flow are written. The programs write packets, bytes and last_usec, each whole and by itself. A record of a relay is a
 * struct ns_ring_relay.
 */
#ifndef NS_FASTPATH_H
#define NS_FASTPATH_H

#include "ns_ring.h"

#define NS_OFFLOAD_MARK 0x00200000u /* O: of a packet that tc has handled; it goes past the queues */

#define NS_RELAYS_PER_FLOW 4u /* a container may have so many relays for each flow of its quota */

#define NS_ANSWERS_PER_FLOW 4u /* likewise answers by template */

#define NS_FLOW_IDLE_SECONDS 30u                                        /* a flow ends after so long without a packet */
#define NS_RECORD_RELAYS (NS_RING_RECORD_FLOWS + NS_RING_RECORD_COUNTS) /* number of the first relay's record */
#define NS_RECORDS (NS_RECORD_RELAYS + NS_RING_RELAYS)
#define NS_RECORD_OTHER (NS_RECORD_RELAYS - 1u)

enum ns_offload_action { NS_OFFLOAD_PASS, NS_OFFLOAD_DROP, NS_OFFLOAD_REWRITE };

/* Bits of ns_offload.set: the new values that the request sets. */
#define NS_SET_ADDRESSES 1u
#define NS_SET_PORTS 2u
#define NS_SET_DSCP 4u
#define NS_SET_TTL 8u

/*
 * One request, one datagram. An IPv4 address is in the first 4 bytes of its 16, the rest zero. Ports are 0 if there
 * are none.
 */
struct ns_offload {
    uint8_t family;   /* 4 or 6 */
    uint8_t protocol; /* of the upper layer */
    uint8_t action;   /* enum ns_offload_action */
    uint8_t zero;
    uint16_t seconds; /* 1 to 65535 */
    uint16_t zero2;
    uint32_t seq; /* of the packet with the verdict that asks: comes back in the record */
    uint8_t source[16], destination[16];
    uint16_t source_port, destination_port; /* the flow as it arrives */
    uint8_t new_source[16], new_destination[16];
    uint16_t new_source_port, new_destination_port; /* of a rewrite: complete, including unchanged values */
    uint8_t dscp;                                   /* 0 to 63, 0xff = leave */
    uint8_t ttl;                                    /* 1 to 255, 0xff = leave */
    uint8_t set;                                    /* NS_SET_* */
    uint8_t zero3;
};
_Static_assert(sizeof(struct ns_offload) == 88, "a request has 88 bytes");

#define NS_SAMPLE_FILTERS 16u              /* sampling filters, of all containers together, each family */
#define NS_SAMPLE_RING_BYTES (256u * 1024) /* of a container's ring buffer: a power of two, whole pages */

/*
 * A sample in the container's ring buffer. The IP packet follows the structure; NS_RING_PACKET_MAX bytes of it are
 * kept.
 *
 * The kernel may have merged packets, or not yet cut them, when it sampled one of them. Then `headers` counts the
 * bytes up to the upper layer's data. These headers are the whole aggregate's, lengths and checksums included, and
 * the data behind them is that of this packet alone.
 */
struct ns_sample {
    uint64_t nsec;   /* time of the sample, CLOCK_MONOTONIC */
    uint32_t length; /* of this packet, bytes */
    uint32_t mark;
    uint32_t ifindex; /* of the interface it came in on */
    uint32_t lost;    /* samples lost since the previous one: there was no room, or too many in a second */
    uint8_t family;   /* 4 or 6 */
    uint8_t zero;
    uint16_t headers; /* 0 = the packet came alone */
    uint16_t segment, segments;
    uint16_t segment_bytes; /* bytes of data of each segment but the last */
    uint16_t zero2[3];
};
_Static_assert(sizeof(struct ns_sample) == 40, "a sample begins with 40 bytes");

#endif
