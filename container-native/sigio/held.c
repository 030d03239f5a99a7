/* SPDX-License-Identifier: Apache-2.0 */
#include "held.h"

#define PLACE_BITS 8 /* NS_HELD_MOST places */

struct ns_held_packet *ns_held_take(struct ns_held *held, uint64_t deadline) {
    for (unsigned i = 0; held->count < NS_HELD_MOST && i < NS_HELD_MOST; i++) {
        struct ns_held_packet *packet = &held->packets[i];

        if (packet->token != 0)
            continue;
        held->count++;
        packet->token = ++held->number << PLACE_BITS | i;
        packet->deadline = deadline;
        return packet;
    }
    return NULL;
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
