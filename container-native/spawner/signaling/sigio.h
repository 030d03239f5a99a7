/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigio.h - the child that reads the queue of GIST's packets, and what outlives it: its listening socket, its queue, its counters.
 *
 * Without <dist>/bin/sigio there is none, and no rule for it.
 */
#ifndef NS_SIGIO_CHILD_H
#define NS_SIGIO_CHILD_H

#include "cgroup.h"
#include "ns_sigio_counters.h"
#include "reader.h"
#include <stdbool.h>

#define NS_SIGIO_QUEUE 270 /* and 271 is kept free: never a container's */

struct ns_spawner;

struct ns_sigio_child {
    bool wanted, starting;
    struct ns_reader reader;
    struct ns_cgroup cgroup;
    int listener, counters_fd;
    struct ns_sigio_counters *counters; /* read only by us */
    uint64_t kill_at;                   /* it has TERM: when it gets KILL, 0 = never */
};

/* Makes its socket and starts it. What fails is said in the log; the rest of the spawner works without. */
void ns_sigio_child_open(struct ns_spawner *spawner);

/* Ends it, in order; it is gone when reader.pid is 0. */
void ns_sigio_child_stop(struct ns_spawner *spawner);

/* Removes its socket. */
void ns_sigio_child_close(struct ns_spawner *spawner);

/* A child has ended. True if it was this one. */
bool ns_sigio_child_ended(struct ns_spawner *spawner, pid_t pid, int status);

/* Does what is due; returns when it wants to be called again (ns_now), UINT64_MAX = never. */
uint64_t ns_sigio_child_tick(struct ns_spawner *spawner, uint64_t now);

#endif
