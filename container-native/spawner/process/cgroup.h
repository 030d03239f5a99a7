/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup.h - limits, use and the end of one group of processes, among the groups of cgroups.h. */
#ifndef NS_CGROUP_H
#define NS_CGROUP_H

#include "cgroups.h"
#include <limits.h>
#include <stdint.h>

struct ns_cgroup {
    const struct ns_cgroups *all;
    char name[192]; /* below the hierarchy's root */
};

struct ns_cgroup_limits {
    uint64_t memory; /* bytes, 0 = no limit */
    uint64_t cpu;    /* percent of one core, 0 = no limit */
    uint64_t pids;   /* tasks, 0 = no limit */
};

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

/* Limits processor time to `percent` of one core, 1 or more. 0, or -1 with errno. */
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
