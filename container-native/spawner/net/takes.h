/* SPDX-License-Identifier: Apache-2.0 */
/*
 * takes.h - takes connections to a publisher's prefixes for its container, and leaves them to their destination when
 * the container is not there.
 *
 *     SYN of a client -> chain `take`, `taking`, `take-<index>`: marks the connection and its packets with K, if the
 *                        table of routes has the container's interface for it
 *     K               -> `ip rule` -> table NS_TAKES_TABLE: <prefix> by nsv<index>; the route goes with the interface
 *     nsv<index>      -> the container's own table translates to its address and port (cell.h)
 *
 * So a packet with K and no container has no route in the table, and goes the way of all others. Pure but for
 * ns_takes_rule().
 */
#ifndef NS_TAKES_H
#define NS_TAKES_H

#include "rules.h"

#define NS_TAKES_TABLE 20051 /* of routes; also the priority of the rule that leads to it */

/* Counter objects of a container, "<name>-<index>" in the node's table. */
enum { NS_TAKES_TAKEN, NS_TAKES_PACKETS, NS_TAKES_OVER, NS_TAKES_COUNTERS };
#define NS_TAKES_COUNTER_TEXT 32

/* Prints the name of a counter. */
void ns_takes_counter(int which, unsigned index, char name[NS_TAKES_COUNTER_TEXT]);

/* Returns true if the container may take connections. */
bool ns_takes_has(const struct ns_rules_container *container);

/* Prints the chains and rules that take connections, for the filters that say so. */
void ns_takes_print(FILE *out, const struct ns_rules *rules);

/* Prints the removal of the chain and the counters of a container. */
void ns_takes_print_end(FILE *out, unsigned index);

/* Prints what a taken connection may send to the container, or the container to it, in the node's chain `chain`. */
void ns_takes_print_to(FILE *out, const struct ns_rules_container *container, const char *chain);
void ns_takes_print_from(FILE *out, const struct ns_rules_container *container, const char *chain);

/* Prints the container's routes for `ip -batch`. */
void ns_takes_print_routes(FILE *out, const struct ns_rules_container *container);

/* Adds the rule that leads packets with K to the table, or removes it, for one family. 0, or -1 with the reason. */
int ns_takes_rule(bool v6, bool on, char why[160]);

#endif
