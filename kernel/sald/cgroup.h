/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup.h - the place of the cgroups of version 2, beside which those of version 1 may be. */
#ifndef NS_SALD_CGROUP_H
#define NS_SALD_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Reads a file of the form of /proc/self/mountinfo. Writes the first directory where the whole hierarchy of version 2
 * is mounted. Returns false if there is none.
 */
bool ns_sal_cgroup_find(FILE *mounts, char *path, size_t size);

/* Opens the root of the hierarchy, and writes its directory. Returns the descriptor, or -1 if this machine has none. */
int ns_sal_cgroup_open(char *path, size_t size);

#endif
