/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* count - tc: counts incoming packets for the filters that ask for it, before any decision about the packets. */
#include "count.h"
#include "skb.h"

SEC("tc") int ns_tc_count(struct __sk_buff *skb) {
    struct ns_packet packet;

    if (ns_skb_read(&packet, skb))
        ns_count(&packet, skb->gso_segs > 1 ? skb->gso_segs : 1, skb->len - NS_L3);
    bpf_tail_call(skb, &ns_tc_slots, NS_TC_OFFLOAD);
    return TC_ACT_UNSPEC;
}

char ns_license[] SEC("license") = "GPL";
