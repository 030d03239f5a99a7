/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * answer.h - compares a packet with the template of its flow, and turns it into the answer. XDP and tc share it.
 *
 *     packet  | IP | UDP | message |     like the template but for its fields, and as long
 *     answer  | IP | UDP | reply   |     addresses and ports swapped, the fields as they came
 *
 * The packet is not touched before all is decided. Any packet in doubt goes the long way as it came: to the module.
 * Helpers and instructions are those of Linux 5.10.
 */
#ifndef NS_ANSWER_H
#define NS_ANSWER_H

#include "count.h"
#include <linux/udp.h>

#define NS_AF_INET 2
#define NS_AF_INET6 10
#define NS_ANSWER_TTL 64

#define NS_BYTES(byte) (0x0101010101010101ull * (byte))
#define NS_TOPS NS_BYTES(0x80)

/* Keeps clang from changing a check of a pointer against the end, which the verifier knows in this form alone. */
#define NS_AS_IT_STANDS(pointer) asm volatile("" : "+r"(pointer))

/*
 * Reads a field of the entry anew. The verifier then knows nothing about it from former comparisons, and has one state
 * behind a loop instead of one for each end of it.
 */
#define NS_ANEW(field) (*(const volatile typeof(field) *)&(field))

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct ns_answer_work);
} ns_answering SEC(".maps");

/* A packet that is like its template. */
struct ns_answered {
    struct ns_answer_work *work;
    __u16 checksum; /* of the answer */
    bool open;      /* a card was to complete the packet's checksum */
};

static __always_inline struct ns_answer *ns_answer_find(const struct ns_packet *packet) {
    struct ns_answer *answer;

    if (!packet->plain || packet->protocol != IPPROTO_UDP || packet->l4 == NULL)
        return NULL;
    if (packet->family == 4) {
        struct ns_key4 key = {packet->words.source[0], packet->words.destination[0], packet->words.ports,
                              ns_meta(4, IPPROTO_UDP, 0)};

        answer = bpf_map_lookup_elem(&ns_answers4, &key);
    } else {
        struct ns_key6 key = {.ports = packet->words.ports, .meta = ns_meta(6, IPPROTO_UDP, 0)};

        __builtin_memcpy(key.source, packet->words.source, 16);
        __builtin_memcpy(key.destination, packet->words.destination, 16);
        answer = bpf_map_lookup_elem(&ns_answers6, &key);
    }
    return answer != NULL && bpf_ktime_get_ns() < answer->expires ? answer : NULL;
}

static __always_inline bool ns_answer_is_done(__u32 reason) {
    return reason == NS_ANSWER_DONE || reason == NS_ANSWER_SWALLOWED;
}

/* Counts a packet of the flow: in the entry's record, and by its reason. */
static __always_inline void ns_answer_count(struct ns_answer *answer, __u32 reason, __u32 bytes) {
    __u32 at = answer->container * (__u32)NS_ANSWER_COUNTS + reason;
    __u64 *count = bpf_map_lookup_elem(&ns_answer_counts, &at);
    struct ns_ring_relay *record = (struct ns_ring_relay *)ns_record(answer->container, answer->record);
    struct ns_ring_way *way;

    if (count != NULL)
        __sync_fetch_and_add(count, 1);
    if (record == NULL)
        return;
    way = ns_answer_is_done(reason) ? &record->to_peer : &record->to_client;
    __sync_fetch_and_add(&way->packets, 1);
    __sync_fetch_and_add(&way->bytes, bytes);
    way->last_usec = bpf_ktime_get_ns() / 1000;
}

/* --- the message --- */

/* Sets the top bit of each byte of a word that is in the range. All other bits are 0. */
static __always_inline __u64 ns_between(__u64 word, __u8 low, __u8 high) {
    __u64 rest = word & ~NS_TOPS;

    return (rest + NS_BYTES(0x80 - low)) & ~(rest + NS_BYTES(0x7f - high)) & ~word & NS_TOPS;
}

/* Marks each byte that is neither a letter nor a digit nor one of "-._". */
static __always_inline __u64 ns_not_text(__u64 word) {
    return ~(ns_between(word | NS_BYTES(0x20), 'a', 'z') | ns_between(word, '0', '9') | ns_between(word, '-', '.') |
             ns_between(word, '_', '_')) &
           NS_TOPS;
}

static __always_inline __u64 ns_not_digit(__u64 word) {
    return ~ns_between(word, '0', '9') & NS_TOPS;
}

/* Widens bits to bytes of ones: bit 0 for the first byte in memory. */
static __always_inline __u64 ns_mask(__u8 bits) {
    __u64 each = NS_BYTES((__u64)bits) & 0x8040201008040201ull;

    return ((each + NS_BYTES(0x7f)) >> 7 & NS_BYTES(1)) * 0xff;
}

/* Tells whether a word, which is not the template's, may stand in its place. */
static __always_inline bool ns_answer_allows(const struct ns_answer *answer, __u32 at, __u64 word) {
    __u64 text = ns_mask(answer->text[at]), digits = ns_mask(answer->digits[at]);

    return ((word ^ answer->words[at]) & ~(text | digits)) == 0 && (ns_not_text(word) & text) == 0 &&
           (ns_not_digit(word) & digits) == 0;
}

/* Tells whether a word may stand in the message, and keeps it, because the answer is written over the packet. */
static __always_inline bool ns_answer_take(const struct ns_answer *answer, struct ns_answer_work *work, __u32 at,
                                           __u64 word) {
    work->message[at] = word;
    return word == answer->words[at] || ns_answer_allows(answer, at, word);
}

/*
 * Compares the message, eight bytes a step. It has the template's length, at most NS_ANSWER_MESSAGE. The end comes
 * first, because the loop leaves the verifier with another state for each length.
 */
static __always_inline bool ns_answer_like(const struct ns_answer *answer, struct ns_answer_work *work,
                                           const __u8 *message, const void *end) {
    __u32 whole = NS_ANEW(answer->message) & (NS_ANSWER_MESSAGE - 1) & ~7u;
    __u64 word = 0;

    for (__u32 i = 0; i < 7 && i < (NS_ANEW(answer->message) & 7u); i++) {
        const __u8 *at = message + whole + i;

        NS_AS_IT_STANDS(at);
        if ((const void *)(at + 1) > end)
            return false;
        word |= (__u64)*at << (8 * i);
    }
    if ((NS_ANEW(answer->message) & 7) != 0 && !ns_answer_take(answer, work, whole / 8, word))
        return false;
    for (__u32 i = 0; i < NS_ANSWER_WORDS && 8 * i + 8 <= NS_ANEW(answer->message); i++) {
        const __u64 *at = (const __u64 *)(message + 8 * i);

        if ((const void *)(at + 1) > end || !ns_answer_take(answer, work, i, *at))
            return false;
    }
    return true;
}

/* --- its fields --- */

static __always_inline __u16 ns_answer_fold(__u32 sum) {
    sum = (sum & 0xffff) + (sum >> 16);
    return (__u16)(sum + (sum >> 16));
}

/* Returns a byte's part of a sum: its offset tells which half of a word it is. */
static __always_inline __u32 ns_answer_part(__u8 byte, __u32 offset) {
    return (__u32)byte << (8 * (offset & 1));
}

/* Goes on with the tag's hash by a field. */
static __always_inline __u64 ns_answer_hash(__u64 hash, const __u8 *bytes, const struct ns_answer_field *field) {
    hash += NS_ANEW(field->length);
    for (__u32 i = 0; i < NS_ANSWER_FIELD && i < NS_ANEW(field->length); i += 8) {
        __u64 word = bpf_be64_to_cpu(*(const __u64 *)(bytes + i));
        __u32 rest = (__u32)NS_ANEW(field->length) - i;

        if (rest < 8)
            word &= ~0ull << (8 * (8 - rest));
        hash = (hash ^ word) * NS_ANSWER_HASH_FACTOR;
        hash ^= hash >> 32;
    }
    return hash;
}

/* Writes 8 hexadecimal digits of a half of the hash, in lower case, as they stand in memory. */
static __always_inline __u64 ns_answer_digits(__u32 half) {
    __u64 digits = half, letters;

    digits = (digits | digits << 16) & 0x0000ffff0000ffffull;
    digits = (digits | digits << 8) & 0x00ff00ff00ff00ffull;
    digits = (digits | digits << 4) & NS_BYTES(0x0f);
    letters = ((digits + NS_BYTES(6)) >> 4 & NS_BYTES(1)) * ('a' - '0' - 10);
    return bpf_cpu_to_be64(digits + NS_BYTES('0') + letters);
}

static __always_inline __u32 ns_answer_word_sum(__u64 word, __u32 offset) {
    __u32 sum = (__u16)word + (__u32)(__u16)(word >> 16) + (__u16)(word >> 32) + (__u32)(__u16)(word >> 48);

    return (offset & 1) != 0 ? (__u32)__builtin_bswap16(ns_answer_fold(sum)) : sum;
}

/* Makes the reply from the message that was kept. Adds the fields to the sums of message and reply. */
static __always_inline void ns_answer_make(const struct ns_answer *answer, struct ns_answer_work *work, __u32 *from,
                                           __u32 *to) {
    __u8 *message = (__u8 *)work->message, *reply = (__u8 *)work->reply;
    __u64 hash = NS_ANSWER_HASH, *tag;

    for (__u32 i = 0; i < NS_ANSWER_REPLY_WORDS; i++)
        work->reply[i] = answer->answer[i];
    for (__u32 i = 0; i < NS_ANSWER_FIELDS && i < NS_ANEW(answer->fields); i++) {
        const struct ns_answer_field *field = &answer->field[i];
        __u32 in = NS_ANEW(field->from), out = NS_ANEW(field->to);

        for (__u32 j = 0; j < NS_ANSWER_FIELD && j < NS_ANEW(field->length); j++) {
            __u8 byte = message[(in + j) & (NS_ANSWER_MESSAGE - 1)];

            reply[(out + j) & 1023] = byte;
            *from += ns_answer_part(byte, in + j);
            *to += ns_answer_part(byte, out + j);
        }
        if (field->kind & NS_ANSWER_HASHED)
            hash = ns_answer_hash(hash, message + (in & (NS_ANSWER_MESSAGE - 1)), field);
    }
    if (answer->tag == NS_ANSWER_NO_TAG)
        return;
    tag = (__u64 *)(reply + (answer->tag & 1023));
    tag[0] = ns_answer_digits((__u32)(hash >> 32));
    tag[1] = ns_answer_digits((__u32)hash);
    *to += ns_answer_word_sum(tag[0], answer->tag) + ns_answer_word_sum(tag[1], answer->tag);
}

/*
 * Decides about a packet of the flow, whose bytes from `l3` on are all there. Returns NS_ANSWER_DONE if it is to be
 * answered, NS_ANSWER_SWALLOWED if it is to be dropped, else the reason for the long way.
 *
 * A checksum must be right, missing (IPv4), or one that a card has yet to complete: then the field has the sum of the
 * pseudo header. One right checksum of 65,536 looks the same, and its packet goes the long way.
 */
static __always_inline __u32 ns_answer_decide(struct ns_answered *out, const struct ns_answer *answer,
                                              const struct ns_packet *packet, const void *l3, const void *end) {
    __u32 zero = 0, ip = packet->family == 4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
    __u32 from = answer->message_sum, to = answer->reply_sum;
    const struct udphdr *udp = packet->family == 4 ? l3 + sizeof(struct iphdr) : l3 + sizeof(struct ipv6hdr);
    const __u8 *message = (const __u8 *)(udp + 1);
    __u16 right, check;

    if ((const void *)message > end || packet->length != ip + bpf_ntohs(udp->len))
        return NS_ANSWER_LENGTH;
    check = udp->check;
    out->work = bpf_map_lookup_elem(&ns_answering, &zero);
    if (out->work == NULL || packet->length != ip + sizeof *udp + answer->message ||
        !ns_answer_like(answer, out->work, message, end))
        return NS_ANSWER_UNLIKE;
    if (answer->budget != 0 && answer->used >= answer->budget)
        return NS_ANSWER_BUDGET;
    ns_answer_make(answer, out->work, &from, &to);
    right = (__u16)~ns_answer_fold(from);
    right = right == 0 ? 0xffff : right;
    out->open = check == answer->message_open;
    if (check == 0 ? packet->family != 4 : (check == right) == out->open)
        return NS_ANSWER_CHECKSUM;
    out->checksum = (__u16)~ns_answer_fold(to);
    out->checksum = out->checksum == 0 ? 0xffff : out->checksum;
    return answer->reply == 0 ? NS_ANSWER_SWALLOWED : NS_ANSWER_DONE;
}

/* --- the answer --- */

/* The header of IP as it came. */
struct ns_answer_headers {
    union {
        struct iphdr v4;
        struct ipv6hdr v6;
    };
};

/* Writes the header of IP: the pair swapped, the TTL begins anew, all else as it came. */
static __always_inline void ns_answer_ip4(struct iphdr *to, const struct iphdr *was, __u32 length) {
    const __u16 *words = (const __u16 *)to;
    __u32 sum = 0;

    *to = *was;
    to->tot_len = bpf_htons((__u16)length);
    to->ttl = NS_ANSWER_TTL;
    to->saddr = was->daddr;
    to->daddr = was->saddr;
    to->check = 0;
    for (int i = 0; i < 10; i++)
        sum += words[i];
    to->check = (__u16)~ns_answer_fold(sum);
}

static __always_inline void ns_answer_ip6(struct ipv6hdr *to, const struct ipv6hdr *was, __u32 length) {
    *to = *was;
    to->payload_len = bpf_htons((__u16)(length - sizeof *to));
    to->hop_limit = NS_ANSWER_TTL;
    to->saddr = was->daddr;
    to->daddr = was->saddr;
}

/* Returns the bytes of the answer's IP packet. */
static __always_inline __u32 ns_answer_length(const struct ns_answer *answer, __u8 family) {
    return (family == 4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr)) + (__u32)sizeof(struct udphdr) + answer->reply;
}

/* Writes the reply over the message. The packet ends where the reply ends. The end comes first: see ns_answer_like. */
static __always_inline bool ns_answer_put(const struct ns_answer *answer, const struct ns_answer_work *work,
                                          __u8 *reply, const void *end) {
    __u32 whole = NS_ANEW(answer->reply) & 1016;
    const __u8 *bytes = (const __u8 *)work->reply;

    for (__u32 i = 0; i < 7 && i < (NS_ANEW(answer->reply) & 7u); i++) {
        __u8 *at = reply + whole + i;

        NS_AS_IT_STANDS(at);
        if ((const void *)(at + 1) > end)
            return false;
        *at = bytes[whole + i];
    }
    for (__u32 i = 0; i < NS_ANSWER_REPLY_WORDS && 8 * i + 8 <= NS_ANEW(answer->reply); i++) {
        __u64 *at = (__u64 *)(reply + 8 * i);

        if ((const void *)(at + 1) > end)
            return false;
        *at = work->reply[i];
    }
    return true;
}

/*
 * Writes the answer from the header of IP on, which is at `l3`. The packet has the answer's length. Returns false if it
 * has not, which cannot be.
 */
static __always_inline bool ns_answer_write(const struct ns_answer *answer, const struct ns_answered *answered,
                                            const struct ns_answer_headers *was, __u8 family, __u32 ports, void *l3,
                                            const void *end, __u16 checksum) {
    __u32 length = ns_answer_length(answer, family);
    struct udphdr *udp;

    if (family == 4) {
        if (l3 + sizeof(struct iphdr) > end)
            return false;
        ns_answer_ip4(l3, &was->v4, length);
        udp = l3 + sizeof(struct iphdr);
    } else {
        if (l3 + sizeof(struct ipv6hdr) > end)
            return false;
        ns_answer_ip6(l3, &was->v6, length);
        udp = l3 + sizeof(struct ipv6hdr);
    }
    if ((const void *)(udp + 1) > end)
        return false;
    udp->source = (__u16)(ports >> 16);
    udp->dest = (__u16)ports;
    udp->len = bpf_htons((__u16)(answer->reply + sizeof *udp));
    udp->check = checksum;
    return ns_answer_put(answer, answered->work, (__u8 *)(udp + 1), end);
}

/* Keeps the header of IP, which is at `l3`. Returns false if it is not there, which cannot be. */
static __always_inline bool ns_answer_keep(struct ns_answer_headers *was, __u8 family, const void *l3,
                                           const void *end) {
    if (family == 4) {
        if (l3 + sizeof(struct iphdr) > end)
            return false;
        was->v4 = *(const struct iphdr *)l3;
    } else {
        if (l3 + sizeof(struct ipv6hdr) > end)
            return false;
        was->v6 = *(const struct ipv6hdr *)l3;
    }
    return true;
}

#endif
