/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - makes and checks frames. Everything is computed anew from the bytes, without the programs' arithmetic. */
#ifndef NS_TEST_WIRE_H
#define NS_TEST_WIRE_H

#include "ns_checksum.h"
#include "ns_fastpath.h"
#include "ns_ip.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define WIRE_L3 14u
#define WIRE_MAX 2000u

struct wire {
    uint8_t family, protocol, ttl, tos;
    const char *source, *destination;
    uint16_t source_port, destination_port;
    uint32_t payload;
    bool no_checksum; /* of UDP */
};

static inline void wire_put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline uint32_t wire_get16(const uint8_t *at) {
    return (uint32_t)at[0] << 8 | at[1];
}

/* Returns the sum over pseudo header and upper layer: 0xffff if the checksum is right. */
static inline uint16_t wire_sum(const uint8_t *l3) {
    bool v4 = l3[0] >> 4 == 4;
    uint32_t header = v4 ? 20 : 40, total = v4 ? wire_get16(l3 + 2) : 40 + wire_get16(l3 + 4), sum;
    uint8_t last[4] = {0, v4 ? l3[9] : l3[6]};

    wire_put16(last + 2, total - header);
    sum = ns_checksum_add(0, l3 + (v4 ? 12 : 8), v4 ? 8 : 32);
    sum = ns_checksum_add(sum, last, sizeof last);
    return ns_checksum_finish(ns_checksum_add(sum, l3 + header, total - header));
}

/* Makes the whole frame. Returns its length. */
static inline size_t wire_make(uint8_t *frame, const struct wire *w) {
    bool v4 = w->family == 4, tcp = w->protocol == 6;
    uint32_t header = v4 ? 20 : 40, l4 = tcp ? 20 : 8, at = tcp ? 16 : 6, length = header + l4 + w->payload;
    uint8_t *l3 = frame + WIRE_L3, *upper = l3 + header;

    memset(frame, 0, WIRE_L3 + header + l4);
    memcpy(frame, "\x02\0\0\0\0\x01\x02\0\0\0\0\x02", 12);
    wire_put16(frame + 12, v4 ? 0x0800 : 0x86dd);
    l3[0] = v4 ? 0x45 : (uint8_t)(0x60 | w->tos >> 4);
    l3[1] = v4 ? w->tos : (uint8_t)(w->tos << 4 | 0x0a);
    if (!v4)
        wire_put16(l3 + 2, 0x5c31); /* the rest of the flow label, which begins with 0xa */
    wire_put16(l3 + (v4 ? 2 : 4), v4 ? length : l4 + w->payload);
    l3[v4 ? 8 : 7] = w->ttl;
    l3[v4 ? 9 : 6] = w->protocol;
    inet_pton(v4 ? AF_INET : AF_INET6, w->source, l3 + (v4 ? 12 : 8));
    inet_pton(v4 ? AF_INET : AF_INET6, w->destination, l3 + (v4 ? 16 : 24));
    wire_put16(upper, w->source_port);
    wire_put16(upper + 2, w->destination_port);
    if (tcp)
        upper[12] = 5 << 4;
    else
        wire_put16(upper + 4, l4 + w->payload);
    for (uint32_t i = 0; i < w->payload; i++)
        upper[l4 + i] = (uint8_t)rand();
    if (!w->no_checksum) {
        uint16_t sum = wire_sum(l3);

        wire_put16(upper + at, sum == 0 && !tcp ? 0xffff : sum);
    }
    if (v4)
        ns_checksum_ipv4(l3, 20);
    return WIRE_L3 + length;
}

/* Tells whether header checksum and upper-layer checksum (if there is one) are right. */
static inline bool wire_right(const uint8_t *frame) {
    const uint8_t *l3 = frame + WIRE_L3;
    bool v4 = l3[0] >> 4 == 4;
    const uint8_t *upper = l3 + (v4 ? 20 : 40);

    if (v4 && ns_checksum_finish(ns_checksum_add(0, l3, 20)) != 0)
        return false;
    if ((v4 ? l3[9] : l3[6]) == 17 && upper[6] == 0 && upper[7] == 0)
        return v4;
    return wire_sum(l3) == 0;
}

/* Makes a request for that flow. */
static inline struct ns_offload wire_ask(const struct wire *w, enum ns_offload_action action) {
    struct ns_offload r = {.family = w->family, .protocol = w->protocol, .action = (uint8_t)action, .seconds = 60};
    int family = w->family == 4 ? AF_INET : AF_INET6;

    r.seq = 7;
    inet_pton(family, w->source, r.source);
    inet_pton(family, w->destination, r.destination);
    r.source_port = w->source_port;
    r.destination_port = w->destination_port;
    r.dscp = r.ttl = 0xff;
    return r;
}

/* Sets the new pair, and every other field that a rewrite may set. */
static inline void wire_become(struct ns_offload *r, const char *source, const char *destination, uint16_t source_port,
                               uint16_t destination_port) {
    int family = r->family == 4 ? AF_INET : AF_INET6;

    r->action = NS_OFFLOAD_REWRITE;
    r->set |= NS_SET_ADDRESSES | NS_SET_PORTS;
    inet_pton(family, source, r->new_source);
    inet_pton(family, destination, r->new_destination);
    r->new_source_port = source_port;
    r->new_destination_port = destination_port;
}

#endif
