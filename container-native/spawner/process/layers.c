/* SPDX-License-Identifier: Apache-2.0 */
#include "layers.h"

#include "ns_fd.h"
#include "ns_log.h"
#include "ns_output.h"
#include "ns_probe.h"
#include "ns_syscalls.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAP_ME '\1'
#define KEEP_MAX 64
#define KEEP_OURS 4 /* of them: the layers' own */

/* State of the new process while it enters its layers. */
struct child {
    const struct ns_layers *layers;
    int gate;           /* a byte comes when the parent has done its part; end of file when it has died */
    int status;         /* to the parent: MAP_ME, or the failed layer and its error */
    const char *detail; /* subject of a layer's error, such as a path */
};

/* Returns a descriptor that reaches its end when the parent of this process dies. */
static int lifeline(const struct child *child) {
    return child->layers->sibling == NULL ? child->gate : child->layers->sibling->lifeline;
}

static int enter_session(struct child *child) {
    sigset_t blocked;

    (void)child;
    /* a program that reads signals from a descriptor must never meet one unblocked */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGHUP);
    sigaddset(&blocked, SIGQUIT);
    if (sigprocmask(SIG_SETMASK, &blocked, NULL) != 0)
        return -1;
    return setsid() < 0 ? -1 : 0;
}

/*
 * Closes all descriptors that are not named: the spawner's own, and any that the spawner inherited itself. Comes
 * before the limit of descriptors is set. A new descriptor takes the least free number, and this number must be below
 * the limit, however many descriptors the spawner has.
 */
static int close_descriptors(struct child *child) {
    const int *input = child->layers->input;
    int keep[KEEP_MAX] = {child->gate, child->status, lifeline(child), input == NULL ? child->gate : *input};
    size_t count = child->layers->keep_count;

    if (count > KEEP_MAX - KEEP_OURS) {
        errno = E2BIG;
        return -1;
    }
    if (count > 0)
        memcpy(keep + KEEP_OURS, child->layers->keep, count * sizeof *keep);
    return ns_fd_keep_only(keep, count + KEEP_OURS);
}

static int enter_cgroup(struct child *child) {
    if (child->layers->guard != NULL && ns_cgroup_enter(child->layers->guard) != 0)
        return -1;
    return child->layers->cgroup == NULL ? 0 : ns_cgroup_enter(child->layers->cgroup);
}

static int choose_processors(struct child *child) {
    const cpu_set_t *set = child->layers->processors;

    if (set != NULL && sched_setaffinity(0, sizeof *set, set) != 0 && errno != EINVAL) /* EINVAL: unplugged by now */
        return -1;
    return 0;
}

static int wait_for_parent(struct child *child) {
    char byte;

    if (read(child->gate, &byte, 1) == 1)
        return 0;
    errno = ECANCELED;
    return -1;
}

static bool is_without(const struct child *child, enum ns_layer layer) {
    return ns_layer_has(child->layers->without, layer);
}

static int enter_mounts(struct child *child) {
    if (is_without(child, NS_LAYER_MOUNT))
        return chdir("/");
    return ns_root_enter(child->layers->mounts, child->layers->mount_count, &child->detail);
}

static int set_limits(struct child *child) {
    size_t count = is_without(child, NS_LAYER_RLIMITS) ? 0 : child->layers->limit_count;

    for (size_t i = 0; i < count; i++) {
        const struct ns_limit *limit = &child->layers->limits[i];
        struct rlimit both = {limit->value, limit->value};

        if (setrlimit((__rlimit_resource_t)limit->resource, &both) != 0)
            return -1;
    }
    return 0;
}

/*
 * Enters the user namespace after the other namespaces and the mounts, so that they belong to the node's user
 * namespace. A process that became root in its own user namespace would still have no right over its network, mounts
 * or pid namespace. The trees of ns_root.h are made with real rights. The parent writes the maps, because a process
 * inside may map only itself.
 */
static int enter_user(struct child *child) {
    const char map_me = MAP_ME;

    if ((child->layers->namespaces & CLONE_NEWUSER) == 0 || is_without(child, NS_LAYER_USER))
        return 0;
    if (unshare(CLONE_NEWUSER) != 0 || write(child->status, &map_me, 1) != 1)
        return -1;
    return wait_for_parent(child);
}

static int change_identity(struct child *child) {
    return ns_identity_become(&child->layers->identity, child->layers->without, lifeline(child));
}

static int redirect(int fd, int to) {
    int result = fd < 0 ? -1 : dup2(fd, to);

    if (fd > 2)
        close(fd);
    return result < 0 ? -1 : 0;
}

static int open_output(struct child *child) {
    const char *path = child->layers->output;
    const int *input = child->layers->input;

    if (redirect(input == NULL ? open("/dev/null", O_RDONLY | O_CLOEXEC) : *input, 0) != 0)
        return -1;
    if (path == NULL)
        return 0;
    child->detail = path;
    return ns_output_open(path);
}

static int run_as_itself(struct child *child) {
    return child->layers->as_itself == NULL ? 0 : child->layers->as_itself(child->layers->context);
}

/* Has the program's start close the descriptors that the earlier layers have opened. The named ones stay open. */
static int keep_descriptors(struct child *child) {
    if (close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) != 0)
        return -1;
    for (size_t i = 0; i < child->layers->keep_count; i++) {
        if (fcntl(child->layers->keep[i], F_SETFD, 0) != 0)
            return -1;
    }
    return 0;
}

static int filter_calls(struct child *child) {
    if (child->layers->seccomp == NULL || is_without(child, NS_LAYER_SECCOMP))
        return 0;
    return ns_seccomp_enter(child->layers->seccomp);
}

/* The layers in order: the first layers need most privilege. Each is complete before the next one begins. */
static const struct {
    const char *name;
    int (*enter)(struct child *child);
} order[] = {
    {"inherited", close_descriptors},
    {"session", enter_session},
    {"cgroup", enter_cgroup},
    {"processors", choose_processors}, /* in its cgroup, which may have fewer */
    {"network", wait_for_parent},
    {"mounts", enter_mounts},
    {"limits", set_limits},
    {"user", enter_user},
    {"identity", change_identity}, /* groups, uid, capabilities, no_new_privs, death signal */
    {"output", open_output},
    {"landlock", run_as_itself},
    {"descriptors", keep_descriptors},
    {"seccomp", filter_calls},
};

static void child_main(const struct ns_layers *layers, int gate, int status) {
    struct child child = {.layers = layers, .gate = gate, .status = status, .detail = ""};
    const char *failed = "program";
    size_t i;

    for (i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (order[i].enter(&child) != 0) {
            failed = order[i].name;
            break;
        }
        child.detail = "";
    }
    if (i == sizeof order / sizeof order[0]) {
        child.detail = layers->argv[0];
        execve(layers->argv[0], (char *const *)layers->argv, (char *const *)layers->environment);
    }
    dprintf(status, "layer %s: %s %s", failed, child.detail, strerror(errno));
    _exit(125);
}

/* Returns the namespaces that the process begins with. Its user namespace comes later. */
static unsigned first_namespaces(const struct ns_layers *layers) {
    static const struct {
        enum ns_layer layer;
        unsigned flag;
    } known[] = {{NS_LAYER_PID, CLONE_NEWPID},
                 {NS_LAYER_MOUNT, CLONE_NEWNS},
                 {NS_LAYER_NET, CLONE_NEWNET},
                 {NS_LAYER_IPC, CLONE_NEWIPC},
                 {NS_LAYER_UTS, CLONE_NEWUTS}};
    unsigned flags = (layers->namespaces | CLONE_NEWNS) & ~(unsigned)CLONE_NEWUSER;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (ns_layer_has(layers->without, known[i].layer))
            flags &= ~known[i].flag;
    }
    return flags;
}

static pid_t clone_child(const struct ns_layers *layers) {
    unsigned flags = first_namespaces(layers) | SIGCHLD;

    if (layers->sibling != NULL)
        flags |= CLONE_PARENT | CLONE_PARENT_SETTID;
    /* as fork(), but with namespaces; stack 0 = a copy of ours */
    return (pid_t)syscall(SYS_clone, flags, 0, layers->sibling == NULL ? NULL : layers->sibling->pid, 0, 0);
}

static bool open_gate(int gate) {
    return write(gate, "g", 1) == 1;
}

static bool map(const struct ns_layers *layers, pid_t pid, char why[160]) {
    uid_t uid = ns_layer_has(layers->without, NS_LAYER_UID) ? 0 : layers->identity.uid;

    if (ns_identity_map(pid, uid, &layers->identity) == 0)
        return true;
    snprintf(why, 160, "layer user: map: %s", strerror(errno));
    return false;
}

/* Follows the process to its program. True: it runs, because execve closed the child's end without a message. */
static bool follow(const struct ns_layers *layers, pid_t pid, int status, int gate, char why[160]) {
    ssize_t n;

    for (;;) {
        n = read(status, why, 159);
        if (n < 0 && errno == EINTR)
            continue;
        if (n != 1 || why[0] != MAP_ME)
            break;
        if (!map(layers, pid, why) || !open_gate(gate))
            return false;
    }
    why[n < 0 ? 0 : n] = '\0';
    if (n < 0)
        snprintf(why, 160, "status: %s", strerror(errno));
    return n == 0;
}

/* Kills the process, and reaps it unless it is a sibling. The spawner finds a sibling's pid and reaps it. */
static void end(const struct ns_layers *layers, pid_t pid) {
    kill(pid, SIGKILL);
    while (layers->sibling == NULL && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

pid_t ns_layers_start(const struct ns_layers *layers, int (*outside)(void *context, pid_t pid), void *context,
                      char why[160]) {
    int gate[2] = {-1, -1}, status[2] = {-1, -1};
    pid_t pid = -1;

    if (pipe2(gate, O_CLOEXEC) != 0 || pipe2(status, O_CLOEXEC) != 0) {
        snprintf(why, 160, "pipe: %s", strerror(errno));
        goto out;
    }
    pid = clone_child(layers);
    if (pid == 0) {
        close(gate[1]);
        close(status[0]);
        child_main(layers, gate[0], status[1]);
    }
    if (pid < 0) {
        snprintf(why, 160, "clone: %s", strerror(errno));
        goto out;
    }
    close(status[1]);
    status[1] = -1;
    if (outside != NULL && outside(context, pid) != 0) {
        snprintf(why, 160, "layer network: see the log");
        end(layers, pid);
        pid = -1;
        goto out;
    }
    if (!open_gate(gate[1]) || !follow(layers, pid, status[0], gate[1], why)) {
        end(layers, pid);
        pid = -1;
    }
out:
    for (int i = 0; i < 2; i++) {
        if (gate[i] >= 0)
            close(gate[i]);
        if (status[i] >= 0)
            close(status[i]);
    }
    return pid;
}

ns_layer_set ns_layers_lacking(const struct ns_cgroups *cgroups) {
    ns_layer_set lacking = 0;

    for (int i = 0; i < NS_LAYER_COUNT; i++) {
        int error = i == NS_LAYER_CGROUP ? ns_cgroups_try(cgroups) : ns_probe_layer((enum ns_layer)i);

        if (error == 0)
            continue;
        ns_warn("layer %s: not to be had here: %s", ns_layer_name((enum ns_layer)i), strerror(error));
        lacking |= NS_LAYER_BIT(i);
    }
    return ns_layer_missing(lacking);
}
