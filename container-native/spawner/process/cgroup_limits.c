/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define PERIOD 20000     /* microseconds of a CPU quota's period */
#define LEAST_QUOTA 1000 /* microseconds; the kernel takes no less */

/*
 * Returns the microseconds after which a quota starts anew. A group that has used it up stands still until then. With
 * several processors it does so early: two threads need half of the period. A compiler thread beside a module's thread
 * is enough, so a short period keeps the module's answers early. It is longer where the quota would be too small.
 */
static uint64_t period_of(uint64_t percent) {
    return percent * PERIOD / 100 >= LEAST_QUOTA ? PERIOD : (LEAST_QUOTA * 100 + percent - 1) / percent;
}

int ns_cgroup_set_cpu(const struct ns_cgroup *cgroup, uint64_t percent) {
    uint64_t period = period_of(percent);
    uint64_t quota = percent * period / 100;
    char text[48];

    if (cgroup->all->version == 0)
        return 0;
    if (cgroup->all->version == 2) {
        snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64, quota, period);
        return ns_cgroup_set(cgroup, 0, "cpu.max", text);
    }
    if (ns_cgroup_set_number(cgroup, NS_CGROUP_CPU, "cpu.cfs_period_us", period) != 0)
        return -1;
    return ns_cgroup_set_number(cgroup, NS_CGROUP_CPU, "cpu.cfs_quota_us", quota);
}

static uint64_t within(uint64_t least, uint64_t value, uint64_t most) {
    return value < least ? least : value > most ? most : value;
}

/* The preset is 100 with version 2 and 1024 with version 1. */
int ns_cgroup_share(const struct ns_cgroup *cgroup, uint64_t percent) {
    if (cgroup->all->version == 0)
        return 0;
    if (cgroup->all->version == 2)
        return ns_cgroup_set_number(cgroup, 0, "cpu.weight", within(1, percent, 10000));
    return ns_cgroup_set_number(cgroup, NS_CGROUP_CPU, "cpu.shares", within(2, percent * 1024 / 100, 262144));
}

/*
 * Makes room below a limit that is less than the memory in use. `memory.high` makes the kernel reclaim as much as it
 * can, and kills no process. A `memory.max` below the use would call the OOM killer.
 */
static int shrink(const struct ns_cgroup *cgroup, uint64_t bytes) {
    uint64_t left;

    if (ns_cgroup_memory(cgroup) <= bytes)
        return 0;
    if (ns_cgroup_set_number(cgroup, 0, "memory.high", bytes) != 0)
        return -1;
    left = ns_cgroup_memory(cgroup);
    if (ns_cgroup_set(cgroup, 0, "memory.high", "max") != 0)
        return -1;
    if (left <= bytes)
        return 0;
    errno = EBUSY;
    return -1;
}

/* Limits memory. Forbids swap, a way round the limit; its file is missing where swap is not accounted. */
static int limit_memory_v2(const struct ns_cgroup *cgroup, uint64_t bytes) {
    if (shrink(cgroup, bytes) != 0 || ns_cgroup_set_number(cgroup, 0, "memory.max", bytes) != 0)
        return -1;
    ns_cgroup_set(cgroup, 0, "memory.swap.max", "0");
    return 0;
}

/*
 * Limits memory without swap, and memory with swap. The limit with swap may never be less than the limit without it.
 * So it is written twice: first for limits that grow, last for limits that shrink.
 */
static int limit_memory_v1(const struct ns_cgroup *cgroup, uint64_t bytes) {
    ns_cgroup_set_number(cgroup, NS_CGROUP_MEMORY, "memory.memsw.limit_in_bytes", bytes);
    if (ns_cgroup_set_number(cgroup, NS_CGROUP_MEMORY, "memory.limit_in_bytes", bytes) != 0)
        return -1;
    ns_cgroup_set_number(cgroup, NS_CGROUP_MEMORY, "memory.memsw.limit_in_bytes", bytes);
    return 0;
}

int ns_cgroup_limit(const struct ns_cgroup *cgroup, const struct ns_cgroup_limits *limits) {
    bool v2 = cgroup->all->version == 2;

    if (cgroup->all->version == 0 || cgroup->all->bare)
        return 0;
    if (limits->memory != 0 &&
        (v2 ? limit_memory_v2(cgroup, limits->memory) : limit_memory_v1(cgroup, limits->memory)) != 0)
        return -1;
    if (limits->pids != 0 && ns_cgroup_set_number(cgroup, v2 ? 0 : NS_CGROUP_PIDS, "pids.max", limits->pids) != 0)
        return -1;
    return limits->cpu == 0 ? 0 : ns_cgroup_set_cpu(cgroup, limits->cpu);
}
