/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held.h - packets that wait for gist's verdict: at most NS_HELD_MOST, each with a token and a deadline. Pure.
 *
 *     token = number << 8 | place        numbers only grow, so a token is never given twice; never 0
 *
 * A source may have as many as places are free: alone it gets half of them, and one that has none finds one while any is free.
 * gist answers in the order in which it was asked, so a late verdict says how much waits there. After one that took more than
 * NS_HELD_SLOW a quarter of the places is closed; each that came sooner opens one.
 */
#ifndef NS_HELD_H
#define NS_HELD_H

#include "packet.h"

#define NS_HELD_MOST 256u
#define NS_HELD_LEAST 16u         /* places that are never closed */
#define NS_HELD_SLOW 100000000ull /* nanoseconds */

struct ns_held_packet {
    uint64_t token; /* 0 = free */
    uint64_t since, deadline;
    uint64_t source; /* ns_source_of */
    uint32_t id;     /* the kernel's */
    uint32_t length; /* of the packet, bytes */
    uint8_t family;
    uint16_t header_length;
    uint8_t headers[NS_PACKET_HEADERS]; /* for a packet with another payload */
    uint8_t destination[16];
};

struct ns_held {
    uint64_t number; /* of the last token */
    unsigned count;
    unsigned closed;    /* places that nobody gets now, at most NS_HELD_MOST - NS_HELD_LEAST */
    uint64_t closed_at; /* when places were closed last */
    struct ns_held_packet packets[NS_HELD_MOST];
};

enum ns_held_room { NS_HELD_ROOM, NS_HELD_FULL, NS_HELD_OVER_SHARE };

/* Whether a source gets a place now. */
enum ns_held_room ns_held_room(const struct ns_held *held, uint64_t source);

/* Holds a packet of a source. Its place with the token set, the rest to be filled in; NULL = ns_held_room says why. */
struct ns_held_packet *ns_held_take(struct ns_held *held, uint64_t source, uint64_t now, uint64_t deadline);

/* The packet with this token; NULL = not held. */
struct ns_held_packet *ns_held_find(struct ns_held *held, uint64_t token);

/* Learns from a verdict, or from its absence at `now`, how far gist is behind; frees nothing. */
void ns_held_judged(struct ns_held *held, const struct ns_held_packet *packet, uint64_t now);

void ns_held_free(struct ns_held *held, struct ns_held_packet *packet);

/* A packet whose deadline is not after `now`, NULL = there is none. UINT64_MAX gives any. */
struct ns_held_packet *ns_held_due(struct ns_held *held, uint64_t now);

/* The nearest deadline, UINT64_MAX = nothing is held. */
uint64_t ns_held_next(const struct ns_held *held);

#endif
