/* SPDX-License-Identifier: Apache-2.0 */
#include "spare.h"

#include "container.h"
#include "ns_log.h"
#include "parts.h"
#include "spawner.h"
#include <string.h>
#include <sys/wait.h>

#define WAIT_FIRST_MS 1000
#define WAIT_MOST_MS 60000

/* --- orders --- */

/* Compares the settings that a JVM cannot change after its start. */
static bool alike(const struct ns_request *a, const struct ns_request *b) {
    return a->heap == b->heap && a->direct == b->direct && a->metaspace == b->metaspace &&
           ns_request_processors(a) == ns_request_processors(b);
}

bool ns_spares_fit(const struct ns_request *spare, const struct ns_request *order) {
    return alike(spare, order) && order->without == 0;
}

/*
 * Tells whether the node has changed since the spare's start: the fast path's features, which a bundle may
 * require, or the processors for packets.
 */
static bool outdated(const struct ns_spawner *spawner, const struct ns_container *spare) {
    return strcmp(spare->offered, ns_bpfd_offered(spawner)) != 0 || strcmp(spare->apart, spawner->processors.text) != 0;
}

bool ns_spares_alike(const struct ns_spawner *spawner, const struct ns_container *spare,
                     const struct ns_request *order) {
    return alike(&spare->order, order) && !outdated(spawner, spare);
}

void ns_spares_yield(struct ns_spawner *spawner) {
    uint64_t at = ns_now() + spawner->spares.yield;

    if (spawner->spares.start < at)
        spawner->spares.start = at;
    ns_spare_jobs_yield(spawner, at);
}

static bool ready(const struct ns_container *spare) {
    return spare != NULL && spare->life == NS_RUNNING && spare->booted;
}

/* Takes the oldest, because its agent has had the most time to greet. */
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

/* --- ends --- */

void ns_spares_back_off(struct ns_spawner *spawner) {
    struct ns_spares *spares = &spawner->spares;

    spares->wait = spares->wait == 0 ? WAIT_FIRST_MS : 2 * spares->wait;
    if (spares->wait > WAIT_MOST_MS)
        spares->wait = WAIT_MOST_MS;
    spares->start = ns_now() + spares->wait;
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

bool ns_spares_empty(const struct ns_spawner *spawner) {
    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        if (spawner->spares.at[i] != NULL)
            return false;
    }
    return true;
}
