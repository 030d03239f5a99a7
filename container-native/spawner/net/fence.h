/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fence.h - prints our table of the node's own namespace, `inet netserv`, for `nft -f`. The table translates the
 * addresses of containers. It also repeats each container's lists, as a second fence around the container's own table
 * (cell.h). Pure.
 */
#ifndef NS_FENCE_H
#define NS_FENCE_H

#include "rules.h"

#define NS_FENCE_TABLE "netserv"

/* Counters of drops for as long as the spawner runs. They are objects of their own, because rules come and go. */
enum { NS_FENCE_TURNED_CONTAINER, NS_FENCE_TURNED_NODE, NS_FENCE_CONTAINER_NODE, NS_FENCE_COUNTERS };
extern const char *const ns_fence_counters[NS_FENCE_COUNTERS];

struct ns_fence_count {
    uint64_t packets, bytes;
};

/* The chains of the table in the kernel. All zero = unknown: the table is made anew, with these counts. */
struct ns_fence_standing {
    bool whole, leaving, listen, take;
    unsigned count;
    int network[NS_CONTAINERS_MAX]; /* index of each container that has its two chains */
    bool takes[NS_CONTAINERS_MAX];  /* it also has the chain and the counters for connections that it takes */
    struct ns_fence_count counted[NS_FENCE_COUNTERS];
};

/* Replaces all rules of the table in one transaction. Returns the new number of rules. */
unsigned ns_fence_print(FILE *out, const struct ns_rules *rules, const struct ns_fence_standing *standing);

/* Sets `standing` to the chains of the table after these rules were written. */
void ns_fence_after(const struct ns_rules *rules, struct ns_fence_standing *standing);

#endif
