/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network.h - a container's own network:
 *
 *     node                                  container
 *     nsv<index>  100.64.a.b+1/30   ----    eth0  100.64.a.b+2/30      a = index / 64, b = index % 64 * 4
 *                 fd6e:6574:7376:<index>::1/64    ...::2/64
 *
 * These are in 100.64.0.0/18 and fd6e:6574:7376::/48 unless the client of the spawner says otherwise (prefixes.h).
 * Neighbours are static on both sides, so a container has no reason to speak to the node itself.
 */
#ifndef NS_NETWORK_H
#define NS_NETWORK_H

#include "rules.h"
#include <sys/types.h>

/* For ns_layers_start(): a network in which there is nothing but the process itself. */
int ns_network_alone(void *context, pid_t pid);

/* Brings the loopback of the namespace of `pid` up and frees its low ports. 0, or -1 with a line in the log. */
int ns_network_loopback(pid_t pid);

/*
 * Makes both ends, addresses, routes, and before anything can be sent the table that confines it (cell.h). 0, or -1 with a line
 * in the log and nothing left behind.
 */
int ns_network_make(const struct ns_rules_container *container, pid_t pid);

/* Tells the container behind `pid` which addresses the node has now. */
int ns_network_renew(pid_t pid);

/* Packets handed to the container since its network was made, modulo 2^32: what the rules let through. 0 if there is none. */
uint32_t ns_network_delivered(unsigned index);

/* Removes the node's end, and with it the other. Nothing happens if there is none. */
void ns_network_remove(unsigned index);

/* Removes every nsv<index> that a predecessor left. */
void ns_network_remove_all(void);

#endif
