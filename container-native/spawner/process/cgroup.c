/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup.h"

#include "cgroup_file.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define BESIDE_PERCENT 25

/* Makes each directory on the way. With version 2, each directory hands the controllers down. */
static int make_path(const struct ns_cgroup *cgroup, int hierarchy) {
    char path[PATH_MAX], control[PATH_MAX + 32];
    size_t base = strlen(cgroup->all->mounts[hierarchy]);

    ns_cgroup_path(path, cgroup, hierarchy, "");
    for (char *slash = path + base; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (strlen(path) > base && mkdir(path, 0755) != 0 && errno != EEXIST)
            return -1;
        if (cgroup->all->version == 2 && !cgroup->all->bare && slash[1] != '\0') {
            snprintf(control, sizeof control, "%s/cgroup.subtree_control", path);
            if (ns_cgroup_write(control, "+memory +cpu +pids") != 0)
                return -1;
        }
        *slash = '/';
    }
    return 0;
}

struct ns_cgroup ns_cgroup_parent(const struct ns_cgroup *cgroup) {
    struct ns_cgroup parent = *cgroup;

    *strrchr(parent.name, '/') = '\0';
    return parent;
}

int ns_cgroup_name(struct ns_cgroup *cgroup, const struct ns_cgroups *all, const char *path) {
    cgroup->all = all;
    if (snprintf(cgroup->name, sizeof cgroup->name, NS_CGROUP_TOP "/%s/%s", all->node, path) < (int)sizeof cgroup->name)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

int ns_cgroup_make_named(const struct ns_cgroup *cgroup, const struct ns_cgroup_limits *limits) {
    for (int i = 0; i < ns_cgroup_hierarchies(cgroup->all); i++) {
        if (cgroup->all->mounts[i][0] != '\0' && make_path(cgroup, i) != 0)
            return -1;
    }
    return ns_cgroup_limit(cgroup, limits);
}

int ns_cgroup_make(struct ns_cgroup *cgroup, const struct ns_cgroups *all, const char *path,
                   const struct ns_cgroup_limits *limits) {
    return ns_cgroup_name(cgroup, all, path) == 0 ? ns_cgroup_make_named(cgroup, limits) : -1;
}

int ns_cgroup_make_beside(struct ns_cgroup *cgroup, const struct ns_cgroups *all, const char *path,
                          const struct ns_cgroup_limits *limits) {
    struct ns_cgroup parent;

    if (ns_cgroup_make(cgroup, all, path, limits) != 0)
        return -1;
    if (all->bare)
        return 0;
    parent = ns_cgroup_parent(cgroup);
    return ns_cgroup_share(&parent, BESIDE_PERCENT);
}

int ns_cgroup_enter(const struct ns_cgroup *cgroup) {
    for (int i = 0; i < ns_cgroup_hierarchies(cgroup->all); i++) {
        if (ns_cgroup_set(cgroup, i, "cgroup.procs", "0") != 0)
            return -1;
    }
    return 0;
}
