/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route.h - asks the kernel for its route to an address: one request and its answer over one rtnetlink socket. An
 * answer is kept for a tenth of a second, because a node has few peers, and each of their messages needs it.
 */
#ifndef NS_ROUTE_H
#define NS_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

struct ns_route {
    bool local;         /* an address of this host */
    uint32_t interface; /* interface by which packets leave, 0 = not known */
    uint32_t mtu;       /* path MTU as far as it is known, if less than the interface's; 0 = not known */
    bool has_source;
    uint8_t source[16]; /* the source address that the kernel would choose */
    bool has_gateway;
    uint8_t gateway[16]; /* of the family of the destination */
};

#define NS_ROUTES 256u /* places for destinations, by a hash of the address */

struct ns_routes {
    int fd; /* rtnetlink */
    struct ns_known_route {
        uint64_t until; /* nanoseconds of the monotonic clock */
        uint32_t interface;
        uint8_t family, destination[16];
        struct ns_route route;
    } known[NS_ROUTES];
};

/* Returns 0, or -1 with errno. */
int ns_routes_open(struct ns_routes *routes);

/*
 * With this bit in the interface the routing table has to lead there by it. Without it IPv4 takes a neighbour on that
 * interface for granted where the table has no route. The answer has neither a source nor an MTU that was learnt.
 */
#define NS_ROUTE_OF_TABLE 0x80000000u

/* Finds the route. `interface` 0 = any. Returns 0, or the kernel's errno (ENETUNREACH...), which is not kept. */
int ns_route_get(struct ns_routes *routes, struct ns_route *route, uint8_t family, const uint8_t *destination,
                 uint32_t interface, uint64_t now);

#endif
