/* SPDX-License-Identifier: Apache-2.0 */
#include "stats.h"

#include "disk.h"
#include "network.h"
#include "spawner.h"

static void print_over_rules(struct ns_spawner *spawner, const struct ns_container *container, FILE *out) {
    static const char *const rules[] = {"connections", "packets", "bytes"};
    const char *name = container->order.name;
    const char *counts = ns_firewall_counts(&spawner->firewall, ns_now());
    char key[24];

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        snprintf(key, sizeof key, "over-%s", rules[i]);
        ns_line_put_number(out, key, ns_rules_counted(counts, name, rules[i]));
    }
}

static void print_disk(struct ns_spawner *spawner, const struct ns_container *container, FILE *out) {
    struct ns_disk_use use = {0, 0, false, false};

    if (container->own_disk)
        use = ns_disk_use(&spawner->paths, container->order.name);
    ns_line_put_number(out, "disk-used", use.bytes);
    ns_line_put_number(out, "inodes-used", use.inodes);
    ns_line_put_number(out, "over-disk", use.full);
    ns_line_put_number(out, "over-inodes", use.inodes_full);
}

void ns_stats_print(struct ns_spawner *spawner, const struct ns_container *container, FILE *out) {
    const struct ns_cgroup *cgroup = &container->host_cgroup;

#define NS_X(name, text) ns_line_put_number(out, #name, __atomic_load_n(&container->counters->name, __ATOMIC_RELAXED));
    NS_COUNTERS(NS_X)
#undef NS_X
    ns_line_put_number(out, "pid", (unsigned long long)container->host);
    ns_line_put_number(out, "pktio", (unsigned long long)container->pktio.pid);
    ns_line_put_number(out, "memory", ns_cgroup_memory(cgroup));
    ns_line_put_number(out, "cpu", ns_cgroup_cpu(cgroup));
    ns_line_put_number(out, "over-cpu", ns_cgroup_over_cpu(cgroup));
    ns_line_put_number(out, "over-memory", ns_cgroup_over_memory(cgroup));
    ns_line_put_number(out, "over-pids", ns_cgroup_over_pids(cgroup));
    ns_line_put_number(out, "network-packets",
                       container->order.network < 0 ? 0 : ns_network_delivered((unsigned)container->order.network));
    print_disk(spawner, container, out);
    ns_bpfd_stats(spawner, container, out);
    print_over_rules(spawner, container, out);
}
