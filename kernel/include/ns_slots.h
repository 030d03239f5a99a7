/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * ns_slots.h - the numbered places for programs behind the entries, and how a packet goes on from one to the next. All that a program
 * of the operator's needs (docs/protocols/bpfd.md, "Programs of the operator"):
 *
 *     SEC("xdp") int mine(struct xdp_md *packet) {                                  in programs.d/xdp-2.bpf.o
 *         return is_bad(packet) ? XDP_DROP : ns_xdp_go_on(packet, 2);
 *     }
 */
#ifndef NS_SLOTS_H
#define NS_SLOTS_H

/*
 * Entries call the operator's first program, then the first of our slots that is there; each program calls the next ones when it has
 * nothing to do with a packet. Where no slot is left the packet goes on to the stack.
 */
#define NS_XDP_OFFLOAD 0 /* forward=direct */
#define NS_XDP_STEER 1
#define NS_TC_COUNT 0
#define NS_TC_OFFLOAD 1 /* forward=kernel */
#define NS_SLOT_OWN 2   /* from here on the operator's */
#define NS_SLOTS 8
#define NS_TC_SAMPLE (NS_SLOTS + 1) /* ours, before the others; while something is sampled */
#define NS_SLOT_FIRST NS_SLOTS      /* once more the operator's first: entries look for it here alone */

#ifdef __bpf__
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_helpers.h>

/* bpfd alone fills these; when it dies the kernel empties them, and the entries let everything pass. */
struct {
    __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
    __uint(max_entries, NS_SLOTS + 2);
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

/* Returns only where no slot takes the packet; `slot` is the caller's own, a constant. */
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
