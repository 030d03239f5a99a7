/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overlap.h - the address of the node, or the route, that has addresses of a network already. Passed over are default
 * routes, the halves that stand for one (0.0.0.0/1, 128.0.0.0/1), routes that only refuse (blackhole, unreachable,
 * prohibit, throw), and containers' own interfaces (nsv*).
 */
#ifndef NS_OVERLAP_H
#define NS_OVERLAP_H

#include "ns_value.h"
#include <linux/netlink.h>

#define NS_OVERLAP_TEXT 96

/* Has one of them addresses of the other? Pure. */
bool ns_overlap_nets(const struct ns_net *a, const struct ns_net *b);

/* Is this message of a dump a route that overlaps `net`? Then `what` names it, and its interface as the kernel does. */
bool ns_overlap_route(const struct nlmsghdr *message, const struct ns_net *net, char what[NS_OVERLAP_TEXT]);

/*
 * Looks at all addresses and routes; a full table takes a second. 1 with the first that overlaps in `what`, 0 if none
 * does, -1 with the reason in `what` if they cannot be read.
 */
int ns_overlap_find(const struct ns_net *net, char what[NS_OVERLAP_TEXT]);

#endif
