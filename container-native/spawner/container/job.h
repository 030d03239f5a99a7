/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.h - jobs: throw-away processes, each a small JVM that fetches and verifies, or notifies. A job can reach
 * only its own directory and the TCP ports that its order names. A job has a PID namespace of its own, so all its
 * processes end with the first.
 *
 *     (none) --order--> STARTING, in a task --> RUNNING --first process has ended--> CLEARING --> (none): answered
 *                          | failed                  | its time is over: killed        its cgroup is emptied and
 *                          +-------------------------+---------------------------------> removed, in a task
 *     a spare job (spare_job.h) --order--> ADOPTING, in a task --> RUNNING
 *                                             | failed: it is killed, and the order gets a job that is STARTING
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
    struct ns_spawner *spawner;
    struct ns_request order;
    pid_t pid; /* 0 = the job is being started, or has ended */
    struct ns_cgroup cgroup;
    struct ns_cgroup guard;     /* for the guard (jobguard.h): the same group, or a bare one beside it */
    char path[NS_NAME_MAX + 8]; /* of its cgroup */
    char home[NS_NAME_MAX + 1]; /* name of its directory as its process sees it */
    struct ns_ticket ticket;
    uint64_t kill_at; /* ns_now */
    bool timed_out;
    bool clearing;
    bool spare;     /* it waits for an order, and spare_job.c has it */
    bool adopting;  /* an order has taken it */
    bool doomed;    /* spare: it is to end */
    int wake;       /* write end of its standard input, -1 = it needs none */
    int input;      /* read end, until its process has it; else -1 */
    uint64_t born;  /* spare: ns_now at its start */
    uint64_t files; /* spare: sum of the node's files at its start */
    char pairs[32]; /* of the answer, which is sent after the clearing; "" = answer with the error `why` */
    char why[160];
};

/*
 * Begins a job, by a spare job if one fits. The ticket is answered at its end, or when its start fails. False with
 * the reason.
 */
bool ns_job_start(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket, char why[160]);

/* job_process.c, in a task: starts the process of a job, whose directory and groups are there. -1 with the reason. */
pid_t ns_job_run(struct ns_spawner *spawner, const struct ns_job *job, const struct ns_sibling *sibling, char why[160]);

/*
 * job_process.c, in a task: starts a process that rehearses the work of jobs in `directory` and writes their class
 * data (archive.h). Returns its pid, or -1 with the reason.
 */
pid_t ns_job_rehearse(struct ns_spawner *spawner, struct ns_archive *archive, const char *directory,
                      const struct ns_sibling *sibling, char why[160]);

/* Begins to start a spare job of that name. The caller owns it. NULL with the reason. */
struct ns_job *ns_job_spare(struct ns_spawner *spawner, const struct ns_request *order, char why[160]);

/* Kills a job. A job that is being started is killed in its task, or as soon as its process exists. */
void ns_job_kill(struct ns_spawner *spawner, struct ns_job *job);

/*
 * Begins to clear a job that has ended. The reply is sent afterwards, so nothing of the job is left when the client
 * gets it.
 */
void ns_job_clear(struct ns_spawner *spawner, struct ns_job *job);

/* Handles the end of a child process. True if the child was a job. */
bool ns_job_child(struct ns_spawner *spawner, pid_t pid, int status);

/* Kills the jobs past their time limit. Returns the time at which the next limit ends (ns_now), UINT64_MAX = none. */
uint64_t ns_job_tick(struct ns_spawner *spawner, uint64_t now);

void ns_job_kill_all(struct ns_spawner *spawner);

#endif
