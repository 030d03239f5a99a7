/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* sal_set_up_out.h - part of sal_set_up.h: the SYN, SYN-ACK and acknowledgement of the local stack. */
#ifndef NS_SAL_SET_UP_OUT_H
#define NS_SAL_SET_UP_OUT_H

#include "sal_set_up.h"

/* Returns the number of a surrogate, at least NS_SAL_SURROGATES if it is none. */
static __always_inline __u32 surrogate_of(const struct ns_packet *packet) {
    const __u32 *address = packet->words.destination;

    if (packet->family == 4)
        return bpf_ntohl(address[0]) - NS_SAL_SURROGATES4;
    if (address[0] != bpf_htonl(NS_SAL_PREFIX6) || address[1] != 0 || address[2] != bpf_htonl(NS_SAL_SURROGATES6))
        return NS_SAL_SURROGATES;
    return bpf_ntohl(address[3]);
}

static __always_inline int connect_out(struct __sk_buff *skb, struct ns_packet *packet, struct scratch *work,
                                       __u32 segment) {
    __u32 number = surrogate_of(packet), index;
    struct ns_sal_set_up *state = set_up();
    const struct ns_sal_target *target;
    struct ns_sal_slot *slot;

    if (number >= NS_SAL_SURROGATES || state == NULL || bpf_map_lookup_elem(&ns_sal_tuples, &work->tuple) != NULL)
        return TC_ACT_UNSPEC; /* the last: a SYN that comes again, or names that are in use */
    target = bpf_map_lookup_elem(&ns_set_targets, &number);
    if (target == NULL || target->generation != state->generation || target->until_ns < bpf_ktime_get_coarse_ns())
        return TC_ACT_UNSPEC;
    slot = take_slot(state, &ns_set_free_out, &index);
    if (slot == NULL)
        return TC_ACT_UNSPEC;
    slot->inner = work->tuple;
    __builtin_memcpy(slot->own_address, target->own_address, 16);
    __builtin_memcpy(slot->peer_address, target->peer_address, 16);
    slot->own_port = target->own_port;
    slot->peer_port = target->peer_port;
    slot->interface = target->interface;
    slot->family = (__u8)target->family;
    slot->peer_flow = 0;
    slot->peer_abilities = 0;
    slot->list_length = 0;
    __builtin_memcpy(slot->service, target->service, 32);
    if (!keep_segment(skb, slot, NS_L3 + ip_bytes(packet->family), segment) || !enter_flow(slot, &work->way, index)) {
        leave(slot, NS_SAL_STAGE_FAILED);
        return TC_ACT_UNSPEC;
    }
    write_message(work, slot, 0, SAL_SYN, slot->verno, 0);
    write_service(work, slot);
    count(NS_SAL_COUNT_SET_UP_OUT, 0);
    return send_and_leave(skb, packet, slot, work, NS_SAL_OPENING_BYTES, NS_SAL_STAGE_SYN);
}

/* Sends the SYN-ACK of the local TCP. One that comes again is sald's. */
static __always_inline int answer_out(struct __sk_buff *skb, struct ns_packet *packet, struct scratch *work,
                                      struct ns_sal_slot *slot, __u32 own, __u32 segment) {
    struct ns_sal_set_up *state = set_up();
    __u32 list;

    if (state == NULL || !hold(slot, own, NS_SAL_STAGE_SYN))
        return TC_ACT_UNSPEC;
    list = slot->list_length;
    KEPT(list);
    if (list > LIST_OUT_MOST || !keep_segment(skb, slot, NS_L3 + ip_bytes(packet->family), segment)) {
        leave(slot, NS_SAL_STAGE_SYN);
        return TC_ACT_UNSPEC;
    }
    write_message(work, slot, slot->peer_flow, SAL_SYN | SAL_ACK, slot->verno, bpf_htonl(slot->peer_verno + 1));
    work->message.abilities = (__u8)state->abilities;
    __builtin_memcpy(&work->bytes[AT_SERVICE], slot->list, LIST_OUT_MOST);
    slot->answered_ns = bpf_ktime_get_ns();
    return send_and_leave(skb, packet, slot, work, NS_SAL_MESSAGE_BYTES + list, NS_SAL_STAGE_ANSWERED);
}

/* Sends the acknowledgement of the local TCP. */
static __always_inline int acknowledge_out(struct __sk_buff *skb, struct ns_packet *packet, struct scratch *work,
                                           struct ns_sal_way *way, struct ns_sal_slot *slot, __u32 segment) {
    struct ns_sal_set_up *state = set_up();
    __u32 header = NS_SAL_OPENING_BYTES;

    if (state == NULL || !hold(slot, way->own, NS_SAL_STAGE_ANSWERED))
        return TC_ACT_UNSPEC;
    if (!keep_segment(skb, slot, NS_L3 + ip_bytes(packet->family), segment)) {
        leave(slot, NS_SAL_STAGE_ANSWERED);
        return TC_ACT_UNSPEC;
    }
    write_message(work, slot, slot->peer_flow, SAL_ACK, slot->verno + 1, bpf_htonl(slot->peer_verno + 1));
    write_service(work, slot);
    if (slot->peer_abilities != 0) {
        work->bytes[NS_SAL_OPENING_BYTES] = CAPABILITY;
        work->bytes[NS_SAL_OPENING_BYTES + 1] = 8;
        work->bytes[NS_SAL_OPENING_BYTES + 2] = work->bytes[NS_SAL_OPENING_BYTES + 3] = 0;
        *(__u32 *)&work->bytes[NS_SAL_OPENING_BYTES + 4] = bpf_htonl(state->abilities);
        header += 8;
    }
    open_flow(work, slot, way);
    return send_and_leave(skb, packet, slot, work, header, NS_SAL_STAGE_OPEN);
}

static __always_inline int out(struct __sk_buff *skb, struct ns_packet *packet, struct scratch *work,
                               const struct tcphdr *tcp) {
    __u32 segment = tcp->doff * 4u, *own;
    bool syn = tcp->syn, ack = tcp->ack;
    struct ns_sal_slot *slot;
    struct ns_sal_way *way;

    if (tcp->rst || tcp->fin || segment != packet->length - ip_bytes(packet->family))
        return TC_ACT_UNSPEC;
    __builtin_memset(&work->tuple, 0, sizeof work->tuple);
    __builtin_memcpy(work->tuple.source, packet->words.source, 32);
    work->tuple.ports = packet->words.ports;
    work->tuple.family = packet->family;
    if (syn && !ack)
        return connect_out(skb, packet, work, segment);
    own = bpf_map_lookup_elem(&ns_sal_tuples, &work->tuple);
    way = own == NULL ? NULL : bpf_map_lookup_elem(&ns_sal_flows, own);
    slot = way == NULL || !ack ? NULL : slot_of(way, !syn);
    if (slot == NULL)
        return TC_ACT_UNSPEC;
    return syn ? answer_out(skb, packet, work, slot, way->own, segment)
               : acknowledge_out(skb, packet, work, way, slot, segment);
}

/* Leaves a packet to sald without a count, because ns_sal_out sees the packet next. */
SEC("tc") int ns_sal_set_up_out(struct __sk_buff *skb) {
    struct ns_packet packet = {0};
    struct scratch *work = scratch();

    if (work == NULL || !ns_skb_read_any(&packet, skb) || packet.protocol != IPPROTO_TCP || !packet.plain ||
        packet.l4 == NULL || packet.length != skb->len - NS_L3 || skb->gso_size != 0 ||
        packet.l4 + sizeof(struct tcphdr) > (void *)(long)skb->data_end)
        return TC_ACT_UNSPEC;
    return out(skb, &packet, work, packet.l4);
}

#endif
