/* SPDX-License-Identifier: Apache-2.0 */
/* route.h - asks the kernel how it would route to an address: one request and its answer over one rtnetlink socket. */
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

/* An rtnetlink socket, or -1 with errno. */
int ns_route_open(void);

/* `interface` 0 = any. 0, or the kernel's errno (ENETUNREACH...). */
int ns_route_get(int fd, struct ns_route *route, uint8_t family, const uint8_t *destination, uint32_t interface);

#endif
