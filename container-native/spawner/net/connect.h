/* SPDX-License-Identifier: Apache-2.0 */
/* connect.h - an element of `connect` or `listen`: a protocol, addresses and ports. Pure. */
#ifndef NS_CONNECT_H
#define NS_CONNECT_H

#include "ns_value.h"

#define NS_CONNECTS_MAX 64 /* elements of a list */
#define NS_CONNECT_TEXT (NS_PREFIX_TEXT + 24)

/* A destination that a container may connect to, or addresses and ports of the node at which it is reached. */
struct ns_connect {
    uint8_t protocol; /* 6 or 17 */
    struct ns_net to;
    struct ns_ports ports;
    uint16_t inside; /* the container's port for the one port of a `listen`; 0 = the same ports */
};

/* Returns the ports of an element as the container's own sockets have them. */
struct ns_ports ns_connect_inside(const struct ns_connect *connect);

/* Returns true if a packet exists that matches both elements. */
bool ns_connect_overlap(const struct ns_connect *a, const struct ns_connect *b);

/* Prints an element as the list has it. */
void ns_connect_print(const struct ns_connect *connect, char text[NS_CONNECT_TEXT]);

#endif
