/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * relay - XDP, forward=direct: relays a packet before the stack has seen it, straight to the interface by which it
 * leaves. Any packet in doubt goes on as it came.
 */
#include "relay.h"
#include "link.h"
#include "ns_helpers.h"

/* Finds the way out. Returns false if the stack must decide. */
static __always_inline bool find_way(struct xdp_md *context, const struct ns_interface *in,
                                     const struct ns_relay *relay, const struct ns_relayed *out,
                                     struct bpf_fib_lookup *way) {
    const struct ns_interface *to;

    if (ns_relay_look_up(context, context->ingress_ifindex, relay, out, way) != BPF_FIB_LKUP_RET_SUCCESS)
        return false;
    to = bpf_map_lookup_elem(&ns_interfaces, &way->ifindex);
    return to != NULL && (to->native || !in->native);
}

/* Tells whether an answer would leave by the interface that the packet came in by: see offload.bpf.c. */
static __always_inline bool from_its_home(struct xdp_md *context, struct ns_relay *relay,
                                          const struct ns_packet *packet, struct bpf_fib_lookup *way) {
    __u64 second = (bpf_ktime_get_coarse_ns() >> 30) & 0xffffffff;
    __u64 home = (__u64)context->ingress_ifindex << 32 | second;
    long found;

    if (relay->home == home)
        return true;
    __builtin_memset(way, 0, sizeof *way);
    way->ifindex = context->ingress_ifindex;
    way->l4_protocol = IPPROTO_UDP;
    if (packet->family == 4) {
        way->family = NS_AF_INET;
        way->ipv4_src = packet->words.destination[0];
        way->ipv4_dst = packet->words.source[0];
    } else {
        way->family = NS_AF_INET6;
        __builtin_memcpy(way->ipv6_src, packet->words.destination, 16);
        __builtin_memcpy(way->ipv6_dst, packet->words.source, 16);
    }
    found = bpf_fib_lookup(context, way, sizeof *way, 0);
    if ((found != BPF_FIB_LKUP_RET_SUCCESS && found != BPF_FIB_LKUP_RET_NO_NEIGH) ||
        way->ifindex != context->ingress_ifindex)
        return false;
    relay->home = home;
    return true;
}

static __always_inline __u32 last_word(struct xdp_md *context, const struct ns_packet *packet) {
    __u32 word = 0;

    bpf_xdp_load_bytes(context, NS_L3 + packet->length - 4, &word, sizeof word);
    return word;
}

/* Writes all headers. The packet begins where they begin. Returns false if it is shorter, which cannot be. */
static __always_inline bool write_headers(struct xdp_md *context, const struct ns_relay *relay,
                                          const struct ns_relayed *out, const struct bpf_fib_lookup *way) {
    void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
    struct ethhdr *link = data;
    __u16 *channel;

    if (data + sizeof *link + __builtin_offsetof(struct ns_headers4, channel) > end)
        return false;
    __builtin_memcpy(link->h_dest, way->dmac, 6);
    __builtin_memcpy(link->h_source, way->smac, 6);
    if (relay->family == 4) {
        struct ns_headers4 *headers = (void *)(link + 1);

        link->h_proto = bpf_htons(ETH_P_IP);
        ns_relay_make4(headers, relay, out, out->ttl - 1);
        channel = &headers->channel;
    } else {
        struct ns_headers6 *headers = (void *)(link + 1);

        if ((void *)&headers->channel > end)
            return false;
        link->h_proto = bpf_htons(ETH_P_IPV6);
        ns_relay_make6(headers, relay, out, out->ttl - 1);
        channel = &headers->channel;
    }
    if (relay->to_client) {
        if ((void *)(channel + 2) > end)
            return false;
        channel[0] = relay->channel;
        channel[1] = out->data_length;
    }
    return true;
}

/* Relays a packet. Returns the reason for the long way, or NS_RELAY_FITS. */
static __always_inline __u32 relay_packet(struct xdp_md *context, struct ns_relay *relay,
                                          const struct ns_packet *packet, __u32 first, struct ns_relayed *out,
                                          struct bpf_fib_lookup *way) {
    const struct ns_interface *in = ns_sent_to_us(context, packet->l3 - sizeof(struct ethhdr));
    __u32 reason, headers = packet->family == 4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);

    if (in == NULL)
        return NS_RELAY_BACK;
    reason = ns_relay_decide(out, relay, packet, first, last_word(context, packet), (void *)(long)context->data_end);
    if (reason != NS_RELAY_FITS)
        return reason;
    if (!from_its_home(context, relay, packet, way))
        return NS_RELAY_BACK;
    if (!find_way(context, in, relay, out, way))
        return NS_RELAY_ROUTE;
    headers += sizeof(struct udphdr) + (relay->to_client ? 0 : NS_CHANNEL_BYTES);
    if (bpf_xdp_adjust_head(context, (int)headers - (int)ns_relay_headers(relay)) != 0)
        return NS_RELAY_ROUTE;
    return write_headers(context, relay, out, way) ? NS_RELAY_FITS : NS_RELAY_FAILED;
}

/* Handles one packet. All bytes of the packet must be there: see offload.bpf.c. */
SEC("xdp") int ns_xdp_relay(struct xdp_md *context) {
    void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
    struct ns_relayed out = {0};
    struct bpf_fib_lookup way;
    struct ns_packet packet;
    struct ns_relay *relay;
    __u32 first, reason;

    if (ns_packet_read(&packet, data, end) && packet.length <= (__u64)(end - packet.l3)) {
        first = ns_relay_first(&packet, end);
        relay = ns_relay_find(&packet, first);
        if (relay != NULL) {
            reason = relay_packet(context, relay, &packet, first, &out, &way);
            if (reason == NS_RELAY_FITS) {
                ns_relay_add(relay, out.data);
                return bpf_redirect(way.ifindex, 0);
            }
            ns_relay_count(relay, reason);
            if (reason == NS_RELAY_FAILED)
                return XDP_DROP;
        }
    }
    bpf_tail_call(context, &ns_xdp_slots, NS_XDP_FLOWS);
    bpf_tail_call(context, &ns_xdp_slots, NS_XDP_STEER);
    return XDP_PASS;
}

char ns_license[] SEC("license") = "GPL";
