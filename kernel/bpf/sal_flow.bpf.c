/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * sal_flow - tc: the data of Serval's open flows (docs/protocols/sald.md). ns_sal_first_out runs where packets leave by
 * sal0. ns_sal_out runs where they come in by sal1, behind sal0, which has cut trains of TCP. ns_sal_in runs where
 * packets come in by an interface of the host.
 *
 *     IP  | TCP: surrogates, ports         sal0
 *     IP  | UDP | SAL 12 | TCP: ports 0    interface; the flowIDs stand in the pseudo-header of TCP's checksum
 *     IP  | SAL 12 | TCP: ports 0          the same by raw IP; the addresses stand there
 *     IP  | TCP: low halves of flowIDs     the native form, of which trains stay whole
 *
 * Helpers change TCP's checksum, because they know about checksums that a device has computed or will compute. The
 * checksum of UDP follows from the headers alone: a segment with a right checksum adds up to the complement of its
 * pseudo-header.
 */
#include "ns_sal_set_up.h"
#include "skb.h"
#include <linux/tcp.h>
#include <linux/udp.h>

/* sald pins all of these maps, so that they outlive it. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_SAL_FLOWS);
    __type(key, struct ns_sal_tuple);
    __type(value, __u32);
    __uint(map_flags, BPF_F_NO_PREALLOC);
} ns_sal_tuples SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_SAL_FLOWS);
    __type(key, __u32);
    __type(value, struct ns_sal_way);
    __uint(map_flags, BPF_F_NO_PREALLOC);
} ns_sal_flows SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_SAL_FLOWS);
    __type(key, __u32);
    __type(value, struct ns_sal_use);
    __uint(map_flags, BPF_F_NO_PREALLOC);
} ns_sal_uses SEC(".maps");

/* The flows with a native form, by the names of a segment as it comes in: the peer's address and port first. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_SAL_FLOWS);
    __type(key, struct ns_sal_tuple);
    __type(value, __u32);
    __uint(map_flags, BPF_F_NO_PREALLOC);
} ns_sal_natives SEC(".maps");

/* The control state of each flow, which no program reads. sald sets the size of the value, and finds it again. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_SAL_FLOWS);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, 8);
    __uint(map_flags, BPF_F_NO_PREALLOC);
} ns_sal_saved SEC(".maps");

/* The surrogates, which no program reads. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NS_SAL_SURROGATES);
    __type(key, __u32);
    __type(value, struct ns_sal_surrogate);
} ns_sal_places SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct ns_sal_settings);
} ns_sal_settings SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, NS_SAL_COUNT_KINDS);
    __type(key, __u32);
    __type(value, __u64);
} ns_sal_counts SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, NS_SAL_EVENT_BYTES);
} ns_sal_events SEC(".maps");

/* The programs of sal_set_up.h. sald fills it, and they are never called when it has gone. */
struct {
    __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
    __uint(max_entries, NS_SAL_CALLS);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(__u32));
} ns_set_calls SEC(".maps");

/* The links on which the local stack takes packets of open flows. It is new with each sald. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NS_SAL_LINKS);
    __type(key, __u32);
    __type(value, struct ns_sal_link);
} ns_set_links SEC(".maps");

struct sal_base {
    __u32 source, destination;
    __u8 words, protocol;
    __u16 check;
};

struct wrap4 {
    struct iphdr ip;
    struct udphdr udp;
    struct sal_base sal;
};

struct wrap_raw {
    struct iphdr ip;
    struct sal_base sal;
};

struct wrap6 {
    struct ipv6hdr ip;
    struct udphdr udp;
    struct sal_base sal;
};

#define TCP_CHECK 16u
#define REWRITE (BPF_F_RECOMPUTE_CSUM | BPF_F_INVALIDATE_HASH)

static __always_inline int count(__u32 what, int verdict) {
    __u64 *counter = bpf_map_lookup_elem(&ns_sal_counts, &what);

    if (counter != NULL)
        (*counter)++;
    return verdict;
}

static __always_inline __u16 fold(__u32 sum) {
    sum = (sum & 0xffff) + (sum >> 16);
    return (__u16)((sum & 0xffff) + (sum >> 16));
}

typedef __u32 __attribute__((may_alias)) any_word;

/* Adds whole words to a sum. The number of bytes is a constant, so this costs less than bpf_csum_diff. */
static __always_inline __u32 add(const void *at, __u32 bytes, __u64 sum) {
    const any_word *word = at;

#pragma unroll
    for (__u32 i = 0; i < bytes / 4; i++)
        sum += word[i];
    sum = (sum & 0xffffffff) + (sum >> 32);
    return (__u32)(sum + (sum >> 32));
}

/* Returns the difference that new names make in a checksum. */
static __always_inline __u32 difference(const void *from, __u32 from_size, const void *to, __u32 to_size) {
    return add(to, to_size, (__u32)~add(from, from_size, 0));
}

static __always_inline void tell(__u32 own, __u32 kind) {
    struct ns_sal_event event = {own, kind};

    if (bpf_ringbuf_output(&ns_sal_events, &event, sizeof event, 0) != 0)
        count(NS_SAL_COUNT_EVENT_LOST, 0);
}

static __always_inline const struct ns_sal_settings *settings(void) {
    const __u32 only = 0;

    return bpf_map_lookup_elem(&ns_sal_settings, &only);
}

/* --- out --- */

static __always_inline struct ns_sal_use *use_of(const struct ns_sal_way *way) {
    return bpf_map_lookup_elem(&ns_sal_uses, &way->own);
}

static __always_inline void note_out(struct ns_sal_use *use, const struct tcphdr *tcp, __u32 own, __u32 bytes) {
    __u32 behind = bpf_ntohl(tcp->seq) + bytes - tcp->doff * 4u + tcp->fin;

    if (use == NULL)
        return;
    __sync_fetch_and_add(&use->packets_out, 1);
    __sync_fetch_and_add(&use->bytes_out, bytes);
    if (tcp->ack) {
        use->taken = bpf_ntohl(tcp->ack_seq);
        use->acks_seen |= 2;
    }
    if (tcp->fin) {
        use->fin = behind;
        use->fin_sent = 1;
    }
    if ((use->acks_seen & 4) == 0 || (__s32)(behind - use->sent) > 0)
        use->sent = behind;
    use->acks_seen |= 4;
    if (tcp->rst)
        tell(own, NS_SAL_RST_SENT);
}

/* Writes the SAL header of data. Its checksum is that of its own 12 bytes. */
static __always_inline void make_sal(struct sal_base *sal, const struct ns_sal_way *way) {
    sal->source = way->own;
    sal->destination = way->peer;
    sal->words = NS_SAL_BASE / 4;
    sal->protocol = IPPROTO_TCP;
    sal->check = 0;
    sal->check = ~fold(add(sal, sizeof *sal, 0));
}

/*
 * Writes the UDP header in front of a segment. SAL's header adds up to zero, because it has a checksum of its own.
 * `pseudo` is the sum of UDP's pseudo-header without the length.
 */
static __always_inline void make_udp(struct udphdr *udp, const struct ns_sal_way *way, __u32 pseudo, __u32 segment) {
    __u16 inner = fold(add(&way->own, 8, bpf_htons(IPPROTO_TCP) + bpf_htons(segment)));

    udp->source = way->own_port;
    udp->dest = way->peer_port;
    udp->len = bpf_htons(segment + NS_SAL_OVERHEAD);
    udp->check = 0;
    udp->check = ~fold(add(udp, sizeof *udp, (__u64)pseudo + udp->len + (__u16)~inner));
    if (udp->check == 0)
        udp->check = 0xffff;
}

/* Writes an IPv4 header, behind which `bytes` follow. */
static __always_inline void make_ip4(struct iphdr *ip, __u32 source, __u32 destination, __u8 protocol, __u8 ttl,
                                     __u32 bytes) {
    ip->version = 4;
    ip->ihl = sizeof *ip / 4;
    ip->tot_len = bpf_htons(sizeof *ip + bytes);
    ip->frag_off = bpf_htons(0x4000);
    ip->ttl = ttl;
    ip->protocol = protocol;
    ip->saddr = source;
    ip->daddr = destination;
    ip->check = 0;
    ip->check = ~fold(add(ip, sizeof *ip, 0));
}

/* Writes an IPv6 header, behind which `bytes` follow. */
static __always_inline void make_ip6(struct ipv6hdr *ip, const __u32 *source, const __u32 *destination, __u8 protocol,
                                     __u8 ttl, __u32 bytes) {
    ip->version = 6;
    ip->payload_len = bpf_htons((__u16)bytes);
    ip->nexthdr = protocol;
    ip->hop_limit = ttl;
    __builtin_memcpy(&ip->saddr, source, 16);
    __builtin_memcpy(&ip->daddr, destination, 16);
}

static __always_inline bool write_raw(struct __sk_buff *skb, const struct ns_sal_way *way, __u32 segment, __u8 ttl) {
    const struct ns_sal_settings *set = settings();
    struct wrap_raw wrap = {0};

    if (set == NULL)
        return false;
    make_ip4(&wrap.ip, way->own_address[0], way->peer_address[0], (__u8)set->raw, ttl, NS_SAL_BASE + segment);
    make_sal(&wrap.sal, way);
    return bpf_skb_store_bytes(skb, NS_L3, &wrap, sizeof wrap, REWRITE) == 0;
}

static __always_inline bool write4(struct __sk_buff *skb, const struct ns_sal_way *way, __u32 segment, __u8 ttl) {
    struct wrap4 wrap = {0};

    make_ip4(&wrap.ip, way->own_address[0], way->peer_address[0], IPPROTO_UDP, ttl, NS_SAL_OVERHEAD + segment);
    make_sal(&wrap.sal, way);
    make_udp(&wrap.udp, way, add(&wrap.ip.saddr, 8, bpf_htons(IPPROTO_UDP)), segment);
    return bpf_skb_store_bytes(skb, NS_L3, &wrap, sizeof wrap, REWRITE) == 0;
}

static __always_inline bool write6(struct __sk_buff *skb, const struct ns_sal_way *way, __u32 segment, __u8 ttl) {
    struct wrap6 wrap = {0};

    make_ip6(&wrap.ip, way->own_address, way->peer_address, IPPROTO_UDP, ttl, NS_SAL_OVERHEAD + segment);
    make_sal(&wrap.sal, way);
    make_udp(&wrap.udp, way, add(&wrap.ip.saddr, 32, bpf_htons(IPPROTO_UDP)), segment);
    return bpf_skb_store_bytes(skb, NS_L3, &wrap, sizeof wrap, REWRITE) == 0;
}

/* Exchanges the names and the ports of a segment in its checksum alone. */
static __always_inline bool sum_names(struct __sk_buff *skb, __u32 l4, __u32 *from, __u32 from_size, __u32 *to,
                                      __u32 to_size, __u32 old_ports, __u32 new_ports) {
    __u32 changed = difference(from, from_size, to, to_size);

    return bpf_l4_csum_replace(skb, l4 + TCP_CHECK, 0, changed, BPF_F_PSEUDO_HDR) == 0 &&
           bpf_l4_csum_replace(skb, l4 + TCP_CHECK, old_ports, new_ports, 4) == 0;
}

/* Exchanges the names of a segment in its checksum and its ports. */
static __always_inline bool rename_segment(struct __sk_buff *skb, __u32 l4, __u32 *from, __u32 from_size, __u32 *to,
                                           __u32 to_size, __u32 old_ports, __u32 new_ports) {
    return sum_names(skb, l4, from, from_size, to, to_size, old_ports, new_ports) &&
           bpf_skb_store_bytes(skb, l4, &new_ports, sizeof new_ports, 0) == 0;
}

static __always_inline __u32 ip_bytes(__u32 family) {
    return family == 4 ? (__u32)sizeof(struct iphdr) : (__u32)sizeof(struct ipv6hdr);
}

static __always_inline bool change_family(struct __sk_buff *skb, __u32 from, __u32 to) {
    return from == to || bpf_skb_change_proto(skb, to == 4 ? bpf_htons(ETH_P_IP) : bpf_htons(ETH_P_IPV6), 0) == 0;
}

static __always_inline bool is_raw(const struct ns_sal_way *way) {
    return way->peer_port == 0;
}

/* Returns the bytes between IP and the segment. */
static __always_inline __u32 overhead(const struct ns_sal_way *way) {
    return is_raw(way) ? NS_SAL_BASE : NS_SAL_OVERHEAD;
}

/* Writes the IP header of a segment of TCP. */
static __always_inline bool write_ip(struct __sk_buff *skb, __u32 family, const __u32 *source, const __u32 *destination,
                                     __u8 ttl, __u32 segment) {
    struct ipv6hdr ip6 = {0};
    struct iphdr ip4 = {0};

    if (family == 4) {
        make_ip4(&ip4, source[0], destination[0], IPPROTO_TCP, ttl, segment);
        return bpf_skb_store_bytes(skb, NS_L3, &ip4, sizeof ip4, REWRITE) == 0;
    }
    make_ip6(&ip6, source, destination, IPPROTO_TCP, ttl, segment);
    return bpf_skb_store_bytes(skb, NS_L3, &ip6, sizeof ip6, REWRITE) == 0;
}

/* --- the native form --- */

/* The headers of a segment in IPv4, which lie side by side. */
struct native4 {
    __u16 aligned; /* the stack wants words at multiples of 4 */
    struct ethhdr link;
    struct iphdr ip;
    __u32 ports;
};

_Static_assert(sizeof(struct native4) == 40, "no gaps between the headers");

/*
 * Writes IP and ports, and the link addresses if `link` is not NULL. One call of the kernel costs less than two or
 * three. The sum of the bytes does not change: that of IP is 0 before and after, and `sum_names` has the ports. So the
 * kernel need not sum them again.
 */
static __always_inline bool write_native4(struct __sk_buff *skb, __u32 source, __u32 destination, __u8 ttl,
                                          __u32 segment, __u32 ports, const __u8 *link) {
    struct native4 head = {0};

    make_ip4(&head.ip, source, destination, IPPROTO_TCP, ttl, segment);
    head.ports = ports;
    if (link == NULL)
        return bpf_skb_store_bytes(skb, NS_L3, &head.ip, sizeof head.ip + sizeof head.ports, BPF_F_INVALIDATE_HASH) ==
               0;
    __builtin_memcpy(head.link.h_dest, link, 6);
    __builtin_memcpy(head.link.h_source, link, 6);
    head.link.h_proto = bpf_htons(ETH_P_IP);
    return bpf_skb_store_bytes(skb, 0, &head.link, sizeof head - sizeof head.aligned, BPF_F_INVALIDATE_HASH) == 0;
}

/* Returns the ports of a segment that this end sends. */
static __always_inline __u32 native_ports(const struct ns_sal_way *way) {
    return bpf_htonl(bpf_ntohl(way->own) << 16 | (bpf_ntohl(way->peer) & 0xffff));
}

/* Tells whether a segment leaves in the native form, and notes how long data have waited for an answer. */
static __always_inline bool goes_native(const struct ns_sal_way *way, struct ns_sal_use *use, const struct tcphdr *tcp,
                                        __u32 data) {
    __u64 now;

    if (use == NULL || use->native_off || (way->native == NS_SAL_NATIVE_ANSWERS && !use->native_in))
        return false;
    if (data == 0 && !tcp->fin)
        return true;
    now = bpf_ktime_get_coarse_ns();
    if (use->waiting_since == 0) {
        use->waiting_since = now;
    } else if (now - use->waiting_since > NS_SAL_NATIVE_MS * 1000000ull &&
               (__s32)(use->sent - bpf_ntohl(tcp->seq)) > 0) {
        use->native_off = 1;
        count(NS_SAL_COUNT_NATIVE_OFF, 0);
        return false;
    }
    return true;
}

/* Gives a segment its names of the native form. */
static __always_inline bool make_native(struct __sk_buff *skb, const struct ns_sal_way *way, struct ns_packet *packet,
                                        __u32 segment) {
    __u32 at = NS_L3 + ip_bytes(packet->family), outer[8];

    if (packet->family == 4 && way->family == 4) {
        __u32 inner[2] = {packet->words.source[0], packet->words.destination[0]};

        outer[0] = way->own_address[0];
        outer[1] = way->peer_address[0];
        return sum_names(skb, at, inner, sizeof inner, outer, sizeof inner, packet->words.ports, native_ports(way)) &&
               write_native4(skb, outer[0], outer[1], packet->ttl, segment, native_ports(way), NULL);
    }
    __builtin_memcpy(outer, way->own_address, sizeof outer);
    return rename_segment(skb, at, packet->words.source, 32, outer, sizeof outer, packet->words.ports,
                          native_ports(way)) &&
           change_family(skb, packet->family, way->family) &&
           write_ip(skb, way->family, way->own_address, way->peer_address, packet->ttl, segment);
}

static __always_inline int send_native(struct __sk_buff *skb, const struct ns_sal_way *way, struct ns_packet *packet) {
    if (!make_native(skb, way, packet, packet->length - ip_bytes(packet->family)))
        return count(NS_SAL_COUNT_FAILED, TC_ACT_SHOT);
    count(NS_SAL_COUNT_OUT, 0);
    count(NS_SAL_COUNT_NATIVE_OUT, 0);
    return (int)bpf_redirect_neigh(way->interface, NULL, 0, 0);
}

static __always_inline bool wrap_segment(struct __sk_buff *skb, const struct ns_sal_way *way,
                                         struct ns_packet *packet) {
    __u32 family = packet->family, segment = packet->length - ip_bytes(family);
    __u32 names[2] = {way->own, way->peer};

    if (is_raw(way)) {
        names[0] = way->own_address[0];
        names[1] = way->peer_address[0];
    }
    if (!rename_segment(skb, NS_L3 + ip_bytes(family), packet->words.source, 32, names, sizeof names,
                        packet->words.ports, 0) ||
        !change_family(skb, family, way->family) ||
        bpf_skb_adjust_room(skb, (__s32)overhead(way), BPF_ADJ_ROOM_MAC, 0) != 0)
        return false;
    if (is_raw(way))
        return write_raw(skb, way, segment, packet->ttl);
    return way->family == 4 ? write4(skb, way, segment, packet->ttl) : write6(skb, way, segment, packet->ttl);
}

_Static_assert(sizeof(struct ns_count_words) == sizeof(struct ns_sal_tuple) &&
                   __builtin_offsetof(struct ns_count_words, ports) == __builtin_offsetof(struct ns_sal_tuple, ports) &&
                   __builtin_offsetof(struct ns_count_words, meta) == __builtin_offsetof(struct ns_sal_tuple, family),
               "the words of a packet are the names of its flow");

/* Finds the way of a segment by its names, in a map of flows' names. The way may not be open. */
static __always_inline const struct ns_sal_way *find_way(void *map, struct ns_packet *packet) {
    __u32 *own;

    packet->words.meta = packet->family;
    own = bpf_map_lookup_elem(map, &packet->words);
    return own == NULL ? NULL : bpf_map_lookup_elem(&ns_sal_flows, own);
}

/* Reads a segment that is not cut short. sal0 has no ARP, so its link address is not that of sal1. */
static __always_inline const struct tcphdr *read_segment(struct ns_packet *packet, struct __sk_buff *skb) {
    const struct tcphdr *tcp;

    if (!ns_skb_read_any(packet, skb) || packet->protocol != IPPROTO_TCP || !packet->plain || packet->l4 == NULL ||
        packet->length != skb->len - NS_L3)
        return NULL;
    tcp = packet->l4;
    return (void *)(tcp + 1) > (void *)(long)skb->data_end ? NULL : tcp;
}

static __always_inline int send_wrapped(struct __sk_buff *skb, const struct ns_sal_way *way, struct ns_packet *packet) {
    if (!wrap_segment(skb, way, packet))
        return count(NS_SAL_COUNT_FAILED, TC_ACT_SHOT);
    count(NS_SAL_COUNT_OUT, 0);
    return (int)bpf_redirect_neigh(way->interface, NULL, 0, 0);
}

/* Runs at sal1. All that comes here with a handshake of TCP is sald's, because ns_sal_first_out has left it. */
SEC("tc") int ns_sal_out(struct __sk_buff *skb) {
    struct ns_packet packet = {0};
    const struct tcphdr *tcp = read_segment(&packet, skb);
    const struct ns_sal_way *way = tcp == NULL || tcp->syn ? NULL : find_way(&ns_sal_tuples, &packet);

    if (way == NULL || !way->open)
        return count(NS_SAL_COUNT_OUT_TO_SALD, TC_ACT_UNSPEC);
    if (skb->gso_size != 0)
        return count(NS_SAL_COUNT_TRAIN, TC_ACT_SHOT);
    note_out(use_of(way), tcp, way->own, packet.length - ip_bytes(packet.family));
    return send_wrapped(skb, way, &packet);
}

/*
 * Tells whether a segment overtakes no train of its flow, which still waits to be cut: it has no data, or all before it
 * are acknowledged.
 */
static __always_inline bool overtakes_none(const struct ns_sal_use *use, const struct tcphdr *tcp, __u32 data) {
    if (data == 0 && !tcp->fin && !tcp->rst)
        return true;
    return use != NULL && (use->acks_seen & 1) != 0 && use->acked == bpf_ntohl(tcp->seq);
}

/*
 * Runs at sal0, before the kernel cuts trains. Segments leave here in the native form, and in UDP those that need no
 * cut and overtake nothing. All others go on to ns_sal_out.
 */
SEC("tc") int ns_sal_first_out(struct __sk_buff *skb) {
    struct ns_packet packet = {0};
    const struct tcphdr *tcp = read_segment(&packet, skb);
    const struct ns_sal_way *way = tcp == NULL || tcp->syn ? NULL : find_way(&ns_sal_tuples, &packet);
    struct ns_sal_use *use;
    __u32 segment, data;
    bool native;

    if (tcp != NULL && (tcp->syn || (way != NULL && !way->open && way->slot != 0))) {
        bpf_tail_call(skb, &ns_set_calls, NS_SAL_CALL_OUT);
        return TC_ACT_UNSPEC;
    }
    if (way == NULL || !way->open || (skb->gso_size != 0 && way->native == NS_SAL_NATIVE_NEVER))
        return TC_ACT_UNSPEC;
    use = use_of(way);
    segment = packet.length - ip_bytes(packet.family);
    data = segment - tcp->doff * 4u;
    native = way->native != NS_SAL_NATIVE_NEVER && goes_native(way, use, tcp, data);
    if (!native && (skb->gso_size != 0 || !overtakes_none(use, tcp, data)))
        return TC_ACT_UNSPEC;
    note_out(use, tcp, way->own, segment);
    return native ? send_native(skb, way, &packet) : send_wrapped(skb, way, &packet);
}

/* --- in --- */

/* Tells whether TCP can take an acknowledgement: one of what was never sent is not the peer's. */
static __always_inline bool may_ack(const struct ns_sal_use *use, __u32 acked) {
    return (use->acks_seen & 4) == 0 || (__s32)(acked - use->sent) <= 0;
}

/*
 * Tells whether TCP can take a RST. TCP itself wants the number that it expects next (RFC 5961), which is at most a
 * little beyond its last acknowledgement. The flowIDs alone, which each packet shows, end no flow.
 */
static __always_inline bool may_reset(const struct ns_sal_use *use, __u32 seq) {
    return (use->acks_seen & 2) == 0 || seq - use->taken < NS_SAL_RST_WINDOW;
}

/*
 * Notes that data have come which the local TCP has acknowledged before. When that goes on, no acknowledgement in the
 * native form arrives.
 */
static __always_inline void note_known(struct ns_sal_use *use, const struct tcphdr *tcp, __u32 data) {
    if (data == 0)
        return;
    if ((use->acks_seen & 2) == 0 || (__s32)(bpf_ntohl(tcp->seq) + data - use->taken) > 0) {
        use->known = 0;
    } else if (!use->native_off && ++use->known >= NS_SAL_NATIVE_AGAIN) {
        use->native_off = 1;
        count(NS_SAL_COUNT_NATIVE_OFF, 0);
    }
}

static __always_inline void note_in(const struct tcphdr *tcp, const struct ns_sal_way *way, __u32 bytes, bool native) {
    struct ns_sal_use *use = use_of(way);

    if (use == NULL)
        return;
    use->native_in |= native;
    if (way->native != NS_SAL_NATIVE_NEVER)
        note_known(use, tcp, bytes - tcp->doff * 4u);
    __sync_fetch_and_add(&use->packets_in, 1);
    __sync_fetch_and_add(&use->bytes_in, bytes);
    use->last_in = bpf_ktime_get_coarse_ns();
    if (tcp->ack) {
        __u32 acked = bpf_ntohl(tcp->ack_seq);

        /* One that was overtaken tells nothing: TCP ignores a wake with another number than its oldest. */
        if (may_ack(use, acked) && ((use->acks_seen & 1) == 0 || (__s32)(acked - use->acked) > 0)) {
            use->acked = acked;
            use->acks_seen |= 1;
            use->waiting_since = 0;
        }
        if (use->fin_sent && !use->fin_acked && (use->acks_seen & 1) != 0 && (__s32)(use->acked - use->fin) >= 0) {
            use->fin_acked = 1;
            tell(way->own, NS_SAL_FIN_ACKED);
        }
    }
    if (tcp->rst && may_reset(use, bpf_ntohl(tcp->seq)))
        tell(way->own, NS_SAL_RST_TAKEN);
}

/*
 * Tells whether the local stack takes the packet on the link by which it came. sald has found what this link allows.
 * Else the packet goes by sal0, where the local stack takes all.
 */
static __always_inline bool stays(struct __sk_buff *skb, __u32 family) {
    const __u32 place = skb->ifindex % NS_SAL_LINKS;
    const struct ns_sal_link *link = bpf_map_lookup_elem(&ns_set_links, &place);

    return link != NULL && link->interface == skb->ifindex && skb->pkt_type == PACKET_HOST &&
           (family == 4 ? link->stays4 : link->stays6) != 0;
}

/* Writes the link addresses of sal0. */
static __always_inline bool write_link(struct __sk_buff *skb, const struct ns_sal_settings *set, __u32 family) {
    struct ethhdr link = {0};

    __builtin_memcpy(link.h_dest, set->link, 6);
    __builtin_memcpy(link.h_source, set->link, 6);
    link.h_proto = family == 4 ? bpf_htons(ETH_P_IP) : bpf_htons(ETH_P_IPV6);
    return bpf_skb_store_bytes(skb, 0, &link, sizeof link, 0) == 0;
}

/* Gives the local stack a segment whose headers are written, by sal0. */
static __always_inline int hand_by_inside(struct __sk_buff *skb, const struct ns_sal_settings *set, __u32 family) {
    if (!write_link(skb, set, family))
        return count(NS_SAL_COUNT_FAILED, TC_ACT_SHOT);
    return (int)bpf_redirect(set->inside, BPF_F_INGRESS);
}

/* Gives the local stack a segment of an open flow. `outer` is the family that the packet had. */
static __always_inline int hand(struct __sk_buff *skb, const struct ns_sal_settings *set, const struct ns_sal_way *way,
                                __u32 outer) {
    count(NS_SAL_COUNT_IN, 0);
    if (!stays(skb, way->inner.family))
        return hand_by_inside(skb, set, way->inner.family);
    count(NS_SAL_COUNT_SHORT_IN, 0);
    if (outer != way->inner.family && !write_link(skb, set, way->inner.family))
        return count(NS_SAL_COUNT_FAILED, TC_ACT_SHOT);
    return TC_ACT_OK;
}

/* Writes the IP header that the local stack sees: from the surrogate to the address of sal0. */
static __always_inline bool write_inner(struct __sk_buff *skb, const struct ns_sal_way *way, __u32 segment, __u8 ttl) {
    return write_ip(skb, way->inner.family, way->inner.destination, way->inner.source, ttl, segment);
}

static __always_inline bool unwrap_segment(struct __sk_buff *skb, const struct ns_sal_way *way,
                                           const struct ns_packet *packet, __u32 segment) {
    __u32 names[2] = {way->peer, way->own};
    __s32 room = (__s32)overhead(way);
    __u32 inner[8], ports = way->inner.ports << 16 | way->inner.ports >> 16;

    if (is_raw(way)) {
        names[0] = packet->words.source[0];
        names[1] = packet->words.destination[0];
    }
    __builtin_memcpy(inner, way->inner.source, sizeof inner);
    return rename_segment(skb, NS_L3 + ip_bytes(packet->family) + (__u32)room, names, sizeof names, inner, sizeof inner,
                          0, ports) &&
           bpf_skb_adjust_room(skb, -room, BPF_ADJ_ROOM_MAC, 0) == 0 &&
           change_family(skb, packet->family, way->inner.family) && write_inner(skb, way, segment, packet->ttl);
}

/* The headers of data behind IP. Raw IP begins with `sal`. */
struct data_head {
    struct udphdr udp;
    struct sal_base sal;
    struct tcphdr tcp;
};

static __always_inline bool read_head(struct __sk_buff *skb, const struct ns_packet *packet, bool raw,
                                      struct data_head *head) {
    __u32 at = NS_L3 + ip_bytes(packet->family), length = packet->length - ip_bytes(packet->family);

    if (length < sizeof *head - (raw ? sizeof head->udp : 0)) /* a frame may be longer than its packet */
        return false;
    if (raw)
        return bpf_skb_load_bytes(skb, at, &head->sal, sizeof *head - sizeof head->udp) == 0;
    return bpf_skb_load_bytes(skb, at, head, sizeof *head) == 0 && bpf_ntohs(head->udp.len) == length;
}

/* Finds the flow of data by their SAL header. Returns NULL if the packet is sald's to judge. */
static __always_inline const struct ns_sal_way *find_flow(const struct sal_base *sal, bool raw) {
    const struct ns_sal_way *way;
    __u32 own = sal->destination;

    if (sal->words != NS_SAL_BASE / 4 || sal->protocol != IPPROTO_TCP || fold(add(sal, sizeof *sal, 0)) != 0xffff)
        return NULL;
    way = bpf_map_lookup_elem(&ns_sal_flows, &own);
    return way != NULL && way->open && way->peer == sal->source && is_raw(way) == raw ? way : NULL;
}

/* Tells whether a packet has SAL behind UDP. */
static __always_inline bool is_udp(const struct ns_packet *packet, const struct ns_sal_settings *set) {
    return packet->protocol == IPPROTO_UDP && packet->l4 != NULL && ((__u16 *)&packet->words.ports)[1] == set->port;
}

/* Tells whether a socket would get the packet that is not sald's. Anybody may bind the port while sald is away. */
static __always_inline bool is_strangers(struct __sk_buff *skb, const struct ns_packet *packet) {
    struct bpf_sock_tuple tuple = {0};
    struct bpf_sock *socket;
    bool stranger;

    if (packet->family == 4) {
        tuple.ipv4.saddr = packet->words.source[0];
        tuple.ipv4.daddr = packet->words.destination[0];
        __builtin_memcpy(&tuple.ipv4.sport, &packet->words.ports, 4);
        socket = bpf_sk_lookup_udp(skb, &tuple, sizeof tuple.ipv4, BPF_F_CURRENT_NETNS, 0);
    } else {
        __builtin_memcpy(tuple.ipv6.saddr, packet->words.source, 16);
        __builtin_memcpy(tuple.ipv6.daddr, packet->words.destination, 16);
        __builtin_memcpy(&tuple.ipv6.sport, &packet->words.ports, 4);
        socket = bpf_sk_lookup_udp(skb, &tuple, sizeof tuple.ipv6, BPF_F_CURRENT_NETNS, 0);
    }
    if (socket == NULL)
        return false;
    stranger = socket->priority != NS_SAL_PRIORITY;
    bpf_sk_release(socket);
    return stranger;
}

/* Takes a segment of IPv4 whose program has IPv4, too. */
static __always_inline int take_native4(struct __sk_buff *skb, const struct ns_sal_settings *set,
                                        const struct ns_sal_way *way, const struct ns_packet *packet, __u32 ports) {
    __u32 names[2] = {packet->words.source[0], packet->words.destination[0]};
    __u32 inner[2] = {way->inner.destination[0], way->inner.source[0]};
    __u32 l4 = NS_L3 + (__u32)sizeof(struct iphdr), segment = packet->length - (__u32)sizeof(struct iphdr);
    bool stay = stays(skb, 4);

    if (!sum_names(skb, l4, names, sizeof names, inner, sizeof inner, packet->words.ports, ports) ||
        !write_native4(skb, inner[0], inner[1], packet->ttl, segment, ports, stay ? NULL : set->link))
        return count(NS_SAL_COUNT_FAILED, TC_ACT_SHOT);
    count(NS_SAL_COUNT_NATIVE_IN, 0);
    count(NS_SAL_COUNT_IN, 0);
    return stay ? count(NS_SAL_COUNT_SHORT_IN, TC_ACT_OK) : (int)bpf_redirect(set->inside, BPF_F_INGRESS);
}

/* Takes a segment, or a train, of plain TCP, if it is a flow's in the native form. */
static __always_inline int take_native(struct __sk_buff *skb, const struct ns_sal_settings *set,
                                       struct ns_packet *packet) {
    const struct ns_sal_way *way = packet->l4 == NULL ? NULL : find_way(&ns_sal_natives, packet);
    __u32 head = ip_bytes(packet->family), segment = packet->length - head, inner[8], ports;
    const struct tcphdr *tcp = packet->l4;

    if (way == NULL || !way->open || (void *)(tcp + 1) > (void *)(long)skb->data_end || tcp->syn)
        return TC_ACT_UNSPEC;
    note_in(tcp, way, segment, true);
    ports = way->inner.ports << 16 | way->inner.ports >> 16;
    if (packet->family == 4 && way->inner.family == 4)
        return take_native4(skb, set, way, packet, ports);
    __builtin_memcpy(inner, way->inner.source, sizeof inner);
    if (!rename_segment(skb, NS_L3 + head, packet->words.source, 32, inner, sizeof inner, packet->words.ports, ports) ||
        !change_family(skb, packet->family, way->inner.family) || !write_inner(skb, way, segment, packet->ttl))
        return count(NS_SAL_COUNT_FAILED, TC_ACT_SHOT);
    count(NS_SAL_COUNT_NATIVE_IN, 0);
    return hand(skb, set, way, packet->family);
}

SEC("tc") int ns_sal_in(struct __sk_buff *skb) {
    const struct ns_sal_settings *set = settings();
    const struct ns_sal_way *way = NULL;
    struct ns_packet packet = {0};
    struct data_head head = {0};
    __u32 segment;
    bool raw, whole;

    if (set == NULL || !ns_skb_read(&packet, skb) || !packet.plain || packet.length > skb->len - NS_L3)
        return TC_ACT_UNSPEC;
    if (set->native && packet.protocol == IPPROTO_TCP)
        return take_native(skb, set, &packet);
    raw = set->raw != 0 && packet.protocol == set->raw && packet.family == 4;
    if (!raw && !is_udp(&packet, set))
        return TC_ACT_UNSPEC;
    whole = read_head(skb, &packet, raw, &head);
    if (whole)
        way = find_flow(&head.sal, raw);
    if (way == NULL && !raw && whole && skb->gso_size == 0)
        bpf_tail_call(skb, &ns_set_calls, NS_SAL_CALL_IN);
    if (way == NULL || skb->gso_size != 0 || head.tcp.syn)
        return !raw && is_strangers(skb, &packet) ? count(NS_SAL_COUNT_STRANGER, TC_ACT_SHOT)
                                                  : count(NS_SAL_COUNT_IN_TO_SALD, TC_ACT_UNSPEC);
    segment = packet.length - ip_bytes(packet.family) - (raw ? NS_SAL_BASE : NS_SAL_OVERHEAD);
    note_in(&head.tcp, way, segment, false);
    if (!unwrap_segment(skb, way, &packet, segment))
        return count(NS_SAL_COUNT_FAILED, TC_ACT_SHOT);
    return hand(skb, set, way, packet.family);
}

#include "sal_set_up.h"

char ns_license[] SEC("license") = "GPL";
