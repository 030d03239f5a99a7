/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply.h - the work of the firewall's two tasks (firewall.h). An apply looks at what the kernel has, holds containers back if
 * somebody has taken the fence away, writes, and reads back. A check only looks.
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
    unsigned changed;                      /* parts that the last apply found changed by somebody else */
    bool whole;                            /* the kernel has what was wanted at that moment */
    bool held;                             /* containers are held back */
};

/* Makes the kernel's rules what the spawner is now. 0, or -1 with the reason. For ns_task_begin(). */
int ns_apply(void *spawner, char why[160]);

/* Returns the parts that are not as an apply has left them. For ns_task_begin(). */
int ns_apply_check(void *spawner, char why[160]);

/*
 * After an apply that failed or was killed: what it has half written is nobody's damage, and the next one reads anew which
 * chains there are.
 */
void ns_apply_forget(struct ns_apply_state *state);

/* Has the container a table of its own? */
bool ns_apply_has_cell(const struct ns_container *container);

#endif
