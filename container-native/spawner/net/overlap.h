/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overlap.h - finds an address or a route of the node that overlaps a network for containers. Passes over default
 * routes, the halves that stand for one (0.0.0.0/1, 128.0.0.0/1), routes that only refuse (blackhole, unreachable,
 * prohibit, throw), and containers' own interfaces (nsv*).
 */
#ifndef NS_OVERLAP_H
#define NS_OVERLAP_H

#include "ns_value.h"
#include <linux/netlink.h>

#define NS_OVERLAP_TEXT 96

/* Returns true if the two networks have an address in common. Pure. */
bool ns_overlap_nets(const struct ns_net *a, const struct ns_net *b);

/*
 * Returns true if this message of a dump is a route that overlaps `net`. Then `what` holds the route and its
 * interface.
 */
bool ns_overlap_route(const struct nlmsghdr *message, const struct ns_net *net, char what[NS_OVERLAP_TEXT]);

/*
 * Looks at all addresses and routes of the node. A full routing table takes a second. Returns 1 with the first
 * overlap in `what`, 0 if there is none, -1 with the reason in `what` if they cannot be read.
 */
int ns_overlap_find(const struct ns_net *net, char what[NS_OVERLAP_TEXT]);

#endif
