/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup.h - limits, use and the end of a group of processes. Uses cgroups of version 2 if version 2 has the
 * controllers, else version 1, else none.
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
#ifndef NS_CGROUP_H
#define NS_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define NS_CGROUP_HIERARCHIES 4 /* of version 1: memory, cpu, cpuacct, pids */

struct ns_cgroups {
    int version; /* 2, 1, or 0 = none is usable */
    char node[32];
    char mounts[NS_CGROUP_HIERARCHIES][128]; /* version 2 uses the first; empty = not there */
    bool bare; /* groups of version 2 without controllers, beside version 1, for programs at their egress */
};

struct ns_cgroup {
    const struct ns_cgroups *all;
    char name[192]; /* below the hierarchy's root */
};

struct ns_cgroup_limits {
    uint64_t memory; /* bytes, 0 = no limit */
    uint64_t cpu;    /* percent of one core, 0 = no limit */
    uint64_t pids;   /* tasks, 0 = no limit */
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

/*
 * Makes the group `path` with its limits. `path` has up to two parts, such as "<container>/host". 0, or -1 with
 * errno. Without hierarchies it does nothing and returns 0.
 */
int ns_cgroup_make(struct ns_cgroup *cgroup, const struct ns_cgroups *all, const char *path,
                   const struct ns_cgroup_limits *limits);

/* The two halves of ns_cgroup_make(): the first names the group, the second makes it. */
int ns_cgroup_name(struct ns_cgroup *cgroup, const struct ns_cgroups *all, const char *path);
int ns_cgroup_make_named(const struct ns_cgroup *cgroup, const struct ns_cgroup_limits *limits);

/*
 * Makes a group like ns_cgroup_make(), in a parent with one small share for all: for work that no packet waits for.
 */
int ns_cgroup_make_beside(struct ns_cgroup *cgroup, const struct ns_cgroups *all, const char *path,
                          const struct ns_cgroup_limits *limits);

/* Returns the group that contains it, to set the share of that group. */
struct ns_cgroup ns_cgroup_parent(const struct ns_cgroup *cgroup);

/* Moves the calling process into the group. 0, or -1 with errno. */
int ns_cgroup_enter(const struct ns_cgroup *cgroup);

/* Sets other limits; 0 leaves a limit as it is. 0, or -1 with errno: EBUSY if the group has more memory than that. */
int ns_cgroup_limit(const struct ns_cgroup *cgroup, const struct ns_cgroup_limits *limits);

/*
 * Sets the group's share of the processors, in proportion to `percent` of one core. The share counts while its
 * neighbours want more than there is. Idle CPU time is available to every group. 0, or -1 with errno.
 */
int ns_cgroup_share(const struct ns_cgroup *cgroup, uint64_t percent);

/* Limits processor time to `percent` of one core. 0, or -1 with errno. */
int ns_cgroup_set_cpu(const struct ns_cgroup *cgroup, uint64_t percent);

/* Sends SIGKILL to every process in the group. Returns the number of processes. */
unsigned ns_cgroup_kill(const struct ns_cgroup *cgroup);

/* Removes the group, which must be empty. */
void ns_cgroup_remove(const struct ns_cgroup *cgroup);

/* Return the bytes used, the microseconds used, and the strikes of the kernel's OOM killer; 0 if unknown. */
uint64_t ns_cgroup_memory(const struct ns_cgroup *cgroup);
uint64_t ns_cgroup_cpu(const struct ns_cgroup *cgroup);
uint64_t ns_cgroup_oom(const struct ns_cgroup *cgroup);

/* Return the counts of periods throttled, times that memory met its limit, and tasks refused; 0 if unknown. */
uint64_t ns_cgroup_over_cpu(const struct ns_cgroup *cgroup);
uint64_t ns_cgroup_over_memory(const struct ns_cgroup *cgroup);
uint64_t ns_cgroup_over_pids(const struct ns_cgroup *cgroup);

#endif
