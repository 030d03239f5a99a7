/* SPDX-License-Identifier: Apache-2.0 */
/* archive_host.c - rehearses a host, without a publisher and without packets, in the layers of a container. */
#include "archive.h"

#include "layers.h"
#include "network.h"
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
#include <unistd.h>

/* The descriptors of the host: a ring and eventfds on which no packet arrives, and a sink for its reports. */
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

/* Makes the host's directory under the host's own id, and takes the lowest priority: all other processes go first. */
static int make_directories(const void *data) {
    char path[PATH_MAX + 64];

    if (snprintf(path, sizeof path, "%s/data", (const char *)data) > 0 && mkdir(path, 0700) != 0)
        return -1;
    return setpriority(PRIO_PROCESS, 0, 19);
}

static pid_t start(struct ns_spawner *spawner, const struct ns_archive *archive, const char *data, const int fds[FDS],
                   const struct ns_sibling *sibling, char why[160]) {
    static char program[PATH_MAX + 16], classes[2 * PATH_MAX + 64], blocks[PATH_MAX + 16], control[PATH_MAX + 64],
        made[PATH_MAX + 64], storage[PATH_MAX + 64], output[PATH_MAX + 64], without[NS_LAYER_TEXT], text[FDS][16];
    static const char *const environment[] = {"MALLOC_ARENA_MAX=2", "LC_ALL=C.UTF-8", "PATH=/nonexistent", NULL};
    static const struct ns_limit limits[] = {
        {RLIMIT_NOFILE, 256}, {RLIMIT_CORE, 0}, {RLIMIT_MEMLOCK, 65536}, {RLIMIT_FSIZE, 256u << 20}};
    /* clang-format off */
    const char *const argv[] = {
        program, "--make-archive", made, "--java-home", spawner->paths.java, "--class-path", classes,
        "--blocks", blocks, "--data", data, "--storage", storage, "--control", control,
        "--heap", "64", "--direct", "16", "--metaspace", "64", "--processors", "1",
        "--desc-fd", text[DESCRIPTORS], "--slots-fd", text[SLOTS],
        "--rx-efd", text[RECEIVE], "--tx-efd", text[SEND], "--report-fd", text[REPORT],
        "--without", without, "--bind", "", "--connect", "", NULL};
    /* clang-format on */
    const struct ns_root_entry mounts[] = {
        {spawner->paths.java, NS_ROOT_EXECUTE}, {spawner->paths.dist, NS_ROOT_EXECUTE}, {data, NS_ROOT_WRITE}};
    uid_t id = NS_ID_ARCHIVE(spawner->ids);
    /* without Landlock, which would not let the host make its control socket */
    const ns_layer_set missing = spawner->lacking | NS_LAYER_BIT(NS_LAYER_LANDLOCK);
    const struct ns_layers layers = {
        .sibling = sibling,
        .without = missing,
        .namespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS,
        .cgroup = &archive->cgroup,
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
    snprintf(made, sizeof made, "%s/" NS_ARCHIVE_MADE, data);
    snprintf(output, sizeof output, "%s/host.log", data);
    for (int i = 0; i < FDS; i++)
        snprintf(text[i], sizeof text[i], "%d", fds[i]);
    return ns_layers_start(&layers, ns_network_alone, NULL, why);
}

pid_t ns_archive_rehearse_host(struct ns_spawner *spawner, struct ns_archive *archive, const char *directory,
                               const struct ns_sibling *sibling, char why[160]) {
    int fds[FDS] = {-1, -1, -1, -1, -1};
    pid_t pid = -1;

    if (open_fds(fds) != 0)
        snprintf(why, 160, "%s", strerror(errno));
    else
        pid = start(spawner, archive, directory, fds, sibling, why);
    close_fds(fds);
    return pid;
}
