/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * relay_tc - tc, forward=kernel: gives a packet of a relay its new headers. The packet then goes on through the stack
 * with a mark that leads it past queues and connection tracking. The stack looks up the route, counts the TTL down and
 * sends.
 */
#include "relay.h"
#include "skb.h"

/* Reads the last four bytes of the IP packet. */
static __always_inline __u32 last_word(struct __sk_buff *skb, const struct ns_packet *packet) {
    __u32 word = 0;

    bpf_skb_load_bytes(skb, NS_L3 + packet->length - 4, &word, sizeof word);
    return word;
}

static __always_inline bool fits_way(struct __sk_buff *skb, const struct ns_relay *relay,
                                     const struct ns_relayed *out) {
    struct bpf_fib_lookup way;
    long found = ns_relay_look_up(skb, skb->ifindex, relay, out, &way);

    return found == BPF_FIB_LKUP_RET_SUCCESS || found == BPF_FIB_LKUP_RET_NO_NEIGH;
}

/*
 * Tells whether the stack takes the new packet, which has an address of the node as its source. IPv4 calls that a
 * martian unless the interface has accept_local; IPv6 does not look.
 */
static __always_inline bool stack_takes(struct __sk_buff *skb, const struct ns_relay *relay) {
    __u32 index = skb->ifindex;

    return relay->family == 6 || bpf_map_lookup_elem(&ns_locals, &index) != NULL;
}

/* Writes the headers of the packet, which has room for exactly these. */
static __always_inline bool write_headers(struct __sk_buff *skb, const struct ns_relay *relay,
                                          const struct ns_relayed *out) {
    const __u64 flags = BPF_F_RECOMPUTE_CSUM | BPF_F_INVALIDATE_HASH;
    __u16 type = relay->family == 4 ? bpf_htons(ETH_P_IP) : bpf_htons(ETH_P_IPV6);

    if (bpf_skb_store_bytes(skb, __builtin_offsetof(struct ethhdr, h_proto), &type, sizeof type, flags) != 0)
        return false;
    if (relay->family == 4) {
        struct ns_headers4 headers;

        ns_relay_make4(&headers, relay, out, out->ttl);
        headers.channel = relay->channel;
        headers.length = out->data_length;
        return relay->to_client
                   ? bpf_skb_store_bytes(skb, NS_L3, &headers, sizeof headers, flags) == 0
                   : bpf_skb_store_bytes(skb, NS_L3, &headers, sizeof headers - NS_CHANNEL_BYTES, flags) == 0;
    } else {
        struct ns_headers6 headers;

        ns_relay_make6(&headers, relay, out, out->ttl);
        headers.channel = relay->channel;
        headers.length = out->data_length;
        return relay->to_client
                   ? bpf_skb_store_bytes(skb, NS_L3, &headers, sizeof headers, flags) == 0
                   : bpf_skb_store_bytes(skb, NS_L3, &headers, sizeof headers - NS_CHANNEL_BYTES, flags) == 0;
    }
}

/*
 * Relays a packet. Returns the reason for the long way, or NS_RELAY_FITS. With NS_RELAY_FAILED the packet is half
 * changed and must be dropped.
 */
static __always_inline __u32 relay_packet(struct __sk_buff *skb, struct ns_relay *relay, const struct ns_packet *packet,
                                          __u32 first, struct ns_relayed *out) {
    bool other = packet->family != relay->family;
    __u32 reason;

    if (skb->gso_size != 0 || skb->gso_segs > 1)
        return NS_RELAY_TRAIN;
    if (!stack_takes(skb, relay))
        return NS_RELAY_LOCAL;
    reason = ns_relay_decide(out, relay, packet, first, last_word(skb, packet), (void *)(long)skb->data_end);
    if (reason != NS_RELAY_FITS)
        return reason;
    if (!fits_way(skb, relay, out))
        return NS_RELAY_ROUTE;
    if (other && bpf_skb_change_proto(skb, relay->family == 4 ? bpf_htons(ETH_P_IP) : bpf_htons(ETH_P_IPV6), 0) != 0)
        return NS_RELAY_ROUTE;
    if (bpf_skb_adjust_room(skb, relay->to_client ? NS_CHANNEL_BYTES : -NS_CHANNEL_BYTES, BPF_ADJ_ROOM_MAC, 0) != 0)
        return other ? NS_RELAY_FAILED : NS_RELAY_ROUTE;
    return write_headers(skb, relay, out) ? NS_RELAY_FITS : NS_RELAY_FAILED;
}

SEC("tc") int ns_tc_relay(struct __sk_buff *skb) {
    struct ns_relayed out = {0};
    struct ns_packet packet;
    struct ns_relay *relay;
    __u32 first, reason;

    if (ns_skb_read(&packet, skb) && packet.length <= skb->len - NS_L3) {
        first = ns_relay_first(&packet, (void *)(long)skb->data_end);
        relay = ns_relay_find(&packet, first);
        if (relay != NULL) {
            reason = relay_packet(skb, relay, &packet, first, &out);
            if (reason == NS_RELAY_FITS) {
                ns_relay_add(relay, out.data);
                skb->mark |= relay->mark;
                return TC_ACT_UNSPEC;
            }
            ns_relay_count(relay, reason);
            if (reason == NS_RELAY_FAILED)
                return TC_ACT_SHOT;
        }
    }
    bpf_tail_call(skb, &ns_tc_slots, NS_TC_FLOWS);
    return TC_ACT_UNSPEC;
}

char ns_license[] SEC("license") = "GPL";
