/* SPDX-License-Identifier: Apache-2.0 */
#include "launch.h"

#include "ns_log.h"
#include "spawner.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A launch that is under way. */
struct flight {
    struct ns_spawner *spawner;
    struct ns_launch launch;
    pid_t *pid; /* in memory of the task and the spawner */
};

int ns_launches_open(struct ns_spawner *spawner, ns_launch_ended ended) {
    spawner->launches.ended = ended;
    return pipe2(spawner->launches.lifeline, O_CLOEXEC);
}

/* --- ends that come too early --- */

static void note(struct ns_spawner *spawner, pid_t pid, int status, bool doomed) {
    for (unsigned i = 0; i < NS_LAUNCH_EARLY; i++) {
        if (spawner->launches.early[i].pid != 0)
            continue;
        spawner->launches.early[i].pid = pid;
        spawner->launches.early[i].status = status;
        spawner->launches.early[i].doomed = doomed;
        return;
    }
    ns_warn("launch: the end of pid %d is forgotten", (int)pid);
}

/* Takes the remembered end of a process out of the list. False: none is remembered. */
static bool take(struct ns_spawner *spawner, pid_t pid, bool doomed, int *status) {
    for (unsigned i = 0; i < NS_LAUNCH_EARLY; i++) {
        if (spawner->launches.early[i].pid != pid || spawner->launches.early[i].doomed != doomed)
            continue;
        *status = spawner->launches.early[i].status;
        spawner->launches.early[i].pid = 0;
        return true;
    }
    return false;
}

void ns_launch_stray(struct ns_spawner *spawner, pid_t pid, int status) {
    int ignored;

    if (!take(spawner, pid, true, &ignored))
        note(spawner, pid, status, false);
}

/* Kills the process of a launch that failed. No other process gets its pid until it is reaped. */
static void end(struct ns_spawner *spawner, pid_t pid) {
    int status;

    if (pid == 0 || take(spawner, pid, false, &status))
        return;
    note(spawner, pid, 0, true);
    kill(pid, SIGKILL);
}

/* --- the task --- */

static int work(void *context, char why[NS_TASK_WHY]) {
    struct flight *flight = context;
    const struct ns_sibling sibling = {flight->pid, flight->spawner->launches.lifeline[0]};

    return flight->launch.start(flight->spawner, flight->launch.context, &sibling, why) > 0 ? 0 : 1;
}

static void forget(struct flight *flight) {
    ns_task_unshare(flight->pid, sizeof *flight->pid);
    free(flight);
}

static void done(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct flight *flight = context;
    struct ns_launch launch = flight->launch;
    pid_t pid = *flight->pid;
    int status;

    forget(flight);
    if (result != 0) {
        end(spawner, pid);
        launch.done(spawner, launch.context, -1, why);
        return;
    }
    launch.done(spawner, launch.context, pid, "");
    if (take(spawner, pid, false, &status))
        spawner->launches.ended(spawner, pid, status);
}

int ns_launch(struct ns_spawner *spawner, const struct ns_launch *launch, char why[NS_TASK_WHY]) {
    struct flight *flight = calloc(1, sizeof *flight);
    int keep[NS_TASK_KEEP_MAX];
    const struct ns_task_order order = {.name = launch->name,
                                        .work = work,
                                        .done = done,
                                        .context = flight,
                                        .owner = launch->owner == NULL ? launch->context : launch->owner,
                                        .deadline_ms = launch->deadline_ms == 0 ? NS_LAUNCH_MS : launch->deadline_ms,
                                        .keep = keep,
                                        .keep_count = launch->keep_count + 1};

    errno = ENOMEM;
    if (flight == NULL || launch->keep_count >= NS_TASK_KEEP_MAX)
        goto failed;
    keep[0] = spawner->launches.lifeline[0];
    if (launch->keep_count > 0)
        memcpy(keep + 1, launch->keep, launch->keep_count * sizeof *keep);
    *flight = (struct flight){spawner, *launch, ns_task_share(sizeof *flight->pid)};
    if (flight->pid != NULL && ns_task_order(spawner, &order) == 0)
        return 0;
failed:
    snprintf(why, NS_TASK_WHY, "%s: %s", launch->name, strerror(errno));
    if (flight != NULL)
        forget(flight);
    return -1;
}
