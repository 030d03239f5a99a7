/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpfd.h - bpfd, the child that has the fast path in the kernel (docs/protocols/bpfd.md). The spawner keeps a socket
 * pair and the records of each container. They outlive bpfd, and the next bpfd takes them up.
 *
 *     started --says hello--> told of interfaces, containers and filters --> takes orders.
 *        ^                                                                      |
 *        +------------------ after a back-off ------ away <------ ended --------+
 *
 * bpfd takes one order at a time, and has at least a second for each. The spawner does not wait meanwhile. A bpfd
 * that takes longer is killed.
 *
 * The controller hears of each end and each return (event `fastpath`). There is no bpfd without <dist>/bin/bpfd, or
 * where the kernel takes no programs. Everything else works then.
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
    bool wanted, greeted; /* the dist has a bpfd; the present one has said its features */
    bool starting;        /* its process is being started */
    bool known;           /* a bpfd has said its features, or has failed to */
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
    char offered[256];   /* features of the last bpfd that greeted: bpfd comes back after its end */
    uint64_t own;        /* mark of the operator's own programs that bpfd was started with */
    char programs[128];  /* slots with programs of the operator, comma separated */
    char refused[1024];  /* why other programs of the operator are in no slot */
    unsigned interfaces; /* of the last `fastpath`; 0 = off */
    char interface[NS_INTERFACES_MAX][NS_INTERFACE_MAX + 1];
    bool sampled[NS_INTERFACES_MAX]; /* the interfaces where it can take samples */
    bool samples;                    /* it can take samples */
    bool taken[NS_FILTERS_MAX];      /* filters that the rules leave to bpfd for sampling */
    enum ns_fastpath_mode mode;
    bool direct;
};

/* The descriptors that a container shares with bpfd; all -1 = none. */
struct ns_bpfd_grant {
    int pktio_fd, bpfd_fd; /* the two ends of its socket pair */
    /* of the ring buffer, -1 = the kernel has none. pktio has the same, and writes there how far it has read */
    int samples_fd;
    /* of the records. pktio maps the same, for reading. It is writable, because else it cannot be mapped shared */
    int records_fd;
};

#define NS_BPFD_GRANT_NONE ((struct ns_bpfd_grant){-1, -1, -1, -1})

/* Starts bpfd, if the dist has it. Its hello is awaited in the loop. */
void ns_bpfd_child_open(struct ns_spawner *spawner);
void ns_bpfd_child_stop(struct ns_spawner *spawner);
void ns_bpfd_child_close(struct ns_spawner *spawner);
bool ns_bpfd_child_ended(struct ns_spawner *spawner, pid_t pid, int status);
uint64_t ns_bpfd_child_tick(struct ns_spawner *spawner, uint64_t now);

/* Returns bpfd's socket, -1 = none, and the events of poll() to wait for. ns_bpfd_child_read() reads and sends. */
int ns_bpfd_child_socket(const struct ns_spawner *spawner, short *events);
void ns_bpfd_child_read(struct ns_spawner *spawner);

/* The operator's own programs, as keys of a reply or an event. */
void ns_bpfd_put_own(const struct ns_spawner *spawner, FILE *out);

/* Returns true once spawner->features holds. It is empty if bpfd is missing, or has not greeted. */
bool ns_bpfd_known(const struct ns_spawner *spawner);

/* Returns the features that modules may count on, or "" if the operator has no interfaces for the fast path. */
const char *ns_bpfd_offered(const struct ns_spawner *spawner);

/* Carries out the verb `fastpath`. The ticket is answered when bpfd has answered. */
void ns_bpfd_fastpath(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket);

/* Returns the offload mark O if there are packets with it, else 0. */
uint32_t ns_bpfd_mark(const struct ns_spawner *spawner);

/* Notes in the rules the filters that bpfd samples, and the interfaces where it samples them. */
void ns_bpfd_rules(const struct ns_spawner *spawner, struct ns_rules *rules);

/*
 * Asks bpfd for the container's sockets, records and ring buffer, before the container's pktio starts. True:
 * `granted` is set when bpfd has answered, or when its time is over, which the log then says. False: there is nothing
 * to wait for.
 */
bool ns_bpfd_grant(struct ns_spawner *spawner, struct ns_container *container);

/* Takes back the container's grant: nothing of the container stays in the kernel. */
void ns_bpfd_revoke(struct ns_spawner *spawner, struct ns_container *container);

/*
 * Tells bpfd that the container has died by itself. Its relays stay in the kernel for a grace, so that its next start
 * finds them. All else of it ends, and its grant, too.
 */
void ns_bpfd_keep(struct ns_spawner *spawner, struct ns_container *container);

/* Ends the relays that bpfd keeps for a container of this name: it is not wanted any more. */
void ns_bpfd_forget(struct ns_spawner *spawner, const char *name);

/* Does the same for the verb `forget`. The ticket is answered when they have ended. */
void ns_bpfd_forget_asked(struct ns_spawner *spawner, const char *name, struct ns_ticket ticket);

/* Tells bpfd the node's addresses and the networks of containers, after a change of either. */
void ns_bpfd_node(struct ns_spawner *spawner);

/* Chooses the filters that bpfd samples. Comes before the rules, because the rules follow the choice. */
void ns_bpfd_samples_choose(struct ns_spawner *spawner);

typedef void (*ns_bpfd_filters_done)(struct ns_spawner *spawner, uint64_t token);

/* Tells bpfd the whole list of filters. An older list that still waits to be sent is dropped. */
void ns_bpfd_filters(struct ns_spawner *spawner);

/*
 * Does the same, and calls `done` once bpfd has answered this list or a later one, or is gone. `done` may be called
 * before the return.
 */
void ns_bpfd_filters_then(struct ns_spawner *spawner, ns_bpfd_filters_done done, uint64_t token);

/* Notes the publishers that a new list of filters moves to AF_XDP. */
void ns_bpfd_planes(struct ns_spawner *spawner);

/*
 * Asks bpfd for a container's counters. `done` gets them as pairs, or "". Each name begins with "flows", "steer" or
 * "relay".
 */
typedef void (*ns_bpfd_stats_done)(struct ns_spawner *spawner, struct ns_ticket ticket, uint64_t serial,
                                   const char *pairs);
void ns_bpfd_stats(struct ns_spawner *spawner, const struct ns_container *container, struct ns_ticket ticket,
                   ns_bpfd_stats_done done);

/* Asks bpfd for the counts and flows of all containers that have the most bytes, and answers the order. */
void ns_bpfd_talkers(struct ns_spawner *spawner, uint64_t most, struct ns_ticket ticket);

#endif
