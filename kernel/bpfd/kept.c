/* SPDX-License-Identifier: Apache-2.0 */
#include "kept.h"
#include "relays.h"

#include "ns_line.h"
#include "ns_log.h"
#include "ns_time.h"
#include <string.h>

/* Returns the dead container in a slot, NULL = there is none. */
static struct ns_granted *dead(const struct ns_bpfd *bpfd, unsigned slot) {
    struct ns_granted *granted = bpfd->granted[slot];

    return granted != NULL && granted->kept.until != 0 ? granted : NULL;
}

static struct ns_granted *dead_of(const struct ns_bpfd *bpfd, unsigned slot, const char *name) {
    struct ns_granted *granted = dead(bpfd, slot);

    return granted != NULL && strcmp(granted->kept.name, name) == 0 ? granted : NULL;
}

/* --- counters: by name, because they outlive containers --- */

static const struct ns_kept_count *find_count(const struct ns_bpfd *bpfd, const char *name) {
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        if (strcmp(bpfd->kept_count[i].name, name) == 0)
            return &bpfd->kept_count[i];
    }
    return NULL;
}

/* Returns the counters of a name. A name without any gets those that were made first, if none are free. */
static struct ns_kept_count *count_of(struct ns_bpfd *bpfd, const char *name) {
    const struct ns_kept_count *found = find_count(bpfd, name);
    struct ns_kept_count *count;

    if (found != NULL)
        return &bpfd->kept_count[found - bpfd->kept_count];
    count = &bpfd->kept_count[bpfd->kept_counts++ % NS_FASTPATH_CONTAINERS];
    *count = (struct ns_kept_count){.kept = 0};
    strcpy(count->name, name);
    return count;
}

void ns_kept_print(const struct ns_bpfd *bpfd, const char *name, FILE *out) {
    static const struct ns_kept_count none;
    const struct ns_kept_count *found = find_count(bpfd, name), *count = found == NULL ? &none : found;

    ns_line_put_number(out, "relay-kept", count->kept);
    ns_line_put_number(out, "relay-taken-over", count->taken_over);
    ns_line_put_number(out, "relay-kept-ended", count->ended);
}

/* --- the end --- */

/* Frees the slot of a dead container. Relays that it still has end. */
static void close_slot(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    const struct ns_kept *kept = &granted->kept;
    unsigned ended = kept->count - kept->taken_over;

    count_of(bpfd, kept->name)->ended += ended;
    if (ended != 0)
        ns_info("%s: %u of %u relays that were kept have ended, and no container has taken them over", kept->name,
                ended, kept->count);
    ns_flows_revoke(bpfd, granted);
}

void ns_kept_forget(struct ns_bpfd *bpfd, const char *name) {
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        struct ns_granted *granted = dead_of(bpfd, i, name);

        if (granted != NULL)
            close_slot(bpfd, granted);
    }
}

bool ns_kept_make_room(struct ns_bpfd *bpfd) {
    struct ns_granted *first = NULL;

    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        struct ns_granted *granted = dead(bpfd, i);

        if (granted != NULL && (first == NULL || granted->kept.until < first->kept.until))
            first = granted;
    }
    if (first != NULL)
        close_slot(bpfd, first);
    return first != NULL;
}

void ns_kept_sweep(struct ns_bpfd *bpfd, uint64_t now) {
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        struct ns_granted *granted = dead(bpfd, i);

        if (granted != NULL && (granted->relays.used == 0 || now >= granted->kept.until))
            close_slot(bpfd, granted);
    }
}

/* --- the beginning --- */

unsigned ns_kept_begin(struct ns_bpfd *bpfd, struct ns_granted *granted, uint64_t until) {
    unsigned count = granted->relays.used;
    uint64_t now = ns_now_ns();

    if (count == 0) {
        ns_flows_revoke(bpfd, granted);
        return 0;
    }
    granted->kept = (struct ns_kept){.until = until, .count = count};
    strcpy(granted->kept.name, granted->name);
    ns_relays_bound(bpfd, granted, until, now);
    ns_relays_begin_numbers(granted);
    ns_flows_leave(bpfd, granted);
    count_of(bpfd, granted->kept.name)->kept += count;
    ns_info("%s: its container has died: %u relays are kept for %llu ms", granted->kept.name, count,
            (unsigned long long)((until - now) / 1000000));
    return count;
}

/* --- the next container, and others --- */

void ns_kept_meet(struct ns_bpfd *bpfd, const char *name, const struct ns_reach *listen,
                  const struct ns_reach *connect) {
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        struct ns_granted *granted = dead(bpfd, i);

        if (granted == NULL)
            continue;
        if (strcmp(granted->kept.name, name) == 0) {
            granted->relays.listen = *listen;
            granted->relays.connect = *connect;
            ns_relays_check_container(bpfd, granted);
            ns_relays_bound(bpfd, granted, granted->kept.until, ns_now_ns());
        } else {
            ns_relays_yield(bpfd, granted, listen);
        }
        if (granted->relays.used == 0)
            close_slot(bpfd, granted);
    }
}

struct ns_kept_relay ns_kept_find(const struct ns_bpfd *bpfd, const char *name, const struct ns_ring_ask *ask) {
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        struct ns_granted *granted = dead_of(bpfd, i, name);

        for (unsigned at = 0; granted != NULL && at < NS_RING_RELAYS; at++) {
            const struct ns_granted_relay *relay = &granted->relays.place[at];

            if (relay->used && ns_relay_same(&relay->ask, ask))
                return (struct ns_kept_relay){granted, at};
        }
    }
    return (struct ns_kept_relay){NULL, 0};
}

void ns_kept_taken_over(struct ns_bpfd *bpfd, struct ns_kept_relay kept) {
    struct ns_granted *granted = kept.granted;

    granted->relays.place[kept.place].used = false;
    granted->relays.used--;
    bpfd->relays--;
    granted->kept.taken_over++;
    count_of(bpfd, granted->kept.name)->taken_over++;
    if (granted->relays.used == 0)
        close_slot(bpfd, granted);
}

bool ns_kept_yield(struct ns_bpfd *bpfd, const char *name, const struct ns_ring_ask *ask) {
    bool any = false;

    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        struct ns_granted *granted = dead_of(bpfd, i, name);

        for (unsigned at = 0; granted != NULL && at < NS_RING_RELAYS; at++) {
            const struct ns_granted_relay *relay = &granted->relays.place[at];

            if (!relay->used || !ns_relay_clashes(&relay->ask, ask))
                continue;
            ns_relays_end(bpfd, granted, at, &granted->relays.ended_revoked);
            any = true;
        }
    }
    return any;
}

unsigned ns_kept_used(const struct ns_bpfd *bpfd, const char *name) {
    unsigned used = 0;

    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        const struct ns_granted *granted = dead_of(bpfd, i, name);

        used += granted == NULL ? 0 : granted->relays.used;
    }
    return used;
}
