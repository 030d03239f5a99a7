/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroups.h"

#include "cgroup.h"
#include "cgroup_end.h"
#include "cgroup_file.h"
#include "cgroup_mounts.h"
#include "ns_hash.h"
#include "ns_log.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Claims the share of all processors for the node, beside the machine's other processes. The preset is the share of a
 * single process.
 */
static void claim_share(const struct ns_cgroups *all) {
    const struct ns_cgroup top = {all, NS_CGROUP_TOP};
    const struct ns_cgroup_limits none = {0, 0, 0};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (ns_cgroup_make_named(&top, &none) != 0)
        return;
    if (cores < 1 || ns_cgroup_share(&top, 100 * (uint64_t)cores) != 0)
        ns_warn("the node's share of the processors is that of one process");
}

void ns_cgroups_open(struct ns_cgroups *all, const char *root) {
    char text[64];

    memset(all, 0, sizeof *all);
    snprintf(all->node, sizeof all->node, "%016" PRIx64, ns_hash_text(NS_HASH_FIRST, root));
    ns_cgroup_mounts_find(all);
    ns_cgroups_clear(all);
    claim_share(all);
    ns_cgroups_describe(all, text);
    ns_info("cgroups: %s", text);
}

void ns_cgroups_open_bare(struct ns_cgroups *bare, const struct ns_cgroups *all) {
    *bare = *all;
    if (all->version == 2)
        return;
    bare->bare = true;
    ns_cgroup_mounts_find_bare(bare);
    ns_cgroups_clear(bare);
}

/* Clears the node's groups. The directory of all nodes stays while another node is in it. */
void ns_cgroups_close(struct ns_cgroups *all) {
    char path[PATH_MAX];

    ns_cgroups_clear(all);
    for (int i = 0; i < ns_cgroup_hierarchies(all); i++) {
        snprintf(path, sizeof path, "%s/" NS_CGROUP_TOP, all->mounts[i]);
        if (all->mounts[i][0] != '\0')
            rmdir(path);
    }
}

int ns_cgroups_try(const struct ns_cgroups *all) {
    const struct ns_cgroup_limits limits = {64ull << 20, 100, 16};
    struct ns_cgroup cgroup;
    int result;

    if (all->version == 0)
        return ENOENT;
    if (all->version == 1 && (all->mounts[NS_CGROUP_MEMORY][0] == '\0' || all->mounts[NS_CGROUP_CPU][0] == '\0' ||
                              all->mounts[NS_CGROUP_PIDS][0] == '\0'))
        return ENOENT;
    result = ns_cgroup_make(&cgroup, all, "@try/try", &limits) == 0 ? 0 : errno;
    ns_cgroup_remove(&cgroup);
    return result;
}
