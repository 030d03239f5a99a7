/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * sal_set_up.h - part of sal_flow.bpf.c: sets flows up without a wake of sald (docs/protocols/sald.md, "Set-up by the
 * programs"). ns_sal_first_out and ns_sal_in call its programs for the packets that carry TCP's handshake. This file
 * has the slots, sal_set_up_out.h and sal_set_up_in.h the programs. A function that returns TC_ACT_UNSPEC has changed
 * nothing of the packet, which is sald's then.
 *
 *     IP | UDP | SAL 12 | CONTROL 20 | SERVICE 36 | SOURCE or HOPS, CAPABILITY | TCP
 */
#ifndef NS_SAL_SET_UP_BPF_H
#define NS_SAL_SET_UP_BPF_H

#include "bound.h"
#include "ns_sal_set_up.h"

/* sald pins this map. The others are new with each sald, so nothing is set up while there is none. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NS_SAL_SLOTS);
    __type(key, __u32);
    __type(value, struct ns_sal_slot);
    __uint(map_flags, BPF_F_MMAPABLE);
} ns_sal_slots SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_QUEUE);
    __uint(max_entries, NS_SAL_OUT_SLOTS);
    __type(value, __u32);
} ns_set_free_out SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_QUEUE);
    __uint(max_entries, NS_SAL_IN_SLOTS);
    __type(value, __u32);
} ns_set_free_in SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct ns_sal_set_up);
    __uint(map_flags, BPF_F_MMAPABLE);
} ns_set_state SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, NS_SAL_PREPARED);
    __type(key, __u32);
    __type(value, struct ns_sal_target);
} ns_set_targets SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, NS_SAL_PREPARED);
    __type(key, struct ns_sal_listener_key);
    __type(value, struct ns_sal_listener);
} ns_set_listeners SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_SAL_FLOWS);
    __type(key, struct ns_sal_client_key);
    __type(value, __u32);
    __uint(map_flags, BPF_F_NO_PREALLOC);
} ns_set_clients SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_SAL_ROUTERS);
    __type(key, struct ns_sal_router_key);
    __type(value, __u8);
} ns_set_routers SEC(".maps");

/* A SAL header with CONTROL. */
struct sal_message {
    struct sal_base base;
    __u8 kind, length, flags, abilities;
    __u32 verno, ackno;
    __u64 nonce;
};

/* Too large for the stack. */
struct scratch {
    union {
        __u8 bytes[256];
        struct sal_message message;
    };
    __u8 segment[NS_SAL_SEGMENT_ROOM];
    struct ns_sal_listener_key listener;
    struct ns_sal_client_key client;
    struct ns_sal_router_key router;
    struct ns_sal_tuple tuple;
    struct ns_sal_way way;
    struct ns_sal_use use;
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct scratch);
} ns_set_scratch SEC(".maps");

#define CONTROL 0x10
#define SERVICE 0x20
#define SOURCE 0x40
#define CAPABILITY 0x50
#define HOPS 0x60
#define SAL_SYN 0x80
#define SAL_ACK 0x20
#define AT_SERVICE 32 /* in the header, behind CONTROL */
#define HEADER_MOST 152u
#define LIST_OUT_MOST (NS_SAL_LIST_MOST + 20) /* with the own address */
#define UDP_BYTES ((__u32)sizeof(struct udphdr))
#define KEPT(bound) asm volatile("" : "+r"(bound)) /* clang drops checks that it can prove, and the kernel wants them */

static __always_inline bool turn(struct ns_sal_slot *slot, __u32 from, __u32 to) {
    return __sync_val_compare_and_swap(&slot->stage, from, to) == from;
}

static __always_inline void leave(struct ns_sal_slot *slot, __u32 stage) {
    __sync_lock_test_and_set(&slot->stage, stage);
}

static __always_inline struct ns_sal_set_up *set_up(void) {
    const __u32 only = 0;

    return bpf_map_lookup_elem(&ns_set_state, &only);
}

static __always_inline struct scratch *scratch(void) {
    const __u32 only = 0;

    return bpf_map_lookup_elem(&ns_set_scratch, &only);
}

/* Finds the slot of a flow that is not open. Returns NULL if sald has the flow. */
static __always_inline struct ns_sal_slot *slot_of(const struct ns_sal_way *way, bool out) {
    __u32 index = (__u32)way->slot - 1;
    struct ns_sal_slot *slot;

    if (way->open || way->slot == 0 || (index < NS_SAL_OUT_SLOTS) != out)
        return NULL;
    slot = bpf_map_lookup_elem(&ns_sal_slots, &index);
    return slot != NULL && slot->own == way->own ? slot : NULL;
}

/* Holds the slot of a flow. sald may have taken it over since slot_of, and another flow may have it. */
static __always_inline bool hold(struct ns_sal_slot *slot, __u32 own, __u32 stage) {
    if (!turn(slot, stage, NS_SAL_STAGE_BUSY))
        return false;
    if (slot->own == own)
        return true;
    leave(slot, stage);
    return false;
}

/* Takes a free slot, which is BUSY then. Wakes sald if it has slept since the last one. */
static __always_inline struct ns_sal_slot *take_slot(struct ns_sal_set_up *state, void *queue, __u32 *index) {
    struct ns_sal_slot *slot;

    if (bpf_map_pop_elem(queue, index) != 0) {
        count(NS_SAL_COUNT_SET_UP_FULL, 0);
        return NULL;
    }
    slot = bpf_map_lookup_elem(&ns_sal_slots, index);
    if (slot == NULL || !turn(slot, NS_SAL_STAGE_FREE, NS_SAL_STAGE_BUSY))
        return NULL;
    slot->began_ns = bpf_ktime_get_ns();
    if (state->armed && __sync_lock_test_and_set(&state->armed, 0) != 0)
        tell(0, NS_SAL_SET_UP);
    return slot;
}

static __always_inline void write_message(struct scratch *work, const struct ns_sal_slot *slot, __u32 peer, __u8 flags,
                                          __u32 verno, __u32 ackno) {
    struct sal_message *message = &work->message;

    message->base.source = slot->own;
    message->base.destination = peer;
    message->kind = CONTROL;
    message->length = 20;
    message->flags = flags;
    message->abilities = 0;
    message->verno = bpf_htonl(verno);
    message->ackno = ackno;
    message->nonce = slot->nonce;
}

static __always_inline void write_service(struct scratch *work, const struct ns_sal_slot *slot) {
    work->bytes[AT_SERVICE] = SERVICE;
    work->bytes[AT_SERVICE + 1] = 36;
    work->bytes[AT_SERVICE + 2] = work->bytes[AT_SERVICE + 3] = 0;
    __builtin_memcpy(&work->bytes[AT_SERVICE + 4], slot->service, 32);
}

static __always_inline __u16 sum_header(const struct scratch *work, __u32 header) {
    return fold((__u32)bpf_csum_diff(NULL, 0, (__be32 *)work->bytes, header, 0));
}

static __always_inline void write_udp(struct udphdr *udp, const struct ns_sal_slot *slot, __u32 pseudo, __u32 inner,
                                      __u32 bytes) {
    udp->source = slot->own_port;
    udp->dest = slot->peer_port;
    udp->len = bpf_htons(UDP_BYTES + bytes);
    udp->check = 0;
    udp->check = ~fold(add(udp, sizeof *udp, (__u64)pseudo + udp->len + (__u16)~fold(inner)));
    if (udp->check == 0)
        udp->check = 0xffff;
}

struct outer4 {
    struct iphdr ip;
    struct udphdr udp;
};

struct outer6 {
    struct ipv6hdr ip;
    struct udphdr udp;
};

/* Writes IP and UDP. `inner` is the sum of the pseudo-header of the segment, as in make_udp. */
static __always_inline bool write_outer(struct __sk_buff *skb, const struct ns_sal_slot *slot, __u32 inner, __u32 bytes,
                                        __u8 ttl) {
    if (slot->family == 4) {
        struct outer4 outer = {0};

        make_ip4(&outer.ip, slot->own_address[0], slot->peer_address[0], IPPROTO_UDP, ttl, UDP_BYTES + bytes);
        write_udp(&outer.udp, slot, fold(add(&outer.ip.saddr, 8, bpf_htons(IPPROTO_UDP))), inner, bytes);
        return bpf_skb_store_bytes(skb, NS_L3, &outer, sizeof outer, REWRITE) == 0;
    } else {
        struct outer6 outer = {0};

        make_ip6(&outer.ip, slot->own_address, slot->peer_address, IPPROTO_UDP, ttl, UDP_BYTES + bytes);
        write_udp(&outer.udp, slot, fold(add(&outer.ip.saddr, 32, bpf_htons(IPPROTO_UDP))), inner, bytes);
        return bpf_skb_store_bytes(skb, NS_L3, &outer, sizeof outer, REWRITE) == 0;
    }
}

/* Writes the segment that leaves: ports 0, and all of the checksum, because a sald that gets it verifies that. */
static __always_inline void write_segment(struct scratch *work, const struct ns_sal_slot *slot, __u32 bytes,
                                          __u32 pseudo) {
    struct tcphdr *tcp = (struct tcphdr *)work->segment;

    __builtin_memcpy(work->segment, slot->segment, NS_SAL_SEGMENT_ROOM);
    tcp->source = tcp->dest = 0;
    tcp->check = 0;
    tcp->check = ~fold((__u32)bpf_csum_diff(NULL, 0, (__be32 *)work->segment, bytes, pseudo));
}

/*
 * Gives the packet the room of the one that leaves, and no more content than its link addresses. The local stack has
 * left the checksum of TCP to a device. Taking all headers away is the only way to have the kernel forget that.
 */
static __always_inline bool make_room(struct __sk_buff *skb, __u32 from, __u32 to, __u32 total) {
    __u32 taken = NS_L3 + ip_bytes(from) + 2;

    return bpf_skb_change_tail(skb, total + taken + ip_bytes(from) - ip_bytes(to), 0) == 0 &&
           bpf_skb_adjust_room(skb, -(__s32)taken, BPF_ADJ_ROOM_MAC, 0) == 0 && change_family(skb, from, to);
}

/* Sends the segment of a slot behind the header in `work`, in the packet of the local stack that has brought it. */
static __always_inline int send_message(struct __sk_buff *skb, struct ns_packet *packet, const struct ns_sal_slot *slot,
                                        struct scratch *work, __u32 header) {
    __u32 family = slot->family, at = NS_L3 + ip_bytes(family) + UDP_BYTES, segment = slot->segment_length, inner;

    if (!ns_bound(&header, NS_SAL_MESSAGE_BYTES, HEADER_MOST) || !ns_bound(&segment, sizeof(struct tcphdr), 60))
        return TC_ACT_SHOT;
    inner = (__u32)bpf_csum_diff(NULL, 0, &work->message.base.source, 8, bpf_htons(IPPROTO_TCP) + bpf_htons(segment));
    work->message.base.words = (__u8)(header / 4);
    work->message.base.protocol = IPPROTO_TCP;
    work->message.base.check = 0;
    work->message.base.check = ~sum_header(work, header);
    write_segment(work, slot, segment, inner);
    if (!make_room(skb, packet->family, family, at + header + segment) ||
        !write_outer(skb, slot, inner, header + segment, packet->ttl) ||
        bpf_skb_store_bytes(skb, at, work->bytes, header, BPF_F_INVALIDATE_HASH) != 0 ||
        bpf_skb_store_bytes(skb, at + header, work->segment, segment, 0) != 0)
        return count(NS_SAL_COUNT_FAILED, TC_ACT_SHOT);
    return (int)bpf_redirect_neigh(slot->interface, NULL, 0, 0);
}

/* Sends a message, and then lets sald have the slot, whether it left or not. */
static __always_inline int send_and_leave(struct __sk_buff *skb, struct ns_packet *packet, struct ns_sal_slot *slot,
                                          struct scratch *work, __u32 header, __u32 stage) {
    int verdict = send_message(skb, packet, slot, work, header);

    leave(slot, stage);
    return verdict;
}

/* Keeps the header of a segment, which is all of it, for a sald that has to send it again. */
static __always_inline bool keep_segment(struct __sk_buff *skb, struct ns_sal_slot *slot, __u32 at, __u32 bytes) {
    if (!ns_bound(&bytes, sizeof(struct tcphdr), 60))
        return false;
    slot->segment_length = (__u8)bytes;
    return bpf_skb_load_bytes(skb, at, slot->segment, bytes) == 0;
}

static __always_inline void fill_way(struct ns_sal_way *way, const struct ns_sal_slot *slot, __u32 index) {
    __builtin_memset(way, 0, sizeof *way);
    way->inner = slot->inner;
    way->own = slot->own;
    way->peer = slot->peer_flow;
    __builtin_memcpy(way->own_address, slot->own_address, 16);
    __builtin_memcpy(way->peer_address, slot->peer_address, 16);
    way->own_port = slot->own_port;
    way->peer_port = slot->peer_port;
    way->interface = slot->interface;
    way->family = slot->family;
    way->slot = (__u16)(index + 1);
}

/* Enters a new flow under its names. Returns false if another one has them. */
static __always_inline bool enter_flow(struct ns_sal_slot *slot, struct ns_sal_way *way, __u32 index) {
    fill_way(way, slot, index);
    if (bpf_map_update_elem(&ns_sal_tuples, &slot->inner, &slot->own, BPF_NOEXIST) != 0)
        return false;
    if (bpf_map_update_elem(&ns_sal_flows, &slot->own, way, BPF_NOEXIST) == 0)
        return true;
    bpf_map_delete_elem(&ns_sal_tuples, &slot->inner);
    return false;
}

/* Opens a flow for data. `way` lies in its map. */
static __always_inline void open_flow(struct scratch *work, struct ns_sal_slot *slot, struct ns_sal_way *way) {
    __builtin_memset(&work->use, 0, sizeof work->use);
    bpf_map_update_elem(&ns_sal_uses, &slot->own, &work->use, BPF_NOEXIST);
    slot->opened_ns = bpf_ktime_get_ns();
    way->open = 1;
}

#include "sal_set_up_in.h"
#include "sal_set_up_out.h"

#endif
