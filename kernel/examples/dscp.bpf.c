/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * dscp - an example of an operator's program: drops and counts IPv4 packets with DSCP 62, and lets all others go on.
 * For slot 2 of XDP.
 */
#include "ns_slots.h"
#include <linux/if_ether.h>
#include <linux/ip.h>

#include <bpf/bpf_endian.h>

#define UNWANTED 62

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} dscp_dropped SEC(".maps");

SEC("xdp") int drop_dscp(struct xdp_md *packet) {
    struct ethhdr *link = (void *)(long)packet->data;
    struct iphdr *ip = (void *)(link + 1);
    __u32 zero = 0;
    __u64 *dropped;

    if ((void *)(ip + 1) > (void *)(long)packet->data_end || link->h_proto != bpf_htons(ETH_P_IP) ||
        ip->tos >> 2 != UNWANTED)
        return ns_xdp_go_on(packet, 2);
    dropped = bpf_map_lookup_elem(&dscp_dropped, &zero);
    if (dropped)
        *dropped += 1;
    return XDP_DROP;
}

char own_license[] SEC("license") = "GPL";
