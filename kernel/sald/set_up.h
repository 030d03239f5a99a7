/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set_up.h - sald's part of the set-up by the programs (ns_sal_set_up.h): fills slots with random numbers, prepares
 * targets and listeners, and makes flows of the slots that are open, late or looked for.
 */
#ifndef NS_SALD_SET_UP_H
#define NS_SALD_SET_UP_H

#include "host_flows.h"
#include "host_made.h"
#include "programs.h"

#define NS_SAL_LATE_MS 100u       /* after which sald goes on with a handshake itself */
#define NS_SAL_SLOTS_MS 50u       /* between two looks at the slots while one is in use */
#define NS_SAL_PREPARED_MS 10000u /* for which a target or listener lasts: then a SYN comes to sald */

#define NS_SAL_DISTRUST_MS                                                                                             \
    600000u /* for which sald sends all SYNs to a surrogate, after one of a program that was lost */

struct ns_sal_pool {
    struct ns_sal_host *host;
    struct ns_sal_programs *programs;
    struct ns_sal_slot *slots;   /* shared with the programs */
    struct ns_sal_set_up *state; /* the same */
    /* descriptors of maps; free[1] is for clients of this host's programs */
    int free[2], targets, listeners, clients, routers;
    unsigned router_count;                  /* of the routers that the programs know */
    unsigned changes;                       /* of the services, up to which the prepared ones count */
    unsigned restored;                      /* flows that were in a slot when the sald before ended */
    uint64_t distrusted[NS_SAL_SURROGATES]; /* until when, in milliseconds */
    bool on;
    bool paused; /* by an order: nothing is prepared, so all SYNs come to sald */
};

/*
 * Takes over the slots of the sald before, and has the programs set flows up from now on if they are loaded. Returns 0,
 * or -1 with errno.
 */
int ns_sal_pool_open(struct ns_sal_pool *pool, struct ns_sal_host *host, struct ns_sal_programs *programs);

/* Looks at the slots. Returns when to look again, NS_SAL_NEVER if the next slot in use wakes sald. */
uint64_t ns_sal_pool_look(struct ns_sal_pool *pool, uint64_t now);

/* Makes a flow of the slot that is looked for. Returns false if there is none. */
bool ns_sal_pool_seek(struct ns_sal_pool *pool, const struct ns_sal_sought *sought);

/* Makes a flow of each slot that has one, whatever its stage: all flows may have to move. */
void ns_sal_pool_take_all(struct ns_sal_pool *pool, uint64_t now);

/* Has all SYNs come to sald until it has prepared their targets and listeners anew: routes or services have changed. */
void ns_sal_pool_renew(struct ns_sal_pool *pool);

/* Enters a flow under its names, so that no SYN with the same ones makes another. */
void ns_sal_pool_enter(struct ns_sal_pool *pool, const struct ns_sal_kept *kept);
void ns_sal_pool_forget(struct ns_sal_pool *pool, const struct ns_sal_kept *kept);

/* Has the programs set up the next connections to the service of this flow, for which `rule` is the only one. */
void ns_sal_pool_prepare(struct ns_sal_pool *pool, const struct ns_sal_kept *kept, const struct ns_sal_rule *rule);

#endif
