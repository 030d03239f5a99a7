/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held.h - packets that wait for gist's verdict: at most NS_HELD_MOST, each with a token and a deadline. Pure.
 *
 *     token = number << 8 | place        Numbers only grow, so a token is never given twice; it is never 0.
 *
 * A source may hold as many places as are free. A lone source therefore gets half of the places, and a source without
 * a place finds one while any is free.
 *
 * gist answers in the order in which it was asked, so a late verdict tells the length of its backlog. A verdict that
 * took more than NS_HELD_SLOW closes a quarter of the open places. Each verdict that came sooner opens one place.
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
    uint32_t id;     /* the kernel's packet id */
    uint32_t length; /* of the packet, bytes */
    uint8_t family;
    uint16_t header_length;
    uint8_t headers[NS_PACKET_HEADERS]; /* for a packet with another payload */
    uint8_t destination[16];
};

struct ns_held {
    uint64_t number; /* of the last token */
    unsigned count;
    unsigned closed;    /* places that no packet gets now, at most NS_HELD_MOST - NS_HELD_LEAST */
    uint64_t closed_at; /* when places were last closed */
    struct ns_held_packet packets[NS_HELD_MOST];
};

enum ns_held_room { NS_HELD_ROOM, NS_HELD_FULL, NS_HELD_OVER_SHARE };

/* Tells whether a source gets a place now. */
enum ns_held_room ns_held_room(const struct ns_held *held, uint64_t source);

/*
 * Holds a packet of a source. Returns its place with the token set, for the caller to fill in. Returns NULL if there
 * is no place; ns_held_room gives the reason.
 */
struct ns_held_packet *ns_held_take(struct ns_held *held, uint64_t source, uint64_t now, uint64_t deadline);

/* Returns the packet with this token, or NULL if it is not held. */
struct ns_held_packet *ns_held_find(struct ns_held *held, uint64_t token);

/* Learns the length of gist's backlog from a verdict, or from its absence at `now`. Frees nothing. */
void ns_held_judged(struct ns_held *held, const struct ns_held_packet *packet, uint64_t now);

void ns_held_free(struct ns_held *held, struct ns_held_packet *packet);

/* Returns a packet with a deadline at or before `now`, or NULL if there is none. UINT64_MAX gives any packet. */
struct ns_held_packet *ns_held_due(struct ns_held *held, uint64_t now);

/* Returns the nearest deadline, or UINT64_MAX if nothing is held. */
uint64_t ns_held_next(const struct ns_held *held);

#endif
