/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firewall.h - puts our rules into the kernel and keeps them there. iptables-nft-restore writes the rules of rules.h,
 * nft writes the table of fence.h. All reads and writes are in two tasks, an apply and a check (apply.h).
 *
 *     IDLE --wanted--> APPLYING: looks, writes, reads back --done--> tells the waiters. Wanted meanwhile: again.
 *      ^                                                     |
 *      |    +------------------------------------------------+ changes told meanwhile may be somebody else's.
 *      |    v
 *      |   CHECKING: our rules are read back <---- the kernel tells of a change (nft.h, iprule.h), or lost messages.
 *      |    | whole                    | not whole
 *      +----+                          +--> DAMAGED: the client is told, then APPLYING. If the fence is damaged,
 *                                           APPLYING holds containers back first.
 *
 * An order does not wait for a check. APPLYING overtakes the check and looks by itself. An apply starts from the
 * rules that the kernel really has. So the next apply repairs the rest of one that failed half-way. A failed apply is
 * tried again after NS_FIREWALL_RETRY_MS.
 */
#ifndef NS_FIREWALL_H
#define NS_FIREWALL_H

#include "apply.h"
#include "links.h"

#define NS_FIREWALL_RETRY_MS 500
#define NS_FIREWALL_MS 20000      /* for one apply */
#define NS_FIREWALL_CHECK_MS 5000 /* for one check */
#define NS_FIREWALL_WAITERS 1024

struct ns_spawner;

/* The origin of the rules. */
struct ns_firewall_source {
    void (*settle)(struct ns_spawner *spawner); /* chooses the fast path's samples; in the loop, before each apply */
    /* Sets the rules as they should be now, in the task of the apply. They point to memory of the spawner. */
    void (*rules)(struct ns_spawner *spawner, struct ns_rules *rules);
};

/*
 * Tells a caller the result of an apply. `why` is "" if the rules were read back from the kernel as wanted, else the
 * reason. Called exactly once, perhaps before ns_firewall_want() returns. `token` names a waiting container by its
 * serial, because the container may have gone by then.
 */
typedef void (*ns_firewall_done)(struct ns_spawner *spawner, uint64_t token, const char *why);

struct ns_firewall {
    const struct ns_firewall_source *source;
    bool ipv6;  /* this kernel has IPv6 */
    bool match; /* the kernel takes programs (xt_bpf), for each family that it has */
    int watch;  /* socket that hears of changes of nf_tables, -1 = none */
    int leads;  /* likewise of rules of routing */
    struct ns_apply_state *state;
    bool applying, wanted, made; /* made: the first apply has begun */
    bool checking, check;        /* check: a change is to be checked */
    uint64_t applies, looked_at; /* applies begun; the same when the check began: a later apply makes it void */
    bool telling, tell;          /* a task tells containers the node's addresses; they have changed again since */
    unsigned damaged;            /* parts, 1 << NS_RAW4 ..., that were found changed and are not whole yet */
    uint64_t retry_at, check_at; /* 0 = never */
    uint64_t healed;             /* number of times that damaged parts were put back */
    char why[160];               /* reason of the last apply if it failed, else "" */
    unsigned waiters, taken;     /* taken: the first ones, which the apply under way answers */
    bool answering;              /* the apply has ended, and its waiters are being told `answer` */
    char answer[160];
    struct {
        ns_firewall_done done;
        uint64_t token;
    } waiter[NS_FIREWALL_WAITERS];
};

/*
 * Removes the rules that a predecessor left, and probes the kernel for IPv6 and xt_bpf. Called before the loop, and
 * blocks.
 */
void ns_firewall_open(struct ns_firewall *firewall, const struct ns_firewall_source *source);

/*
 * Writes all rules into the kernel anew. It is the step "rules applied and read back" of `start`, `filters` and
 * `prepare`. `done` may be NULL if nobody waits. A failure is then in the log, and the apply is tried again.
 */
void ns_firewall_want(struct ns_spawner *spawner, ns_firewall_done done, uint64_t token);

/* Takes the kernel's messages of changes from both sockets, and has our rules checked soon. */
void ns_firewall_heard(struct ns_spawner *spawner);

/* Acts on changed interfaces (writes the rules) or addresses (tells them to containers) of the node. */
void ns_firewall_links(struct ns_spawner *spawner, struct ns_links_change change);

/* Answers waiters, retries and checks when it is time. Returns the time of the next call, UINT64_MAX = never. */
uint64_t ns_firewall_tick(struct ns_spawner *spawner, uint64_t now);

/* Prints " firewall-missing=<parts that are missing>" and so on, for the event and the reply to `prepare`. */
void ns_firewall_put(const struct ns_firewall *firewall, FILE *out);

/* Removes all our rules. Called after the loop, and blocks. */
void ns_firewall_close(struct ns_firewall *firewall);

#endif
