/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reach.h - the addresses and ports that a container may use by the firewall's rules, and the node's own addresses.
 * bpfd holds relays to both, because packets of a relay do not meet those rules. Pure.
 */
#ifndef NS_BPFD_REACH_H
#define NS_BPFD_REACH_H

#include "ns_value.h"

#define NS_REACH_MAX 64 /* elements of a list */
#define NS_NODE_MAX 512 /* addresses of the node; with more of them some are not known, and serve no relay */

/* An element of `listen` or `connect`, for UDP. */
struct ns_endpoint {
    struct ns_net to;
    struct ns_ports ports;
};

struct ns_reach {
    unsigned count;
    struct ns_endpoint endpoint[NS_REACH_MAX];
};

/*
 * Adds "<proto>/<prefix>/<port>[-<port>]", as in the spawner's `listen`. Elements of TCP are read and left out. For
 * ns_value_list(), with a struct ns_reach.
 */
bool ns_reach_add(void *reach, const char *element);

bool ns_reach_has(const struct ns_reach *reach, uint8_t family, const uint8_t *address, uint16_t port);

/* The node's own addresses, and the addresses and prefixes that no relay may lead to. */
struct ns_node {
    unsigned owns, others;
    struct ns_net own[NS_NODE_MAX];
    struct ns_net other[NS_NODE_MAX]; /* broadcast addresses, networks of containers */
};

/* Add an element to either list. For ns_value_list(), with a struct ns_node. Elements beyond the list are left out. */
bool ns_node_add_own(void *node, const char *element);
bool ns_node_add_other(void *node, const char *element);

bool ns_node_owns(const struct ns_node *node, uint8_t family, const uint8_t *address);

/* Tells whether an address is in either list. */
bool ns_node_has(const struct ns_node *node, uint8_t family, const uint8_t *address);

#endif
