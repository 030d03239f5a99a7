/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h - the classic BPF program of a filter. It tests bytes of a packet other than addresses and ports. Pure. The
 * text is read to numbers and printed again from them. The kernel's own verifier judges the program when the rule is
 * written.
 */
#ifndef NS_MATCH_H
#define NS_MATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NS_MATCH_MAX 64 /* instructions; xt_bpf takes no more */

struct ns_match_step {
    uint16_t code;
    uint8_t yes, no; /* number of instructions to skip */
    uint32_t operand;
};

struct ns_match {
    uint8_t count; /* 0 = no program */
    struct ns_match_step step[NS_MATCH_MAX];
};

/*
 * Reads a program such as "48:0:0:9,21:0:1:17,6:0:0:65535,6:0:0:0". Each instruction has a code, two jumps and an
 * operand. Takes only loads from the packet, the mask, forward jumps inside the program, and a return at the end.
 */
bool ns_match_read(const char *text, struct ns_match *match);

/* Prints the program for `iptables -m bpf`, with a space in front. Prints nothing if there is no program. */
void ns_match_print(FILE *out, const struct ns_match *match);

#endif
