/* SPDX-License-Identifier: Apache-2.0 */
#include "spare.h"

#include "container.h"
#include "disk.h"
#include "ns_identity.h"
#include "ns_log.h"
#include "parts.h"
#include "spawner.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define WAIT_FIRST_MS 1000
#define WAIT_MOST_MS 60000
#define DISK_MIB 256 /* sparse: copies of the building blocks, and of the modules that its publisher will have */
#define INODES 4096
#define NO_QUEUE 65535 /* of no container: they are even */

/* --- a slot --- */

uint32_t ns_spare_id(uint32_t first_id, unsigned slot) {
    return NS_ID_SPARES(first_id) + slot;
}

static void name_of(unsigned slot, char name[16]) {
    snprintf(name, 16, "@spare%u", slot);
}

void ns_spare_home(const struct ns_paths *paths, unsigned slot, char path[NS_SPARE_PATH]) {
    snprintf(path, NS_SPARE_PATH, "%s/@spare%u/home", paths->containers, slot);
}

void ns_spare_clear(const struct ns_paths *paths, unsigned slot) {
    char name[16];

    name_of(slot, name);
    if (ns_disk_remove(paths, name) != 0)
        ns_warn("%s: not all of it could be removed: %s", name, strerror(errno));
}

static bool has_slot(struct ns_container *const *at, unsigned count, unsigned slot) {
    for (unsigned i = 0; i < count; i++) {
        if (at[i] != NULL && at[i]->slot == (int)slot)
            return true;
    }
    return false;
}

/* One after the other: who asks for the uid of one that has ended finds nobody for a while, rather than another's. */
static unsigned find_slot(struct ns_spawner *spawner) {
    struct ns_spares *spares = &spawner->spares;
    unsigned slot;

    do {
        slot = spares->slot++ % NS_SPARE_SLOTS;
    } while (has_slot(spares->at, NS_SPARES_MAX, slot) || has_slot(spawner->containers, NS_CONTAINERS_MAX, slot));
    return slot;
}

/* --- start --- */

/* What an ordinary container of no publisher would be ordered with. */
static struct ns_request order_of(const struct ns_spawner *spawner, unsigned slot) {
    struct ns_request order = spawner->spares.order;

    order.verb = NS_VERB_START;
    name_of(slot, order.name);
    order.uid = order.gid = ns_spare_id(spawner->ids, slot);
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

void ns_spares_back_off(struct ns_spawner *spawner) {
    struct ns_spares *spares = &spawner->spares;

    spares->wait = spares->wait == 0 ? WAIT_FIRST_MS : 2 * spares->wait;
    if (spares->wait > WAIT_MOST_MS)
        spares->wait = WAIT_MOST_MS;
    spares->start = ns_now() + spares->wait;
}

/* Where one is to be, NULL = all that are wanted are there, or one of them boots. */
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

void ns_spares_ended(struct ns_spawner *spawner, const struct ns_container *spare, int status) {
    ns_warn("%s: ended with %s %d", spare->order.name, WIFEXITED(status) ? "exit" : "signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    ns_spares_back_off(spawner);
}

void ns_spares_gone(struct ns_spawner *spawner, struct ns_container *spare) {
    struct ns_spares *spares = &spawner->spares;

    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        if (spares->at[i] == spare)
            spares->at[i] = NULL;
    }
    if (spare->failed) {
        ns_warn("spare: %s", spare->why);
        ns_spares_back_off(spawner);
    }
    ns_parts_free(spare);
}

void ns_spares_stop(struct ns_spawner *spawner) {
    spawner->spares.order.count = 0;
    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        if (spawner->spares.at[i] != NULL)
            end(spawner, spawner->spares.at[i]);
    }
}

bool ns_spares_empty(const struct ns_spawner *spawner) {
    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        if (spawner->spares.at[i] != NULL)
            return false;
    }
    return true;
}

/* --- orders --- */

/* What its virtual machine was started with and cannot change. */
static bool alike(const struct ns_request *a, const struct ns_request *b) {
    return a->heap == b->heap && a->direct == b->direct && a->metaspace == b->metaspace &&
           ns_request_processors(a) == ns_request_processors(b);
}

bool ns_spares_fit(const struct ns_request *spare, const struct ns_request *order) {
    return alike(spare, order) && order->network < 0 && order->without == 0;
}

/* What a bundle may require, or where packets are worked on, is not that of the node any more. */
static bool outdated(const struct ns_spawner *spawner, const struct ns_container *spare) {
    return strcmp(spare->offered, ns_bpfd_offered(spawner)) != 0 || strcmp(spare->apart, spawner->processors.text) != 0;
}

void ns_spares_yield(struct ns_spawner *spawner) {
    uint64_t at = ns_now() + spawner->spares.yield;

    if (spawner->spares.start < at)
        spawner->spares.start = at;
}

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
        if (kept < spares->order.count && alike(&spare->order, order) && !outdated(spawner, spare))
            kept++;
        else
            end(spawner, spare);
    }
}

static bool ready(const struct ns_container *spare) {
    return spare != NULL && spare->life == NS_RUNNING && spare->booted;
}

/* The oldest: its agent has had the most time to greet. */
struct ns_container *ns_spares_take(struct ns_spawner *spawner, const struct ns_request *order) {
    struct ns_spares *spares = &spawner->spares;
    struct ns_container **best = NULL, *taken;

    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        struct ns_container *spare = spares->at[i];

        if (ready(spare) && ns_spares_fit(&spare->order, order) && !outdated(spawner, spare) &&
            (best == NULL || spare->serial < (*best)->serial))
            best = &spares->at[i];
    }
    if (best == NULL)
        return NULL;
    taken = *best;
    *best = NULL;
    spares->wait = 0;
    taken->life_at = 0;
    return taken;
}

/* --- time --- */

void ns_spares_open(struct ns_spawner *spawner) {
    for (unsigned slot = 0; slot < NS_SPARE_SLOTS; slot++)
        ns_spare_clear(&spawner->paths, slot);
}

/* Not while the class data are made: it would have to do without for all its life. */
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
