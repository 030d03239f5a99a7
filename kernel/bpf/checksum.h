/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* checksum.h - one's complement sums of the Internet checksum (RFC 1071), of words in network byte order. */
#ifndef NS_BPF_CHECKSUM_H
#define NS_BPF_CHECKSUM_H

#include <linux/types.h>

/* Folds a sum of less than 65,536 words of 16 bits. */
static __always_inline __u16 ns_fold(__u32 sum) {
    sum = (sum & 0xffff) + (sum >> 16);
    return (__u16)(sum + (sum >> 16));
}

/* Sums words of 32 bits, without folding. */
static __always_inline __u32 ns_sum_words(const __u32 *words, int count) {
    __u32 sum = 0;

    for (int i = 0; i < count; i++)
        sum += (words[i] & 0xffff) + (words[i] >> 16);
    return sum;
}

#endif
