/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * answer - XDP, forward=direct: answers a packet by the template of its flow before the stack has seen it. The answer
 * leaves by the interface that the packet came in by, and nowhere else. Room for a longer answer is made before the
 * packet, where each driver with XDP has 256 bytes. With native XDP on one end of a veth pair the packet goes the long
 * way, because the other end may take no packets of XDP, and loses them without a word.
 */
#include "answer.h"
#include "link.h"

/*
 * Finds the neighbour that the answer goes to. Returns false if the stack must decide. The source of the packet is
 * where the answer goes, so this is the strict check of the reverse path, too.
 */
static __always_inline bool find_way(struct xdp_md *context, const struct ns_packet *packet, __u32 length,
                                     struct bpf_fib_lookup *way) {
    __builtin_memset(way, 0, sizeof *way);
    way->ifindex = context->ingress_ifindex;
    way->tot_len = (__u16)length;
    way->l4_protocol = IPPROTO_UDP;
    if (packet->family == 4) {
        way->family = NS_AF_INET;
        way->ipv4_src = packet->words.destination[0];
        way->ipv4_dst = packet->words.source[0];
    } else {
        way->family = NS_AF_INET6;
        __builtin_memcpy(way->ipv6_src, packet->words.destination, 16);
        __builtin_memcpy(way->ipv6_dst, packet->words.source, 16);
    }
    return bpf_fib_lookup(context, way, sizeof *way, 0) == BPF_FIB_LKUP_RET_SUCCESS &&
           way->ifindex == context->ingress_ifindex;
}

/*
 * Turns the packet into its answer. Returns NS_ANSWER_DONE, or the reason for the long way. Nothing may lie behind the
 * IP packet, because the answer ends where the frame ends.
 */
static __always_inline __u32 turn(struct xdp_md *context, const struct ns_answer *answer,
                                  const struct ns_packet *packet, const struct ns_answered *answered) {
    void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
    const struct ns_interface *in;
    struct ns_answer_headers was;
    struct bpf_fib_lookup way;
    struct ethhdr *link = data;
    __u8 family = packet->family;

    if ((void *)(link + 1) > end || packet->length != (__u64)(end - data) - sizeof *link)
        return NS_ANSWER_LENGTH;
    in = ns_sent_to_us(context, link);
    if (in == NULL || (in->native && in->pair) || !find_way(context, packet, ns_answer_length(answer, family), &way))
        return NS_ANSWER_ROUTE;
    if (!ns_answer_keep(&was, family, link + 1, end) ||
        bpf_xdp_adjust_head(context, (int)answer->message - (int)answer->reply) != 0)
        return NS_ANSWER_ROUTE;
    data = (void *)(long)context->data;
    end = (void *)(long)context->data_end;
    link = data;
    if ((void *)(link + 1) > end)
        return NS_ANSWER_FAILED;
    __builtin_memcpy(link->h_dest, way.dmac, 6);
    __builtin_memcpy(link->h_source, way.smac, 6);
    link->h_proto = family == 4 ? bpf_htons(ETH_P_IP) : bpf_htons(ETH_P_IPV6);
    return ns_answer_write(answer, answered, &was, family, packet->words.ports, link + 1, end, answered->checksum)
               ? NS_ANSWER_DONE
               : NS_ANSWER_FAILED;
}

/* Handles a packet of the flow. */
static __always_inline __u32 answer_packet(struct xdp_md *context, struct ns_answer *answer,
                                           const struct ns_packet *packet) {
    struct ns_answered answered = {0};
    __u32 reason = ns_answer_decide(&answered, answer, packet, (void *)(long)context->data + sizeof(struct ethhdr),
                                    (void *)(long)context->data_end);

    if (reason == NS_ANSWER_DONE)
        reason = turn(context, answer, packet, &answered);
    if (ns_answer_is_done(reason))
        __sync_fetch_and_add(&answer->used, 1);
    return reason;
}

SEC("xdp") int ns_xdp_answer(struct xdp_md *context) {
    void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
    struct ns_answer *answer;
    struct ns_packet packet;
    __u32 reason;

    if (ns_packet_read(&packet, data, end) && packet.length <= (__u64)(end - packet.l3)) {
        answer = ns_answer_find(&packet);
        if (answer != NULL) {
            reason = answer_packet(context, answer, &packet);
            ns_answer_count(answer, reason, packet.length);
            if (reason == NS_ANSWER_DONE)
                return bpf_redirect(context->ingress_ifindex, 0);
            if (reason == NS_ANSWER_SWALLOWED || reason == NS_ANSWER_FAILED)
                return XDP_DROP;
        }
    }
    bpf_tail_call(context, &ns_xdp_slots, NS_XDP_BEHIND);
    bpf_tail_call(context, &ns_xdp_slots, NS_XDP_STEER);
    return XDP_PASS;
}

char ns_license[] SEC("license") = "GPL";
