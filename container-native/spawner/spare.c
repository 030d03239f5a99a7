/* SPDX-License-Identifier: Apache-2.0 */
#include "spare.h"

#include "container.h"
#include "disk.h"
#include "host.h"
#include "ns_identity.h"
#include "ns_log.h"
#include "parts.h"
#include "reports.h"
#include "spawner.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_FIRST_MS 1000
#define WAIT_MOST_MS 60000
#define BOOT_MS 60000 /* then it is killed */
#define DISK_MIB 256  /* sparse: copies of the building blocks, and of the modules that its publisher will have */
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

/* Its directory is its own from here on, so what must be in it is made before its process is. */
static int make_home(struct ns_spawner *spawner, const struct ns_container *container, char why[160]) {
    uid_t id = (uid_t)container->order.uid;
    char home[NS_SPARE_PATH];

    ns_spare_home(&spawner->paths, (unsigned)container->slot, home);
    if (mkdir(home, 0700) == 0 && chown(home, id, id) == 0)
        return 0;
    snprintf(why, 160, "home: %s", strerror(errno));
    return -1;
}

static struct ns_container *start(struct ns_spawner *spawner, char why[160]) {
    unsigned slot = find_slot(spawner);
    struct ns_request order = order_of(spawner, slot);
    struct ns_container *container = ns_parts_new(&order);

    if (container == NULL) {
        snprintf(why, 160, "out of memory");
        return NULL;
    }
    container->slot = (int)slot;
    container->spare = true;
    container->life_at = ns_now() + BOOT_MS;
    ns_spare_clear(&spawner->paths, slot);
    if (ns_parts_make(spawner, container, why) == 0 && make_home(spawner, container, why) == 0 &&
        ns_host_start(spawner, container, why) == 0)
        return container;
    ns_parts_destroy(spawner, container);
    return NULL;
}

static void back_off(struct ns_spares *spares) {
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
        else if (spare->life == NS_RUNNING && !spare->booted)
            return NULL;
        else
            count += spare->life == NS_RUNNING;
    }
    return count < spares->order.count ? place : NULL;
}

/* --- end --- */

static void end(struct ns_container *spare) {
    spare->life = NS_KILLED;
    spare->life_at = 0;
    kill(spare->host, SIGKILL); /* the first process of its namespace: the kernel kills all others */
}

bool ns_spares_child(struct ns_spawner *spawner, pid_t pid, int status) {
    struct ns_spares *spares = &spawner->spares;

    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        struct ns_container *spare = spares->at[i];

        if (spare == NULL || spare->host != pid)
            continue;
        while (ns_reports_read(spawner, spare))
            continue;
        if (spare->life == NS_RUNNING) {
            ns_warn("%s: ended with %s %d", spare->order.name, WIFEXITED(status) ? "exit" : "signal",
                    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
            back_off(spares);
        }
        spares->at[i] = NULL;
        ns_parts_destroy(spawner, spare);
        return true;
    }
    return false;
}

void ns_spares_stop(struct ns_spawner *spawner) {
    spawner->spares.order.count = 0;
    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        if (spawner->spares.at[i] != NULL)
            end(spawner->spares.at[i]);
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
    if (spawner->lacking != 0 && order->count > 0) {
        ns_warn("spares: none, for this machine lacks a layer");
        spares->order.count = 0;
    }
    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        struct ns_container *spare = spares->at[i];

        if (spare == NULL || spare->life != NS_RUNNING)
            continue;
        if (kept < spares->order.count && alike(&spare->order, order) && !outdated(spawner, spare))
            kept++;
        else
            end(spare);
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

static uint64_t boot_over(struct ns_spares *spares, uint64_t now) {
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        struct ns_container *spare = spares->at[i];

        if (spare == NULL || spare->life != NS_RUNNING || spare->booted)
            continue;
        if (now < spare->life_at) {
            next = spare->life_at;
        } else {
            ns_warn("%s: has not booted in %d ms", spare->order.name, BOOT_MS);
            back_off(spares);
            end(spare);
        }
    }
    return next;
}

/* Not while the class data are made: it would have to do without for all its life. */
uint64_t ns_spares_tick(struct ns_spawner *spawner, uint64_t now) {
    struct ns_spares *spares = &spawner->spares;
    uint64_t next = boot_over(spares, now);
    struct ns_container **place = wanted(spares);
    char why[160];

    if (place == NULL || spawner->archive.maker != 0)
        return next;
    if (now < spares->start)
        return spares->start < next ? spares->start : next;
    *place = start(spawner, why);
    if (*place == NULL) {
        back_off(spares);
        ns_warn("spare: %s", why);
        return spares->start;
    }
    ns_info("%s: started, host %d", (*place)->order.name, (int)(*place)->host);
    return (*place)->life_at;
}
