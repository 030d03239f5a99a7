/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawner.h - the whole state of the spawner. One thread, one loop: a line, the end of a child, a report or a moment in time
 * changes it, and nothing blocks. Work that may is done by a child (task.h, launch.h), an order to bpfd waits in a queue (bpfd_wire.h).
 *
 *     main.c -> loop.c -> verbs.c -> container.c -> host.c, packets.c     each calls only to its right
 *                      -> filters.c
 *                      -> job.c
 *                      -> sigio.c
 *                      -> bpfd.c    container.c, parts.c and stats.c ask it
 *                      -> archive.c
 *                      -> spare.c -> container.c      container.c takes from it
 *                      -> task.c, launch.c            begun by all of them
 */
#ifndef NS_SPAWNER_H
#define NS_SPAWNER_H

#include "archive.h"
#include "bpfd.h"
#include "cgroup.h"
#include "client.h"
#include "clock.h"
#include "filters.h"
#include "firewall.h"
#include "launch.h"
#include "links.h"
#include "paths.h"
#include "prefixes.h"
#include "processors.h"
#include "request.h"
#include "sigio.h"
#include "spare.h"
#include "task.h"
#include <stdint.h>

#define NS_JOBS_MAX 16

struct ns_container;
struct ns_job;

struct ns_spawner {
    struct ns_paths paths;
    char saved_sysctls[PATH_MAX];
    uint32_t ids, turned_mark, copy_mark;
    ns_layer_set lacking; /* layers that this machine cannot give; found out at the start */
    char features[256];   /* of the fast path, comma separated; "" = there is none */
    struct ns_processors processors;
    struct ns_cgroups cgroups;
    struct ns_cgroups guards; /* where jobs have their guard: `cgroups`, or a bare hierarchy beside them */
    char jobs_lack[160];      /* why the kernel does not hold jobs to their addresses; "" = it does */
    struct ns_client client;
    struct ns_clock clock;
    struct ns_firewall firewall;
    struct ns_links links;
    struct ns_prefixes prefixes;
    struct ns_sigio_child sigio;
    struct ns_bpfd_child bpfd;
    struct ns_archive archive, job_archive; /* of hosts, of jobs */
    struct ns_spares spares;
    struct ns_tasks tasks;
    struct ns_launches launches;
    struct ns_container *containers[NS_CONTAINERS_MAX];
    struct ns_job *jobs[NS_JOBS_MAX];
    unsigned filters;
    struct ns_filter filter[NS_FILTERS_MAX];
    struct ns_lists lists; /* that are to replace them */
    uint64_t start_ms;     /* the deadline of a `start` */
    bool stopping;
    bool reaping; /* children have ended that nobody has been told of yet */
};

/* Milliseconds of CLOCK_MONOTONIC. */
uint64_t ns_now(void);

/* The earlier of two moments; `at` is 0 if there is none. */
static inline uint64_t ns_sooner(uint64_t next, uint64_t at) {
    return at != 0 && at < next ? at : next;
}

/* The rules as they should be now; what they point to is the spawner's. */
void ns_spawner_rules_now(struct ns_spawner *spawner, struct ns_rules *rules);

/*
 * Hears of the rules: `why` is "" when the kernel has them, as read back, else the reason. Called exactly once, perhaps before
 * ns_spawner_rules_then() returns. A container that waits is named by its serial in `token`, for it may be gone by then.
 */
typedef void (*ns_rules_done)(struct ns_spawner *spawner, uint64_t token, const char *why);

/* Writes the kernel's rules anew, for an order that waits for them: the step "rules applied and read back" of `start`, `filters`, `prepare`. */
void ns_spawner_rules_then(struct ns_spawner *spawner, ns_rules_done done, uint64_t token);

/* The same, when nobody waits for it: what fails is in the log and is tried again. */
void ns_spawner_rules_soon(struct ns_spawner *spawner);

/* verbs.c: what the client says, and what it is told. ns_verbs_line() is an ns_client_line. */
bool ns_verbs_line(void *spawner, char *text, size_t length);
void ns_verbs_ok(struct ns_spawner *spawner, struct ns_ticket ticket, const char *pairs); /* "" or " key=value..." */
void ns_verbs_error(struct ns_spawner *spawner, struct ns_ticket ticket, const char *reason);
void ns_verbs_started(struct ns_spawner *spawner, const struct ns_container *container, struct ns_ticket ticket);
/* Answers a `prepare` that waited for what the fast path can do. */
void ns_verbs_prepared(struct ns_spawner *spawner);
void ns_verbs_event(struct ns_spawner *spawner, const char *name, const char *pairs);

/* loop.c: a child has ended, and whoever it belongs to hears of it. */
void ns_loop_child(struct ns_spawner *spawner, pid_t pid, int status);

/* loop.c: runs until SIGTERM, then until everything has stopped. */
int ns_loop(struct ns_spawner *spawner);

#endif
