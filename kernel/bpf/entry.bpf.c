/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * entry - the programs that are attached to an interface. The work is done by the programs in the slots, which can be
 * changed while packets run. Without bpfd the slots are empty, and a packet goes on as if nothing were attached.
 */
#include "maps.h"
#include <linux/pkt_cls.h>

SEC("xdp") int ns_xdp_entry(struct xdp_md *packet) {
    bpf_tail_call(packet, &ns_xdp_slots, NS_SLOT_FIRST);
    bpf_tail_call(packet, &ns_xdp_slots, NS_XDP_OFFLOAD);
    bpf_tail_call(packet, &ns_xdp_slots, NS_XDP_STEER);
    return XDP_PASS;
}

SEC("tc") int ns_tc_entry(struct __sk_buff *packet) {
    bpf_tail_call(packet, &ns_tc_slots, NS_SLOT_FIRST);
    bpf_tail_call(packet, &ns_tc_slots, NS_TC_SAMPLE);
    bpf_tail_call(packet, &ns_tc_slots, NS_TC_COUNT);
    bpf_tail_call(packet, &ns_tc_slots, NS_TC_OFFLOAD);
    return TC_ACT_UNSPEC;
}

char ns_license[] SEC("license") = "GPL";
