/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * sample - tc: copies one of N packets of a filter into the ring buffer of its container, as it comes in. The packet
 * itself waits for nothing and is not touched.
 *
 * The samples are counted off, not drawn at random. Counting gives exactly 1 of N packets, also over a short time,
 * and equals the firewall's rule for the same filter (`statistic --mode nth`). A random draw for each packet would
 * cost more.
 *
 * Only this object needs ring buffers, so a kernel without them still loads all other objects.
 */
#include "maps.h"
#include "match.h"
#include "skb.h"

#define GIST_PORT 270
#define ROOM_BYTES 4096u
#define SECOND 1000000000ull
#define BURST 64 /* samples of one aggregate; the others are lost, and counted as lost */

/* Sampling filters: one list of IPv4, one of IPv6. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, 2);
    __type(key, __u32);
    __array(
        values, struct {
            __uint(type, BPF_MAP_TYPE_ARRAY);
            __uint(max_entries, 1);
            __uint(key_size, sizeof(__u32));
            __uint(value_size, sizeof(struct ns_sample_filters));
        });
} ns_sampling SEC(".maps");

/* Ring buffers, by slot of the container. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, NS_FASTPATH_CONTAINERS);
    __type(key, __u32);
    __array(
        values, struct {
            __uint(type, BPF_MAP_TYPE_RINGBUF);
            __uint(max_entries, NS_SAMPLE_RING_BYTES);
        });
} ns_samples SEC(".maps");

/*
 * Number of lost samples, by slot of the container: without room, or beyond the limits, since the last sample that
 * came through.
 */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NS_FASTPATH_CONTAINERS);
    __type(key, __u32);
    __type(value, __u32);
} ns_samples_lost SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NS_FASTPATH_CONTAINERS);
    __type(key, __u32);
    __type(value, struct ns_sample_limit);
} ns_sample_limits SEC(".maps");

/* The place where a sample is put together. */
struct room {
    struct ns_sample head;
    __u8 bytes[ROOM_BYTES - sizeof(struct ns_sample)];
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct room);
} ns_sample_room SEC(".maps");

/* Returns n, bounded to 1..2048. The verifier cannot know the range of n otherwise. */
static __always_inline __u64 bounded(__u64 n) {
    asm volatile("" : "+r"(n));
    return ((n - 1) & 2047) + 1;
}

/* Copies the whole packet, or its beginning. Returns the number of bytes, 0 if they cannot be read. */
static __always_inline __u64 copy_one(struct __sk_buff *skb, struct room *room) {
    __u64 bytes = room->head.length;

    bytes = bounded(bytes > NS_RING_PACKET_MAX ? NS_RING_PACKET_MAX : bytes);
    return bpf_skb_load_bytes(skb, NS_L3, room->bytes, bytes) == 0 ? bytes : 0;
}

/* Copies all headers, and the data of one packet of an aggregate. */
static __always_inline __u64 copy_segment(struct __sk_buff *skb, struct room *room, __u32 segment) {
    __u32 all = room->head.headers, from = all + segment * room->head.segment_bytes, there = skb->len - NS_L3;
    __u64 headers = ((all - 1) & 127) + 1, bytes;

    if (from >= there)
        return 0;
    bytes = there - from < room->head.segment_bytes ? there - from : room->head.segment_bytes;
    room->head.length = all + bytes;
    if (bytes > NS_RING_PACKET_MAX - headers)
        bytes = NS_RING_PACKET_MAX - headers;
    bytes = bounded(bytes);
    if (bpf_skb_load_bytes(skb, NS_L3, room->bytes, headers) != 0 ||
        bpf_skb_load_bytes(skb, NS_L3 + from, room->bytes + headers, bytes) != 0)
        return 0;
    return headers + bytes;
}

/* Spends `cost`, if there is room. Two processors at once may both be let through where there is room for one. */
static __always_inline bool spend(uint64_t *until, __u64 now, __u64 cost) {
    __u64 from = *until < now ? now : *until;

    if (from + cost > now + SECOND)
        return false;
    *until = from + cost;
    return true;
}

static __always_inline bool within(struct ns_sample_limit *limit, const struct ns_sample *sample) {
    __u32 list = sample->family == 4 ? 0 : 1;

    return (limit->packets == 0 || spend(&limit->packets_until[list], sample->nsec, SECOND / limit->packets)) &&
           (limit->bytes == 0 ||
            spend(&limit->bytes_until[list], sample->nsec, sample->length * SECOND / limit->bytes));
}

/* Takes samples of the aggregate in the room: packet number `first`, and every `every`-th packet behind it. */
__noinline int ns_sample_take(struct __sk_buff *skb, __u32 container, __u32 first, __u32 every) {
    __u32 zero = 0, *lost = bpf_map_lookup_elem(&ns_samples_lost, &container);
    struct room *room = bpf_map_lookup_elem(&ns_sample_room, &zero);
    struct ns_sample_limit *limit = bpf_map_lookup_elem(&ns_sample_limits, &container);
    void *ring = bpf_map_lookup_elem(&ns_samples, &container);

    if (room == NULL || ring == NULL || limit == NULL || lost == NULL || every == 0)
        return 0;
    room->head.nsec = bpf_ktime_get_ns();
    for (int i = 0; i < BURST && first < room->head.segments; i++, first += every) {
        __u64 bytes = room->head.headers == 0 ? copy_one(skb, room) : copy_segment(skb, room, first);

        if (bytes == 0)
            continue;
        room->head.segment = first;
        if (!within(limit, &room->head)) {
            __sync_fetch_and_add(lost, 1);
            continue;
        }
        room->head.lost = __sync_lock_test_and_set(lost, 0);
        if (bpf_ringbuf_output(ring, room, sizeof room->head + bounded(bytes), 0) != 0)
            __sync_fetch_and_add(lost, room->head.lost + 1);
    }
    if (first < room->head.segments)
        __sync_fetch_and_add(lost, (room->head.segments - first + every - 1) / every);
    return 0;
}

static __always_inline __u32 ip_header(const struct ns_packet *packet) {
    return packet->family == 4 ? ((struct iphdr *)packet->l3)->ihl * 4u : sizeof(struct ipv6hdr);
}

/*
 * Returns the bytes of an aggregate's headers, if the skb is an aggregate of several packets with `data` bytes each
 * and they can be told apart. Else returns 0.
 */
static __always_inline __u32 aggregate(struct __sk_buff *skb, const struct ns_packet *packet, __u32 data) {
    __u8 words;

    if (data == 0 || packet->l4 == NULL)
        return 0;
    if (packet->protocol == IPPROTO_UDP)
        return ip_header(packet) + 8;
    if (packet->protocol != IPPROTO_TCP || bpf_skb_load_bytes(skb, NS_L3 + ip_header(packet) + 12, &words, 1) != 0)
        return 0;
    return ip_header(packet) + (words >> 4) * 4u;
}

/*
 * Describes the packet in the room. Returns false if it is shorter than its header claims; the stack will find that
 * out, too. Padding that a device has put behind a short packet is left out.
 */
static __always_inline bool describe(struct room *room, struct __sk_buff *skb, const struct ns_packet *packet) {
    __u32 there = skb->len - NS_L3, data = skb->gso_size, headers = aggregate(skb, packet, data);

    room->head =
        (struct ns_sample){.mark = skb->mark, .ifindex = skb->ifindex, .family = packet->family, .segments = 1};
    if (headers == 0) {
        room->head.length = data == 0 ? packet->length : there;
        return room->head.length != 0 && room->head.length <= there;
    }
    if (headers >= there)
        return false;
    room->head.headers = headers;
    room->head.segment_bytes = data;
    room->head.segments = (there - headers + data - 1) / data;
    return true;
}

/*
 * Tells whether the packet is for sigio, as the firewall's first rules have it. No container sees such a packet,
 * whatever its filters are.
 */
static __always_inline bool signaling(struct __sk_buff *skb, const struct ns_packet *packet) {
    __u16 error = packet->family == 4 ? bpf_htons(3 << 8 | 3) : bpf_htons(1 << 8 | 4), is = 0;

    if (packet->protocol == IPPROTO_UDP)
        return (packet->words.ports >> 16) == bpf_htons(GIST_PORT);
    if (packet->protocol != (packet->family == 4 ? IPPROTO_ICMP : IPPROTO_ICMPV6))
        return false;
    return bpf_skb_load_bytes(skb, NS_L3 + ip_header(packet), &is, sizeof is) == 0 && is == error;
}

static __always_inline void sample(struct __sk_buff *skb, struct room *room, const struct ns_packet *packet,
                                   bool ipv4) {
    __u32 list = ipv4 ? 0 : 1, zero = 0, taken = ~0u;
    void *map = bpf_map_lookup_elem(&ns_sampling, &list);
    struct ns_sample_filters *filters = map == NULL ? NULL : bpf_map_lookup_elem(map, &zero);

    if (filters == NULL)
        return;
    for (__u32 i = 0; i < NS_SAMPLE_FILTERS && i < filters->count; i++) {
        struct ns_sample_filter *filter = &filters->filter[i];
        __u32 every = filter->every, first;

        if (filter->container == taken || every == 0 || !ns_matches(&filter->match, &packet->words, ipv4 ? 1 : 4))
            continue;
        first = __sync_fetch_and_add(&filter->turn, (__u64)room->head.segments) % every;
        first = first == 0 ? 0 : every - first;
        if (first >= room->head.segments)
            continue;
        taken = filter->container;
        ns_sample_take(skb, taken, first, every);
    }
}

SEC("tc") int ns_tc_sample(struct __sk_buff *skb) {
    __u32 zero = 0;
    struct room *room = bpf_map_lookup_elem(&ns_sample_room, &zero);
    struct ns_packet packet;

    if (room != NULL && ns_skb_read(&packet, skb) && describe(room, skb, &packet) && !signaling(skb, &packet)) {
        packet.words.meta = ns_meta(packet.family, packet.protocol, packet.ttl);
        if (packet.family == 4)
            sample(skb, room, &packet, true);
        else
            sample(skb, room, &packet, false);
    }
    bpf_tail_call(skb, &ns_tc_slots, NS_TC_COUNT);
    bpf_tail_call(skb, &ns_tc_slots, NS_TC_OFFLOAD);
    return TC_ACT_UNSPEC;
}

char ns_license[] SEC("license") = "GPL";
