/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup.h - limits, use and the end of a group of processes. Version 2 if it has the controllers, else version 1, else none.
 *
 *     netserv                             as much of the processors as there are, beside what else runs here
 *     netserv/<node>/<container>          its share of the processors
 *     netserv/<node>/<container>/host     memory, cpu, pids limited
 *     netserv/<node>/<container>/pktio    memory and pids limited, never throttled: it must answer in time
 *     netserv/<node>/jobs/<job>           memory, pids limited; a small share for all: who installs does not slow what runs
 *     netserv/<node>/@sigio/sigio         as pktio
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
    bool bare; /* groups of version 2 beside those of version 1: without controllers, for programs at their egress */
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

/* Finds the hierarchies (mounts them where /sys shows none) and kills what a predecessor left in ours. */
void ns_cgroups_open(struct ns_cgroups *all, const char *root);
void ns_cgroups_close(struct ns_cgroups *all);

/*
 * The hierarchy to which programs can be attached, for the same node: that of `all`, or where it is of version 1, a bare one beside it,
 * which every kernel with version 2 has (it is mounted for the spawner alone if it is not mounted). Version 0: there is none.
 */
void ns_cgroups_open_bare(struct ns_cgroups *bare, const struct ns_cgroups *all);

/* "v2", "v1:memory+cpu+cpuacct+pids" or "none". */
void ns_cgroups_describe(const struct ns_cgroups *all, char text[64]);

/* 0 = memory, cpu and pids can all be limited; else an errno that says why not. Tried with a group that goes again. */
int ns_cgroups_try(const struct ns_cgroups *all);

/* `path` = up to two parts, such as "<container>/host". 0, or -1 with errno; without hierarchies it does nothing, well. */
int ns_cgroup_make(struct ns_cgroup *cgroup, const struct ns_cgroups *all, const char *path,
                   const struct ns_cgroup_limits *limits);

/* The two halves of ns_cgroup_make(): one names it, the other makes it. */
int ns_cgroup_name(struct ns_cgroup *cgroup, const struct ns_cgroups *all, const char *path);
int ns_cgroup_make_named(const struct ns_cgroup *cgroup, const struct ns_cgroup_limits *limits);

/* As ns_cgroup_make(), in a group with a small share for all in it: work for which no packet waits. */
int ns_cgroup_make_beside(struct ns_cgroup *cgroup, const struct ns_cgroups *all, const char *path,
                          const struct ns_cgroup_limits *limits);

/* The group that it is in, for its share. */
struct ns_cgroup ns_cgroup_parent(const struct ns_cgroup *cgroup);

/* Moves the calling process in. 0, or -1 with errno. */
int ns_cgroup_enter(const struct ns_cgroup *cgroup);

/* Other limits from now on; 0 leaves one as it is. 0, or -1 with errno: EBUSY if it has more memory than that. */
int ns_cgroup_limit(const struct ns_cgroup *cgroup, const struct ns_cgroup_limits *limits);

/*
 * Its share, where its neighbours want more than there is, is in proportion to `percent` of one core. A share of what is idle
 * has everybody. 0, or -1 with errno.
 */
int ns_cgroup_share(const struct ns_cgroup *cgroup, uint64_t percent);

/* 0, or -1 with errno. */
int ns_cgroup_set_cpu(const struct ns_cgroup *cgroup, uint64_t percent);

/* Sends SIGKILL to every process in it. Returns how many there were. */
unsigned ns_cgroup_kill(const struct ns_cgroup *cgroup);

/* Removes it; it must be empty. */
void ns_cgroup_remove(const struct ns_cgroup *cgroup);

/* Bytes and microseconds used, times that the kernel's OOM killer struck; 0 if unknown. */
uint64_t ns_cgroup_memory(const struct ns_cgroup *cgroup);
uint64_t ns_cgroup_cpu(const struct ns_cgroup *cgroup);
uint64_t ns_cgroup_oom(const struct ns_cgroup *cgroup);

/* How often it met its limits: periods throttled, times that memory had to be found, tasks refused. 0 if unknown. */
uint64_t ns_cgroup_over_cpu(const struct ns_cgroup *cgroup);
uint64_t ns_cgroup_over_memory(const struct ns_cgroup *cgroup);
uint64_t ns_cgroup_over_pids(const struct ns_cgroup *cgroup);

#endif
