/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ruleset.h - our rules as the kernel has them, in seven parts, read by netlink. The kernel gives each new or changed
 * rule a new handle. So nobody has touched a part if its handles are the same. A rule of routing has no handle, and is
 * only there or not.
 */
#ifndef NS_RULESET_H
#define NS_RULESET_H

#include <stdbool.h>
#include <stdint.h>

/* The parts: our rules in one place of the kernel each. */
enum { NS_RAW4, NS_RAW6, NS_FORWARD4, NS_FORWARD6, NS_FENCE, NS_RULE4, NS_RULE6, NS_PARTS };

struct ns_ruleset_part {
    const char *name; /* name in events and in the log */
    uint8_t family;
    const char *table; /* NULL = the rule of routing that leads taken connections to their containers (takes.h) */
    const char *from;  /* the chain with our jump, NULL = the whole table is ours */
};

extern const struct ns_ruleset_part ns_ruleset_parts[NS_PARTS];

struct ns_ruleset_view {
    uint64_t hash; /* hash of the handles, 0 = not known */
    unsigned rules, jumps;
};

/* Returns true if a kernel with IPv6, or without, has this part. */
bool ns_ruleset_has(bool ipv6, int part);

/* Reads one part from the kernel. 0, or -1 with errno. */
int ns_ruleset_read(int part, struct ns_ruleset_view *view);

/*
 * Returns the parts (1 << NS_RAW4 ...) that differ from `before`, and reads them into `now`. A part that `before`
 * does not know never differs.
 */
unsigned ns_ruleset_changed(bool ipv6, const struct ns_ruleset_view before[NS_PARTS],
                            struct ns_ruleset_view now[NS_PARTS]);

#endif
