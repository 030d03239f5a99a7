/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - starts a process of the spawner's in a task: namespaces, mounts, network and program are entered while the loop turns.
 *
 *     ns_launch --task: ns_layers_start with CLONE_PARENT--> the process is the spawner's own child, and `done` has its pid
 *                 |
 *                 +--failed, late or cancelled--> whatever there is of it is killed, and `done` has the reason
 *
 * A process that ends before `done` has heard of it is remembered; its end is told right after.
 */
#ifndef NS_LAUNCH_H
#define NS_LAUNCH_H

#include "layers.h"
#include "task.h"

#define NS_LAUNCH_MS 20000  /* to enter the layers, on a busy machine */
#define NS_LAUNCH_EARLY 128 /* ends to be remembered at once */

/* Hears of the end of a process that `done` has just heard of. */
typedef void (*ns_launch_ended)(struct ns_spawner *spawner, pid_t pid, int status);

struct ns_launches {
    ns_launch_ended ended;
    int lifeline[2]; /* ours, see ns_sibling */
    struct {
        pid_t pid;
        int status;
        bool doomed; /* nobody wants to hear of its end */
    } early[NS_LAUNCH_EARLY];
};

struct ns_launch {
    const char *name; /* a string constant */
    /* In the task: calls ns_layers_start() with this sibling. The pid, or -1 with the reason. */
    pid_t (*start)(struct ns_spawner *spawner, void *context, const struct ns_sibling *sibling, char why[NS_TASK_WHY]);
    /* In the loop: `pid` is -1 if there is none, and `why` says why. */
    void (*done)(struct ns_spawner *spawner, void *context, pid_t pid, const char *why);
    void *context;
    const void *owner;    /* by which it is cancelled, see ns_task_order */
    uint64_t deadline_ms; /* 0 = NS_LAUNCH_MS */
    const int *keep;
    size_t keep_count;
};

/* 0, or -1 with errno. */
int ns_launches_open(struct ns_spawner *spawner, ns_launch_ended ended);

/* Begins it. 0, or -1 with the reason; then `done` is not called. */
int ns_launch(struct ns_spawner *spawner, const struct ns_launch *launch, char why[NS_TASK_WHY]);

/* A child that is nobody's has ended: it is remembered for its launch, unless it was to end. */
void ns_launch_stray(struct ns_spawner *spawner, pid_t pid, int status);

#endif
