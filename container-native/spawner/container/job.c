/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include "ns_fd.h"
#include "ns_log.h"
#include "reply.h"
#include "spare_job.h"
#include "spawner.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMED_OUT 124
#define CLEAR_ROUNDS 200 /* of 10 ms */
#define CLEAR_MS 5000
#define ADOPT_MS 5000
#define REQUEST "request.json" /* the order of a job, in its directory */

static void end(struct ns_spawner *spawner, struct ns_job *job) {
    ns_fd_drop(&job->wake);
    ns_fd_drop(&job->input);
    if (job->spare)
        ns_spare_jobs_gone(spawner, job);
    for (unsigned i = 0; i < NS_JOBS_MAX; i++) {
        if (spawner->jobs[i] == job)
            spawner->jobs[i] = NULL;
    }
    free(job);
}

/*
 * In a task: kills the processes that a job without a PID namespace may have left, and removes the cgroup. Removes
 * the directory of a spare that nobody took. The directory of every other job is the controller's.
 */
static int clear_cgroup(void *context, char why[NS_TASK_WHY]) {
    const struct ns_job *job = context;

    for (int i = 0; i < CLEAR_ROUNDS && ns_cgroup_kill(&job->cgroup) > 0; i++)
        usleep(10000);
    ns_cgroup_remove(&job->cgroup);
    if (job->guard.all->bare && job->guard.all->version != 0)
        ns_cgroup_remove(&job->guard);
    if (job->spare && ns_paths_remove_job(&job->spawner->paths, job->home) != 0 && errno != ENOENT) {
        snprintf(why, NS_TASK_WHY, "its directory: %s", strerror(errno));
        return 1;
    }
    return 0;
}

static void cleared(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct ns_job *job = context;

    if (result != 0)
        ns_warn("job %s: not all of it could be removed: %s", job->order.name, why);
    if (job->spare)
        return end(spawner, job);
    if (job->pairs[0] != '\0')
        ns_reply_ok(spawner, job->ticket, job->pairs);
    else
        ns_reply_error(spawner, job->ticket, job->why);
    end(spawner, job);
}

void ns_job_clear(struct ns_spawner *spawner, struct ns_job *job) {
    job->pid = 0;
    job->clearing = true;
    if (ns_task_begin(spawner, "clear job", clear_cgroup, job, CLEAR_MS, cleared) != 0)
        cleared(spawner, job, -1, strerror(errno));
}

void ns_job_kill(struct ns_spawner *spawner, struct ns_job *job) {
    if (job->clearing)
        return;
    ns_task_cancel(spawner, job, "not done in its time: killed");
    if (job->pid != 0)
        kill(job->pid, SIGKILL); /* the first process of its namespace: the kernel kills all others */
}

static int find_place(const struct ns_spawner *spawner, const char *name, char why[160]) {
    int place = -1;

    for (int i = 0; i < NS_JOBS_MAX; i++) {
        if (spawner->jobs[i] == NULL) {
            place = i;
        } else if (strcmp(spawner->jobs[i]->order.name, name) == 0) {
            snprintf(why, 160, "exists");
            return -1;
        }
    }
    if (place < 0)
        snprintf(why, 160, "too many jobs");
    return place;
}

/*
 * Attaches the guard to the job's cgroup. If the kernel supports the guard, a job without it does not start. If
 * not, only the job's own check of addresses is left; `prepare` and the log report that.
 */
static int guard(const struct ns_spawner *spawner, const struct ns_job *job, char why[160]) {
    if (spawner->jobs_lack[0] != '\0' || ns_job_guard(&job->guard, &job->order.guard) == 0)
        return 0;
    snprintf(why, 160, "jobs-net: %s", strerror(errno));
    return -1;
}

/* Makes the cgroup, and the group for the guard if it is another one. */
static bool make_groups(const struct ns_spawner *spawner, const struct ns_job *job, char why[160]) {
    const struct ns_cgroup_limits limits = {job->order.memory << 20, 0, 128}, none = {0, 0, 0};
    bool apart = spawner->jobs_lack[0] == '\0' && job->guard.all->bare;

    if (ns_cgroup_make_beside(&(struct ns_cgroup){0}, &spawner->cgroups, job->path, &limits) == 0 &&
        (!apart || ns_cgroup_make_named(&job->guard, &none) == 0))
        return true;
    snprintf(why, 160, "cgroup: %s", strerror(errno));
    return false;
}

static bool make_directory(const struct ns_spawner *spawner, const struct ns_job *job, char why[160]) {
    uid_t controller = NS_ID_CONTROLLER(spawner->ids), id = NS_ID_JOB(spawner->ids);
    int result = job->spare ? ns_paths_spare_job(&spawner->paths, job->home, controller, id)
                            : ns_paths_job(&spawner->paths, job->home, controller, id);

    if (result != 0)
        snprintf(why, 160, "job: its directory: %s", strerror(errno));
    return result == 0;
}

/* In a task: makes the directory, the cgroup and the guard, and starts the job. A spare gets its guard later. */
static pid_t start(struct ns_spawner *spawner, void *context, const struct ns_sibling *sibling, char why[160]) {
    const struct ns_job *job = context;

    if (!make_directory(spawner, job, why) || !make_groups(spawner, job, why))
        return -1;
    if (!job->spare && guard(spawner, job, why) != 0)
        return -1;
    return ns_job_run(spawner, job, sibling, why);
}

static void started(struct ns_spawner *spawner, void *context, pid_t pid, const char *why) {
    struct ns_job *job = context;

    ns_fd_drop(&job->input);
    if (pid < 0) {
        snprintf(job->pairs, sizeof job->pairs, "%s", job->timed_out ? " exit=124" : "");
        snprintf(job->why, sizeof job->why, "%s", why);
        return ns_job_clear(spawner, job);
    }
    job->pid = pid;
    if (job->timed_out || job->doomed)
        ns_job_kill(spawner, job);
}

/* Makes a job of that order, whose directory has the order's name. NULL with the reason. */
static struct ns_job *new_job(struct ns_spawner *spawner, const struct ns_request *order, char why[160]) {
    struct ns_job *job = calloc(1, sizeof *job);

    if (job == NULL) {
        snprintf(why, 160, "out of memory");
        return NULL;
    }
    job->order = *order;
    job->spawner = spawner;
    job->wake = job->input = -1;
    strcpy(job->home, order->name);
    snprintf(job->path, sizeof job->path, "jobs/%s", order->name);
    if (ns_cgroup_name(&job->cgroup, &spawner->cgroups, job->path) == 0 &&
        ns_cgroup_name(&job->guard, &spawner->guards, job->path) == 0)
        return job;
    snprintf(why, 160, "cgroup: %s", strerror(errno));
    free(job);
    return NULL;
}

/* Starts a process for the order. */
static bool start_fresh(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket,
                        uint64_t kill_at, char why[160]) {
    int i = find_place(spawner, order->name, why);
    struct ns_job *job = i < 0 ? NULL : new_job(spawner, order, why);
    const struct ns_launch launch = {.name = "job", .start = start, .done = started, .context = job};

    if (job == NULL)
        return false;
    spawner->jobs[i] = job;
    job->ticket = ticket;
    job->kill_at = kill_at;
    if (ns_launch(spawner, &launch, why) == 0)
        return true;
    end(spawner, job);
    return false;
}

/* --- by a spare job --- */

/* In a task: gives the order to the spare. Its process reads nothing before it is woken. */
static int adopt(void *context, char why[NS_TASK_WHY]) {
    const struct ns_job *job = context;
    const struct ns_spawner *spawner = job->spawner;

    if (guard(spawner, job, why) != 0)
        return 1;
    if (ns_paths_take_spare_job(&spawner->paths, job->home, job->order.name, REQUEST, NS_ID_CONTROLLER(spawner->ids),
                                NS_ID_JOB(spawner->ids)) == 0)
        return 0;
    snprintf(why, NS_TASK_WHY, "its directory: %s", strerror(errno));
    return 1;
}

static bool wake(struct ns_job *job) {
    bool woken = job->pid != 0 && write(job->wake, "1", 1) == 1;

    ns_fd_drop(&job->wake);
    return woken;
}

/* Ends a spare that could not be given the order, and starts a process for the order. */
static void start_instead(struct ns_spawner *spawner, struct ns_job *job, const char *why) {
    static struct ns_request order;
    struct ns_ticket ticket = job->ticket;
    char text[160];

    ns_warn("%s: not taken: %s", job->home, why);
    order = job->order;
    strcpy(job->order.name, job->home);
    job->ticket = (struct ns_ticket){0, 0};
    job->spare = job->doomed = true; /* so that its directory goes with it */
    if (!start_fresh(spawner, &order, ticket, job->kill_at, text))
        ns_reply_error(spawner, ticket, text);
    if (job->pid != 0)
        ns_job_kill(spawner, job);
    else
        ns_job_clear(spawner, job);
}

static void adopted(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct ns_job *job = context;

    job->adopting = false;
    if (job->timed_out) {
        if (job->pid == 0)
            ns_job_clear(spawner, job);
    } else if (result != 0 || !wake(job)) {
        start_instead(spawner, job, result != 0 ? why : "it has ended");
    }
}

/* Gives the order to a spare job. False: there is none, or it must have a process of its own. */
static bool start_spare(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket, int i) {
    struct ns_job *job = order->spare ? ns_spare_jobs_take(spawner, order) : NULL;

    if (job == NULL)
        return false;
    spawner->jobs[i] = job;
    job->order = *order;
    job->ticket = ticket;
    job->kill_at = ns_now() + order->timeout * 1000;
    job->spare = false;
    job->adopting = true;
    snprintf(job->pairs, sizeof job->pairs, " exit=%d", TIMED_OUT);
    if (ns_task_begin(spawner, "adopt job", adopt, job, ADOPT_MS, adopted) != 0)
        adopted(spawner, job, -1, strerror(errno));
    return true;
}

bool ns_job_start(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket, char why[160]) {
    int i = find_place(spawner, order->name, why);

    if (i < 0)
        return false;
    if (order->spare)
        ns_spares_yield(spawner);
    return start_spare(spawner, order, ticket, i) ||
           start_fresh(spawner, order, ticket, ns_now() + order->timeout * 1000, why);
}

struct ns_job *ns_job_spare(struct ns_spawner *spawner, const struct ns_request *order, char why[160]) {
    struct ns_job *job = new_job(spawner, order, why);
    struct ns_launch launch = {.name = "spare job", .start = start, .done = started, .context = job, .keep_count = 1};
    int ends[2];

    if (job == NULL)
        return NULL;
    job->spare = true;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        snprintf(why, 160, "pipe: %s", strerror(errno));
        free(job);
        return NULL;
    }
    job->input = ends[0];
    job->wake = ends[1];
    launch.keep = &job->input;
    if (ns_launch(spawner, &launch, why) == 0)
        return job;
    ns_fd_drop(&job->input);
    ns_fd_drop(&job->wake);
    free(job);
    return NULL;
}

/* --- ends --- */

bool ns_job_child(struct ns_spawner *spawner, pid_t pid, int status) {
    for (unsigned i = 0; i < NS_JOBS_MAX; i++) {
        struct ns_job *job = spawner->jobs[i];
        int code;

        if (job == NULL || job->pid != pid)
            continue;
        if (job->adopting) {
            job->pid = 0; /* adopted() finds out */
            return true;
        }
        code = job->timed_out ? TIMED_OUT : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        ns_info("job %s: exit %d", job->order.name, code);
        snprintf(job->pairs, sizeof job->pairs, " exit=%d", code);
        ns_job_clear(spawner, job);
        return true;
    }
    return ns_spare_jobs_child(spawner, pid, status);
}

uint64_t ns_job_tick(struct ns_spawner *spawner, uint64_t now) {
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; i < NS_JOBS_MAX; i++) {
        struct ns_job *job = spawner->jobs[i];

        if (job == NULL || job->timed_out || job->clearing)
            continue;
        if (now >= job->kill_at) {
            job->timed_out = true;
            ns_job_kill(spawner, job);
        } else if (job->kill_at < next) {
            next = job->kill_at;
        }
    }
    return next;
}

void ns_job_kill_all(struct ns_spawner *spawner) {
    for (unsigned i = 0; i < NS_JOBS_MAX; i++) {
        if (spawner->jobs[i] != NULL)
            ns_job_kill(spawner, spawner->jobs[i]);
    }
}
