/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.h - the counters of containers, for the verb `stats`. One task at a time reads the files of cgroups, the
 * tables of other namespaces and the file systems. Orders that come meanwhile wait, and the next task serves up
 * to 32 of them.
 *
 *     order --bpfd has answered--> waits --a task begins--> being read --the task ends--> answered
 *                                                               +--not done in 4 s: killed--> error, with the reason
 */
#ifndef NS_STATS_H
#define NS_STATS_H

#include "container.h"

void ns_stats(struct ns_spawner *spawner, const struct ns_container *container, struct ns_ticket ticket);

#endif
