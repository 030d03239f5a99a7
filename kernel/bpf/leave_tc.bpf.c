/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * leave_tc - tc, forward=direct: the way of UDP out of a container, past the stack.
 *
 *     container -- nsv<index> --+-- rules, translation, route --+-- interface of the fast path
 *              ns_tc_leave      |                               |      ns_tc_left
 *                     known ----+---------- new headers --------+--->
 *                     not known: the long way. If the packet comes out, its flow is known for a second.
 *
 * A flow is known by its words as it leaves. Its source is an element of the container's `listen` list, so the source
 * is known before the packet has left. ns_tc_leave asks by such a key, and ns_tc_left answers only for a packet with
 * exactly these words. If a rule of the operator translates the destination, or connection tracking takes another
 * port, no such packet comes out, and all packets of the flow take the long way.
 */
#include "checksum.h"
#include "skb.h"
#include <linux/udp.h>

#define ASKED 0x4e53u /* tc_index of a packet whose flow is asked for: a hint, and no proof */
#define KNOWN_NS 1000000000ull
#define ASK_AGAIN_NS 100000000ull

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_FASTPATH_CONTAINERS);
    __type(key, __u32);
    __type(value, struct ns_leaver);
} ns_leavers SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, NS_LEAVES_MAX);
    __type(key, struct ns_key6);
    __type(value, struct ns_leave);
} ns_leaves SEC(".maps");

/* Only bpfd fills it. When bpfd dies, the kernel empties it, and all packets take the long way. */
struct {
    __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
    __uint(max_entries, 2);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(__u32));
} ns_leave_slots SEC(".maps");

SEC("tc") int ns_tc_leave_entry(struct __sk_buff *skb) {
    bpf_tail_call(skb, &ns_leave_slots, NS_LEAVE_SLOT);
    return TC_ACT_UNSPEC;
}

SEC("tc") int ns_tc_left_entry(struct __sk_buff *skb) {
    if (skb->tc_index == ASKED)
        bpf_tail_call(skb, &ns_leave_slots, NS_LEFT_SLOT);
    return TC_ACT_UNSPEC;
}

/* Reads a packet of UDP that may be known. The words of an IPv4 address behind the first are zero. */
static __always_inline bool read(struct ns_packet *packet, struct __sk_buff *skb, struct ns_key6 *key) {
    __builtin_memset(packet, 0, sizeof *packet);
    if (!ns_skb_read(packet, skb) || !packet->plain || packet->protocol != IPPROTO_UDP || packet->l4 == NULL)
        return false;
    __builtin_memcpy(key->source, packet->words.source, 16);
    __builtin_memcpy(key->destination, packet->words.destination, 16);
    key->ports = packet->words.ports;
    key->meta = ns_meta(packet->family, IPPROTO_UDP, 0);
    return true;
}

/* Returns the length of the longest packet on the wire, without the link's header: a train is many packets. */
static __always_inline __u32 length(const struct __sk_buff *skb, const struct ns_packet *packet) {
    __u32 headers = (packet->family == 4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr)) + sizeof(struct udphdr);

    return skb->gso_size != 0 ? skb->gso_size + headers : packet->length;
}

/* Puts the source into the key with which packets of this source port leave. Returns false if no element has one. */
static __always_inline bool translate(const struct ns_leaver *leaver, __u8 family, struct ns_key6 *key) {
    __u16 port = bpf_ntohs((__u16)key->ports);

    for (__u32 i = 0; i < NS_LEAVER_LISTENS && i < leaver->count; i++) {
        const struct ns_leaver_listen *listen = &leaver->listen[i];

        if (listen->family == family && port >= listen->first && port <= listen->last) {
            __builtin_memcpy(key->source, listen->address, 16);
            return true;
        }
    }
    return false;
}

static __always_inline bool is_same(const __u32 one[4], const __u32 other[4]) {
    return one[0] == other[0] && one[1] == other[1] && one[2] == other[2] && one[3] == other[3];
}

/* Gives the packet its new headers. Returns false if it is half changed. */
static __always_inline bool change(struct __sk_buff *skb, __u8 family, __u32 from[4], __u32 to[4],
                                   const struct ns_leave *leave) {
    const __u32 at = NS_L3 + (family == 4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr)) + 6;
    __s64 difference = bpf_csum_diff(from, 16, to, 16, 0);
    void *data, *end;

    if (difference < 0 ||
        bpf_l4_csum_replace(skb, at, 0, (__u64)difference, BPF_F_PSEUDO_HDR | BPF_F_MARK_MANGLED_0) != 0)
        return false;
    data = (void *)(long)skb->data;
    end = (void *)(long)skb->data_end;
    if (family == 4) {
        struct iphdr *ip = data + NS_L3;
        __u32 sum;

        if ((void *)(ip + 1) > end)
            return false;
        ip->saddr = to[0];
        ip->ttl--;
        /* The word of the TTL is less by 0x0100, so the checksum is more by it (RFC 1141). */
        sum = (__u16)~ip->check + ((__u32)difference & 0xffff) + ((__u32)difference >> 16);
        ip->check = (__u16)~ns_fold(sum + (__u16)~bpf_htons(0x0100));
    } else {
        struct ipv6hdr *ip = data + NS_L3;

        if ((void *)(ip + 1) > end)
            return false;
        __builtin_memcpy(&ip->saddr, to, 16);
        ip->hop_limit--;
    }
    __builtin_memcpy(data, leave->link, sizeof leave->link);
    return true;
}

/* Asks for the flow of a packet that takes the long way. One packet asks, and for a while no other one. */
static __always_inline int ask(struct __sk_buff *skb, const struct ns_key6 *key, const struct ns_leave *before,
                               const __u32 inside[4], __u64 now) {
    struct ns_leave leave = {.asked = now, .from = skb->ifindex};

    if (before != NULL && now < before->asked + ASK_AGAIN_NS)
        return TC_ACT_UNSPEC;
    __builtin_memcpy(leave.inside, inside, 16);
    if (before != NULL && before->from == leave.from && now < before->expires)
        leave.longest = before->longest; /* it is longer than all before */
    if (bpf_map_update_elem(&ns_leaves, key, &leave, BPF_ANY) != 0)
        return TC_ACT_UNSPEC;
    skb->tc_classid = ASKED; /* becomes tc_index */
    return TC_ACT_OK;
}

SEC("tc") int ns_tc_leave(struct __sk_buff *skb) {
    __u64 now = bpf_ktime_get_coarse_ns();
    __u32 index = skb->ifindex, inside[4], to[4], bytes;
    struct ns_leaver *leaver = bpf_map_lookup_elem(&ns_leavers, &index);
    struct ns_packet packet;
    struct ns_leave *leave;
    struct ns_key6 key;

    if (leaver == NULL || !read(&packet, skb, &key) || packet.ttl <= 1)
        return TC_ACT_UNSPEC;
    __builtin_memcpy(inside, key.source, 16);
    if (!translate(leaver, packet.family, &key))
        return TC_ACT_UNSPEC;
    __builtin_memcpy(to, key.source, 16);
    leave = bpf_map_lookup_elem(&ns_leaves, &key);
    if (leave == NULL || now >= leave->expires || leave->from != index || !is_same(leave->inside, inside) ||
        length(skb, &packet) > leave->longest)
        return ask(skb, &key, leave, inside, now);
    bytes = skb->len;
    if (!change(skb, packet.family, inside, to, leave))
        return TC_ACT_SHOT;
    __sync_fetch_and_add(&leaver->packets, 1);
    __sync_fetch_and_add(&leaver->bytes, bytes);
    return bpf_redirect(leave->to, 0);
}

/* A packet has come out. The entry is replaced as a whole, so ns_tc_leave never sees half of one. */
SEC("tc") int ns_tc_left(struct __sk_buff *skb) {
    struct ns_packet packet;
    struct ns_leave leave, *asked;
    struct ns_key6 key;
    __u32 longest;

    if (!read(&packet, skb, &key))
        return TC_ACT_UNSPEC;
    asked = bpf_map_lookup_elem(&ns_leaves, &key);
    if (asked == NULL)
        return TC_ACT_UNSPEC;
    leave = *asked;
    longest = length(skb, &packet);
    leave.longest = longest > leave.longest ? longest : leave.longest;
    leave.to = skb->ifindex;
    leave.expires = bpf_ktime_get_coarse_ns() + KNOWN_NS;
    if (bpf_skb_load_bytes(skb, 0, leave.link, sizeof leave.link) == 0)
        bpf_map_update_elem(&ns_leaves, &key, &leave, BPF_EXIST);
    return TC_ACT_UNSPEC;
}

char ns_license[] SEC("license") = "GPL";
