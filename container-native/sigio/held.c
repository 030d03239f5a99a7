/* SPDX-License-Identifier: Apache-2.0 */
#include "held.h"

#define PLACE_BITS 8 /* NS_HELD_MOST places */

static unsigned of_source(const struct ns_held *held, uint64_t source) {
    unsigned own = 0;

    for (unsigned i = 0; i < NS_HELD_MOST; i++)
        own += held->packets[i].token != 0 && held->packets[i].source == source;
    return own;
}

enum ns_held_room ns_held_room(const struct ns_held *held, uint64_t source) {
    unsigned open = NS_HELD_MOST - held->closed;

    if (held->count >= open)
        return NS_HELD_FULL;
    return of_source(held, source) < open - held->count ? NS_HELD_ROOM : NS_HELD_OVER_SHARE;
}

struct ns_held_packet *ns_held_take(struct ns_held *held, uint64_t source, uint64_t now, uint64_t deadline) {
    if (ns_held_room(held, source) != NS_HELD_ROOM)
        return NULL;
    for (unsigned i = 0; i < NS_HELD_MOST; i++) {
        struct ns_held_packet *packet = &held->packets[i];

        if (packet->token != 0)
            continue;
        held->count++;
        packet->token = ++held->number << PLACE_BITS | i;
        packet->source = source;
        packet->since = now;
        packet->deadline = deadline;
        return packet;
    }
    return NULL;
}

void ns_held_judged(struct ns_held *held, const struct ns_held_packet *packet, uint64_t now) {
    unsigned open = NS_HELD_MOST - held->closed;

    if (now - packet->since <= NS_HELD_SLOW) {
        if (held->closed > 0)
            held->closed--;
        return;
    }
    if (now - held->closed_at < NS_HELD_SLOW)
        return; /* a packet from before the last closing tells nothing about it */
    open -= open / 4;
    held->closed = NS_HELD_MOST - (open < NS_HELD_LEAST ? NS_HELD_LEAST : open);
    held->closed_at = now;
}

struct ns_held_packet *ns_held_find(struct ns_held *held, uint64_t token) {
    struct ns_held_packet *packet = &held->packets[token % NS_HELD_MOST];

    return token != 0 && packet->token == token ? packet : NULL;
}

void ns_held_free(struct ns_held *held, struct ns_held_packet *packet) {
    packet->token = 0;
    held->count--;
}

struct ns_held_packet *ns_held_due(struct ns_held *held, uint64_t now) {
    for (unsigned i = 0; held->count > 0 && i < NS_HELD_MOST; i++) {
        if (held->packets[i].token != 0 && held->packets[i].deadline <= now)
            return &held->packets[i];
    }
    return NULL;
}

uint64_t ns_held_next(const struct ns_held *held) {
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; held->count > 0 && i < NS_HELD_MOST; i++) {
        if (held->packets[i].token != 0 && held->packets[i].deadline < next)
            next = held->packets[i].deadline;
    }
    return next;
}
