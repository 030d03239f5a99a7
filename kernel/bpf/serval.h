/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * serval.h - the maps of service routers, and the look-up of a serviceID: among recent ones, then by a hash for each
 * length of prefix.
 */
#ifndef NS_SERVAL_H
#define NS_SERVAL_H

#include "ns_programs.h"
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_SERVAL_ROUTERS);
    __type(key, struct ns_serval_address);
    __type(value, struct ns_serval_router);
} ns_serval_routers SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_SERVAL_RULES);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct ns_serval_key);
    __type(value, struct ns_serval_rule);
} ns_serval_rules SEC(".maps");

/* The rules of the prefixes that have several. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_SERVAL_SETS);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct ns_serval_key);
    __type(value, struct ns_serval_set);
} ns_serval_sets SEC(".maps");

/* Routers whose lists of hops are believed. The value is the time at which that ends. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_SERVAL_PEERS);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct ns_serval_peer);
    __type(value, __u64);
} ns_serval_peers SEC(".maps");

/* Recent look-ups. bpfd makes the inner map with the first rule, because such a map takes its memory at once. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, 1);
    __type(key, __u32);
    __array(
        values, struct {
            __uint(type, BPF_MAP_TYPE_LRU_HASH);
            __uint(max_entries, NS_SERVAL_RECENT);
            __uint(key_size, sizeof(struct ns_serval_key));
            __uint(value_size, sizeof(struct ns_serval_recent));
        });
} ns_serval_recent SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct ns_serval_worth);
} ns_serval_worth SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, NS_SERVAL_HOMES);
    __type(key, __u32);
    __type(value, struct ns_serval_home);
} ns_serval_homes SEC(".maps");

/* Counters, by slot of the container and reason. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NS_FASTPATH_CONTAINERS *NS_SERVAL_COUNTS);
    __type(key, __u32);
    __type(value, __u64);
} ns_serval_counts SEC(".maps");

static __always_inline void ns_serval_count(const struct ns_serval_router *router, __u32 reason) {
    __u32 at = router->container * (__u32)NS_SERVAL_COUNTS + reason;
    __u64 *count = bpf_map_lookup_elem(&ns_serval_counts, &at);

    if (count != NULL)
        __sync_fetch_and_add(count, 1);
}

/* Returns the mask of a word of the serviceID, in network order: `left` bits are from this word on. */
static __always_inline __u32 ns_serval_mask(__s32 left) {
    return left >= 32 ? ~0u : left <= 0 ? 0 : bpf_htonl(~0u << (32 - left));
}

/* Finds the rules of one prefix. `key` gets its key. */
static __always_inline struct ns_serval_rule *ns_serval_get(const struct ns_serval_key *whole, __u32 bits,
                                                            struct ns_serval_key *key) {
    key->bits = (__u16)bits;
    key->router = whole->router;
#pragma unroll
    for (int i = 0; i < 8; i++)
        key->id[i] = whole->id[i] & ns_serval_mask((__s32)bits - 32 * i);
    return bpf_map_lookup_elem(&ns_serval_rules, key);
}

/* Finds the rules of the longest prefix, and its key. */
static __always_inline struct ns_serval_rule *
ns_serval_find(const struct ns_serval_router *router, const struct ns_serval_key *whole, struct ns_serval_key *key) {
    for (__u32 i = 0; i < NS_SERVAL_LENGTHS; i++) {
        struct ns_serval_rule *rule;

        if (i >= router->lengths)
            break;
        rule = ns_serval_get(whole, router->length[i], key);
        if (rule != NULL)
            return rule;
    }
    return NULL;
}

/* Draws a target with the share of its weight. Returns NULL if the lifetimes of all are over. */
static __always_inline struct ns_serval_target *ns_serval_draw(struct ns_serval_set *set, __u64 now) {
    __u32 total = 0, left;

    for (__u32 i = 0; i < NS_SERVAL_TARGETS; i++) {
        if (i < set->count && now < set->target[i].expires)
            total += set->target[i].weight;
    }
    if (total == 0)
        return NULL;
    left = bpf_get_prandom_u32() % total;
    for (__u32 i = 0; i < NS_SERVAL_TARGETS; i++) {
        struct ns_serval_target *target = &set->target[i];

        if (i >= set->count || now >= target->expires)
            continue;
        if (left < target->weight)
            return target;
        left -= target->weight;
    }
    return NULL;
}

/* Chooses among several rules of a prefix, as ns_serval_choose(). */
static __always_inline __u32 ns_serval_choose_of(const struct ns_serval_key *key, __u64 now,
                                                 struct ns_serval_address *to) {
    struct ns_serval_set *set = bpf_map_lookup_elem(&ns_serval_sets, key);
    struct ns_serval_target *target;

    if (set == NULL)
        return NS_SERVAL_NO_RULE;
    if (now < set->module)
        return NS_SERVAL_MODULE;
    target = ns_serval_draw(set, now);
    if (target == NULL)
        return NS_SERVAL_NO_RULE;
    *to = target->to;
    return NS_SERVAL_FITS;
}

/* Chooses among the rules of a prefix. Returns the reason for the long way, or NS_SERVAL_FITS. */
static __always_inline __u32 ns_serval_choose(const struct ns_serval_rule *rule, const struct ns_serval_key *key,
                                              __u64 now, struct ns_serval_address *to) {
    if (rule == NULL)
        return NS_SERVAL_NO_RULE;
    if (rule->kind == NS_SERVAL_KIND_SEVERAL)
        return ns_serval_choose_of(key, now, to);
    if (now >= rule->expires)
        return NS_SERVAL_NO_RULE;
    if (rule->kind == NS_SERVAL_KIND_MODULE)
        return NS_SERVAL_MODULE;
    *to = rule->to;
    return NS_SERVAL_FITS;
}

/* Judges the last look-ups. If few found something, there are more serviceIDs than the map has places. */
static __always_inline void ns_serval_judge(struct ns_serval_worth *worth) {
    if (worth->found < worth->tried / 2) {
        worth->skip = NS_SERVAL_SKIP;
        worth->filled = 0;
    }
    worth->tried = worth->found = 0;
}

/* Tells whether a look-up among recent ones is worth its time now. */
static __always_inline bool ns_serval_worthy(struct ns_serval_worth *worth) {
    if (worth->skip != 0) {
        worth->skip--;
        return false;
    }
    if (worth->filled < NS_SERVAL_FILL) {
        worth->filled++;
        worth->found = 0;
        return true;
    }
    if (++worth->tried >= NS_SERVAL_TRIED)
        ns_serval_judge(worth);
    return true;
}

/*
 * Resolves a serviceID. Returns the reason for the long way, or NS_SERVAL_FITS. `whole` has the serviceID, the number
 * of the router, and 0 bits.
 */
static __always_inline __u32 ns_serval_resolve(const struct ns_serval_router *router, const struct ns_serval_key *whole,
                                               struct ns_serval_address *to, bool *found) {
    struct ns_serval_recent *recent, fresh = {.generation = router->generation};
    __u64 now = bpf_ktime_get_coarse_ns();
    struct ns_serval_key key;
    __u32 only = 0, reason;
    struct ns_serval_worth *worth = bpf_map_lookup_elem(&ns_serval_worth, &only);
    void *recents = bpf_map_lookup_elem(&ns_serval_recent, &only);
    struct ns_serval_rule *rule;

    *found = false;
    if (worth == NULL || recents == NULL || !ns_serval_worthy(worth)) {
        rule = ns_serval_find(router, whole, &key);
        return ns_serval_choose(rule, &key, now, to);
    }
    recent = bpf_map_lookup_elem(recents, whole);
    if (recent != NULL && recent->generation == router->generation) {
        *found = true;
        worth->found++;
        if (recent->bits != NS_SERVAL_ONE) {
            rule = ns_serval_get(whole, recent->bits, &key);
            return ns_serval_choose(rule, &key, now, to);
        }
        if (now < recent->expires) {
            *to = recent->to;
            return NS_SERVAL_FITS;
        }
        *found = false;
    }
    rule = ns_serval_find(router, whole, &key);
    reason = ns_serval_choose(rule, &key, now, to);
    if (rule == NULL)
        return reason;
    fresh.bits = key.bits;
    if (reason == NS_SERVAL_FITS && rule->kind == NS_SERVAL_KIND_TARGET) {
        fresh.bits = NS_SERVAL_ONE;
        fresh.expires = rule->expires;
        fresh.to = *to;
    }
    bpf_map_update_elem(recents, whole, &fresh, BPF_ANY);
    return reason;
}

#endif
