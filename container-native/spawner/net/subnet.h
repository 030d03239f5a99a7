/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subnet.h - the addresses of containers' networks. Pure, except that it keeps the two subnets of all containers.
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

/* The subnets for IPv4 and IPv6, unless the client chooses others (prefixes.h). */
extern const struct ns_net ns_subnet_presets[2];

/* Puts the networks of containers into this subnet of NS_SUBNET_BITS. Called while no container has a network. */
void ns_subnet_set_all(const struct ns_net *net);

/*
 * Return the subnet of all containers of a family; the address, with all bits, of one end of a container's link; the
 * address of the container's end.
 */
struct ns_net ns_subnet_all(int family);
struct ns_net ns_subnet_end(unsigned index, int family, unsigned which);
struct ns_net ns_subnet_container(unsigned index, int family);

#endif
