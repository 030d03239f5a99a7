/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container.h - the life of one container: a host and its pktio on one ring.
 *
 *     start:   (none) --> MAKING ---------> RULING ---------> STARTING ----------> RUNNING.
 *                         its parts,        its rules are     pktio, then the        ^
 *                         in a task         there             host, in tasks         |
 *                                                                 +--> ADOPTING -----+
 *                                                                      of a spare: its host reports "adopted".
 *     in each of these states: a failure, the order's one deadline, or a stop --> KILLED.
 *                              The order is answered when nothing of the container is left.
 *
 *     stop:    RUNNING --dump=1--> DUMPING --dumped, or 2 s--> ENDING --grace over--> KILLED.
 *                 | dump=0                                       ^
 *                 +----------------------------------------------+
 *
 *     end:     the host has ended --> DRAINING -------------> CLEARING ----------------> (none).
 *                                     pktio gets SIGTERM      directories, mounts,       event exited, replies
 *                                     and accepts the         cgroups, in a task, and
 *                                     packets it holds        the rules beside it
 *
 * Only ns_container_move() changes the state. pktio has a life of its own beside the state: it runs, is being
 * started, or is away for a back-off. It is restarted from STARTING to ENDING. A spare (spare.h), which has no
 * publisher yet, has the same life, but without rules and pktio.
 */
#ifndef NS_CONTAINER_H
#define NS_CONTAINER_H

#include "bpfd.h"
#include "cgroup.h"
#include "client.h"
#include "ns_counters.h"
#include "ns_memfd.h"
#include "program.h"
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
    struct ns_request order; /* the order that started it */
    ns_layer_set missing;    /* layers that it lacks: the order leaves them out, or the machine does not have them */
    uint64_t serial;         /* of the start; unique */
    enum ns_life life;
    unsigned tasks;         /* number of its tasks that run */
    bool emptying;          /* one of these tasks kills the processes in its cgroup */
    bool unruling;          /* its rules are being taken away */
    bool granting;          /* bpfd is asked for the fast path; pktio starts after bpfd's answer */
    bool granted;           /* bpfd has answered, or its time is over */
    bool renew;             /* pktio is to end in order; the next pktio gets the fast path as it is now */
    bool died;              /* its host has ended while it ran, and nobody had asked for that */
    bool failed;            /* it never ran, or the spare could not be used: `why` is the reason */
    char why[160];          /* the reason of its end, "" = none */
    uint64_t start_by;      /* the deadline of its order */
    pid_t host;             /* 0 = no process */
    struct ns_reader pktio; /* restarted while the container lives */
    int host_status, death_signal;
    bool oom;
    int slot;      /* of the spare that it is or was, see spare.h; -1 = it was started for its order */
    bool spare;    /* it has no publisher yet */
    bool booted;   /* its framework runs */
    bool adopted;  /* it was a spare, and now works with its publisher's data */
    uint64_t held; /* packets that pktio held and accepted at the stop */

    struct ns_ring_fds ring;
    int receive_fd, send_fd; /* eventfds: to the container, to pktio */
    int counters_fd;
    struct ns_counters *counters; /* mapped read-only here */
    struct ns_bpfd_grant grant;   /* its fast path */
    int report_fd;                /* read end of the report pipe */
    int report_out;               /* its write end, until the host has it */
    int order_fd;                 /* of a spare: the socket for its publisher's order, until it is adopted */
    int order_in;                 /* the other end, until the host has it */
    size_t report_used;
    char report[512];
    unsigned report_stock; /* number of reports that it may still make, see reports.h */
    uint64_t report_at;    /* when the stock last grew */
    uint64_t reports_lost;

    struct ns_program program; /* beside the host */

    bool own_disk;                  /* its data directory is a file system of its own */
    char offered[256];              /* features of the fast path at the start of its host */
    char apart[NS_PROCESSORS_TEXT]; /* processors for packets, likewise */
    struct ns_cgroup host_cgroup, pktio_cgroup;
    struct ns_cgroup_limits limits;
    uint64_t cpu_at;        /* when the CPU quota begins, 0 = it has begun */
    uint64_t life_at;       /* when the time of the present state is over, 0 = never */
    struct ns_ticket start; /* of the client's `start`, until the container runs */
    struct ns_ticket stop;  /* of the client's `stop`, until nothing is left */
};

/* Starts a container, or takes a spare. The ticket is answered when it runs, or when nothing of it is left. */
void ns_container_start(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket);

/* Starts a spare, which already has its place among the spares. */
void ns_container_begin_spare(struct ns_spawner *spawner, struct ns_container *container);

/* Begins the stop. `ticket` is answered when nothing of the container is left. */
void ns_container_stop(struct ns_spawner *spawner, struct ns_container *container, uint64_t grace, bool dump,
                       struct ns_ticket ticket);

/* Enters the state. The first `why` is kept as the reason, NULL = none. The container may be gone afterwards. */
void ns_container_move(struct ns_spawner *spawner, struct ns_container *container, enum ns_life to, const char *why);

/* Handles the end of a child process. True if the child was of a container or of a spare. */
bool ns_containers_child(struct ns_spawner *spawner, pid_t pid, int status);

/*
 * Does the work that is due. Returns the time of the next call (ns_now), UINT64_MAX = none. The container may be gone
 * afterwards.
 */
uint64_t ns_container_tick(struct ns_spawner *spawner, struct ns_container *container, uint64_t now);

#endif
