/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fence.h - our table of the node's own namespace, `inet netserv`, as `nft -f` reads it: addresses of containers are translated
 * here, and each container's lists are a second fence around its own table (cell.h). Pure.
 */
#ifndef NS_FENCE_H
#define NS_FENCE_H

#include "rules.h"

#define NS_FENCE_TABLE "netserv"

/* Drops that are counted for as long as the spawner runs, in objects of their own: rules come and go. */
enum { NS_FENCE_TURNED_CONTAINER, NS_FENCE_TURNED_NODE, NS_FENCE_CONTAINER_NODE, NS_FENCE_COUNTERS };
extern const char *const ns_fence_counters[NS_FENCE_COUNTERS];

struct ns_fence_count {
    uint64_t packets, bytes;
};

/* Chains that stand; all zero = nothing is known of them, and the table is made anew, with these counts. */
struct ns_fence_standing {
    bool whole, leaving, listen;
    unsigned count;
    int network[NS_CONTAINERS_MAX]; /* containers with two chains each */
    struct ns_fence_count counted[NS_FENCE_COUNTERS];
};

/* Replaces all rules of the table in one transaction. Returns how many there are then. */
unsigned ns_fence_print(FILE *out, const struct ns_rules *rules, const struct ns_fence_standing *standing);

/* Its chains once these rules are there. */
void ns_fence_after(const struct ns_rules *rules, struct ns_fence_standing *standing);

#endif
