/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - starts a process of the spawner in a task. The loop turns while the process enters its namespaces,
 * mounts and network, and starts its program.
 *
 *     ns_launch --task: ns_layers_start with CLONE_PARENT--> the process is the spawner's child, `done` gets its pid.
 *                 |
 *                 +--failed, late or cancelled--> the process, if there is one, is killed; `done` gets the reason.
 *
 * A process may end before `done` is called. Its end is remembered, and is told right after `done`.
 */
#ifndef NS_LAUNCH_H
#define NS_LAUNCH_H

#include "layers.h"
#include "task.h"

#define NS_LAUNCH_MS 20000  /* to enter the layers, on a busy machine */
#define NS_LAUNCH_EARLY 128 /* ends that can be remembered at one time */

/* Is told the end of a process, right after `done` got its pid. */
typedef void (*ns_launch_ended)(struct ns_spawner *spawner, pid_t pid, int status);

struct ns_launches {
    ns_launch_ended ended;
    int lifeline[2]; /* ours, see ns_sibling */
    struct {
        pid_t pid;
        int status;
        bool doomed; /* its launch failed: its end is not told */
    } early[NS_LAUNCH_EARLY];
};

struct ns_launch {
    const char *name; /* a string constant */
    /* In the task: calls ns_layers_start() with this sibling. Returns the pid, or -1 with the reason. */
    pid_t (*start)(struct ns_spawner *spawner, void *context, const struct ns_sibling *sibling, char why[NS_TASK_WHY]);
    /* In the loop: gets the pid, or -1 if there is no process, with the reason in `why`. */
    void (*done)(struct ns_spawner *spawner, void *context, pid_t pid, const char *why);
    void *context;
    const void *owner;    /* by which it is cancelled, see ns_task_order */
    uint64_t deadline_ms; /* 0 = NS_LAUNCH_MS */
    const int *keep;
    size_t keep_count;
};

/* Makes the lifeline. `ended` is told the ends that were remembered. 0, or -1 with errno. */
int ns_launches_open(struct ns_spawner *spawner, ns_launch_ended ended);

/* Begins a launch. 0, or -1 with the reason; then `done` is not called. */
int ns_launch(struct ns_spawner *spawner, const struct ns_launch *launch, char why[NS_TASK_WHY]);

/*
 * Takes the end of a child that no other part of the spawner knows. The end is remembered for the child's launch,
 * unless the launch has failed and the child was to end.
 */
void ns_launch_stray(struct ns_spawner *spawner, pid_t pid, int status);

#endif
