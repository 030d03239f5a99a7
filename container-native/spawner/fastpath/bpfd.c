/* SPDX-License-Identifier: Apache-2.0 */
#include "bpfd_wire.h"

#include "container.h"
#include "layers.h"
#include "ns_caps.h"
#include "ns_fd.h"
#include "ns_log.h"
#include "operator.h"
#include "reply.h"
#include "spawner.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define GREET_MS                                                                                                       \
    29000 /* more than other orders have: the kernel first verifies all programs, slow work on a busy machine */
#define KNOWN_MS 8000 /* then `prepare` is answered without bpfd: its client waits no longer than 20 s */
#define STOP_MS 1000
#define WAIT_FIRST_MS 100u
#define WAIT_MOST_MS 5000u
#define WAIT_UNGREETED_MS 60000u /* of a bpfd that ended before its hello: this kernel may take no programs at all */
#define SETTLED_MS 30000u
#define CGROUP "@bpfd/bpfd"
#define MEMORY (512ull << 20) /* the kernel charges maps to the process that makes them */

/* --- life of bpfd --- */

static struct ns_operator_files own_files; /* of the bpfd that is being started */

/* Starts bpfd, in a task. */
static pid_t run(struct ns_spawner *spawner, void *context, const struct ns_sibling *sibling, char why[160]) {
    const struct ns_operator_files *own = &own_files;
    int socket = *(const int *)context;
    static char program[PATH_MAX + 16], programs[PATH_MAX + 16], text[3][16];
    static const char *const environment[] = {"LC_ALL=C", "PATH=/nonexistent", NULL};
    static const struct ns_limit limits[] = {{RLIMIT_NOFILE, 4096}, {RLIMIT_CORE, 0}, {RLIMIT_FSIZE, RLIM_INFINITY}};
    const struct ns_root_entry mounts[] = {{spawner->paths.dist, NS_ROOT_EXECUTE}};
    const char *argv[10 + 2 * NS_OPERATOR_FILES] = {program,         "--programs", programs,    "--orders-fd", text[0],
                                                    "--turned-mark", text[1],      "--seccomp", text[2]};
    int keep[1 + NS_OPERATOR_FILES] = {socket};
    uid_t id = NS_ID_BPFD(spawner->ids);
    struct ns_layers layers = {
        .sibling = sibling,
        .without = spawner->lacking & NS_LAYER_NAMESPACES,
        .cgroup = &spawner->bpfd.cgroup,
        .mounts = mounts,
        .mount_count = 1,
        .limits = limits,
        .limit_count = sizeof limits / sizeof limits[0],
        .identity = {id, id, {0}, 0, NS_CAP(CAP_BPF) | NS_CAP(CAP_NET_ADMIN) | NS_CAP(CAP_PERFMON), SIGKILL},
        .keep = keep,
        .keep_count = 1 + own->count,
        .argv = argv,
        .environment = environment,
    };

    snprintf(program, sizeof program, "%s/bin/bpfd", spawner->paths.dist);
    snprintf(programs, sizeof programs, "%s/kernel", spawner->paths.dist);
    snprintf(text[0], sizeof text[0], "%d", socket);
    snprintf(text[1], sizeof text[1], "%u", spawner->turned_mark);
    snprintf(text[2], sizeof text[2], "%d", !ns_layer_has(spawner->lacking, NS_LAYER_SECCOMP));
    for (unsigned i = 0; i < own->count; i++) {
        argv[9 + 2 * i] = "--own";
        argv[10 + 2 * i] = own->text[i];
        keep[1 + i] = own->fd[i];
    }
    return ns_layers_start(&layers, NULL, NULL, why);
}

/* Tells the controller the present features, and the reason if there are none. */
static void tell_controller(struct ns_spawner *spawner, const char *reason) {
    char *pairs = NULL;
    size_t size;
    FILE *out = open_memstream(&pairs, &size);

    if (out == NULL)
        return;
    ns_line_put(out, "features", spawner->features);
    ns_line_put(out, "reason", reason);
    ns_bpfd_put_own(spawner, out);
    if (fclose(out) == 0)
        ns_reply_event(spawner, "fastpath", pairs);
    free(pairs);
}

void ns_bpfd_told(struct ns_spawner *spawner, const char *reason) {
    bool first = !spawner->bpfd.known;

    spawner->bpfd.known = true;
    if (!first) /* the first is in the answer to `prepare` */
        tell_controller(spawner, reason);
}

void ns_bpfd_put_own(const struct ns_spawner *spawner, FILE *out) {
    ns_line_put(out, "programs", spawner->bpfd.programs);
    ns_line_put(out, "programs-refused", spawner->bpfd.refused);
}

/* Appends bpfd's own refusals to the spawner's. */
static void note_own(struct ns_bpfd_child *child, const struct ns_line *line) {
    const char *there = ns_line_get(line, "programs"), *refused = ns_line_get(line, "programs-refused");
    size_t used = strlen(child->refused);

    snprintf(child->programs, sizeof child->programs, "%s", there == NULL ? "" : there);
    if (refused != NULL && refused[0] != '\0')
        snprintf(child->refused + used, sizeof child->refused - used, "%s%s", used == 0 ? "" : "; ", refused);
}

static void greeted(struct ns_spawner *spawner, uint64_t token, const struct ns_line *answer,
                    int gives[NS_BPFD_GIVES]) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    const char *features;

    (void)token, (void)gives;
    if (answer == NULL) {
        if (child->socket >= 0)
            ns_bpfd_give_up(spawner, "refuses to say hello");
        return; /* the end of bpfd is reported when it comes */
    }
    child->greeted = true;
    features = ns_line_get(answer, "features");
    snprintf(spawner->features, sizeof spawner->features, "%s", features == NULL ? "" : features);
    memcpy(child->offered, spawner->features, sizeof child->offered);
    note_own(child, answer);
    ns_info("bpfd: can %s", spawner->features);
    ns_bpfd_tell_all(spawner);
}

static void not_started(struct ns_spawner *spawner, const char *why) {
    ns_error("bpfd: %s", why);
    ns_fd_drop(&spawner->bpfd.socket);
    spawner->bpfd.at = spawner->stopping ? 0 : ns_now() + WAIT_MOST_MS;
    ns_bpfd_told(spawner, why);
}

static void started(struct ns_spawner *spawner, void *context, pid_t pid, const char *why) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char *hello = strdup("hello id=1");

    (void)context;
    child->starting = false;
    if (pid < 0) {
        free(hello);
        return not_started(spawner, why);
    }
    child->pid = pid;
    child->since = ns_now();
    ns_info("bpfd: started, pid %d", (int)pid);
    if (spawner->stopping)
        child->kill_at = child->since + STOP_MS;
    child->id = 1;
    ns_bpfd_give(spawner, 1, hello, NULL, 0, GREET_MS, greeted, 0);
}

/*
 * Begins the start of bpfd in a task. A bpfd that has its programs can load no others. So a change of the operator's
 * programs needs a new bpfd.
 */
static bool launch(struct ns_spawner *spawner, int *socket, char why[160]) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    int keep[1 + NS_OPERATOR_FILES] = {*socket};
    struct ns_launch launch = {
        .name = "bpfd", .start = run, .done = started, .context = socket, .owner = child, .keep = keep};
    bool begun;

    ns_operator_open(&own_files, &spawner->paths);
    memcpy(keep + 1, own_files.fd, own_files.count * sizeof *keep);
    launch.keep_count = 1 + own_files.count;
    begun = ns_launch(spawner, &launch, why) == 0;
    ns_operator_close(&own_files);
    child->own = own_files.mark;
    snprintf(child->refused, sizeof child->refused, "%s", own_files.refused);
    if (own_files.refused[0] != '\0')
        ns_warn("bpfd: programs of the operator: %s", own_files.refused);
    return begun;
}

static void start(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char why[160] = "socket pair";
    int pair[2];

    child->at = 0;
    child->greeted = false;
    child->since = ns_now();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return not_started(spawner, why);
    fcntl(pair[0], F_SETFL, O_NONBLOCK); /* ours */
    child->socket = pair[0];
    child->starting = launch(spawner, &pair[1], why);
    close(pair[1]);
    if (!child->starting)
        not_started(spawner, why);
}

int ns_bpfd_child_socket(const struct ns_spawner *spawner, short *events) {
    const struct ns_bpfd_child *child = &spawner->bpfd;
    bool sends = child->orders != NULL && child->orders->sent < child->orders->length;

    *events = (short)(POLLIN | (sends ? POLLOUT : 0));
    return child->wanted && !child->starting ? child->socket : -1;
}

bool ns_bpfd_known(const struct ns_spawner *spawner) {
    return !spawner->bpfd.wanted || spawner->bpfd.known;
}

const char *ns_bpfd_offered(const struct ns_spawner *spawner) {
    return spawner->bpfd.interfaces == 0 ? "" : spawner->bpfd.offered;
}

void ns_bpfd_child_open(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    const struct ns_cgroup_limits limits = {MEMORY, 0, 8};
    char program[PATH_MAX + 16];

    *child = (struct ns_bpfd_child){.socket = -1, .wait = WAIT_FIRST_MS};
    snprintf(program, sizeof program, "%s/bin/bpfd", spawner->paths.dist);
    if (access(program, X_OK) != 0) {
        ns_info("bpfd: not in this dist: no fast path");
        return;
    }
    if (ns_cgroup_make(&child->cgroup, &spawner->cgroups, CGROUP, &limits) != 0) {
        ns_error("bpfd: %s", strerror(errno));
        return;
    }
    child->wanted = true;
    start(spawner);
}

/* Closes the socket, so that bpfd ends: it waits for nothing but its end of the pair. */
void ns_bpfd_child_stop(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;

    child->at = 0;
    ns_fd_drop(&child->socket);
    if (child->pid != 0)
        child->kill_at = ns_now() + STOP_MS;
}

void ns_bpfd_child_close(struct ns_spawner *spawner) {
    if (spawner->bpfd.wanted)
        ns_cgroup_remove(&spawner->bpfd.cgroup);
    spawner->bpfd.wanted = false;
}

bool ns_bpfd_child_ended(struct ns_spawner *spawner, pid_t pid, int status) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    uint32_t most = child->greeted ? WAIT_MOST_MS : WAIT_UNGREETED_MS;
    uint64_t now = ns_now();

    if (!child->wanted || pid != child->pid)
        return false;
    ns_info("bpfd: ended, %s %d", WIFEXITED(status) ? "exit" : "signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    child->pid = 0;
    child->kill_at = 0;
    ns_fd_drop(&child->socket);
    ns_bpfd_fail_all(spawner);
    spawner->features[0] = child->programs[0] = '\0';
    ns_bpfd_samples_over(spawner);
    if (now - child->since >= SETTLED_MS)
        child->wait = WAIT_FIRST_MS;
    child->at = spawner->stopping ? 0 : now + child->wait;
    child->wait = child->wait * 2 > most ? most : child->wait * 2;
    ns_bpfd_told(spawner,
                 child->greeted ? "bpfd has ended, it is started again" : "bpfd does not start, see the spawner's log");
    return true;
}

/* --- time --- */

uint64_t ns_bpfd_child_tick(struct ns_spawner *spawner, uint64_t now) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    uint64_t next;

    if (!child->wanted)
        return UINT64_MAX;
    if (child->kill_at != 0 && now >= child->kill_at) {
        child->kill_at = now + STOP_MS;
        kill(child->pid, SIGKILL);
    }
    if (child->answer_by != 0 && now >= child->answer_by)
        ns_bpfd_give_up(spawner, child->greeted ? "does not answer in its time" : "says no hello");
    if (!child->known && now >= child->since + KNOWN_MS)
        ns_bpfd_told(spawner, "");
    if (child->at != 0 && now >= child->at)
        start(spawner);
    next = child->known ? UINT64_MAX : child->since + KNOWN_MS;
    return ns_sooner(ns_sooner(ns_sooner(next, child->kill_at), child->answer_by), child->at);
}
