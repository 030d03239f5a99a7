/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network.h - a container's own network.
 *
 *     node                                  container
 *     nsv<index>  100.64.a.b+1/30   ----    eth0  100.64.a.b+2/30      a = index / 64, b = index % 64 * 4
 *                 fd6e:6574:7376:<index>::1/64    ...::2/64
 *
 * The addresses are in 100.64.0.0/18 and fd6e:6574:7376::/48. The client of the spawner may choose other networks
 * (prefixes.h). Neighbours are static on both sides, so a container has no reason to speak to the node itself.
 */
#ifndef NS_NETWORK_H
#define NS_NETWORK_H

#include "rules.h"
#include <sys/types.h>

/* Makes a network with nothing in it but the process itself. A callback for ns_layers_start(). */
int ns_network_alone(void *context, pid_t pid);

/* Brings up the loopback of the namespace of `pid`, and frees its low ports. 0, or -1 with a line in the log. */
int ns_network_loopback(pid_t pid);

/*
 * Makes both ends, addresses and routes. The table that confines the container (cell.h) is there before anything can
 * be sent. Returns 0, or -1 with a line in the log and nothing left behind.
 */
int ns_network_make(const struct ns_rules_container *container, pid_t pid);

/* Writes the node's present addresses into the table of the container behind `pid`. */
int ns_network_renew(pid_t pid);

/*
 * Returns the number of packets that the rules let through to the container since its network was made, modulo 2^32.
 * 0 if there is no network.
 */
uint32_t ns_network_delivered(unsigned index);

/* Removes the node's end of the link, and with it the other end. Does nothing if there is no link. */
void ns_network_remove(unsigned index);

/* Removes every nsv<index> interface that a predecessor left. */
void ns_network_remove_all(void);

#endif
