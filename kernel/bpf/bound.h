/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * bound.h - bounds of a number that the kernel's verifier sees. clang turns two comparisons into one of the difference,
 * and leaves out those that it can prove. Up to Linux 6.12 at least, the verifier concludes nothing from that, nor from
 * a comparison with 0.
 */
#ifndef NS_BOUND_H
#define NS_BOUND_H

#include <linux/types.h>
#include <stdbool.h>

/* Tells whether a number is from `least` to `most`. */
static __always_inline bool ns_bound(__u32 *number, __u32 least, __u32 most) {
    __u32 above = *number - least;

    asm volatile("" : "+r"(above));
    if (above > most - least)
        return false;
    *number = above + least;
    return true;
}

#endif
