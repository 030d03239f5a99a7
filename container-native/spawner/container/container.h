/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container.h - the life of one container: a host and its pktio on one ring.
 *
 *     start:   (none) --> MAKING ---------> RULING ---------> STARTING ----------> RUNNING
 *                         its parts,        its rules are     pktio, then the        ^
 *                         in a task         there             host, in tasks         |
 *                                                                 +--> ADOPTING -----+
 *                                                                      of a spare: its host says that it is adopted
 *     in each of these: a failure, the order's one deadline, or a stop --> KILLED, and the order is answered at the end of it all
 *
 *     stop:    RUNNING --dump=1--> DUMPING --dumped, or 2 s--> ENDING --grace over--> KILLED
 *                 | dump=0                                       ^
 *                 +----------------------------------------------+
 *
 *     end:     the host has ended --> DRAINING ------------------------> CLEARING ----------------> (none)
 *                                     pktio has TERM, accepts            directories, mounts,       event exited, replies
 *                                     what it holds                      cgroups, in a task; rules
 *
 * Only ns_container_move() changes the state. pktio has a life of its own beside it: running, being started, or away for a back-off; it
 * is restarted from STARTING to ENDING. A container that is nobody's yet (spare.h) has the same life without rules and pktio.
 */
#ifndef NS_CONTAINER_H
#define NS_CONTAINER_H

#include "bpfd.h"
#include "cgroup.h"
#include "client.h"
#include "ns_counters.h"
#include "ns_memfd.h"
#include "reader.h"
#include "request.h"

struct ns_spawner;

enum ns_life {
    NS_MAKING,
    NS_RULING,
    NS_STARTING,
    NS_ADOPTING,
    NS_RUNNING,
    NS_DUMPING,
    NS_ENDING,
    NS_KILLED,
    NS_DRAINING,
    NS_CLEARING
};

struct ns_container {
    struct ns_request order; /* as it was started */
    ns_layer_set missing;    /* layers that it does without: left out by the order, or not to be had here */
    uint64_t serial;         /* of the start: no two have the same */
    enum ns_life life;
    unsigned tasks;         /* of its own that are under way */
    bool emptying;          /* one of them kills what is in its cgroup */
    bool granting;          /* bpfd is asked for its pktio, which starts when bpfd has answered */
    bool granted;           /* bpfd has, well or not */
    bool renew;             /* its pktio is to end in order, and the one that follows has what the fast path is now */
    bool failed;            /* it never ran, or is none: `why` says why */
    char why[160];          /* of its end, "" = none */
    uint64_t start_by;      /* the deadline of its order */
    pid_t host;             /* 0 = not there */
    struct ns_reader pktio; /* restarted while it lives */
    int host_status, death_signal;
    bool oom;
    int slot;      /* of the spare that it is or was, see spare.h; -1 = it was started for its order */
    bool spare;    /* it is nobody's yet */
    bool booted;   /* its framework runs */
    bool adopted;  /* it was a spare and works with its publisher's data */
    uint64_t held; /* packets accepted at the stop */

    struct ns_ring_fds ring;
    int receive_fd, send_fd; /* eventfds: to the container, to pktio */
    int counters_fd;
    struct ns_counters *counters; /* read only by us */
    struct ns_bpfd_grant grant;   /* its fast path */
    int report_fd;                /* read end */
    int report_out;               /* the other one, until the host has it */
    size_t report_used;
    char report[512];
    unsigned report_stock; /* reports that it may still make, see reports.h */
    uint64_t report_at;    /* when the stock last grew */
    uint64_t reports_lost;

    bool own_disk;                  /* its data directory is a file system of its own */
    char offered[256];              /* features of the fast path that its host was started with */
    char apart[NS_PROCESSORS_TEXT]; /* processors for packets, likewise */
    struct ns_cgroup host_cgroup, pktio_cgroup;
    struct ns_cgroup_limits limits;
    uint64_t cpu_at;        /* when the CPU quota begins, 0 = it has */
    uint64_t life_at;       /* when the present state is over, 0 = never */
    struct ns_ticket start; /* who waits for it to run */
    struct ns_ticket stop;  /* who waits for the end */
};

/* Starts it, or takes a spare for it; the ticket is answered when it runs, or when nothing of it is left. */
void ns_container_start(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket);

/* Starts one that has its place among the spares. */
void ns_container_begin_spare(struct ns_spawner *spawner, struct ns_container *container);

/* Begins the stop; `ticket` is answered when all is gone. */
void ns_container_stop(struct ns_spawner *spawner, struct ns_container *container, uint64_t grace, bool dump,
                       struct ns_ticket ticket);

/* Enters the state, for the reason `why` (NULL = none to be kept). The container may be gone afterwards. */
void ns_container_move(struct ns_spawner *spawner, struct ns_container *container, enum ns_life to, const char *why);

/* A child has ended. True if it was a container's or a spare's. */
bool ns_containers_child(struct ns_spawner *spawner, pid_t pid, int status);

/* Does what is due; returns when it wants to be called again (ns_now), UINT64_MAX = never. The container may be gone afterwards. */
uint64_t ns_container_tick(struct ns_spawner *spawner, struct ns_container *container, uint64_t now);

/* The uid by which the controller knows it: of a spare that it was, or of its order. */
uint32_t ns_container_uid(const struct ns_spawner *spawner, const struct ns_container *container);

#endif
