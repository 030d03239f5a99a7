/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite.h - rewrite rules of a publisher's policy: "<src-prefix>-><dst-prefix>".
 *
 * A changed packet normally leaves with its original addresses, or with them swapped. It may leave with other
 * addresses if its new source lies in src-prefix and its new destination in dst-prefix of one rule. Ports are then
 * free. Both prefixes are of one family.
 */
#ifndef NS_REWRITE_H
#define NS_REWRITE_H

#include "ns_ip.h"
#include <stdbool.h>
#include <stdint.h>

#define NS_REWRITE_MAX 64

struct ns_prefix {
    uint8_t address[16]; /* network order */
    uint8_t bits;        /* 0..32 or 0..128 */
};

struct ns_rewrite_rule {
    uint8_t family; /* 4 or 6 */
    struct ns_prefix source, destination;
};

struct ns_rewrite {
    unsigned count;
    struct ns_rewrite_rule rules[NS_REWRITE_MAX];
};

/* Adds a rule. Returns false if the text is not a rule, if its families differ or if there are too many rules. */
bool ns_rewrite_add(struct ns_rewrite *rewrite, const char *text);

bool ns_rewrite_allows(const struct ns_rewrite *rewrite, const struct ns_ip *out);

#endif
