/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup_end.h"

#include "cgroup_file.h"
#include "ns_log.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KILL_ROUNDS 500 /* of 10 ms, for leftovers */

static unsigned kill_listed(const char *directory) {
    char path[PATH_MAX];
    unsigned count = 0;
    FILE *procs;
    int pid;

    snprintf(path, sizeof path, "%s/cgroup.procs", directory);
    procs = fopen(path, "re");
    while (procs != NULL && fscanf(procs, "%d", &pid) == 1) {
        count++;
        if (pid > 0)
            kill(pid, SIGKILL);
    }
    if (procs != NULL)
        fclose(procs);
    return count;
}

/* Kills the processes in a directory and below, and returns their number. Removes each directory without any. */
static unsigned clear(const char *directory, int depth) {
    char path[PATH_MAX];
    unsigned count = kill_listed(directory);
    DIR *open_directory = depth > 0 ? opendir(directory) : NULL;
    struct dirent *entry;

    while (open_directory != NULL && (entry = readdir(open_directory)) != NULL) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
            continue;
        if (snprintf(path, sizeof path, "%s/%s", directory, entry->d_name) < (int)sizeof path)
            count += clear(path, depth - 1);
    }
    if (open_directory != NULL)
        closedir(open_directory);
    if (count == 0)
        rmdir(directory);
    return count;
}

void ns_cgroups_clear(const struct ns_cgroups *all) {
    char path[PATH_MAX];

    for (int i = 0; i < ns_cgroup_hierarchies(all); i++) {
        unsigned count = 0;

        if (all->mounts[i][0] == '\0')
            continue;
        snprintf(path, sizeof path, "%s/" NS_CGROUP_TOP "/%s", all->mounts[i], all->node);
        for (int round = 0; round < KILL_ROUNDS && (count = clear(path, 3)) != 0; round++) {
            if (round == 0)
                ns_warn("%s: %u processes of an earlier spawner killed", path, count);
            usleep(10000);
        }
    }
}

unsigned ns_cgroup_kill(const struct ns_cgroup *cgroup) {
    char path[PATH_MAX];

    for (int i = 0; i < ns_cgroup_hierarchies(cgroup->all); i++) {
        if (cgroup->all->mounts[i][0] == '\0')
            continue;
        ns_cgroup_path(path, cgroup, i, "");
        return kill_listed(path);
    }
    return 0;
}

/*
 * Removes a group and, if possible, its parent. The parent is the container's directory. It stays while the
 * container's other group, of host or pktio, still has processes.
 */
void ns_cgroup_remove(const struct ns_cgroup *cgroup) {
    char path[PATH_MAX];

    for (int i = 0; i < ns_cgroup_hierarchies(cgroup->all); i++) {
        char *slash;

        if (cgroup->all->mounts[i][0] == '\0')
            continue;
        ns_cgroup_path(path, cgroup, i, "");
        slash = strrchr(path, '/'); /* the trailing one */
        *slash = '\0';
        if (rmdir(path) != 0 && errno != ENOENT)
            ns_warn("%s: %s", path, strerror(errno));
        slash = strrchr(path, '/');
        *slash = '\0';
        rmdir(path);
    }
}
