/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container.h - the life of one container: a host and its pktio on one ring.
 *
 *              start          stop, dump=1         dumped or 2 s         stop or grace over: KILL
 *     (none) ---------> RUNNING ----------> DUMPING -----------> ENDING ---------------------> KILLED
 *                          | host ends         |                   | host ends                    |
 *                          +-------------------+---------+---------+------------------------------+
 *                                                        v
 *                                             DRAINING: pktio has TERM, accepts what it holds
 *                                                        | pktio ended
 *                                                        v
 *                                             (none): event exited, reply to stop
 *
 * pktio has a life of its own beside it: running, or away for a back-off; it is restarted in RUNNING, DUMPING and ENDING.
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

enum ns_life { NS_RUNNING, NS_DUMPING, NS_ENDING, NS_KILLED, NS_DRAINING };

struct ns_container {
    struct ns_request order; /* as it was started */
    ns_layer_set missing;    /* layers that it does without: left out by the order, or not to be had here */
    uint64_t serial;         /* of the start: no two have the same */
    enum ns_life life;
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
    uint64_t cpu_at;       /* when the CPU quota begins, 0 = it has */
    uint64_t life_at;      /* when the present state is over, 0 = never */
    struct ns_ticket stop; /* who waits for the end */
};

/* Starts it, or takes a spare for it. NULL, with the reason for the client in `why`, if it could not be; nothing is left then. */
struct ns_container *ns_container_start(struct ns_spawner *spawner, const struct ns_request *order, char why[160]);

/* Begins the stop; `ticket` is answered when all is gone. */
void ns_container_stop(struct ns_spawner *spawner, struct ns_container *container, uint64_t grace, bool dump,
                       struct ns_ticket ticket);

/* A child has ended. True if it was one of this container's. It may be gone afterwards. */
bool ns_container_child(struct ns_spawner *spawner, struct ns_container *container, pid_t pid, int status);

/* Does what is due; returns when it wants to be called again (ns_now), UINT64_MAX = never. */
uint64_t ns_container_tick(struct ns_spawner *spawner, struct ns_container *container, uint64_t now);

/* The uid by which the controller knows it: of a spare that it was, or of its order. */
uint32_t ns_container_uid(const struct ns_spawner *spawner, const struct ns_container *container);

/* Ends its pktio in order; the one that follows has what is given to it now. */
void ns_container_renew_pktio(const struct ns_container *container);

struct ns_container *ns_container_find(struct ns_spawner *spawner, const char *name);

#endif
