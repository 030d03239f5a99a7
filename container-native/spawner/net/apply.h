/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply.h - the work of the firewall's two tasks (firewall.h), an apply and a check. An apply reads the rules that
 * the kernel has. It holds containers back if somebody has changed or removed the fence. Then it writes our rules and
 * reads them back. A check only reads.
 */
#ifndef NS_APPLY_H
#define NS_APPLY_H

#include "fence.h"
#include "ruleset.h"

struct ns_container;

/* Memory of the spawner and of its tasks. The task under way writes it. */
struct ns_apply_state {
    struct ns_rules_standing standing[2]; /* IPv4, IPv6 */
    struct ns_fence_standing fence;
    struct ns_ruleset_view view[NS_PARTS]; /* as read back */
    uint64_t script[3]; /* hash of the last script that the kernel took: IPv4, IPv6, fence; 0 = none */
    unsigned changed;   /* parts that the last apply found changed by somebody else */
    bool whole;         /* the kernel has the rules that the last apply wanted */
    bool held;          /* containers are held back */
};

/* Writes the rules for the spawner's present state into the kernel. 0, or -1 with the reason. For ns_task_begin(). */
int ns_apply(void *spawner, char why[160]);

/* Returns the parts (1 << NS_RAW4 ...) that differ from the state after the last apply. For ns_task_begin(). */
int ns_apply_check(void *spawner, char why[160]);

/*
 * Forgets the rules as read back, after an apply that failed or was killed. So its half-written rules do not count as
 * damage by somebody else, and the next apply reads the list of chains from the kernel again.
 */
void ns_apply_forget(struct ns_apply_state *state);

/* Returns true if the container has a table of its own (cell.h). */
bool ns_apply_has_cell(const struct ns_container *container);

#endif
