/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h - the classic BPF program of a filter: what a packet's bytes must be besides addresses and ports. Pure. Read to numbers
 * and printed again from them; the kernel's own verifier judges it when the rule is written.
 */
#ifndef NS_MATCH_H
#define NS_MATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NS_MATCH_MAX 64 /* instructions: what the firewall's match takes */

struct ns_match_step {
    uint16_t code;
    uint8_t yes, no; /* instructions to pass over */
    uint32_t operand;
};

struct ns_match {
    uint8_t count; /* 0 = there is none */
    struct ns_match_step step[NS_MATCH_MAX];
};

/*
 * "48:0:0:9,21:0:1:17,6:0:0:65535,6:0:0:0": code, jumps, operand. Only loads from the packet, the mask, forward jumps inside the
 * program and an end by a return are taken.
 */
bool ns_match_read(const char *text, struct ns_match *match);

/* As `iptables -m bpf` has it, with a space in front; nothing if there is none. */
void ns_match_print(FILE *out, const struct ns_match *match);

#endif
