/* SPDX-License-Identifier: Apache-2.0 */
#include "archive.h"

#include "layers.h"
#include "network.h"
#include "ns_log.h"
#include "ns_memfd.h"
#include "spawner.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAKE_MS 120000 /* it has the lowest priority, and waits for whatever else starts */
#define KILL_MS 5000
#define CGROUP "@archive/host" /* no container's name has an @ */
#define MEMORY_MIB 384
#define CPU_PERCENT 50 /* of a core: its niceness counts within its own cgroup only */

static void making(const struct ns_archive *archive, const char *rest, char path[PATH_MAX + 32]) {
    snprintf(path, PATH_MAX + 32, "%s/making%s", archive->directory, rest);
}

/* What a host wants of its pktio: a ring on which nothing comes. The last is where it reports to. */
enum { DESCRIPTORS, SLOTS, RECEIVE, SEND, REPORT, FDS };

static int open_fds(int fds[FDS]) {
    struct ns_ring_fds ring = {-1, -1, -1};

    if (ns_ring_create(NS_RING_SLOTS_DEFAULT, &ring) != 0)
        return -1;
    close(ring.desc_rw);
    fds[DESCRIPTORS] = ring.desc_ro;
    fds[SLOTS] = ring.slots;
    fds[RECEIVE] = eventfd(0, EFD_CLOEXEC);
    fds[SEND] = eventfd(0, EFD_CLOEXEC);
    fds[REPORT] = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return 0;
}

static void close_fds(const int fds[FDS]) {
    for (int i = 0; i < FDS; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
}

/* It makes the directories of its own as itself, and whatever starts beside it goes first. */
static int make_directories(const void *data) {
    char path[PATH_MAX + 64];

    if (snprintf(path, sizeof path, "%s/data", (const char *)data) > 0 && mkdir(path, 0700) != 0)
        return -1;
    return setpriority(PRIO_PROCESS, 0, 19);
}

static int outside(void *context, pid_t pid) {
    (void)context;
    return ns_network_loopback(pid);
}

static pid_t start(struct ns_spawner *spawner, const char *data, const int fds[FDS], char why[160]) {
    static char program[PATH_MAX + 16], classes[2 * PATH_MAX + 64], blocks[PATH_MAX + 16], control[PATH_MAX + 64],
        made[PATH_MAX + 64], storage[PATH_MAX + 64], output[PATH_MAX + 64], without[NS_LAYER_TEXT], text[FDS][16];
    static const char *const environment[] = {"MALLOC_ARENA_MAX=2", "LC_ALL=C.UTF-8", "PATH=/nonexistent", NULL};
    static const struct ns_limit limits[] = {
        {RLIMIT_NOFILE, 256}, {RLIMIT_CORE, 0}, {RLIMIT_MEMLOCK, 65536}, {RLIMIT_FSIZE, 256u << 20}};
    /* clang-format off */
    const char *const argv[] = {
        program, "--make-archive", made, "--java-home", spawner->paths.java, "--class-path", classes, "--blocks", blocks,
        "--data", data, "--storage", storage, "--control", control, "--heap", "64", "--direct", "16",
        "--metaspace", "64", "--processors", "1", "--desc-fd", text[DESCRIPTORS], "--slots-fd", text[SLOTS],
        "--rx-efd", text[RECEIVE], "--tx-efd", text[SEND], "--report-fd", text[REPORT],
        "--without", without, "--bind", "", "--connect", "", NULL};
    /* clang-format on */
    const struct ns_root_entry mounts[] = {
        {spawner->paths.java, NS_ROOT_EXECUTE}, {spawner->paths.dist, NS_ROOT_EXECUTE}, {data, NS_ROOT_WRITE}};
    uid_t id = NS_ID_ARCHIVE(spawner->ids);
    /* Landlock would not let it make its socket */
    const ns_layer_set missing = spawner->lacking | NS_LAYER_BIT(NS_LAYER_LANDLOCK);
    const struct ns_layers layers = {
        .without = missing,
        .namespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS,
        .cgroup = &spawner->archive.cgroup,
        .mounts = mounts,
        .mount_count = sizeof mounts / sizeof mounts[0],
        .limits = limits,
        .limit_count = sizeof limits / sizeof limits[0],
        .identity = {id, id, {0}, 0, 0, SIGKILL},
        .output = output,
        .as_itself = make_directories,
        .context = data,
        .keep = fds,
        .keep_count = FDS,
        .argv = argv,
        .environment = environment,
    };

    ns_layer_print(missing, without);
    snprintf(program, sizeof program, "%s/bin/host", spawner->paths.dist);
    snprintf(classes, sizeof classes, "%s/host/equinox.jar:%s/host/host.jar", spawner->paths.dist, spawner->paths.dist);
    snprintf(blocks, sizeof blocks, "%s/blocks", spawner->paths.dist);
    snprintf(storage, sizeof storage, "%s/framework", data);
    snprintf(control, sizeof control, "%s/control.sock", data);
    snprintf(made, sizeof made, "%s/made.jsa", data);
    snprintf(output, sizeof output, "%s/host.log", data);
    for (int i = 0; i < FDS; i++)
        snprintf(text[i], sizeof text[i], "%d", fds[i]);
    return ns_layers_start(&layers, outside, NULL, why);
}

static pid_t make(struct ns_spawner *spawner, char why[160]) {
    const struct ns_cgroup_limits limits = {(uint64_t)MEMORY_MIB << 20, CPU_PERCENT, 64};
    struct ns_archive *archive = &spawner->archive;
    int fds[FDS] = {-1, -1, -1, -1, -1};
    uid_t id = NS_ID_ARCHIVE(spawner->ids);
    char data[PATH_MAX + 32];
    pid_t pid = -1;

    making(archive, "", data);
    ns_archive_clear(data);
    if (mkdir(data, 0700) != 0 || chown(data, id, id) != 0 || open_fds(fds) != 0 ||
        ns_cgroup_make(&archive->cgroup, &spawner->cgroups, CGROUP, &limits) != 0)
        snprintf(why, 160, "%s", strerror(errno));
    else
        pid = start(spawner, data, fds, why);
    close_fds(fds);
    return pid;
}

void ns_archive_open(struct ns_spawner *spawner) {
    struct ns_archive *archive = &spawner->archive;
    char why[160] = "";
    pid_t pid;

    if (snprintf(archive->directory, sizeof archive->directory, "%s" NS_ARCHIVE_DIRECTORY, spawner->paths.root) >=
            (int)sizeof archive->directory - 96 ||
        access(archive->directory, F_OK) != 0)
        return;
    archive->key = ns_archive_key(&spawner->paths);
    if (ns_archive_find(archive))
        return;
    pid = make(spawner, why);
    if (pid < 0) {
        ns_warn("class data: containers start without: %s", why);
        return;
    }
    ns_info("class data: made anew, pid %d; containers start without meanwhile", (int)pid);
    archive->maker = pid;
    archive->kill_at = ns_now() + MAKE_MS;
}

void ns_archive_stop(struct ns_spawner *spawner) {
    if (spawner->archive.maker != 0)
        spawner->archive.kill_at = ns_now();
}

bool ns_archive_child(struct ns_spawner *spawner, pid_t pid, int status) {
    struct ns_archive *archive = &spawner->archive;
    char data[PATH_MAX + 32], made[PATH_MAX + 32];

    if (archive->maker != pid)
        return false;
    archive->maker = 0;
    ns_cgroup_kill(&archive->cgroup);
    ns_cgroup_remove(&archive->cgroup);
    making(archive, "", data);
    making(archive, "/made.jsa", made);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        ns_warn("class data: its maker ended with %s %d: see %s/host.log; containers start without",
                WIFEXITED(status) ? "exit" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
                data);
        return true;
    }
    if (ns_archive_take(archive, made) != 0)
        ns_warn("class data: %s: %s; containers start without", made, strerror(errno));
    else
        ns_info("class data: %s", archive->path);
    ns_archive_clear(data);
    return true;
}

uint64_t ns_archive_tick(struct ns_spawner *spawner, uint64_t now) {
    struct ns_archive *archive = &spawner->archive;

    if (archive->maker == 0)
        return UINT64_MAX;
    if (now >= archive->kill_at) {
        kill(archive->maker, SIGKILL); /* the first process of its namespace: the kernel kills all others */
        archive->kill_at = now + KILL_MS;
    }
    return archive->kill_at;
}
