/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawner.h - the whole state of the spawner. One thread, one loop: a line, the end of a child, a report or a moment in time
 * changes it, and nothing blocks but starting a process and the firewall's tools (bounded, run.h).
 *
 *     main.c -> loop.c -> verbs.c -> container.c -> host.c, packets.c     each calls only to its right
 *                      -> job.c
 *                      -> sigio.c
 *                      -> bpfd.c    container.c, parts.c and stats.c ask it
 *                      -> archive.c
 *                      -> spare.c -> host.c      container.c takes from it
 */
#ifndef NS_SPAWNER_H
#define NS_SPAWNER_H

#include "archive.h"
#include "bpfd.h"
#include "cgroup.h"
#include "client.h"
#include "firewall.h"
#include "paths.h"
#include "processors.h"
#include "request.h"
#include "sigio.h"
#include "spare.h"
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
    struct ns_client client;
    struct ns_firewall firewall;
    struct ns_sigio_child sigio;
    struct ns_bpfd_child bpfd;
    struct ns_archive archive, job_archive; /* of hosts, of jobs */
    struct ns_spares spares;
    struct ns_container *containers[NS_CONTAINERS_MAX];
    struct ns_job *jobs[NS_JOBS_MAX];
    bool ruled; /* the rules of the filters were written once */
    unsigned filters;
    struct ns_filter filter[NS_FILTERS_MAX];
    unsigned pending_filters, pending_count; /* lines of a `filters` request that have come, and their number */
    uint64_t pending_id;
    struct ns_filter pending_filter[NS_FILTERS_MAX];
    struct ns_refusal pending_why; /* of the first bad line */
    bool stopping;
};

/* Milliseconds of CLOCK_MONOTONIC. */
uint64_t ns_now(void);

/* The earlier of two moments; `at` is 0 if there is none. */
static inline uint64_t ns_sooner(uint64_t next, uint64_t at) {
    return at != 0 && at < next ? at : next;
}

/* Writes the kernel's rules anew from filters and containers' networks. 0, or -1. */
int ns_spawner_rules(struct ns_spawner *spawner);

/* verbs.c: what the client says, and what it is told. */
void ns_verbs_line(void *spawner, char *text, size_t length);
void ns_verbs_ok(struct ns_spawner *spawner, struct ns_ticket ticket, const char *pairs); /* "" or " key=value..." */
void ns_verbs_error(struct ns_spawner *spawner, struct ns_ticket ticket, const char *reason);
/* Answers a `prepare` that waited for what the fast path can do. */
void ns_verbs_prepared(struct ns_spawner *spawner);
void ns_verbs_event(struct ns_spawner *spawner, const char *name, const char *pairs);

/* loop.c: runs until SIGTERM, then until everything has stopped. */
int ns_loop(struct ns_spawner *spawner);

#endif
