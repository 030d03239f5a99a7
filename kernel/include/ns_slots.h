/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * ns_slots.h - the numbered slots for programs behind the entries, and the way of a packet from one slot to the next.
 * An operator's program needs only this file (docs/protocols/bpfd.md, "Programs of the operator"):
 *
 *     SEC("xdp") int mine(struct xdp_md *packet) {                                  in programs.d/xdp-2.bpf.o
 *         return is_bad(packet) ? XDP_DROP : ns_xdp_go_on(packet, 2);
 *     }
 */
#ifndef NS_SLOTS_H
#define NS_SLOTS_H

/*
 * Entries call the operator's first program, then the first of our slots that is filled. Each program calls the next
 * one when it has nothing to do with a packet. After the last slot the packet goes on to the stack.
 */
#define NS_XDP_OFFLOAD 0 /* forward=direct: routers of Serval while there are any, else relays, answers, flows */
#define NS_XDP_STEER 1
#define NS_TC_COUNT 0
#define NS_TC_OFFLOAD 1 /* forward=kernel: relays while there are any, else answers, flows */
#define NS_SLOT_OWN 2   /* slots from here on are the operator's */
#define NS_SLOTS 8
#define NS_TC_SAMPLE (NS_SLOTS + 1)  /* ours, before the others; filled while something is sampled */
#define NS_SLOT_FIRST NS_SLOTS       /* again the operator's first program: entries look only here */
#define NS_XDP_FLOWS (NS_SLOTS + 1)  /* ours: flows, while relays are before them */
#define NS_XDP_RELAYS (NS_SLOTS + 2) /* ours: relays, else flows, while routers are before them */
#define NS_TC_FLOWS (NS_SLOTS + 2)
#define NS_XDP_BEHIND (NS_SLOTS + 3) /* ours: flows, while answers stand in their place */
#define NS_TC_BEHIND (NS_SLOTS + 3)

#ifdef __bpf__
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_helpers.h>

/* Only bpfd fills these maps. When bpfd dies, the kernel empties them, and the entries let everything pass. */
struct {
    __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
    __uint(max_entries, NS_SLOTS + 4);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(__u32));
} ns_xdp_slots SEC(".maps"), ns_tc_slots SEC(".maps");

#define NS_TRY(packet, slots, next, slot)                                                                              \
    if ((next) > (slot))                                                                                               \
    bpf_tail_call(packet, slots, next)
#define NS_GO_ON(packet, slots, slot)                                                                                  \
    NS_TRY(packet, slots, 3, slot);                                                                                    \
    NS_TRY(packet, slots, 4, slot);                                                                                    \
    NS_TRY(packet, slots, 5, slot);                                                                                    \
    NS_TRY(packet, slots, 6, slot);                                                                                    \
    NS_TRY(packet, slots, 7, slot)

/* Goes on to the next slot. Returns only if no slot takes the packet. `slot` is the caller's own, a constant. */
static __always_inline int ns_xdp_go_on(struct xdp_md *packet, int slot) {
    NS_GO_ON(packet, &ns_xdp_slots, slot);
    bpf_tail_call(packet, &ns_xdp_slots, NS_XDP_OFFLOAD);
    bpf_tail_call(packet, &ns_xdp_slots, NS_XDP_STEER);
    return XDP_PASS;
}

static __always_inline int ns_tc_go_on(struct __sk_buff *packet, int slot) {
    NS_GO_ON(packet, &ns_tc_slots, slot);
    bpf_tail_call(packet, &ns_tc_slots, NS_TC_SAMPLE);
    bpf_tail_call(packet, &ns_tc_slots, NS_TC_COUNT);
    bpf_tail_call(packet, &ns_tc_slots, NS_TC_OFFLOAD);
    return TC_ACT_UNSPEC;
}
#endif

#endif
