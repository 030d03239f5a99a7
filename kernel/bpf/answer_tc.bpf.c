/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * answer_tc - tc, forward=kernel: turns a packet into the answer by the template of its flow. The answer then goes on
 * through the stack with the mark of turned packets, like the answer of a module.
 */
#include "answer.h"
#include "skb.h"

/* Turns the packet into its answer. With NS_ANSWER_FAILED it is half changed and must be dropped. */
static __always_inline __u32 turn(struct __sk_buff *skb, const struct ns_answer *answer, const struct ns_packet *packet,
                                  const struct ns_answered *answered) {
    __u8 family = packet->family;
    struct ns_answer_headers was;
    void *data = (void *)(long)skb->data;

    if (!ns_answer_keep(&was, family, data + NS_L3, (void *)(long)skb->data_end) ||
        bpf_skb_change_tail(skb, NS_L3 + ns_answer_length(answer, family), 0) != 0)
        return NS_ANSWER_ROUTE;
    data = (void *)(long)skb->data;
    return ns_answer_write(answer, answered, &was, family, packet->words.ports, data + NS_L3,
                           (void *)(long)skb->data_end, answered->open ? answer->reply_open : answered->checksum)
               ? NS_ANSWER_DONE
               : NS_ANSWER_FAILED;
}

static __always_inline __u32 answer_packet(struct __sk_buff *skb, struct ns_answer *answer,
                                           const struct ns_packet *packet) {
    struct ns_answered answered = {0};
    __u32 reason;

    if (skb->gso_size != 0 || skb->gso_segs > 1)
        return NS_ANSWER_TRAIN;
    if (bpf_skb_pull_data(skb, skb->len) != 0)
        return NS_ANSWER_LENGTH;
    reason = ns_answer_decide(&answered, answer, packet, (void *)(long)skb->data + NS_L3, (void *)(long)skb->data_end);
    if (reason == NS_ANSWER_DONE)
        reason = turn(skb, answer, packet, &answered);
    if (ns_answer_is_done(reason))
        __sync_fetch_and_add(&answer->used, 1);
    return reason;
}

SEC("tc") int ns_tc_answer(struct __sk_buff *skb) {
    struct ns_answer *answer;
    struct ns_packet packet;
    __u32 reason;

    if (ns_skb_read(&packet, skb) && packet.length <= skb->len - NS_L3) {
        answer = ns_answer_find(&packet);
        if (answer != NULL) {
            reason = answer_packet(skb, answer, &packet);
            ns_answer_count(answer, reason, packet.length);
            if (reason == NS_ANSWER_DONE) {
                skb->mark |= answer->mark;
                return TC_ACT_UNSPEC;
            }
            if (reason == NS_ANSWER_SWALLOWED || reason == NS_ANSWER_FAILED)
                return TC_ACT_SHOT;
        }
    }
    bpf_tail_call(skb, &ns_tc_slots, NS_TC_BEHIND);
    return TC_ACT_UNSPEC;
}

char ns_license[] SEC("license") = "GPL";
