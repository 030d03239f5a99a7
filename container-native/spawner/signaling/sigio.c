/* SPDX-License-Identifier: Apache-2.0 */
#include "sigio.h"

#include "firewall.h"
#include "layers.h"
#include "listen.h"
#include "ns_caps.h"
#include "ns_log.h"
#include "ns_memfd.h"
#include "spawner.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOP_MS 2000
#define CGROUP "@sigio/sigio" /* no name of a container has an @ */

static void socket_path(const struct ns_spawner *spawner, char path[PATH_MAX + 16]) {
    snprintf(path, PATH_MAX + 16, "%s/sigio.sock", spawner->paths.run);
}

/*
 * Makes the socket. The owner is that of the directory, the group that of nsis-gist. sigio itself checks its clients.
 */
static int make_socket(struct ns_spawner *spawner) {
    char path[PATH_MAX + 16];

    socket_path(spawner, path);
    spawner->sigio.listener = ns_listen(path, NS_ID_CONTROLLER(spawner->ids), NS_ID_SIGNALING(spawner->ids), 0660);
    return spawner->sigio.listener < 0 ? -1 : 0;
}

static int make_counters(struct ns_sigio_child *child) {
    void *at;

    if (ns_memfd_create("netserv-sigio", sizeof *child->counters, &child->counters_fd, NULL) != 0)
        return -1;
    at = mmap(NULL, sizeof *child->counters, PROT_READ, MAP_SHARED, child->counters_fd, 0);
    child->counters = at == MAP_FAILED ? NULL : at;
    return child->counters == NULL ? -1 : 0;
}

/*
 * Makes a cgroup for sigio, like that of pktio. A spawner finds the sigio of a killed predecessor by its cgroup,
 * because a hung sigio reacts to no signal but KILL.
 */
static int make_cgroup(struct ns_spawner *spawner) {
    const struct ns_cgroup_limits limits = {64ull << 20, 0, 8};

    return ns_cgroup_make(&spawner->sigio.cgroup, &spawner->cgroups, CGROUP, &limits);
}

/*
 * Starts sigio, in a task. CAP_NET_RAW and CAP_NET_BIND_SERVICE are for its sockets, and sigio gives them up before
 * it reads a packet.
 */
static pid_t run(struct ns_spawner *spawner, void *context, const struct ns_sibling *sibling, char why[160]) {
    static char program[PATH_MAX + 16], text[5][16];
    static const char *const environment[] = {"LC_ALL=C", "PATH=/nonexistent", NULL};
    static const struct ns_limit limits[] = {{RLIMIT_NOFILE, 64}, {RLIMIT_CORE, 0}, {RLIMIT_FSIZE, RLIM_INFINITY}};
    const struct ns_sigio_child *child = context;
    const struct ns_root_entry mounts[] = {{spawner->paths.dist, NS_ROOT_EXECUTE}};
    const int keep[] = {child->listener, child->counters_fd, child->reader.queues.packets_fd};
    const char *const argv[] = {program, "--listen-fd",  text[0], "--stats-fd", text[1], "--queue-fd",
                                text[2], "--client-uid", text[3], "--seccomp",  text[4], NULL};
    uint64_t caps = NS_CAP(CAP_NET_ADMIN) | NS_CAP(CAP_NET_RAW) | NS_CAP(CAP_NET_BIND_SERVICE);
    uid_t id = NS_ID_SIGIO(spawner->ids);
    struct ns_layers layers = {
        .sibling = sibling,
        .without = spawner->lacking & NS_LAYER_NAMESPACES,
        .cgroup = &child->cgroup,
        .mounts = mounts,
        .mount_count = 1,
        .limits = limits,
        .limit_count = sizeof limits / sizeof limits[0],
        .identity = {id, id, {0}, 0, caps, SIGTERM}, /* after our end, sigio lets its held packets go */
        .keep = keep,
        .keep_count = sizeof keep / sizeof keep[0],
        .argv = argv,
        .environment = environment,
    };

    snprintf(program, sizeof program, "%s/bin/sigio", spawner->paths.dist);
    for (int i = 0; i < 3; i++)
        snprintf(text[i], sizeof text[i], "%d", keep[i]);
    snprintf(text[3], sizeof text[3], "%u", NS_ID_SIGNALING(spawner->ids));
    snprintf(text[4], sizeof text[4], "%d", !ns_layer_has(spawner->lacking, NS_LAYER_SECCOMP));
    return ns_layers_start(&layers, NULL, NULL, why);
}

static void failed(struct ns_sigio_child *child, const char *why) {
    ns_error("sigio: %s", why);
    ns_queues_release(&child->reader.queues);
    child->reader.at = ns_now() + NS_READER_WAIT_MOST_MS;
}

static void started(struct ns_spawner *spawner, void *context, pid_t pid, const char *why) {
    struct ns_sigio_child *child = context;

    child->starting = false;
    if (pid < 0) {
        failed(child, why);
        if (spawner->stopping)
            child->reader.at = 0;
        return;
    }
    ns_reader_started(&child->reader, pid, ns_now());
    ns_info("sigio: started, pid %d", (int)pid);
    if (spawner->stopping)
        ns_sigio_child_stop(spawner);
}

static void start(struct ns_spawner *spawner) {
    struct ns_sigio_child *child = &spawner->sigio;
    char why[160];

    child->reader.at = 0;
    if (ns_queues_open(&child->reader.queues, NS_SIGIO_QUEUE, false) != 0) {
        snprintf(why, sizeof why, "netlink socket: %s", strerror(errno));
        return failed(child, why);
    }
    const int keep[] = {child->listener, child->counters_fd, child->reader.queues.packets_fd};
    const struct ns_launch launch = {
        .name = "sigio", .start = run, .done = started, .context = child, .keep = keep, .keep_count = 3};

    child->starting = ns_launch(spawner, &launch, why) == 0;
    if (!child->starting)
        failed(child, why);
}

void ns_sigio_child_open(struct ns_spawner *spawner) {
    struct ns_sigio_child *child = &spawner->sigio;
    char program[PATH_MAX + 16];

    *child = (struct ns_sigio_child){.reader = NS_READER_NONE, .listener = -1, .counters_fd = -1};
    snprintf(program, sizeof program, "%s/bin/sigio", spawner->paths.dist);
    if (access(program, X_OK) != 0) {
        ns_info("sigio: not in this dist");
        return;
    }
    if (make_cgroup(spawner) != 0 || make_counters(child) != 0 || make_socket(spawner) != 0) {
        ns_error("sigio: %s", strerror(errno));
        return;
    }
    child->wanted = true;
    start(spawner);
    ns_firewall_want(spawner, NULL, 0);
}

void ns_sigio_child_stop(struct ns_spawner *spawner) {
    struct ns_sigio_child *child = &spawner->sigio;

    child->reader.at = 0;
    if (child->reader.pid == 0)
        return;
    kill(child->reader.pid, SIGTERM);
    child->kill_at = ns_now() + STOP_MS;
}

void ns_sigio_child_close(struct ns_spawner *spawner) {
    struct ns_sigio_child *child = &spawner->sigio;
    char path[PATH_MAX + 16];

    if (!child->wanted)
        return;
    socket_path(spawner, path);
    unlink(path);
    close(child->listener);
    close(child->counters_fd);
    munmap(child->counters, sizeof *child->counters);
    ns_cgroup_remove(&child->cgroup);
    child->wanted = false;
}

bool ns_sigio_child_ended(struct ns_spawner *spawner, pid_t pid, int status) {
    struct ns_sigio_child *child = &spawner->sigio;
    uint64_t released;

    if (!child->wanted || pid != child->reader.pid)
        return false;
    released = ns_reader_ended(&child->reader, ns_now());
    if (spawner->stopping)
        child->reader.at = 0;
    child->kill_at = 0;
    ns_info("sigio: ended, %s %d, let go %llu packets that waited", WIFEXITED(status) ? "exit" : "signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), (unsigned long long)released);
    return true;
}

uint64_t ns_sigio_child_tick(struct ns_spawner *spawner, uint64_t now) {
    struct ns_sigio_child *child = &spawner->sigio;
    uint64_t next = UINT64_MAX, waiting;

    if (!child->wanted)
        return next;
    if (child->kill_at != 0 && now >= child->kill_at) {
        ns_warn("sigio: did not end in %d ms: killed", STOP_MS);
        child->kill_at = now + STOP_MS;
        kill(child->reader.pid, SIGKILL);
    }
    if (child->reader.at != 0 && now >= child->reader.at)
        start(spawner);
    if (child->reader.pid != 0 && child->kill_at == 0) {
        uint64_t heartbeat = __atomic_load_n(&child->counters->heartbeat, __ATOMIC_RELAXED);

        if (ns_reader_watch(&child->reader, heartbeat, 0, now, &waiting))
            ns_warn("sigio: hung, %llu packets wait: killed", (unsigned long long)waiting);
        next = now + NS_READER_WATCH_MS;
    }
    return ns_sooner(ns_sooner(next, child->kill_at), child->reader.at);
}
