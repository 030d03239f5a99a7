/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_mounts.h - where the hierarchies of cgroups are mounted. For cgroups.c alone. */
#ifndef NS_CGROUP_MOUNTS_H
#define NS_CGROUP_MOUNTS_H

#include "cgroups.h"

/* Finds the hierarchies, or mounts them if there are none. Sets version and mounts. */
void ns_cgroup_mounts_find(struct ns_cgroups *all);

/* Finds or mounts a hierarchy of version 2 that may have no controllers. Sets version and mounts. */
void ns_cgroup_mounts_find_bare(struct ns_cgroups *bare);

#endif
