/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * flow.h - finds the flow of a packet, if it is offloaded and has not ended. Also has the functions that rewriting in
 * XDP and in tc share.
 */
#ifndef NS_FLOW_H
#define NS_FLOW_H

#include "count.h"

#define NS_IDLE_USEC (NS_FLOW_IDLE_SECONDS * 1000000ull)

static __always_inline struct ns_flow *ns_flow_find4(const struct ns_packet *packet) {
    struct ns_key4 key = {packet->words.source[0], packet->words.destination[0], packet->words.ports,
                          ns_meta(4, packet->protocol, 0)};

    return bpf_map_lookup_elem(&ns_flows4, &key);
}

static __always_inline struct ns_flow *ns_flow_find6(const struct ns_packet *packet) {
    struct ns_key6 key = {.ports = packet->words.ports, .meta = ns_meta(6, packet->protocol, 0)};

    __builtin_memcpy(key.source, packet->words.source, 16);
    __builtin_memcpy(key.destination, packet->words.destination, 16);
    return bpf_map_lookup_elem(&ns_flows6, &key);
}

/*
 * Finds the flow and its record. bpfd removes ended flows once a second. The check here ends a flow in time, without
 * waiting for bpfd.
 */
static __always_inline struct ns_flow *ns_flow_find(const struct ns_packet *packet, struct ns_ring_record **record) {
    struct ns_flow *flow;
    __u64 now, last;

    if (!packet->plain)
        return NULL;
    flow = packet->family == 4 ? ns_flow_find4(packet) : ns_flow_find6(packet);
    if (flow == NULL)
        return NULL;
    now = bpf_ktime_get_coarse_ns();
    *record = ns_record(flow->container, flow->record);
    if (now >= flow->expires || *record == NULL)
        return NULL;
    last = (*record)->last_usec;
    return now / 1000 > last && now / 1000 - last >= NS_IDLE_USEC ? NULL : flow;
}

/*
 * Returns the TTL for a packet of the flow. It is never more than the packet's own, except for a turned flow, which
 * begins its way anew.
 */
static __always_inline __u8 ns_flow_ttl(const struct ns_flow *flow, __u8 ttl) {
    if (!(flow->set & NS_SET_TTL))
        return ttl;
    return flow->turned || flow->ttl < ttl ? flow->ttl : ttl;
}

/*
 * Returns the offset of the checksum in the upper-layer header. bpfd rewrites addresses and ports of no other
 * protocol.
 */
static __always_inline __u32 ns_l4_checksum(__u8 protocol) {
    return protocol == IPPROTO_TCP ? 16 : 6;
}

static __always_inline bool ns_rewrites_l4(const struct ns_flow *flow, const struct ns_packet *packet) {
    return (flow->set & (NS_SET_ADDRESSES | NS_SET_PORTS)) != 0 && packet->l4 != NULL;
}

#endif
