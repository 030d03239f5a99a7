/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigio.h - sigio, the child that reads the queue of GIST's packets. Its listening socket, its queue and its counters
 * outlive the child.
 *
 * Without <dist>/bin/sigio there is no such child, and no rule for it.
 */
#ifndef NS_SIGIO_CHILD_H
#define NS_SIGIO_CHILD_H

#include "cgroup.h"
#include "ns_sigio_counters.h"
#include "reader.h"
#include <stdbool.h>

#define NS_SIGIO_QUEUE 270 /* 271 stays free too; no container gets either */

struct ns_spawner;

struct ns_sigio_child {
    bool wanted, starting;
    struct ns_reader reader;
    struct ns_cgroup cgroup;
    int listener, counters_fd;
    struct ns_sigio_counters *counters; /* the spawner only reads them */
    uint64_t kill_at;                   /* time of the KILL to a child that got TERM; 0 = never */
};

/* Makes the socket and starts sigio. A failure is in the log, and the rest of the spawner works without sigio. */
void ns_sigio_child_open(struct ns_spawner *spawner);

/* Ends sigio in order. It has ended when reader.pid is 0. */
void ns_sigio_child_stop(struct ns_spawner *spawner);

/* Removes the socket, the counters and the cgroup. */
void ns_sigio_child_close(struct ns_spawner *spawner);

/* Notes the end of a child. Returns true if the child was sigio. */
bool ns_sigio_child_ended(struct ns_spawner *spawner, pid_t pid, int status);

/* Kills, starts and watches sigio when it is time. Returns the time of the next call (ns_now), UINT64_MAX = never. */
uint64_t ns_sigio_child_tick(struct ns_spawner *spawner, uint64_t now);

#endif
