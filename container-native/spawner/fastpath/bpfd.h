/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpfd.h - the child that has the fast path in the kernel (docs/protocols/bpfd.md), and what outlives it: for each container a socket
 * pair and the records, which the next bpfd takes up.
 *
 *     started ---- says hello ----> told of interfaces, containers and filters; asked, one order at a time, a second each, and nobody
 *     waits for it meanwhile; one that takes longer is killed
 *     ended ----> away for a back-off ----> started
 *
 * The controller hears of each end and each return (event `fastpath`). Without <dist>/bin/bpfd, or where the kernel takes no
 * programs, there is none, and everything else works.
 */
#ifndef NS_BPFD_CHILD_H
#define NS_BPFD_CHILD_H

#include "cgroup.h"
#include "client.h"
#include "request.h"
#include <stdbool.h>
#include <sys/types.h>

struct ns_spawner;
struct ns_container;
struct ns_bpfd_order;

struct ns_bpfd_child {
    bool wanted, greeted; /* its dist has one; this one has said what it can */
    bool starting;        /* its process is being started */
    bool known;           /* one has said what it can, or could not */
    pid_t pid;            /* 0 = not there */
    int socket;
    uint64_t id; /* of the last order */
    uint64_t since, at, kill_at;
    struct ns_bpfd_order *orders;   /* the first is under way */
    struct ns_bpfd_waiter *waiters; /* for answers to lists of filters, the oldest first */
    uint64_t lists;                 /* so many lists were given */
    uint64_t answer_by;             /* its deadline, 0 = there is none */
    uint32_t wait;                  /* milliseconds of the next back-off */
    struct ns_cgroup cgroup;
    char offered[256];   /* features of the last that greeted: one that is away comes back */
    uint64_t own;        /* mark of the operator's own programs that it was started with */
    char programs[128];  /* slots with one of them, comma separated */
    char refused[1024];  /* why others are in none */
    unsigned interfaces; /* as `fastpath` said last; 0 = off */
    char interface[NS_INTERFACES_MAX][NS_INTERFACE_MAX + 1];
    bool sampled[NS_INTERFACES_MAX]; /* of these, where it can take samples */
    bool samples;                    /* it can */
    bool taken[NS_FILTERS_MAX];      /* filters whose samples the rules leave to it */
    enum ns_fastpath_mode mode;
    bool direct;
};

/* What a container has of it; all -1 = nothing. */
struct ns_bpfd_grant {
    int pktio_fd, bpfd_fd; /* the two ends of its socket pair */
    int samples_fd; /* of the ring buffer, -1 = the kernel has none: pktio has the same, and writes how far it has read */
    int records_fd; /* pktio has the same and maps it for reading: a descriptor that cannot write cannot be mapped shared */
};

#define NS_BPFD_GRANT_NONE ((struct ns_bpfd_grant){-1, -1, -1, -1})

/* Starts it, if the dist has it. Nobody waits for what it says. */
void ns_bpfd_child_open(struct ns_spawner *spawner);
void ns_bpfd_child_stop(struct ns_spawner *spawner);
void ns_bpfd_child_close(struct ns_spawner *spawner);
bool ns_bpfd_child_ended(struct ns_spawner *spawner, pid_t pid, int status);
uint64_t ns_bpfd_child_tick(struct ns_spawner *spawner, uint64_t now);

/* Its socket, -1 = none, and the events of poll() to wait for; then what there is to be read or sent. */
int ns_bpfd_child_socket(const struct ns_spawner *spawner, short *events);
void ns_bpfd_child_read(struct ns_spawner *spawner);

/* The operator's own programs, as keys of a reply or an event. */
void ns_bpfd_put_own(const struct ns_spawner *spawner, FILE *out);

/* spawner->features holds, for it has greeted, or has not and there is nothing. */
bool ns_bpfd_known(const struct ns_spawner *spawner);

/* What modules may count on, where the operator has interfaces for it; else "". */
const char *ns_bpfd_offered(const struct ns_spawner *spawner);

/* The verb `fastpath`; the ticket is answered when bpfd has. */
void ns_bpfd_fastpath(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket);

/* O, when there are packets with it; else 0. */
uint32_t ns_bpfd_mark(const struct ns_spawner *spawner);

/* What the rules leave to it: filters whose samples it takes, and the interfaces where it does. */
void ns_bpfd_rules(const struct ns_spawner *spawner, struct ns_rules *rules);

/*
 * Asks for the container's sockets, records and ring buffer, before its pktio starts. True: `granted` is set when bpfd
 * has answered, or has not in its time, which is said in the log. False: there is nothing to wait for.
 */
bool ns_bpfd_grant(struct ns_spawner *spawner, struct ns_container *container);

/* Nothing of its in the kernel any more. */
void ns_bpfd_revoke(struct ns_spawner *spawner, struct ns_container *container);

/* Chooses the filters whose samples bpfd takes, before the rules are written by that choice. */
void ns_bpfd_samples_choose(struct ns_spawner *spawner);

typedef void (*ns_bpfd_filters_done)(struct ns_spawner *spawner, uint64_t token);

/* Tells bpfd the whole list. A list that waits to be sent is not wanted any more. */
void ns_bpfd_filters(struct ns_spawner *spawner);

/* The same; `done` is called once bpfd has answered this list or a later one, or is gone. Perhaps before this returns. */
void ns_bpfd_filters_then(struct ns_spawner *spawner, ns_bpfd_filters_done done, uint64_t token);

/* They may be for another plane. */
void ns_bpfd_planes(struct ns_spawner *spawner);

/* Asks for the counters of a container; `done` hears them as pairs, each name with "flows" in front, or "". */
typedef void (*ns_bpfd_stats_done)(struct ns_spawner *spawner, struct ns_ticket ticket, uint64_t serial,
                                   const char *pairs);
void ns_bpfd_stats(struct ns_spawner *spawner, const struct ns_container *container, struct ns_ticket ticket,
                   ns_bpfd_stats_done done);

#endif
