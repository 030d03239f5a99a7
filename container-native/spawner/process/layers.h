/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layers.h - starts a process with fewer rights than root. Every process of a container and every job is started
 * here, through one ordered list of layers (layers.c). A layer that is added there holds for all of them.
 */
#ifndef NS_LAYERS_H
#define NS_LAYERS_H

#include "cgroup.h"
#include "ns_identity.h"
#include "ns_layer.h"
#include "ns_root.h"
#include "ns_seccomp.h"
#include <sched.h>
#include <sys/resource.h>

struct ns_limit {
    int resource; /* RLIMIT_* */
    rlim_t value;
};

/*
 * A process that a task starts as the spawner's own child. `pid` lies in memory of the task and the spawner
 * (ns_task_share). The kernel writes it before the process begins to run, so that the spawner finds the process even
 * if the task has ended. The process ends with the spawner: `lifeline` shows the spawner's death.
 */
struct ns_sibling {
    pid_t *pid;
    int lifeline; /* read end of a pipe; only the spawner has the write end */
};

struct ns_layers {
    const struct ns_sibling *sibling;   /* NULL = the process is the caller's child */
    ns_layer_set without;               /* layers that it does not get, also in ns_identity_become */
    unsigned namespaces;                /* CLONE_NEW*; NEWNS is always there */
    const struct ns_cgroup *cgroup;     /* NULL = ours */
    const struct ns_cgroup *guard;      /* a bare group that it enters as well; NULL = none */
    const cpu_set_t *processors;        /* processors to run on; NULL = ours */
    const struct ns_root_entry *mounts; /* besides ns_root_system */
    size_t mount_count;
    const struct ns_limit *limits;
    size_t limit_count;
    struct ns_identity identity;
    const int *input;   /* descriptor that becomes its standard input; NULL = /dev/null */
    const char *output; /* file for its standard output and error, made as itself; NULL = ours */
    /* Runs in the new process under its new identity, before the program. 0, or -1 with errno; may be NULL. */
    int (*as_itself)(const void *context);
    const void *context;
    const struct ns_seccomp_profile *seccomp; /* it must permit execve; NULL = none, or the program's own affair */
    const int *keep;                          /* descriptors that it inherits; all others are closed */
    size_t keep_count;
    const char *const *argv; /* argv[0] = path inside its mounts */
    const char *const *environment;
};

/*
 * Starts the process, and returns its pid once its program runs. `outside` runs in the parent when the namespaces of
 * the process are there and its program does not run yet: 0 = go on; may be NULL. On failure returns -1, with the
 * name of the failed layer and the reason in `why`. Then the process has been killed, and reaped unless it is a
 * sibling.
 */
pid_t ns_layers_start(const struct ns_layers *layers, int (*outside)(void *context, pid_t pid), void *context,
                      char why[160]);

/*
 * Returns the layers that this machine cannot give to a container. Each is a line in the log. Every layer is tried
 * for real, and that takes some time.
 */
ns_layer_set ns_layers_lacking(const struct ns_cgroups *cgroups);

#endif
