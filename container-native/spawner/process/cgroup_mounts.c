/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup_mounts.h"

#include "cgroup_file.h"
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOP_OF_ALL "/sys/fs/cgroup"

static const char *const controllers[NS_CGROUP_HIERARCHIES] = {"memory", "cpu", "cpuacct", "pids"};

static bool has_word(const char *list, const char *word) {
    size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length) {
        char before = at == list ? ',' : at[-1], after = at[length];

        if (strchr(", \n", before) != NULL && (after == '\0' || strchr(", \n", after) != NULL))
            return true;
    }
    return false;
}

static void look_at_mount(struct ns_cgroups *all, const struct mntent *mount) {
    char path[PATH_MAX], has[256];

    if (strlen(mount->mnt_dir) >= sizeof all->mounts[0])
        return;
    if (strcmp(mount->mnt_type, "cgroup2") == 0) {
        snprintf(path, sizeof path, "%s/cgroup.controllers", mount->mnt_dir);
        ns_cgroup_read(path, has, sizeof has);
        if (has_word(has, "memory") && has_word(has, "cpu") && has_word(has, "pids")) {
            all->version = 2;
            strcpy(all->mounts[0], mount->mnt_dir);
        }
    } else if (strcmp(mount->mnt_type, "cgroup") == 0 && all->version != 2) {
        for (int i = 0; i < NS_CGROUP_HIERARCHIES; i++) {
            if (has_word(mount->mnt_opts, controllers[i])) {
                all->version = 1;
                strcpy(all->mounts[i], mount->mnt_dir);
            }
        }
    }
}

static void find_mounts(struct ns_cgroups *all) {
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    struct mntent *mount;

    while (mounts != NULL && (mount = getmntent(mounts)) != NULL) {
        if (access(mount->mnt_dir, X_OK) == 0)
            look_at_mount(all, mount);
    }
    if (mounts != NULL)
        endmntent(mounts);
}

/* Mounts version 2 where a JVM looks for it. False: that failed, or a needed controller is missing. */
static bool mount_version_2(void) {
    struct ns_cgroups found = {.version = 0};

    if (mount("cgroup2", TOP_OF_ALL, "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        return false;
    find_mounts(&found);
    if (found.version == 2)
        return true;
    umount2(TOP_OF_ALL, MNT_DETACH);
    return false;
}

static void mount_version_1(void) {
    char path[64];

    if (mount("cgroups", TOP_OF_ALL, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755,size=1m") != 0)
        return;
    for (int i = 0; i < NS_CGROUP_HIERARCHIES; i++) {
        snprintf(path, sizeof path, TOP_OF_ALL "/%s", controllers[i]);
        if (mkdir(path, 0755) == 0 && mount("cgroup", path, "cgroup", MS_NOSUID | MS_NODEV, controllers[i]) != 0)
            rmdir(path);
    }
    if (mkdir(TOP_OF_ALL "/unified", 0755) == 0)
        mount("cgroup2", TOP_OF_ALL "/unified", "cgroup2", MS_NOSUID | MS_NODEV, NULL);
}

/*
 * Mounts the hierarchies again in our private mount namespace, if the kernel has them: `ip netns exec` mounts a /sys
 * of its own, without cgroups. Version 2 goes first, because version 1 would take unused controllers away from it.
 */
static void mount_again(void) {
    if (!mount_version_2())
        mount_version_1();
}

void ns_cgroup_mounts_find(struct ns_cgroups *all) {
    find_mounts(all);
    if (all->version == 0) {
        mount_again();
        find_mounts(all);
    }
}

void ns_cgroups_describe(const struct ns_cgroups *all, char text[64]) {
    size_t used;

    if (all->version != 1) {
        strcpy(text, all->version == 2 ? "v2" : "none");
        return;
    }
    used = (size_t)sprintf(text, "v1");
    for (int i = 0; i < NS_CGROUP_HIERARCHIES; i++) {
        if (all->mounts[i][0] != '\0')
            used += (size_t)sprintf(text + used, "%c%s", used == 2 ? ':' : '+', controllers[i]);
    }
}

/* --- beside version 1 --- */

static bool find_unified(char path[128]) {
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    const struct mntent *mount;
    bool found = false;

    while (mounts != NULL && !found && (mount = getmntent(mounts)) != NULL) {
        found = strcmp(mount->mnt_type, "cgroup2") == 0 && strlen(mount->mnt_dir) < 128 &&
                access(mount->mnt_dir, W_OK) == 0;
        if (found)
            strcpy(path, mount->mnt_dir);
    }
    if (mounts != NULL)
        endmntent(mounts);
    return found;
}

/*
 * Mounts version 2 in the spawner's own mount namespace, over /sys/fs/bpf. A kernel with programs has this directory,
 * and no process of ours looks at it.
 */
static bool mount_unified(char path[128]) {
    static const char place[] = "/sys/fs/bpf";

    if (mount("cgroup2", place, "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        return false;
    strcpy(path, place);
    return true;
}

void ns_cgroup_mounts_find_bare(struct ns_cgroups *bare) {
    memset(bare->mounts, 0, sizeof bare->mounts);
    bare->version = find_unified(bare->mounts[0]) || mount_unified(bare->mounts[0]) ? 2 : 0;
}
