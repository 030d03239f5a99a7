/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * relay.h - finds the relay of a packet, and decides about its new headers before the packet is touched. XDP and tc
 * share it.
 *
 *     of the client   | IP | UDP | channel length | data | -> | IP | UDP | data |
 *     of the peer     | IP | UDP | data |                  -> | IP | UDP | channel length | data |
 *
 * Any packet in doubt goes the long way, as it came: to the module's own socket.
 */
#ifndef NS_RELAY_H
#define NS_RELAY_H

#include "checksum.h"
#include "count.h"
#include <linux/udp.h>

#define NS_AF_INET 2
#define NS_AF_INET6 10
#define NS_CHANNEL_BYTES 4
#define NS_IPV6_LEAST_MTU 1280

/* The packet as it is to leave. */
struct ns_relayed {
    __u32 data;        /* bytes of data */
    __u32 length;      /* of the new IP packet */
    __u16 udp_length;  /* network order */
    __u16 checksum;    /* as in the packet; 0 = there is none */
    __u16 data_length; /* for ChannelData, network order */
    __u8 tos, ttl;     /* as they came */
    bool whole;        /* IPv4: do not fragment */
};

struct ns_headers4 {
    struct iphdr ip;
    struct udphdr udp;
    __u16 channel, length;
};
struct ns_headers6 {
    struct ipv6hdr ip;
    struct udphdr udp;
    __u16 channel, length;
};

static __always_inline struct ns_relay *ns_relay_get(const struct ns_packet *packet, __u16 channel) {
    if (packet->family == 4) {
        struct ns_key4 key = {packet->words.source[0], packet->words.destination[0], packet->words.ports,
                              ns_relay_meta(4, channel)};

        return bpf_map_lookup_elem(&ns_relays4, &key);
    } else {
        struct ns_key6 key = {.ports = packet->words.ports, .meta = ns_relay_meta(6, channel)};

        __builtin_memcpy(key.source, packet->words.source, 16);
        __builtin_memcpy(key.destination, packet->words.destination, 16);
        return bpf_map_lookup_elem(&ns_relays6, &key);
    }
}

/* Reads the first 4 bytes behind the UDP header, 0 if the packet is shorter. */
static __always_inline __u32 ns_relay_first(const struct ns_packet *packet, void *end) {
    if (packet->l4 == NULL || packet->l4 + sizeof(struct udphdr) + NS_CHANNEL_BYTES > end)
        return 0;
    return *(__u32 *)(packet->l4 + sizeof(struct udphdr));
}

/*
 * Finds the relay of a packet. `first` has its first four bytes of data. Data of a peer may look like ChannelData, so
 * the peer's key is tried, too.
 */
static __always_inline struct ns_relay *ns_relay_find(const struct ns_packet *packet, __u32 first) {
    __u16 channel = bpf_ntohs((__u16)first);
    struct ns_relay *relay = NULL;

    if (!packet->plain || packet->protocol != IPPROTO_UDP || packet->l4 == NULL)
        return NULL;
    if (channel >> 14 == 1)
        relay = ns_relay_get(packet, channel);
    if (relay == NULL)
        relay = ns_relay_get(packet, 0);
    return relay != NULL && bpf_ktime_get_coarse_ns() < relay->expires ? relay : NULL;
}

static __always_inline void ns_relay_count(const struct ns_relay *relay, __u32 reason) {
    __u32 at = relay->container * (__u32)NS_RELAY_COUNTS + reason;
    __u64 *count = bpf_map_lookup_elem(&ns_relay_counts, &at);

    if (count != NULL)
        __sync_fetch_and_add(count, 1);
}

/*
 * Adds up what a relayed packet was. The record of a relay has another layout than that of a flow, in the same map.
 */
static __always_inline void ns_relay_add(const struct ns_relay *relay, __u32 data) {
    struct ns_ring_relay *record = (struct ns_ring_relay *)ns_record(relay->container, relay->record);
    struct ns_ring_way *way;

    if (record == NULL)
        return;
    way = relay->to_client ? &record->to_client : &record->to_peer;
    __sync_fetch_and_add(&way->packets, 1);
    __sync_fetch_and_add(&way->bytes, data);
    way->last_usec = ns_usec();
}

/* Tells whether the client has sent by its channel of late. Else the firewall would not let the module answer it. */
static __always_inline bool ns_relay_heard(const struct ns_relay *relay, __u64 now) {
    struct ns_ring_relay *record = (struct ns_ring_relay *)ns_record(relay->container, relay->record);
    __u64 usec = now / 1000;

    return record != NULL && record->to_peer.last_usec != 0 &&
           usec < record->to_peer.last_usec + NS_RELAY_HEARD_SECONDS * 1000000ull;
}

/*
 * Tells whether the checksum may be one that a device has yet to compute. Then the field has the folded sum of the
 * pseudo header. One right checksum of 65,536 looks the same, and its packet goes the long way.
 */
static __always_inline bool ns_relay_open_checksum(const struct ns_packet *packet, __u16 udp_length, __u16 checksum) {
    __u32 sum = bpf_htons(IPPROTO_UDP) + (__u32)udp_length;

    if (packet->family == 4)
        sum += ns_sum_words(packet->words.source, 1) + ns_sum_words(packet->words.destination, 1);
    else
        sum += ns_sum_words(packet->words.source, 4) + ns_sum_words(packet->words.destination, 4);
    return ns_fold(sum) == checksum;
}

/* Returns the sum of the bytes that pad ChannelData: the last `bytes` of the word, which ends where the packet ends. */
static __always_inline __u32 ns_padding_sum(__u32 word, __u32 bytes) {
    word &= bytes == 1 ? bpf_htonl(0xff) : bytes == 2 ? bpf_htonl(0xffff) : bpf_htonl(0xffffff);
    return ns_sum_words(&word, 1);
}

/*
 * Checks the lengths and decides about the new ones. `pad` gets the number of bytes behind the data, which a client
 * may add over UDP so that ChannelData ends at a multiple of four (RFC 8656, section 12.5).
 */
static __always_inline bool ns_relay_measure(struct ns_relayed *out, const struct ns_relay *relay,
                                             const struct ns_packet *packet, __u32 udp_length, __u32 first,
                                             __u32 *pad) {
    __u32 header = packet->family == 4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
    __u32 payload = udp_length - (__u32)sizeof(struct udphdr), new_header;

    *pad = 0;
    if (udp_length < sizeof(struct udphdr) || udp_length + header != packet->length)
        return false;
    new_header = (relay->family == 4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr)) + (__u32)sizeof(struct udphdr);
    if (relay->to_client) {
        out->data = payload;
        out->length = new_header + NS_CHANNEL_BYTES + payload;
    } else {
        out->data = bpf_ntohs((__u16)(first >> 16));
        out->length = new_header + out->data;
        if (payload < NS_CHANNEL_BYTES + out->data)
            return false;
        *pad = payload - NS_CHANNEL_BYTES - out->data;
        if (*pad > 3 || (*pad != 0 && (payload & 3) != 0))
            return false;
    }
    out->data_length = bpf_htons(out->data);
    out->udp_length = bpf_htons(out->length - new_header + (__u32)sizeof(struct udphdr));
    return out->length <= 0xffff;
}

/*
 * Carries the checksum over by the difference (RFC 1624): addresses, ports, both lengths, and the header of
 * ChannelData. A wrong checksum stays wrong.
 */
static __always_inline void ns_relay_checksum(struct ns_relayed *out, const struct ns_relay *relay, __u16 udp_length,
                                              __u16 checksum, __u32 first, __u32 padding) {
    __u32 sum = (__u16)~checksum + (__u32)relay->difference;

    sum += 2 * ((__u32)(__u16)~udp_length + out->udp_length);
    if (relay->to_client)
        sum += (__u32)relay->channel + out->data_length;
    else
        sum += (__u32)(__u16) ~(__u16)first + (__u16) ~(__u16)(first >> 16) + (__u16)~ns_fold(padding);
    out->checksum = (__u16)~ns_fold(sum);
    if (out->checksum == 0)
        out->checksum = 0xffff;
}

/*
 * Decides about a packet, without a look at routes. Returns the reason for the long way, or NS_RELAY_FITS. `last` has
 * the last four bytes of the packet.
 */
static __always_inline __u32 ns_relay_decide(struct ns_relayed *out, struct ns_relay *relay,
                                             const struct ns_packet *packet, __u32 first, __u32 last, void *end) {
    __u64 now = bpf_ktime_get_coarse_ns();
    struct udphdr *udp = packet->l4;
    __u32 pad;

    if ((void *)(udp + 1) > end) /* known already; checked again for the verifier */
        return NS_RELAY_LENGTH;
    if (now >= relay->let_go + NS_RELAY_LET_GO_SECONDS * 1000000000ull) {
        relay->let_go = now;
        return NS_RELAY_LET_GO;
    }
    if (relay->to_client && !relay->unasked && !ns_relay_heard(relay, now))
        return NS_RELAY_UNHEARD;
    if (!ns_relay_measure(out, relay, packet, bpf_ntohs(udp->len), first, &pad))
        return NS_RELAY_LENGTH;
    if (packet->ttl <= 1)
        return NS_RELAY_TTL;
    out->ttl = packet->ttl;
    if (packet->family == 4) {
        struct iphdr *ip = packet->l3;

        if ((void *)(ip + 1) > end)
            return NS_RELAY_LENGTH;
        out->tos = ip->tos;
        out->whole = (ip->frag_off & bpf_htons(0x4000)) != 0;
        if (relay->family == 6 && !out->whole && out->length > NS_IPV6_LEAST_MTU)
            return NS_RELAY_FRAGMENT;
    } else {
        struct ipv6hdr *ip = packet->l3;

        if ((void *)(ip + 1) > end)
            return NS_RELAY_LENGTH;
        out->tos = (__u8)(bpf_ntohs(*(__u16 *)ip) >> 4);
        out->whole = out->length > NS_IPV6_LEAST_MTU - 20; /* RFC 7915, section 5.1 */
    }
    out->checksum = 0;
    if (udp->check == 0)
        return packet->family == 4 && relay->family == 4 ? NS_RELAY_FITS : NS_RELAY_CHECKSUM;
    if (ns_relay_open_checksum(packet, udp->len, udp->check))
        return NS_RELAY_CHECKSUM;
    ns_relay_checksum(out, relay, udp->len, udp->check, first, pad == 0 ? 0 : ns_padding_sum(last, pad));
    return NS_RELAY_FITS;
}

/* Asks the kernel's tables for the way out of the new packet. */
static __always_inline long ns_relay_look_up(void *context, __u32 ifindex, const struct ns_relay *relay,
                                             const struct ns_relayed *out, struct bpf_fib_lookup *way) {
    __builtin_memset(way, 0, sizeof *way);
    way->ifindex = ifindex;
    way->tot_len = (__u16)out->length;
    way->l4_protocol = IPPROTO_UDP;
    way->sport = (__u16)relay->ports;
    way->dport = (__u16)(relay->ports >> 16);
    if (relay->family == 4) {
        way->family = NS_AF_INET;
        way->tos = out->tos;
        way->ipv4_src = relay->source[0];
        way->ipv4_dst = relay->destination[0];
    } else {
        way->family = NS_AF_INET6;
        __builtin_memcpy(way->ipv6_src, relay->source, 16);
        __builtin_memcpy(way->ipv6_dst, relay->destination, 16);
    }
    return bpf_fib_lookup(context, way, sizeof *way, 0);
}

static __always_inline void ns_relay_udp(struct udphdr *udp, const struct ns_relay *relay,
                                         const struct ns_relayed *out) {
    udp->source = (__u16)relay->ports;
    udp->dest = (__u16)(relay->ports >> 16);
    udp->len = out->udp_length;
    udp->check = out->checksum;
}

/* Fills in the headers of IP and UDP. A packet that may be fragmented has an identification of its own (RFC 6864). */
static __always_inline void ns_relay_make4(struct ns_headers4 *to, const struct ns_relay *relay,
                                           const struct ns_relayed *out, __u8 ttl) {
    const __u32 *words = (const __u32 *)&to->ip;

    to->ip.version = 4;
    to->ip.ihl = 5;
    to->ip.tos = out->tos;
    to->ip.tot_len = bpf_htons((__u16)out->length);
    to->ip.id = out->whole ? 0 : (__u16)bpf_get_prandom_u32();
    to->ip.frag_off = out->whole ? bpf_htons(0x4000) : 0;
    to->ip.ttl = ttl;
    to->ip.protocol = IPPROTO_UDP;
    to->ip.check = 0;
    to->ip.saddr = relay->source[0];
    to->ip.daddr = relay->destination[0];
    to->ip.check = (__u16)~ns_fold(ns_sum_words(words, 5));
    ns_relay_udp(&to->udp, relay, out);
}

static __always_inline void ns_relay_make6(struct ns_headers6 *to, const struct ns_relay *relay,
                                           const struct ns_relayed *out, __u8 ttl) {
    *(__u32 *)&to->ip = relay->label | bpf_htonl((__u32)out->tos << 20);
    to->ip.payload_len = out->udp_length;
    to->ip.nexthdr = IPPROTO_UDP;
    to->ip.hop_limit = ttl;
    __builtin_memcpy(&to->ip.saddr, relay->source, 16);
    __builtin_memcpy(&to->ip.daddr, relay->destination, 16);
    ns_relay_udp(&to->udp, relay, out);
}

/* Returns the bytes of the headers of a packet that leaves by the relay. */
static __always_inline __u32 ns_relay_headers(const struct ns_relay *relay) {
    __u32 ip = relay->family == 4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);

    return ip + (__u32)sizeof(struct udphdr) + (relay->to_client ? NS_CHANNEL_BYTES : 0);
}

#endif
