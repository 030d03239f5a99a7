/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups.h - the groups of processes of a node. Uses cgroups of version 2 if version 2 has the controllers, else
 * version 1, else none.
 *
 *     netserv                             a share of the processors as large as all of them, beside other processes.
 *     netserv/<node>/<container>          its share of the processors.
 *     netserv/<node>/<container>/host     memory, cpu, pids limited.
 *     netserv/<node>/<container>/pktio    memory and pids limited, never throttled: it must answer in time.
 *     netserv/<node>/jobs/<job>           memory, pids limited; a small share for all jobs, not to slow containers.
 *     netserv/<node>/@sigio/sigio         as pktio.
 *
 * <node> is made of the node's root, so that several nodes on one machine do not meet.
 */
#ifndef NS_CGROUPS_H
#define NS_CGROUPS_H

#include <stdbool.h>

#define NS_CGROUP_HIERARCHIES 4 /* of version 1: memory, cpu, cpuacct, pids */

struct ns_cgroups {
    int version; /* 2, 1, or 0 = none is usable */
    char node[32];
    char mounts[NS_CGROUP_HIERARCHIES][128]; /* version 2 uses the first; empty = not there */
    bool bare; /* groups of version 2 without controllers, beside version 1, for programs at their egress */
};

/* Finds the hierarchies, or mounts them where /sys shows none. Kills the processes that an earlier spawner left. */
void ns_cgroups_open(struct ns_cgroups *all, const char *root);
void ns_cgroups_close(struct ns_cgroups *all);

/*
 * Opens the hierarchy to which programs can be attached, for the same node. With version 2 it is the hierarchy of
 * `all`. Else it is a bare hierarchy of version 2, which every kernel with version 2 has. If none is mounted, it is
 * mounted for the spawner alone. Version 0: there is none.
 */
void ns_cgroups_open_bare(struct ns_cgroups *bare, const struct ns_cgroups *all);

/* Writes "v2", "v1:memory+cpu+cpuacct+pids" or "none". */
void ns_cgroups_describe(const struct ns_cgroups *all, char text[64]);

/*
 * Returns 0 if memory, cpu and pids can all be limited, else an errno with the reason. Makes a group for it and
 * removes it.
 */
int ns_cgroups_try(const struct ns_cgroups *all);

#endif
