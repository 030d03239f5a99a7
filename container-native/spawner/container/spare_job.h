/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spare_job.h - spare jobs: processes of jobs that start before they are ordered. Each is a JVM in the layers of a
 * job. It has warmed up and has read nothing but the node's own files. It waits on its standard input. The next
 * `worker` that permits it and fits takes one, which does that one job and ends.
 *
 *     (none) --one at a time, seconds after a start--> STARTING, in a task --> WAITING --worker--> a job like any other
 *                                                         |                       |
 *                                                         +--- ends, outdated, or not wanted --> (none), back-off
 *
 * Taking it, in a task: its guard is attached for the addresses of the order, the request moves into its directory,
 * and the directory takes the name of the job. Then a byte on its standard input wakes it. If a step fails, the spare
 * is killed and the job gets a process of its own.
 */
#ifndef NS_SPARE_JOB_H
#define NS_SPARE_JOB_H

#include "client.h"
#include "request.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ns_job;
struct ns_spawner;

struct ns_spare_jobs {
    struct ns_request order; /* the order `spare-jobs` of the client; its count is the number of spare jobs */
    struct ns_job *at[NS_SPARE_JOBS_MAX];
    uint64_t serial; /* of the next one, and part of its name */
    unsigned wait;   /* back-off, ms; 0 = none has failed since one was last taken, or since the last order */
    uint64_t start;  /* none starts before this time (ns_now) */
    uint64_t look;   /* when they are next compared with the node's files */
};

/* Removes the directories that an earlier spawner has left. */
void ns_spare_jobs_open(struct ns_spawner *spawner);

/* The verb `spare-jobs`: ends those above the order's count, and those that were not started like the order. */
void ns_spare_jobs_want(struct ns_spawner *spawner, const struct ns_request *order);

/* Delays the next one until `at` (ns_now), because other processes start and need the processors. */
void ns_spare_jobs_yield(struct ns_spawner *spawner, uint64_t at);

/* Returns the oldest that fits the order. The caller owns it from then on. NULL = there is none. */
struct ns_job *ns_spare_jobs_take(struct ns_spawner *spawner, const struct ns_request *order);

/* Returns the number of those that have warmed up. */
unsigned ns_spare_jobs_ready(const struct ns_spawner *spawner);

/* Ends all, and starts no other. */
void ns_spare_jobs_stop(struct ns_spawner *spawner);
bool ns_spare_jobs_empty(const struct ns_spawner *spawner);

/* Takes the end of a child process. True if the child was one of them. */
bool ns_spare_jobs_child(struct ns_spawner *spawner, pid_t pid, int status);

/* Forgets a spare job of which nothing is left. Backs off if it has failed. */
void ns_spare_jobs_gone(struct ns_spawner *spawner, const struct ns_job *job);

uint64_t ns_spare_jobs_tick(struct ns_spawner *spawner, uint64_t now);

#endif
