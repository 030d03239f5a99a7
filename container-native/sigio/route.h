/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route.h - asks the kernel how it would route to an address: one request and its answer over one rtnetlink socket. What it said is
 * believed for a tenth of a second: a node has few peers, and each message of theirs needs the answer.
 */
#ifndef NS_ROUTE_H
#define NS_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

struct ns_route {
    bool local;         /* an address of this host */
    uint32_t interface; /* by which it leaves, 0 = not known */
    uint32_t mtu;       /* of the way as far as it is known, if less than the interface's; 0 = not known */
    bool has_source;
    uint8_t source[16]; /* what the kernel would write as source */
};

#define NS_ROUTES 256u /* destinations; those whose bytes mix to the same number share a place */

struct ns_routes {
    int fd; /* rtnetlink */
    struct ns_known_route {
        uint64_t until; /* nanoseconds of the monotonic clock */
        uint32_t interface;
        uint8_t family, destination[16];
        struct ns_route route;
    } known[NS_ROUTES];
};

/* 0, or -1 with errno. */
int ns_routes_open(struct ns_routes *routes);

/* `interface` 0 = any. 0, or the kernel's errno (ENETUNREACH...), which is not kept. */
int ns_route_get(struct ns_routes *routes, struct ns_route *route, uint8_t family, const uint8_t *destination,
                 uint32_t interface, uint64_t now);

#endif
