/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup_file.h"

uint64_t ns_cgroup_memory(const struct ns_cgroup *cgroup) {
    bool v2 = cgroup->all->version == 2;

    return ns_cgroup_number(cgroup, v2 ? 0 : NS_CGROUP_MEMORY, v2 ? "memory.current" : "memory.usage_in_bytes", NULL);
}

uint64_t ns_cgroup_cpu(const struct ns_cgroup *cgroup) {
    if (cgroup->all->version == 2)
        return ns_cgroup_number(cgroup, 0, "cpu.stat", "usage_usec ");
    return ns_cgroup_number(cgroup, NS_CGROUP_CPUACCT, "cpuacct.usage", NULL) / 1000;
}

uint64_t ns_cgroup_oom(const struct ns_cgroup *cgroup) {
    if (cgroup->all->version == 2)
        return ns_cgroup_number(cgroup, 0, "memory.events", "oom_kill ");
    return ns_cgroup_number(cgroup, NS_CGROUP_MEMORY, "memory.oom_control", "oom_kill ");
}

uint64_t ns_cgroup_over_cpu(const struct ns_cgroup *cgroup) {
    return ns_cgroup_number(cgroup, cgroup->all->version == 2 ? 0 : NS_CGROUP_CPU, "cpu.stat", "nr_throttled ");
}

uint64_t ns_cgroup_over_memory(const struct ns_cgroup *cgroup) {
    if (cgroup->all->version == 2)
        return ns_cgroup_number(cgroup, 0, "memory.events", "max ");
    return ns_cgroup_number(cgroup, NS_CGROUP_MEMORY, "memory.failcnt", NULL);
}

uint64_t ns_cgroup_over_pids(const struct ns_cgroup *cgroup) {
    return ns_cgroup_number(cgroup, cgroup->all->version == 2 ? 0 : NS_CGROUP_PIDS, "pids.events", "max ");
}
