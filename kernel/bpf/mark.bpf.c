/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * mark - tc, forward=kernel: drops a packet of an offloaded flow, or rewrites it if the flow asks for that. The
 * packet then goes on through the stack with a mark that leads it past the queues. Helpers change the checksums,
 * because they know about checksums that a device has computed or will compute.
 */
#include "flow.h"
#include "skb.h"

static __always_inline bool rewrite_ipv4(struct __sk_buff *skb, const struct ns_flow *flow,
                                         const struct ns_packet *packet, __u8 tos) {
    __u8 ttl = ns_flow_ttl(flow, packet->ttl), new_tos = (tos & 3) | flow->dscp;
    const __u32 check = NS_L3 + __builtin_offsetof(struct iphdr, check);

    if ((flow->set & NS_SET_DSCP) && new_tos != tos &&
        (bpf_l3_csum_replace(skb, check, bpf_htons(tos), bpf_htons(new_tos), 2) != 0 ||
         bpf_skb_store_bytes(skb, NS_L3 + 1, &new_tos, 1, 0) != 0))
        return false;
    if (ttl != packet->ttl &&
        (bpf_l3_csum_replace(skb, check, bpf_htons(packet->ttl << 8), bpf_htons(ttl << 8), 2) != 0 ||
         bpf_skb_store_bytes(skb, NS_L3 + 8, &ttl, 1, 0) != 0))
        return false;
    if (!(flow->set & NS_SET_ADDRESSES))
        return true;
    return bpf_l3_csum_replace(skb, check, 0, flow->address_diff, 0) == 0 &&
           bpf_skb_store_bytes(skb, NS_L3 + 12, flow->source, 4, 0) == 0 &&
           bpf_skb_store_bytes(skb, NS_L3 + 16, flow->destination, 4, 0) == 0;
}

static __always_inline bool rewrite_ipv6(struct __sk_buff *skb, const struct ns_flow *flow,
                                         const struct ns_packet *packet, __u16 first) {
    __u8 ttl = ns_flow_ttl(flow, packet->ttl);

    first = (first & bpf_htons(0xf03f)) | bpf_htons(flow->dscp << 4);
    if ((flow->set & NS_SET_DSCP) && bpf_skb_store_bytes(skb, NS_L3, &first, 2, 0) != 0)
        return false;
    if (ttl != packet->ttl && bpf_skb_store_bytes(skb, NS_L3 + 7, &ttl, 1, 0) != 0)
        return false;
    if (!(flow->set & NS_SET_ADDRESSES))
        return true;
    return bpf_skb_store_bytes(skb, NS_L3 + 8, flow->source, 16, 0) == 0 &&
           bpf_skb_store_bytes(skb, NS_L3 + 24, flow->destination, 16, 0) == 0;
}

static __always_inline bool rewrite_l4(struct __sk_buff *skb, const struct ns_flow *flow, __u32 l4, __u8 protocol) {
    __u32 check = l4 + ns_l4_checksum(protocol);
    __u64 zero = protocol == IPPROTO_UDP ? BPF_F_MARK_MANGLED_0 : 0;

    if ((flow->set & NS_SET_ADDRESSES) &&
        bpf_l4_csum_replace(skb, check, 0, flow->address_diff, zero | BPF_F_PSEUDO_HDR) != 0)
        return false;
    if (!(flow->set & NS_SET_PORTS))
        return true;
    return bpf_l4_csum_replace(skb, check, 0, flow->port_diff, zero) == 0 &&
           bpf_skb_store_bytes(skb, l4, &flow->source_port, 4, 0) == 0;
}

/* Rewrites the packet. Once a helper has written, pointers into the packet that were read before are invalid. */
static __always_inline bool rewrite(struct __sk_buff *skb, const struct ns_flow *flow, const struct ns_packet *packet) {
    __u32 l4 = NS_L3 + (packet->family == 4 ? 20 : 40);
    bool ports = ns_rewrites_l4(flow, packet);

    if (packet->family == 4) {
        if (!rewrite_ipv4(skb, flow, packet, ((struct iphdr *)packet->l3)->tos))
            return false;
    } else if (!rewrite_ipv6(skb, flow, packet, *(__u16 *)packet->l3)) {
        return false;
    }
    return !ports || rewrite_l4(skb, flow, l4, packet->protocol);
}

/* Drops a packet that a helper refused half way through, because it must not go anywhere. */
SEC("tc") int ns_tc_mark(struct __sk_buff *skb) {
    struct ns_ring_record *record;
    struct ns_packet packet;
    struct ns_flow *flow;

    if (!ns_skb_read(&packet, skb) || packet.length > skb->len - NS_L3)
        return TC_ACT_UNSPEC;
    flow = ns_flow_find(&packet, &record);
    if (flow == NULL)
        return TC_ACT_UNSPEC;
    ns_record_add(record, skb->gso_segs > 1 ? skb->gso_segs : 1, skb->len - NS_L3);
    if (flow->action == NS_OFFLOAD_DROP || (flow->set != 0 && !rewrite(skb, flow, &packet)))
        return TC_ACT_SHOT;
    skb->mark |= flow->mark;
    return TC_ACT_UNSPEC;
}

char ns_license[] SEC("license") = "GPL";
