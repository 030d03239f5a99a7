/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* count.h - counts a packet at the first filter of each container that matches it, by the fields of that filter. */
#ifndef NS_COUNT_H
#define NS_COUNT_H

#include "maps.h"
#include "match.h"
#include "packet.h"

static __always_inline __u64 ns_usec(void) {
    return bpf_ktime_get_coarse_ns() / 1000;
}

static __always_inline struct ns_ring_record *ns_record(__u32 container, __u32 record) {
    void *records = bpf_map_lookup_elem(&ns_records, &container);

    return records == NULL ? NULL : bpf_map_lookup_elem(records, &record);
}

static __always_inline void ns_record_add(struct ns_ring_record *record, __u32 packets, __u32 bytes) {
    __sync_fetch_and_add(&record->packets, packets);
    __sync_fetch_and_add(&record->bytes, bytes);
    record->last_usec = ns_usec();
}

/*
 * Returns a record for a new count, or NULL when none is left, so that the packet counts as "other". If a second
 * processor opens the same count at the same time, its packet counts there once.
 */
static __always_inline struct ns_ring_record *ns_count_place(__u32 container, __u32 *place) {
    __u32 *used = bpf_map_lookup_elem(&ns_count_used, &container);

    if (used == NULL || *used >= NS_RING_RECORD_COUNTS - 1)
        return NULL;
    *place = NS_RING_RECORD_FLOWS + __sync_fetch_and_add(used, 1);
    return *place >= NS_RECORD_OTHER ? NULL : ns_record(container, *place);
}

static __always_inline void ns_count_begin(struct ns_ring_record *record, __u32 ports, __u32 meta) {
    record->source_port = bpf_ntohs((__u16)ports);
    record->destination_port = bpf_ntohs((__u16)(ports >> 16));
    record->family = (__u8)meta;
    record->protocol = (__u8)(meta >> 8);
    record->ttl = (__u8)(meta >> 16);
    record->state = NS_RECORD_COUNTED;
    __sync_fetch_and_add(&record->version, 2);
}

/*
 * Copies the key, because Linux before 6.2 takes a key only from the stack, a packet or a map, and not by a pointer
 * that a function was given.
 */
__noinline __u32 ns_count_open4(struct ns_count4 *asked) {
    struct ns_ring_record *record;
    struct ns_count4 own, *key = &own;
    __u32 place;

    if (asked == NULL)
        return NS_RECORD_OTHER;
    own = *asked;
    if ((record = ns_count_place(key->container, &place)) == NULL ||
        bpf_map_update_elem(&ns_counts4, key, &place, BPF_NOEXIST) != 0)
        return NS_RECORD_OTHER;
    *(__u32 *)record->source = key->words.source;
    *(__u32 *)record->destination = key->words.destination;
    ns_count_begin(record, key->words.ports, key->words.meta);
    return place;
}

__noinline __u32 ns_count_open6(struct ns_count6 *asked) {
    struct ns_ring_record *record;
    struct ns_count6 own, *key = &own;
    __u32 place;

    if (asked == NULL)
        return NS_RECORD_OTHER;
    own = *asked;
    if ((record = ns_count_place(key->container, &place)) == NULL ||
        bpf_map_update_elem(&ns_counts6, key, &place, BPF_NOEXIST) != 0)
        return NS_RECORD_OTHER;
    __builtin_memcpy(record->source, key->words.source, 16);
    __builtin_memcpy(record->destination, key->words.destination, 16);
    ns_count_begin(record, key->words.ports, key->words.meta);
    return place;
}

static __always_inline __u32 ns_count_find4(const struct ns_count_filter *filter, const struct ns_count_words *is) {
    struct ns_count4 key = {{is->source[0] & filter->keep.source[0], is->destination[0] & filter->keep.destination[0],
                             is->ports & filter->keep.ports, is->meta & filter->keep.meta},
                            filter->container,
                            filter->fields};
    __u32 *found = bpf_map_lookup_elem(&ns_counts4, &key);

    return found != NULL ? *found : ns_count_open4(&key);
}

static __always_inline __u32 ns_count_find6(const struct ns_count_filter *filter, const struct ns_count_words *is) {
    struct ns_count6 key = {.container = filter->container, .fields = filter->fields};
    __u32 *found;

    for (int i = 0; i < 4; i++) {
        key.words.source[i] = is->source[i] & filter->keep.source[i];
        key.words.destination[i] = is->destination[i] & filter->keep.destination[i];
    }
    key.words.ports = is->ports & filter->keep.ports;
    key.words.meta = is->meta & filter->keep.meta;
    found = bpf_map_lookup_elem(&ns_counts6, &key);
    return found != NULL ? *found : ns_count_open6(&key);
}

static __always_inline void ns_count_all(const struct ns_count_words *words, bool ipv4, __u32 packets, __u32 bytes) {
    const struct ns_count_filters *filters;
    __u32 list = ipv4 ? 0 : 1, zero = 0, counted = ~0u;
    void *map = bpf_map_lookup_elem(&ns_counting, &list);

    filters = map == NULL ? NULL : bpf_map_lookup_elem(map, &zero);
    if (filters == NULL)
        return;
    for (__u32 i = 0; i < NS_COUNT_FILTERS && i < filters->count; i++) {
        const struct ns_count_filter *filter = &filters->filter[i];
        struct ns_ring_record *record;

        if (filter->container == counted || !ns_matches(&filter->match, words, ipv4 ? 1 : 4))
            continue;
        counted = filter->container;
        record = ns_record(counted, ipv4 ? ns_count_find4(filter, words) : ns_count_find6(filter, words));
        if (record != NULL)
            ns_record_add(record, packets, bytes);
    }
}

/* The functions are not inlined, so the verifier looks at each once, and not behind each way that leads to it. */
__noinline int ns_count4(const struct ns_count_words *words, __u32 packets, __u32 bytes) {
    if (words != NULL)
        ns_count_all(words, true, packets, bytes);
    return 0;
}

__noinline int ns_count6(const struct ns_count_words *words, __u32 packets, __u32 bytes) {
    if (words != NULL)
        ns_count_all(words, false, packets, bytes);
    return 0;
}

static __always_inline void ns_count(struct ns_packet *packet, __u32 packets, __u32 bytes) {
    packet->words.meta = ns_meta(packet->family, packet->protocol, packet->ttl);
    if (packet->family == 4) {
        for (int i = 1; i < 4; i++) /* the verifier wants all words to be written */
            packet->words.source[i] = packet->words.destination[i] = 0;
        ns_count4(&packet->words, packets, bytes);
    } else {
        ns_count6(&packet->words, packets, bytes);
    }
}

#endif
