/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task.h - runs work that may block in a child, so that the loop never waits for it.
 *
 *     (none) --begin--> RUNNING --child ends--------------------------> (none): done.
 *                          | deadline, or cancelled: its process group is killed
 *                          v
 *                       KILLED --child ends, or 1 s later in the kernel--> done with the reason.
 *
 * The child is a fork of the spawner. The work sees everything that the spawner knows at that moment, and mounts in
 * the same mount namespace. It keeps no descriptor but 0, 1, 2 and the named ones. Changes of memory stay in the
 * child, except in memory of ns_task_share(). The child ends with the spawner (PDEATHSIG).
 */
#ifndef NS_TASK_H
#define NS_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NS_TASKS_MAX 512
#define NS_TASK_KEEP_MAX 32
#define NS_TASK_WHY 160

struct ns_spawner;

/* The work, in the child. Returns 0 or any other result, with a reason in `why` if there is one to tell. */
typedef int (*ns_task_work)(void *context, char why[NS_TASK_WHY]);

/*
 * Is told the end of a task, in the loop. It is called exactly once for each task that was begun, and never before
 * ns_task_begin() has returned. `result` is the result of the work, or -1 if the child did not end by itself. In the
 * latter case `why` names the task and gives the reason.
 */
typedef void (*ns_task_done)(struct ns_spawner *spawner, void *context, int result, const char *why);

struct ns_task_order {
    const char *name; /* a string constant; begins the reason of a task that was killed */
    ns_task_work work;
    ns_task_done done;
    void *context;
    const void *owner;    /* by which it is cancelled; NULL = its context */
    uint64_t deadline_ms; /* from now on */
    const int *keep;      /* descriptors that the work needs */
    size_t keep_count;
};

struct ns_task;

struct ns_tasks {
    struct ns_task *at[NS_TASKS_MAX];
};

/* Begins a task that needs no descriptors. 0, or -1 with errno, and then `done` is not called. */
int ns_task_begin(struct ns_spawner *spawner, const char *name, ns_task_work work, void *context, uint64_t deadline_ms,
                  ns_task_done done);
int ns_task_order(struct ns_spawner *spawner, const struct ns_task_order *order);

/* Kills every task of this owner. `done` gets `why` once the child is gone. Returns the number of tasks. */
unsigned ns_task_cancel(struct ns_spawner *spawner, const void *owner, const char *why);

/* Returns memory, all zero, that a task's child and the spawner share. NULL with errno. */
void *ns_task_share(size_t size);
void ns_task_unshare(void *memory, size_t size);

/*
 * For the loop. ns_tasks_child() takes the end of a child and returns true if the child was a task's. ns_tasks_tick()
 * kills late tasks and returns the time of its next call. ns_tasks_idle() returns true if there is no task.
 */
bool ns_tasks_child(struct ns_spawner *spawner, pid_t pid, int status);
uint64_t ns_tasks_tick(struct ns_spawner *spawner, uint64_t now);
bool ns_tasks_idle(const struct ns_spawner *spawner);

#endif
