/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawner.h - the whole state of the spawner. One thread, one loop: a line, the end of a child, a report or a moment
 * in time changes it, and nothing blocks. Work that may block is done by a child (task.h, launch.h).
 *
 *     main.c loop.c wanted.c    the start, each turn, the rules as they should be now
 *     orders/                   lines of the client, and what each verb does
 *     container/                containers, spares, jobs, their class data
 *     signaling/  fastpath/     the children sigio and bpfd
 *     net/                      networks, rules, the firewall
 *     disk/                     file systems of containers
 *     process/                  tasks, programs in their layers, cgroups, readers of queues
 *     core/                     the client's socket, replies, paths, the clock, the list of containers
 *
 * A room calls only those below it (tests/rooms_profile.sh). To those above it speaks by a flag that their next turn
 * sees, or by a function that it was given.
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
#include "ns_time.h"
#include "paths.h"
#include "prefixes.h"
#include "processors.h"
#include "request.h"
#include "sigio.h"
#include "spare.h"
#include "spare_job.h"
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
    struct ns_cgroups guards; /* the guard of jobs: `cgroups`, or a bare hierarchy beside them */
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
    struct ns_spare_jobs spare_jobs;
    struct ns_tasks tasks;
    struct ns_launches launches;
    struct ns_container *containers[NS_CONTAINERS_MAX];
    struct ns_job *jobs[NS_JOBS_MAX];
    unsigned filters;
    struct ns_filter filter[NS_FILTERS_MAX];
    struct ns_lists lists; /* new lists of filters, until they are in force */
    uint64_t start_ms;     /* the deadline of a `start` */
    bool stopping;
    bool reaping; /* children have ended that nobody has been told of yet */
};

#endif
