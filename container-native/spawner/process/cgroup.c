/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup.h"

#include "ns_hash.h"
#include "ns_log.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mntent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOP "netserv"
#define TOP_OF_ALL "/sys/fs/cgroup"
#define PERIOD 100000ull /* microseconds of a CPU quota's period */
#define BESIDE_PERCENT 25
#define KILL_ROUNDS 500 /* of 10 ms, for leftovers */

enum { MEMORY, CPU, CPUACCT, PIDS };
static const char *const controllers[NS_CGROUP_HIERARCHIES] = {"memory", "cpu", "cpuacct", "pids"};

static int hierarchies(const struct ns_cgroups *all) {
    return all->version == 2 ? 1 : all->version == 1 ? NS_CGROUP_HIERARCHIES : 0;
}

static int write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC), result = -1, saved;

    if (fd < 0)
        return -1;
    if (write(fd, text, strlen(text)) == (ssize_t)strlen(text))
        result = 0;
    saved = errno;
    close(fd);
    errno = saved;
    return result;
}

/* Reads the first bytes of a file as text; "" if it cannot be read. */
static void read_file(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

    text[n < 0 ? 0 : n] = '\0';
    if (fd >= 0)
        close(fd);
}

static void path_of(char path[PATH_MAX], const struct ns_cgroup *cgroup, int hierarchy, const char *file) {
    snprintf(path, PATH_MAX, "%s/%s/%s", cgroup->all->mounts[hierarchy], cgroup->name, file);
}

static bool has_word(const char *list, const char *word) {
    size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length) {
        char before = at == list ? ',' : at[-1], after = at[length];

        if (strchr(", \n", before) != NULL && (after == '\0' || strchr(", \n", after) != NULL))
            return true;
    }
    return false;
}

/* --- where the hierarchies are --- */

static void look_at_mount(struct ns_cgroups *all, const struct mntent *mount) {
    char path[PATH_MAX], has[256];

    if (strlen(mount->mnt_dir) >= sizeof all->mounts[0])
        return;
    if (strcmp(mount->mnt_type, "cgroup2") == 0) {
        snprintf(path, sizeof path, "%s/cgroup.controllers", mount->mnt_dir);
        read_file(path, has, sizeof has);
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

/* --- ends of processes --- */

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

static void clear_node(const struct ns_cgroups *all) {
    char path[PATH_MAX];

    for (int i = 0; i < hierarchies(all); i++) {
        unsigned count = 0;

        if (all->mounts[i][0] == '\0')
            continue;
        snprintf(path, sizeof path, "%s/" TOP "/%s", all->mounts[i], all->node);
        for (int round = 0; round < KILL_ROUNDS && (count = clear(path, 3)) != 0; round++) {
            if (round == 0)
                ns_warn("%s: %u processes of an earlier spawner killed", path, count);
            usleep(10000);
        }
    }
}

/* --- all groups --- */

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

/* --- one group --- */

/* Makes each directory on the way. With version 2, each directory hands the controllers down. */
static int make_path(const struct ns_cgroup *cgroup, int hierarchy) {
    char path[PATH_MAX], control[PATH_MAX + 32];
    size_t base = strlen(cgroup->all->mounts[hierarchy]);

    path_of(path, cgroup, hierarchy, "");
    for (char *slash = path + base; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (strlen(path) > base && mkdir(path, 0755) != 0 && errno != EEXIST)
            return -1;
        if (cgroup->all->version == 2 && !cgroup->all->bare && slash[1] != '\0') {
            snprintf(control, sizeof control, "%s/cgroup.subtree_control", path);
            if (write_file(control, "+memory +cpu +pids") != 0)
                return -1;
        }
        *slash = '/';
    }
    return 0;
}

static int set(const struct ns_cgroup *cgroup, int hierarchy, const char *file, const char *value) {
    char path[PATH_MAX];

    if (cgroup->all->mounts[hierarchy][0] == '\0')
        return 0;
    path_of(path, cgroup, hierarchy, file);
    return write_file(path, value);
}

static int set_number(const struct ns_cgroup *cgroup, int hierarchy, const char *file, uint64_t value) {
    char text[24];

    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return set(cgroup, hierarchy, file, text);
}

int ns_cgroup_set_cpu(const struct ns_cgroup *cgroup, uint64_t percent) {
    char text[48];

    if (cgroup->all->version == 0)
        return 0;
    if (cgroup->all->version == 2) {
        snprintf(text, sizeof text, "%llu %llu", (unsigned long long)(percent * PERIOD / 100), PERIOD);
        return set(cgroup, 0, "cpu.max", text);
    }
    if (set_number(cgroup, CPU, "cpu.cfs_period_us", PERIOD) != 0)
        return -1;
    return set_number(cgroup, CPU, "cpu.cfs_quota_us", percent * PERIOD / 100);
}

static uint64_t within(uint64_t least, uint64_t value, uint64_t most) {
    return value < least ? least : value > most ? most : value;
}

/* The preset is 100 with version 2 and 1024 with version 1. */
int ns_cgroup_share(const struct ns_cgroup *cgroup, uint64_t percent) {
    if (cgroup->all->version == 0)
        return 0;
    if (cgroup->all->version == 2)
        return set_number(cgroup, 0, "cpu.weight", within(1, percent, 10000));
    return set_number(cgroup, CPU, "cpu.shares", within(2, percent * 1024 / 100, 262144));
}

/*
 * Makes room below a limit that is less than the memory in use. `memory.high` makes the kernel reclaim as much as it
 * can, and kills no process. A `memory.max` below the use would call the OOM killer.
 */
static int shrink(const struct ns_cgroup *cgroup, uint64_t bytes) {
    uint64_t left;

    if (ns_cgroup_memory(cgroup) <= bytes)
        return 0;
    if (set_number(cgroup, 0, "memory.high", bytes) != 0)
        return -1;
    left = ns_cgroup_memory(cgroup);
    if (set(cgroup, 0, "memory.high", "max") != 0)
        return -1;
    if (left <= bytes)
        return 0;
    errno = EBUSY;
    return -1;
}

/* Limits memory. Forbids swap, a way round the limit; its file is missing where swap is not accounted. */
static int limit_memory_v2(const struct ns_cgroup *cgroup, uint64_t bytes) {
    if (shrink(cgroup, bytes) != 0 || set_number(cgroup, 0, "memory.max", bytes) != 0)
        return -1;
    set(cgroup, 0, "memory.swap.max", "0");
    return 0;
}

/*
 * Limits memory without swap, and memory with swap. The limit with swap may never be less than the limit without it.
 * So it is written twice: first for limits that grow, last for limits that shrink.
 */
static int limit_memory_v1(const struct ns_cgroup *cgroup, uint64_t bytes) {
    set_number(cgroup, MEMORY, "memory.memsw.limit_in_bytes", bytes);
    if (set_number(cgroup, MEMORY, "memory.limit_in_bytes", bytes) != 0)
        return -1;
    set_number(cgroup, MEMORY, "memory.memsw.limit_in_bytes", bytes);
    return 0;
}

int ns_cgroup_limit(const struct ns_cgroup *cgroup, const struct ns_cgroup_limits *limits) {
    bool v2 = cgroup->all->version == 2;

    if (cgroup->all->version == 0 || cgroup->all->bare)
        return 0;
    if (limits->memory != 0 &&
        (v2 ? limit_memory_v2(cgroup, limits->memory) : limit_memory_v1(cgroup, limits->memory)) != 0)
        return -1;
    if (limits->pids != 0 && set_number(cgroup, v2 ? 0 : PIDS, "pids.max", limits->pids) != 0)
        return -1;
    return limits->cpu == 0 ? 0 : ns_cgroup_set_cpu(cgroup, limits->cpu);
}

struct ns_cgroup ns_cgroup_parent(const struct ns_cgroup *cgroup) {
    struct ns_cgroup parent = *cgroup;

    *strrchr(parent.name, '/') = '\0';
    return parent;
}

int ns_cgroup_name(struct ns_cgroup *cgroup, const struct ns_cgroups *all, const char *path) {
    cgroup->all = all;
    if (snprintf(cgroup->name, sizeof cgroup->name, TOP "/%s/%s", all->node, path) < (int)sizeof cgroup->name)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

int ns_cgroup_make_named(const struct ns_cgroup *cgroup, const struct ns_cgroup_limits *limits) {
    for (int i = 0; i < hierarchies(cgroup->all); i++) {
        if (cgroup->all->mounts[i][0] != '\0' && make_path(cgroup, i) != 0)
            return -1;
    }
    return ns_cgroup_limit(cgroup, limits);
}

int ns_cgroup_make(struct ns_cgroup *cgroup, const struct ns_cgroups *all, const char *path,
                   const struct ns_cgroup_limits *limits) {
    return ns_cgroup_name(cgroup, all, path) == 0 ? ns_cgroup_make_named(cgroup, limits) : -1;
}

/*
 * Claims the share of all processors for the node, beside the machine's other processes. The preset is the share of a
 * single process.
 */
static void claim_share(const struct ns_cgroups *all) {
    const struct ns_cgroup top = {all, TOP};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    for (int i = 0; i < hierarchies(all); i++) {
        if (all->mounts[i][0] != '\0' && make_path(&top, i) != 0)
            return;
    }
    if (cores < 1 || ns_cgroup_share(&top, 100 * (uint64_t)cores) != 0)
        ns_warn("the node's share of the processors is that of one process");
}

void ns_cgroups_open(struct ns_cgroups *all, const char *root) {
    char text[64];

    memset(all, 0, sizeof *all);
    snprintf(all->node, sizeof all->node, "%016" PRIx64, ns_hash_text(NS_HASH_FIRST, root));
    find_mounts(all);
    if (all->version == 0) {
        mount_again();
        find_mounts(all);
    }
    clear_node(all);
    claim_share(all);
    ns_cgroups_describe(all, text);
    ns_info("cgroups: %s", text);
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

void ns_cgroups_open_bare(struct ns_cgroups *bare, const struct ns_cgroups *all) {
    *bare = *all;
    if (all->version == 2)
        return;
    memset(bare->mounts, 0, sizeof bare->mounts);
    bare->bare = true;
    bare->version = find_unified(bare->mounts[0]) || mount_unified(bare->mounts[0]) ? 2 : 0;
    clear_node(bare);
}

/* Clears the node's groups. The directory of all nodes stays while another node is in it. */
void ns_cgroups_close(struct ns_cgroups *all) {
    char path[PATH_MAX];

    clear_node(all);
    for (int i = 0; i < hierarchies(all); i++) {
        snprintf(path, sizeof path, "%s/" TOP, all->mounts[i]);
        if (all->mounts[i][0] != '\0')
            rmdir(path);
    }
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
    for (int i = 0; i < hierarchies(cgroup->all); i++) {
        if (set(cgroup, i, "cgroup.procs", "0") != 0)
            return -1;
    }
    return 0;
}

unsigned ns_cgroup_kill(const struct ns_cgroup *cgroup) {
    char path[PATH_MAX];

    for (int i = 0; i < hierarchies(cgroup->all); i++) {
        if (cgroup->all->mounts[i][0] == '\0')
            continue;
        path_of(path, cgroup, i, "");
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

    for (int i = 0; i < hierarchies(cgroup->all); i++) {
        char *slash;

        if (cgroup->all->mounts[i][0] == '\0')
            continue;
        path_of(path, cgroup, i, "");
        slash = strrchr(path, '/'); /* the trailing one */
        *slash = '\0';
        if (rmdir(path) != 0 && errno != ENOENT)
            ns_warn("%s: %s", path, strerror(errno));
        slash = strrchr(path, '/');
        *slash = '\0';
        rmdir(path);
    }
}

int ns_cgroups_try(const struct ns_cgroups *all) {
    const struct ns_cgroup_limits limits = {64ull << 20, 100, 16};
    struct ns_cgroup cgroup;
    int result;

    if (all->version == 0)
        return ENOENT;
    if (all->version == 1 &&
        (all->mounts[MEMORY][0] == '\0' || all->mounts[CPU][0] == '\0' || all->mounts[PIDS][0] == '\0'))
        return ENOENT;
    result = ns_cgroup_make(&cgroup, all, "@try/try", &limits) == 0 ? 0 : errno;
    ns_cgroup_remove(&cgroup);
    return result;
}

static uint64_t get(const struct ns_cgroup *cgroup, int hierarchy, const char *file, const char *key) {
    char path[PATH_MAX], text[1024];
    const char *at = text;

    if (cgroup->all->version == 0 || cgroup->all->mounts[hierarchy][0] == '\0')
        return 0;
    path_of(path, cgroup, hierarchy, file);
    read_file(path, text, sizeof text);
    if (key != NULL) {
        at = strstr(text, key);
        if (at == NULL)
            return 0;
        at += strlen(key);
    }
    return strtoull(at, NULL, 10);
}

uint64_t ns_cgroup_memory(const struct ns_cgroup *cgroup) {
    bool v2 = cgroup->all->version == 2;

    return get(cgroup, v2 ? 0 : MEMORY, v2 ? "memory.current" : "memory.usage_in_bytes", NULL);
}

uint64_t ns_cgroup_cpu(const struct ns_cgroup *cgroup) {
    if (cgroup->all->version == 2)
        return get(cgroup, 0, "cpu.stat", "usage_usec ");
    return get(cgroup, CPUACCT, "cpuacct.usage", NULL) / 1000;
}

uint64_t ns_cgroup_oom(const struct ns_cgroup *cgroup) {
    if (cgroup->all->version == 2)
        return get(cgroup, 0, "memory.events", "oom_kill ");
    return get(cgroup, MEMORY, "memory.oom_control", "oom_kill ");
}

uint64_t ns_cgroup_over_cpu(const struct ns_cgroup *cgroup) {
    return get(cgroup, cgroup->all->version == 2 ? 0 : CPU, "cpu.stat", "nr_throttled ");
}

uint64_t ns_cgroup_over_memory(const struct ns_cgroup *cgroup) {
    if (cgroup->all->version == 2)
        return get(cgroup, 0, "memory.events", "max ");
    return get(cgroup, MEMORY, "memory.failcnt", NULL);
}

uint64_t ns_cgroup_over_pids(const struct ns_cgroup *cgroup) {
    return get(cgroup, cgroup->all->version == 2 ? 0 : PIDS, "pids.events", "max ");
}
