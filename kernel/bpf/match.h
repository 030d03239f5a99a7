/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* match.h - tells whether a packet matches a filter. */
#ifndef NS_MATCH_WORDS_H
#define NS_MATCH_WORDS_H

#include "ns_programs.h"
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

/*
 * Returns the bits in which these words differ from the filter's. No branch, so that neither processor nor verifier
 * has to guess.
 */
static __always_inline __u32 ns_differ(const __u32 *is, const __u32 *must, const __u32 *mask, int words) {
    __u32 differ = 0;

    for (int i = 0; i < words; i++)
        differ |= (is[i] & mask[i]) ^ must[i];
    return differ;
}

/* Returns the top bit of a difference below zero, if the port is outside the range. No branch, either. */
static __always_inline __u32 ns_outside(const __u16 *range, __u32 port) {
    return ((port - range[0]) | (range[1] - port)) & 0x80000000u;
}

/* Tells whether a packet matches. `words` is the number of words of an address. */
static __always_inline bool ns_matches(const struct ns_packet_match *match, const struct ns_count_words *is,
                                       int words) {
    const struct ns_count_words *must = &match->value, *mask = &match->mask;

    return (ns_differ(is->source, must->source, mask->source, words) |
            ns_differ(is->destination, must->destination, mask->destination, words) |
            ns_differ(&is->meta, &must->meta, &mask->meta, 1) |
            ns_outside(match->source_ports, bpf_ntohs((__u16)is->ports)) |
            ns_outside(match->destination_ports, bpf_ntohs((__u16)(is->ports >> 16)))) == 0;
}

#endif
