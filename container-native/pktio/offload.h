/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offload.h - what pktio asks of bpfd for the rest of a flow: see NS_VERDICT_OFFLOAD in ns_ring.h.
 *
 * The flow is that of the packet as it came, from private memory. What a rewrite sets is the difference between those
 * headers and the packet that goes out instead. bpfd checks all of it again and does not answer.
 */
#ifndef NS_OFFLOAD_H
#define NS_OFFLOAD_H

#include "ns_fastpath.h"
#include "table.h"

/* How a request ended; each has its counter. */
enum ns_offload_end {
    NS_OFFLOAD_REQUESTED,
    NS_OFFLOAD_UNFIT,       /* the rest of the flow cannot be decided like this packet */
    NS_OFFLOAD_UNAVAILABLE, /* this node, or this container, has no fast path; or bpfd has gone */
    NS_OFFLOAD_OVERFLOW,    /* the socket is full */
};

/* Fills all but `action`. False for a fragment: those that follow have no ports. */
bool ns_offload_flow(struct ns_offload *request, const struct ns_packet *packet, uint16_t seconds);

/*
 * Fills in what turns the packet as it came into `changed`, which has passed the egress check. False if they differ in more
 * than addresses, ports, DSCP and TTL: only the first bytes of the original are there to compare, of the rest UDP's and
 * TCP's checksums must tell.
 */
bool ns_offload_rewrite(struct ns_offload *request, const struct ns_packet *packet, const uint8_t *changed,
                        uint32_t length);

/* Sends it, never waits. `fd` is -1 without a fast path. */
enum ns_offload_end ns_offload_send(int fd, const struct ns_offload *request);

#endif
