/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offload.h - requests to bpfd for the rest of a flow: see NS_VERDICT_OFFLOAD in ns_ring.h.
 *
 * The flow is the flow of the packet as it came, read from private memory. A rewrite sets the fields in which the
 * changed packet differs from the original headers. bpfd checks the whole request again and does not answer.
 */
#ifndef NS_OFFLOAD_H
#define NS_OFFLOAD_H

#include "ns_fastpath.h"
#include "table.h"

/* The end of a request; each end has its counter. */
enum ns_offload_end {
    NS_OFFLOAD_REQUESTED,
    NS_OFFLOAD_UNFIT,       /* the rest of the flow cannot be decided like this packet */
    NS_OFFLOAD_UNAVAILABLE, /* this node, or this container, has no fast path; or bpfd has gone */
    NS_OFFLOAD_OVERFLOW,    /* the socket is full */
};

/* Fills all fields but `action`. Returns false for a fragment, because the fragments that follow have no ports. */
bool ns_offload_flow(struct ns_offload *request, const struct ns_packet *packet, uint16_t seconds);

/*
 * Fills in the fields that turn the original packet into `changed`, which has passed the egress check. Returns false
 * if the two differ in more than addresses, ports, DSCP and TTL. Only the first bytes of the original are kept for
 * the comparison; for the rest the checksums of UDP and TCP decide.
 */
bool ns_offload_rewrite(struct ns_offload *request, const struct ns_packet *packet, const uint8_t *changed,
                        uint32_t length);

/* Sends the request without waiting. `fd` is -1 without a fast path. */
enum ns_offload_end ns_offload_send(int fd, const struct ns_offload *request);

/* Sends any message to bpfd likewise. */
enum ns_offload_end ns_offload_send_bytes(int fd, const void *request, size_t length);

#endif
