/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held.h - packets that wait for gist's verdict: at most NS_HELD_MOST, each with a token and a deadline. Pure.
 *
 *     token = number << 8 | place        numbers only grow, so a token is never given twice; never 0
 */
#ifndef NS_HELD_H
#define NS_HELD_H

#include "packet.h"

#define NS_HELD_MOST 256u

struct ns_held_packet {
    uint64_t token; /* 0 = free */
    uint64_t deadline;
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
    struct ns_held_packet packets[NS_HELD_MOST];
};

/* Holds a packet. Its place with the token set, the rest to be filled in; NULL = all are taken. */
struct ns_held_packet *ns_held_take(struct ns_held *held, uint64_t deadline);

/* The packet with this token; NULL = not held. */
struct ns_held_packet *ns_held_find(struct ns_held *held, uint64_t token);

void ns_held_free(struct ns_held *held, struct ns_held_packet *packet);

/* A packet whose deadline is not after `now`, NULL = there is none. UINT64_MAX gives any. */
struct ns_held_packet *ns_held_due(struct ns_held *held, uint64_t now);

/* The nearest deadline, UINT64_MAX = nothing is held. */
uint64_t ns_held_next(const struct ns_held *held);

#endif
