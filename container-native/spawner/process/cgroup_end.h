/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_end.h - the end of all groups of a node, as at an earlier spawner's end. For cgroups.c alone. */
#ifndef NS_CGROUP_END_H
#define NS_CGROUP_END_H

#include "cgroup.h"

/* Kills the processes in the node's groups, and removes the groups. Waits up to five seconds for each hierarchy. */
void ns_cgroups_clear(const struct ns_cgroups *all);

#endif
