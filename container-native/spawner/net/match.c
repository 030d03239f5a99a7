/* SPDX-License-Identifier: Apache-2.0 */
#include "match.h"

#include "ns_value.h"
#include <linux/filter.h>
#include <string.h>

/*
 * Returns true for the instructions that a filter of packets needs. Others are refused: loads of ancillary data
 * (negative offsets), arithmetic, and memory.
 */
static bool known(uint16_t code) {
    switch (code) {
    case BPF_LD | BPF_W | BPF_ABS:
    case BPF_LD | BPF_H | BPF_ABS:
    case BPF_LD | BPF_B | BPF_ABS:
    case BPF_LD | BPF_W | BPF_IND:
    case BPF_LD | BPF_H | BPF_IND:
    case BPF_LD | BPF_B | BPF_IND:
    case BPF_LD | BPF_W | BPF_LEN:
    case BPF_LDX | BPF_B | BPF_MSH:
    case BPF_ALU | BPF_AND | BPF_K:
    case BPF_JMP | BPF_JEQ | BPF_K:
    case BPF_JMP | BPF_JGT | BPF_K:
    case BPF_JMP | BPF_JGE | BPF_K:
    case BPF_JMP | BPF_JSET | BPF_K:
    case BPF_RET | BPF_K:
        return true;
    default:
        return false;
    }
}

static bool loads(uint16_t code) {
    return BPF_CLASS(code) == BPF_LDX || (BPF_CLASS(code) == BPF_LD && BPF_MODE(code) != BPF_LEN);
}

static bool read_number(char **at, char end, uint64_t most, uint64_t *value) {
    char *from = *at, *separator = strchr(from, end);

    if (separator == NULL)
        return false;
    *at = separator + 1;
    *separator = '\0';
    return ns_value_number(from, 0, most, value);
}

static bool read_step(void *context, const char *element) {
    struct ns_match *match = context;
    struct ns_match_step *step;
    uint64_t code, yes, no, operand;
    char text[32], *at = text;

    if (match->count == NS_MATCH_MAX || strlen(element) >= sizeof text)
        return false;
    strcpy(text, element);
    if (!read_number(&at, ':', UINT16_MAX, &code) || !read_number(&at, ':', UINT8_MAX, &yes) ||
        !read_number(&at, ':', UINT8_MAX, &no) || !ns_value_number(at, 0, UINT32_MAX, &operand))
        return false;
    step = &match->step[match->count++];
    *step = (struct ns_match_step){(uint16_t)code, (uint8_t)yes, (uint8_t)no, (uint32_t)operand};
    return known(step->code) && (!loads(step->code) || step->operand <= UINT16_MAX);
}

bool ns_match_read(const char *text, struct ns_match *match) {
    match->count = 0;
    if (!ns_value_list(text, read_step, match) || match->count == 0 ||
        BPF_CLASS(match->step[match->count - 1].code) != BPF_RET)
        return false;
    for (unsigned i = 0; i < match->count; i++) {
        const struct ns_match_step *step = &match->step[i];
        bool jumps = BPF_CLASS(step->code) == BPF_JMP;

        if (jumps ? i + 1 + step->yes >= match->count || i + 1 + step->no >= match->count
                  : step->yes != 0 || step->no != 0)
            return false;
    }
    return true;
}

void ns_match_print(FILE *out, const struct ns_match *match) {
    if (match->count == 0)
        return;
    fprintf(out, " -m bpf --bytecode \"%u", match->count);
    for (unsigned i = 0; i < match->count; i++) {
        const struct ns_match_step *step = &match->step[i];

        fprintf(out, ",%u %u %u %u", step->code, step->yes, step->no, step->operand);
    }
    fputc('"', out);
}
