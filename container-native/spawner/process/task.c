/* SPDX-License-Identifier: Apache-2.0 */
#include "task.h"

#include "ns_fd.h"
#include "ns_log.h"
#include "spawner.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINGER_MS 1000 /* time for a killed child to leave the kernel; then its order is answered without it */

/* The answer of the work, written by the child in memory that it shares with the spawner. */
struct answer {
    bool whole; /* the rest of the answer is there */
    int result;
    char why[NS_TASK_WHY];
};

struct ns_task {
    const char *name;
    void *context;
    const void *owner;
    ns_task_done done; /* NULL: it has been called */
    pid_t pid;
    uint64_t at, deadline_ms; /* when it is killed, or given up */
    struct answer *answer;
    bool killed;
    char why[NS_TASK_WHY]; /* the reason why it was killed */
};

void *ns_task_share(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

void ns_task_unshare(void *memory, size_t size) {
    if (memory != NULL)
        munmap(memory, size);
}

/* --- the child --- */

static void run(const struct ns_task_order *order, struct answer *answer, pid_t spawner) {
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    setpgid(0, 0);
    if (getppid() != spawner || ns_fd_keep_only(order->keep, order->keep_count) != 0)
        _exit(125);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    answer->result = order->work(order->context, answer->why);
    answer->whole = true;
    _exit(0);
}

/* --- life of a task --- */

static struct ns_task **find_place(struct ns_spawner *spawner) {
    for (unsigned i = 0; i < NS_TASKS_MAX; i++) {
        if (spawner->tasks.at[i] == NULL)
            return &spawner->tasks.at[i];
    }
    errno = EAGAIN;
    return NULL;
}

static void forget(struct ns_task **place) {
    ns_task_unshare((*place)->answer, sizeof *(*place)->answer);
    free(*place);
    *place = NULL;
}

/*
 * Forks, under a name of its own among the work of a turn: the kernel may let a fork wait, for example while another
 * process changes cgroups.
 */
static pid_t fork_measured(struct ns_clock *clock) {
    const char *work = clock->work;
    pid_t pid;

    ns_clock_work(clock, "fork");
    pid = fork();
    if (pid != 0)
        ns_clock_work(clock, work);
    return pid;
}

int ns_task_order(struct ns_spawner *spawner, const struct ns_task_order *order) {
    struct ns_task **place = find_place(spawner), *task;
    pid_t own = getpid();

    if (place == NULL || (task = calloc(1, sizeof *task)) == NULL)
        return -1;
    *place = task;
    *task = (struct ns_task){.name = order->name,
                             .context = order->context,
                             .owner = order->owner == NULL ? order->context : order->owner,
                             .done = order->done,
                             .deadline_ms = order->deadline_ms,
                             .at = ns_now() + order->deadline_ms,
                             .answer = ns_task_share(sizeof *task->answer)};
    task->pid = task->answer == NULL ? -1 : fork_measured(&spawner->clock);
    if (task->pid == 0)
        run(order, task->answer, own);
    if (task->pid < 0) {
        forget(place);
        return -1;
    }
    setpgid(task->pid, task->pid); /* the child does so, too: whoever comes first */
    return 0;
}

int ns_task_begin(struct ns_spawner *spawner, const char *name, ns_task_work work, void *context, uint64_t deadline_ms,
                  ns_task_done done) {
    const struct ns_task_order order = {
        .name = name, .work = work, .done = done, .context = context, .deadline_ms = deadline_ms};

    return ns_task_order(spawner, &order);
}

static void kill_task(struct ns_task *task, const char *why) {
    if (task->killed)
        return;
    task->killed = true;
    task->at = ns_now() + LINGER_MS;
    snprintf(task->why, sizeof task->why, "%s: %.100s", task->name, why);
    kill(-task->pid, SIGKILL);
    kill(task->pid, SIGKILL); /* it may not be in its group yet */
}

/* Calls `done`, but only once. `done` may begin other tasks. */
static void finish(struct ns_spawner *spawner, struct ns_task *task, int result, const char *why) {
    ns_task_done done = task->done;

    task->done = NULL;
    if (task->killed)
        ns_warn("task %s", why);
    if (done != NULL)
        done(spawner, task->context, result, why);
}

bool ns_tasks_child(struct ns_spawner *spawner, pid_t pid, int status) {
    for (unsigned i = 0; i < NS_TASKS_MAX; i++) {
        struct ns_task *task = spawner->tasks.at[i];

        if (task == NULL || task->pid != pid)
            continue;
        spawner->tasks.at[i] = NULL; /* its place is free for a task that `done` begins */
        task->answer->why[NS_TASK_WHY - 1] = '\0';
        if (task->answer->whole) {
            finish(spawner, task, task->answer->result, task->answer->why);
        } else {
            if (!task->killed)
                snprintf(task->why, sizeof task->why, "%s: ended with %s %d", task->name,
                         WIFEXITED(status) ? "exit" : "signal",
                         WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
            finish(spawner, task, -1, task->why);
        }
        forget(&task);
        return true;
    }
    return false;
}

unsigned ns_task_cancel(struct ns_spawner *spawner, const void *owner, const char *why) {
    unsigned count = 0;

    for (unsigned i = 0; i < NS_TASKS_MAX; i++) {
        struct ns_task *task = spawner->tasks.at[i];

        if (task != NULL && task->owner == owner && task->done != NULL) {
            kill_task(task, why);
            count++;
        }
    }
    return count;
}

/*
 * Kills a task that is late. If the task does not end even then, calls `done` without it. Returns the time of the
 * next look at the task.
 */
static uint64_t tick(struct ns_spawner *spawner, struct ns_task *task, uint64_t now) {
    char why[64];

    if (now >= task->at && !task->killed) {
        snprintf(why, sizeof why, "not done in %llu ms: killed", (unsigned long long)task->deadline_ms);
        kill_task(task, why);
    } else if (now >= task->at) {
        task->at = UINT64_MAX;
        finish(spawner, task, -1, task->why);
    }
    return task->at;
}

uint64_t ns_tasks_tick(struct ns_spawner *spawner, uint64_t now) {
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; i < NS_TASKS_MAX; i++) {
        uint64_t at = spawner->tasks.at[i] == NULL ? UINT64_MAX : tick(spawner, spawner->tasks.at[i], now);

        if (at < next)
            next = at;
    }
    return next;
}

bool ns_tasks_idle(const struct ns_spawner *spawner) {
    for (unsigned i = 0; i < NS_TASKS_MAX; i++) {
        if (spawner->tasks.at[i] != NULL)
            return false;
    }
    return true;
}
