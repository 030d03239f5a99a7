/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spare.h - containers that are nobody's yet: started before they are asked for, and given away with the next order that fits.
 *
 *     (none) --one at a time, seconds after the last start--> BOOTING --its report "booted"--> READY --an order--> a container
 *                                                                 |                               |
 *                                                                 +---- it ends, or is not wanted any more ----> (none), back-off
 *
 * Each has a slot (slot.h). Here are only those that nobody has; spawner->containers does not know them.
 */
#ifndef NS_SPARE_H
#define NS_SPARE_H

#include "request.h"
#include <stdbool.h>
#include <stdint.h>

#define NS_SPARE_WAIT_MS 5000 /* after a start, and after the client has come, which has containers to start first */

struct ns_container;
struct ns_spawner;

struct ns_spares {
    struct ns_request order; /* what the client wants of them; count = how many */
    struct ns_container *at[NS_SPARES_MAX];
    unsigned yield; /* ms: see NS_SPARE_WAIT_MS */
    unsigned slot;  /* the next to be tried */
    unsigned wait;  /* back-off, ms; 0 = none has ended by itself since the last that was taken */
    uint64_t start; /* ns_now: not before */
};

/* Takes away what an earlier spawner has left of its slots. */
void ns_spares_open(struct ns_spawner *spawner);

/* The verb `spares`: ends those that are too many or that no order like this one would fit. */
void ns_spares_want(struct ns_spawner *spawner, const struct ns_request *order);

/* A container is being started: no spare takes the processors away from it. */
void ns_spares_yield(struct ns_spawner *spawner);

/* Could a spare that was started like this take that order? Pure. */
bool ns_spares_fit(const struct ns_request *spare, const struct ns_request *order);

/* Was it started as that order says, with what the node offers now? */
bool ns_spares_alike(const struct ns_spawner *spawner, const struct ns_container *spare,
                     const struct ns_request *order);

/* The oldest that is ready and fits, which is then the caller's. NULL: there is none. */
struct ns_container *ns_spares_take(struct ns_spawner *spawner, const struct ns_request *order);

/* Ends all, and starts no other. */
void ns_spares_stop(struct ns_spawner *spawner);
bool ns_spares_empty(const struct ns_spawner *spawner);

/* One that runs has ended by itself; nothing is left of one, and it is freed; the next one waits longer. */
void ns_spares_ended(struct ns_spawner *spawner, const struct ns_container *spare, int status);
void ns_spares_gone(struct ns_spawner *spawner, struct ns_container *spare);
void ns_spares_back_off(struct ns_spawner *spawner);

uint64_t ns_spares_tick(struct ns_spawner *spawner, uint64_t now);

#endif
