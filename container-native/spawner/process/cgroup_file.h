/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_file.h - the files of a group in each hierarchy. For cgroups.c and cgroup*.c alone. */
#ifndef NS_CGROUP_FILE_H
#define NS_CGROUP_FILE_H

#include "cgroup.h"
#include <stddef.h>

/* Directory of all nodes, below the root of each hierarchy. */
#define NS_CGROUP_TOP "netserv"

/* Hierarchies of version 1. Version 2 has one, which is 0. */
enum { NS_CGROUP_MEMORY, NS_CGROUP_CPU, NS_CGROUP_CPUACCT, NS_CGROUP_PIDS };

/* Returns the number of hierarchies, including hierarchies of version 1 that are not there. */
int ns_cgroup_hierarchies(const struct ns_cgroups *all);

/* Writes the path of a file of the group; "" = of its directory, with a slash at the end. */
void ns_cgroup_path(char path[PATH_MAX], const struct ns_cgroup *cgroup, int hierarchy, const char *file);

/* Writes a file. 0, or -1 with errno. */
int ns_cgroup_write(const char *path, const char *text);

/* Reads the first bytes of a file as text; "" if it cannot be read. */
void ns_cgroup_read(const char *path, char *text, size_t size);

/* Write a value into a file of the group. 0, also if the hierarchy is not there, or -1 with errno. */
int ns_cgroup_set(const struct ns_cgroup *cgroup, int hierarchy, const char *file, const char *value);
int ns_cgroup_set_number(const struct ns_cgroup *cgroup, int hierarchy, const char *file, uint64_t value);

/* Returns the number at the beginning of a file, or behind `key` if that is not NULL; 0 if there is none. */
uint64_t ns_cgroup_number(const struct ns_cgroup *cgroup, int hierarchy, const char *file, const char *key);

#endif
