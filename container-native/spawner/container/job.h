/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.h - throw-away processes: a small JVM that fetches and verifies, or notifies, with nothing but its own directory and the
 * TCP ports it was given. It is a namespace of processes of its own: with its first process all of it ends.
 *
 *     (none) --order--> STARTING, in a task --> RUNNING --its first process has ended--> CLEARING --> (none): answered
 *                          | could not be            | its time is over: killed            its cgroup is emptied and
 *                          +-------------------------+-------------------------------------> removed, in a task
 */
#ifndef NS_JOB_H
#define NS_JOB_H

#include "cgroup.h"
#include "client.h"
#include "launch.h"
#include "request.h"

struct ns_archive;
struct ns_spawner;

struct ns_job {
    struct ns_request order;
    pid_t pid; /* 0 = it is being started, or has ended */
    struct ns_cgroup cgroup;
    struct ns_cgroup guard;     /* to which its addresses are attached: the same, or a bare one beside it */
    char path[NS_NAME_MAX + 8]; /* of its cgroup */
    struct ns_ticket ticket;
    uint64_t kill_at; /* ns_now */
    bool timed_out;
    bool clearing;
    char pairs[32]; /* of the answer once it is cleared; "" = an error, `why` */
    char why[160];
};

/* Begins to start it; the ticket is answered at its end, or when it could not be. False with the reason. */
bool ns_job_start(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket, char why[160]);

/* In a task: starts a process that does in `directory` what jobs do, and writes their class data: archive.h. Its pid, or -1. */
pid_t ns_job_rehearse(struct ns_spawner *spawner, struct ns_archive *archive, const char *directory,
                      const struct ns_sibling *sibling, char why[160]);

/* A child has ended. True if it was a job's. */
bool ns_job_child(struct ns_spawner *spawner, pid_t pid, int status);

/* Kills what has overrun its time; returns when the next one would. */
uint64_t ns_job_tick(struct ns_spawner *spawner, uint64_t now);

void ns_job_kill_all(struct ns_spawner *spawner);

#endif
