/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firewall.h - puts our rules into the kernel and keeps them there: rules.h by iptables-nft-restore, fence.h by nft. It reads and
 * writes nothing by itself: both are tasks (apply.h).
 *
 *     IDLE --wanted--> APPLYING: looks, writes, reads back --done--> who waited is told; more was wanted meanwhile: again
 *      ^                                                     |
 *      |    +------------------------------------------------+ what was told meanwhile may be somebody else's change
 *      |    v
 *      |   CHECKING: what is ours is read back <---- the kernel tells of a change (nft.h), or of more than could be heard
 *      |    | whole                    | not whole
 *      +----+                          +--> DAMAGED: named to the client, then APPLYING, which holds containers back first
 *
 * An order does not wait for a check: APPLYING overtakes it, and looks by itself. An apply starts from what the kernel has, not from
 * what it should have. So the next one puts right what was left by one that failed half-way. A failed one is tried again after
 * NS_FIREWALL_RETRY_MS.
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
    void (*settle)(struct ns_spawner *spawner); /* in the loop, before each apply */
    /* In the task of the apply: the rules as they should be now. They point to memory of the spawner. */
    void (*rules)(struct ns_spawner *spawner, struct ns_rules *rules);
};

/*
 * Hears of the rules. `why` is "" when the kernel has them, as read back, else the reason. Called exactly once, perhaps before
 * ns_firewall_want() returns. A container that waits is named by its serial in `token`, for it may be gone by then.
 */
typedef void (*ns_firewall_done)(struct ns_spawner *spawner, uint64_t token, const char *why);

struct ns_firewall {
    const struct ns_firewall_source *source;
    bool ipv6;  /* does this kernel have it? */
    bool match; /* takes programs (xt_bpf), for each family that there is */
    int watch;  /* hears of changes */
    struct ns_apply_state *state;
    bool applying, wanted, made; /* made: there was a first apply */
    bool checking, check;        /* check: there is something to be looked at */
    uint64_t applies, looked_at; /* begun; of them when the check began, which is heeded only if there was none since */
    bool telling, tell;          /* a task tells them the node's addresses; these are others again */
    unsigned damaged;            /* parts, 1 << NS_RAW4 ..., that were found changed and are not whole yet */
    uint64_t retry_at, check_at; /* 0 = never */
    uint64_t healed;             /* how often parts were put back */
    char why[160];               /* of the last apply that failed, "" = it did not */
    unsigned waiters, taken;     /* taken: of them, those whom the apply under way answers */
    bool answering;              /* it has ended, and they are being answered: `answer` */
    char answer[160];
    struct {
        ns_firewall_done done;
        uint64_t token;
    } waiter[NS_FIREWALL_WAITERS];
};

/* Removes what a predecessor left. It is before the loop, and blocks. */
void ns_firewall_open(struct ns_firewall *firewall, const struct ns_firewall_source *source);

/*
 * Writes the kernel's rules anew: the step "rules applied and read back" of `start`, `filters`, `prepare`. `done` may be NULL, when
 * nobody waits. What fails then is in the log and is tried again.
 */
void ns_firewall_want(struct ns_spawner *spawner, ns_firewall_done done, uint64_t token);

/* The kernel has told of changes: what is ours is read back soon. */
void ns_firewall_heard(struct ns_spawner *spawner);

/* The node has other interfaces or addresses. */
void ns_firewall_links(struct ns_spawner *spawner, struct ns_links_change change);

/* Does what is due; returns when it wants to be called again, UINT64_MAX = never. */
uint64_t ns_firewall_tick(struct ns_spawner *spawner, uint64_t now);

/* " firewall=<parts that are missing>" and so on, as in the event and in the reply to `prepare`. */
void ns_firewall_put(const struct ns_firewall *firewall, FILE *out);

/* Removes everything of ours. It is behind the loop, and blocks. */
void ns_firewall_close(struct ns_firewall *firewall);

#endif
