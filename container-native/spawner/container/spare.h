/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spare.h - spares: containers that start before they are ordered and have no publisher yet. The next order that fits
 * takes one.
 *
 *     (none) --one at a time, seconds after a start--> BOOTING --report "booted"--> READY --order--> a container
 *                                                         |                           |
 *                                                         +-- ends, or not wanted ----+--> (none), back-off
 *
 * Each spare has a slot (slot.h). A spare that an order has taken is in spawner->containers, all others are here.
 */
#ifndef NS_SPARE_H
#define NS_SPARE_H

#include "request.h"
#include <stdbool.h>
#include <stdint.h>

#define NS_SPARE_WAIT_MS 5000 /* after a start, and after a client connects, which has containers to start first */

struct ns_container;
struct ns_spawner;

struct ns_spares {
    struct ns_request order; /* the order `spares` of the client; its count is the number of spares */
    struct ns_container *at[NS_SPARES_MAX];
    unsigned yield; /* ms: see NS_SPARE_WAIT_MS */
    unsigned slot;  /* the next slot to be tried */
    unsigned wait;  /* back-off, ms; 0 = no spare has failed since one was last taken, or since the last `spares` */
    uint64_t start; /* no spare starts before this time (ns_now) */
};

/* Clears the slots that an earlier spawner has left. */
void ns_spares_open(struct ns_spawner *spawner);

/* The verb `spares`: ends the spares above the order's count, and the spares that were not started like the order. */
void ns_spares_want(struct ns_spawner *spawner, const struct ns_request *order);

/* Delays the next spare, because a container is being started and needs the processors. */
void ns_spares_yield(struct ns_spawner *spawner);

/* Tells whether a spare that was started with the order `spare` can take `order`. Pure. */
bool ns_spares_fit(const struct ns_request *spare, const struct ns_request *order);

/* Tells whether the spare was started like `order`, with the fast path and processors that the node has now. */
bool ns_spares_alike(const struct ns_spawner *spawner, const struct ns_container *spare,
                     const struct ns_request *order);

/* Returns the oldest spare that is ready and fits. The caller owns it from then on. NULL = there is none. */
struct ns_container *ns_spares_take(struct ns_spawner *spawner, const struct ns_request *order);

/* Ends all spares, and starts no other. */
void ns_spares_stop(struct ns_spawner *spawner);
bool ns_spares_empty(const struct ns_spawner *spawner);

/* Logs that a running spare has ended by itself, and backs off. */
void ns_spares_ended(struct ns_spawner *spawner, const struct ns_container *spare, int status);
/* Frees a spare of which nothing is left. Backs off if it has failed. */
void ns_spares_gone(struct ns_spawner *spawner, struct ns_container *spare);
/* Doubles the wait before the next spare starts. */
void ns_spares_back_off(struct ns_spawner *spawner);

uint64_t ns_spares_tick(struct ns_spawner *spawner, uint64_t now);

#endif
