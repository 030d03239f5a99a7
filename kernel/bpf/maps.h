/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* maps.h - the maps that several objects share. bpfd makes each map once and gives it to all objects that name it. */
#ifndef NS_MAPS_H
#define NS_MAPS_H

#include "ns_programs.h"
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_FLOWS_MAX);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct ns_key4);
    __type(value, struct ns_flow);
} ns_flows4 SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_FLOWS_MAX);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct ns_key6);
    __type(value, struct ns_flow);
} ns_flows6 SEC(".maps");

/* Relays, both directions. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_FLOWS_MAX);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct ns_key4);
    __type(value, struct ns_relay);
} ns_relays4 SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_FLOWS_MAX);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct ns_key6);
    __type(value, struct ns_relay);
} ns_relays6 SEC(".maps");

/* Counters of relays, by slot of the container and reason. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NS_FASTPATH_CONTAINERS *NS_RELAY_COUNTS);
    __type(key, __u32);
    __type(value, __u64);
} ns_relay_counts SEC(".maps");

/* Answers by template. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_ANSWERS_MAX);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct ns_key4);
    __type(value, struct ns_answer);
} ns_answers4 SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_ANSWERS_MAX);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct ns_key6);
    __type(value, struct ns_answer);
} ns_answers6 SEC(".maps");

/* Counters of answers, by slot of the container and reason. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NS_FASTPATH_CONTAINERS *NS_ANSWER_COUNTS);
    __type(key, __u32);
    __type(value, __u64);
} ns_answer_counts SEC(".maps");

/* Records, by slot of the container. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, NS_FASTPATH_CONTAINERS);
    __type(key, __u32);
    __array(
        values, struct {
            __uint(type, BPF_MAP_TYPE_ARRAY);
            __uint(max_entries, NS_RECORDS);
            __uint(map_flags, BPF_F_MMAPABLE);
            __uint(key_size, sizeof(__u32));
            __uint(value_size, sizeof(struct ns_ring_record));
        });
} ns_records SEC(".maps");

/* Interfaces with our entries, by index. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_FASTPATH_INTERFACES);
    __type(key, __u32);
    __type(value, struct ns_interface);
} ns_interfaces SEC(".maps");

/* Interfaces, by their index, where the stack takes IPv4 packets that have an address of the node as their source. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_FASTPATH_INTERFACES);
    __type(key, __u32);
    __type(value, __u8);
} ns_locals SEC(".maps");

/*
 * Counting filters, 0: of IPv4, 1: of IPv6. Each list is a map of its own, so that a new list takes its place as a
 * whole.
 */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, 2);
    __type(key, __u32);
    __array(
        values, struct {
            __uint(type, BPF_MAP_TYPE_ARRAY);
            __uint(max_entries, 1);
            __uint(key_size, sizeof(__u32));
            __uint(value_size, sizeof(struct ns_count_filters));
        });
} ns_counting SEC(".maps");

/* The record of a count, by its key. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_COUNTS_MAX);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct ns_count4);
    __type(value, __u32);
} ns_counts4 SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_COUNTS_MAX);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct ns_count6);
    __type(value, __u32);
} ns_counts6 SEC(".maps");

/* Number of count records that a container has used, by its slot. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NS_FASTPATH_CONTAINERS);
    __type(key, __u32);
    __type(value, __u32);
} ns_count_used SEC(".maps");

#endif
