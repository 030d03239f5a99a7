/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subnet.h - the addresses of containers' networks. Pure but for the two subnets that they are in.
 *
 *     IPv4  100.64.a.b+1/30 and +2    a = index / 64, b = index % 64 * 4      all in 100.64.0.0/18
 *     IPv6  fd6e:6574:7376:<index>::1/64 and ::2                              all in fd6e:6574:7376::/48
 */
#ifndef NS_SUBNET_H
#define NS_SUBNET_H

#include "ns_value.h"

#define NS_SUBNET_BITS(family) ((family) == 4 ? 18 : 48)

/* The two ends of a container's link. */
enum { NS_SUBNET_NODE = 1, NS_SUBNET_CONTAINER = 2 };

/* IPv4, IPv6: unless the client says otherwise (prefixes.h). */
extern const struct ns_net ns_subnet_presets[2];

/* From now on containers' networks are in this one of NS_SUBNET_BITS, while no container has one. */
void ns_subnet_set_all(const struct ns_net *net);

/* The subnet of all containers; the address, all bits, of one end of a container's link; the same of the container's end. */
struct ns_net ns_subnet_all(int family);
struct ns_net ns_subnet_end(unsigned index, int family, unsigned which);
struct ns_net ns_subnet_container(unsigned index, int family);

#endif
