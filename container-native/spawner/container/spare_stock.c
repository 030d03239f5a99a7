/* SPDX-License-Identifier: Apache-2.0 */
/* spare_stock.c - keeps as many spares as the client wants: starts new spares, and ends the superfluous ones. */
#include "spare.h"

#include "container.h"
#include "ns_log.h"
#include "parts.h"
#include "slot.h"
#include "spawner.h"

#define DISK_MIB 256 /* sparse; for copies of the building blocks, and of the modules of its later publisher */
#define INODES 4096
#define NO_QUEUE 65535 /* no container has it, because a container's queue is even */

static bool has_slot(struct ns_container *const *at, unsigned count, unsigned slot) {
    for (unsigned i = 0; i < count; i++) {
        if (at[i] != NULL && at[i]->slot == (int)slot)
            return true;
    }
    return false;
}

/*
 * Chooses the next free slot. Slots are used in turn, so the uid of a container that has ended stays unused for a
 * while. A late question about that uid finds no container, instead of the next one.
 */
static unsigned find_slot(struct ns_spawner *spawner) {
    struct ns_spares *spares = &spawner->spares;
    unsigned slot;

    do {
        slot = spares->slot++ % NS_SPARE_SLOTS;
    } while (has_slot(spares->at, NS_SPARES_MAX, slot) || has_slot(spawner->containers, NS_CONTAINERS_MAX, slot));
    return slot;
}

/* --- start --- */

/* Returns the order of an ordinary container without a publisher, for the spare in this slot. */
static struct ns_request order_of(const struct ns_spawner *spawner, unsigned slot) {
    struct ns_request order = spawner->spares.order;

    order.verb = NS_VERB_START;
    ns_slot_name(slot, order.name);
    order.uid = order.gid = ns_slot_id(spawner->ids, slot);
    order.queue = NO_QUEUE;
    order.network = -1;
    order.disk = DISK_MIB;
    order.inodes = INODES;
    return order;
}

static struct ns_container *new_spare(struct ns_spawner *spawner) {
    unsigned slot = find_slot(spawner);
    struct ns_request order = order_of(spawner, slot);
    struct ns_container *container = ns_parts_new(&order);

    if (container == NULL)
        return NULL;
    container->slot = (int)slot;
    container->spare = true;
    return container;
}

/* Returns a free place if another spare is to be started. NULL = there are enough spares, or one still boots. */
static struct ns_container **wanted(struct ns_spares *spares) {
    struct ns_container **place = NULL;
    unsigned count = 0;

    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        struct ns_container *spare = spares->at[i];

        if (spare == NULL)
            place = &spares->at[i];
        else if (spare->life <= NS_RUNNING && !spare->booted)
            return NULL;
        else
            count += spare->life == NS_RUNNING;
    }
    return count < spares->order.count ? place : NULL;
}

/* --- end --- */

static void end(struct ns_spawner *spawner, struct ns_container *spare) {
    if (spare->life <= NS_RUNNING)
        ns_container_move(spawner, spare, NS_KILLED, NULL);
}

void ns_spares_stop(struct ns_spawner *spawner) {
    spawner->spares.order.count = 0;
    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        if (spawner->spares.at[i] != NULL)
            end(spawner, spawner->spares.at[i]);
    }
}

/* --- orders --- */

void ns_spares_want(struct ns_spawner *spawner, const struct ns_request *order) {
    struct ns_spares *spares = &spawner->spares;
    uint64_t kept = 0;

    spares->order = *order;
    spares->wait = 0;
    ns_spares_yield(spawner);
    if ((spawner->lacking & ~NS_LAYER_SPARED) != 0 && order->count > 0) {
        ns_warn("spares: none, for this machine lacks a layer");
        spares->order.count = 0;
    }
    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        struct ns_container *spare = spares->at[i];

        if (spare == NULL || spare->life > NS_RUNNING)
            continue;
        if (kept < spares->order.count && ns_spares_alike(spawner, spare, order))
            kept++;
        else
            end(spawner, spare);
    }
}

/* --- time --- */

void ns_spares_open(struct ns_spawner *spawner) {
    for (unsigned slot = 0; slot < NS_SPARE_SLOTS; slot++)
        ns_slot_clear(&spawner->paths, slot);
}

/* Starts the next spare, but not while its class data are made: the spare would run without them for all its life. */
uint64_t ns_spares_tick(struct ns_spawner *spawner, uint64_t now) {
    struct ns_spares *spares = &spawner->spares;
    struct ns_container **place = wanted(spares);

    if (place == NULL || spawner->archive.maker != 0 || spawner->archive.busy)
        return UINT64_MAX;
    if (now < spares->start)
        return spares->start;
    *place = new_spare(spawner);
    if (*place == NULL)
        ns_spares_back_off(spawner);
    else
        ns_container_begin_spare(spawner, *place);
    return now;
}
