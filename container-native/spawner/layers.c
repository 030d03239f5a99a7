/* SPDX-License-Identifier: Apache-2.0 */
#include "layers.h"

#include "ns_landlock.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the new process. */
struct child {
    const struct ns_layers *layers;
    int gate;           /* a byte comes when the parent has done its part; end of file when it has died */
    const char *detail; /* what it was about, when a layer fails */
};

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

static int enter_cgroup(struct child *child) {
    return child->layers->cgroup == NULL ? 0 : ns_cgroup_enter(child->layers->cgroup);
}

static int wait_for_parent(struct child *child) {
    char byte;

    if (read(child->gate, &byte, 1) == 1)
        return 0;
    errno = ECANCELED;
    return -1;
}

static int enter_mounts(struct child *child) {
    return ns_root_enter(child->layers->mounts, child->layers->mount_count, &child->detail);
}

static int set_limits(struct child *child) {
    for (size_t i = 0; i < child->layers->limit_count; i++) {
        const struct ns_limit *limit = &child->layers->limits[i];
        struct rlimit both = {limit->value, limit->value};

        if (setrlimit((__rlimit_resource_t)limit->resource, &both) != 0)
            return -1;
    }
    return 0;
}

static int change_identity(struct child *child) {
    return ns_identity_become(&child->layers->identity, child->gate);
}

static int redirect(int fd, int to) {
    int result = fd < 0 ? -1 : dup2(fd, to);

    if (fd > 2)
        close(fd);
    return result < 0 ? -1 : 0;
}

/* The file may have been made by hostile code: opened as itself, and never through a link. The last one is kept as ".1". */
static int open_output(struct child *child) {
    const char *path = child->layers->output;
    char old[PATH_MAX];
    int fd;

    if (redirect(open("/dev/null", O_RDONLY | O_CLOEXEC), 0) != 0)
        return -1;
    if (path == NULL)
        return 0;
    child->detail = path;
    snprintf(old, sizeof old, "%s.1", path);
    if (rename(path, old) != 0 && errno != ENOENT)
        return -1;
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
        return -1;
    return close(fd);
}

static int run_as_itself(struct child *child) {
    return child->layers->as_itself == NULL ? 0 : child->layers->as_itself(child->layers->context);
}

/* What it inherits is named. Whoever started us may have left us descriptors of his: those, too, end here. */
static int keep_descriptors(struct child *child) {
    if (close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) != 0)
        return -1;
    for (size_t i = 0; i < child->layers->keep_count; i++) {
        if (fcntl(child->layers->keep[i], F_SETFD, 0) != 0)
            return -1;
    }
    return 0;
}

/* The layers: what needs most privilege first. Each is complete before the next one begins. */
static const struct {
    const char *name;
    int (*enter)(struct child *child);
} order[] = {
    {"session", enter_session},
    {"cgroup", enter_cgroup},
    {"network", wait_for_parent},
    {"mounts", enter_mounts},
    {"limits", set_limits},
    {"identity", change_identity}, /* groups, uid, capabilities, no_new_privs, death signal */
    {"output", open_output},
    {"landlock", run_as_itself},
    {"descriptors", keep_descriptors},
};

static void child_main(const struct ns_layers *layers, int gate, int status) {
    struct child child = {.layers = layers, .gate = gate, .detail = ""};
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

static pid_t clone_child(unsigned namespaces) {
    /* as fork(), but with namespaces; stack 0 = a copy of ours */
    return (pid_t)syscall(SYS_clone, namespaces | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0);
}

/* True if the program runs: the child's end was closed by execve without a word. */
static int runs(int status, char why[160]) {
    ssize_t n;

    do
        n = read(status, why, 159);
    while (n < 0 && errno == EINTR);
    why[n < 0 ? 0 : n] = '\0';
    if (n < 0)
        snprintf(why, 160, "status: %s", strerror(errno));
    return n == 0;
}

static void end(pid_t pid) {
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
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
    pid = clone_child(layers->namespaces);
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
        end(pid);
        pid = -1;
        goto out;
    }
    if (write(gate[1], "g", 1) != 1 || !runs(status[0], why)) {
        end(pid);
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

void ns_layers_describe(const struct ns_cgroups *cgroups, char text[160]) {
    char limits[64];

    ns_cgroups_describe(cgroups, limits);
    snprintf(text, 160, "cgroup:%s,pid,mount,net,ipc,uts,rlimits,uid,no-capability,no-new-privs,landlock:%d", limits,
             ns_landlock_abi());
}
