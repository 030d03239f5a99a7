/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ruleset.h - our rules as the kernel has them: five parts, read by netlink. The kernel gives each rule a handle of its own, so
 * a part with the same handles is one that nobody has touched.
 */
#ifndef NS_RULESET_H
#define NS_RULESET_H

#include <stdbool.h>
#include <stdint.h>

/* Our rules in one place of the kernel, or of all of them together. */
enum { NS_RAW4, NS_RAW6, NS_FORWARD4, NS_FORWARD6, NS_FENCE, NS_PARTS };

struct ns_ruleset_part {
    const char *name; /* in events and in the log */
    uint8_t family;
    const char *table, *from; /* from: the chain with our jump, NULL = the table is all ours */
};

extern const struct ns_ruleset_part ns_ruleset_parts[NS_PARTS];

struct ns_ruleset_view {
    uint64_t hash; /* of the handles, 0 = not known */
    unsigned rules, jumps;
};

/* Does a kernel with IPv6, or without, have this part? */
bool ns_ruleset_has(bool ipv6, int part);

/* 0, or -1 with errno. */
int ns_ruleset_read(int part, struct ns_ruleset_view *view);

/* Parts, 1 << NS_RAW4 ..., that are not as in `before`. What `before` does not know is left out. `now` is what was read. */
unsigned ns_ruleset_changed(bool ipv6, const struct ns_ruleset_view before[NS_PARTS],
                            struct ns_ruleset_view now[NS_PARTS]);

#endif
