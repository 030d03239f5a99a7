/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.h - the counters of containers, for the verb `stats`. Files of cgroups, tables of other namespaces and file systems are
 * read by one task at a time. Orders that come while it is under way wait, and the next task is for all of them.
 *
 *     order --bpfd has said its part--> waits --a task is begun--> being read --it has ended--> answered
 *                                                                     +--not done in 4 s: killed--> error, with the reason
 */
#ifndef NS_STATS_H
#define NS_STATS_H

#include "container.h"

void ns_stats(struct ns_spawner *spawner, const struct ns_container *container, struct ns_ticket ticket);

#endif
