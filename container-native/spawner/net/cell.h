/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cell.h - the table in a container's own network namespace. The table holds everything that the container's policy
 * lets it reach and be reached by. No tool of the node gets there, and nothing in the container has a right over the
 * table. Pure: only prints the text for `nft -f`.
 *
 *     out:  hold -> known? accept -> the lists -> leave: count a new one, mark the connection, accept
 *     in:           known? accept -> the lists -> enter: count a new one, mark the connection, accept
 *
 * A packet of a connection that has passed the lists before matches one mark instead of them. Each way has a mark of
 * its own, because a connection may enter that may not be answered. All packets of a connection have one source, one
 * destination and their ports, so the lists would say the same about each, as long as they stay. `connect`, `listen`
 * and `take` stay until the container ends. The node's addresses may change, and with them changes the mark.
 */
#ifndef NS_CELL_H
#define NS_CELL_H

#include "rules.h"

#define NS_CELL_TABLE "netserv"
#define NS_CELL_HOLD "hold" /* a chain: empty, or it drops all that is sent */
#define NS_CELL_NEW "new"   /* connections are counted here */
#define NS_CELL_NODE_MAX 512

/* The node's own addresses, which a container never reaches. */
struct ns_cell_node {
    uint32_t reading; /* number of this reading; another one may have other addresses */
    unsigned count;
    struct ns_net address[NS_CELL_NODE_MAX];
    bool broadcast[NS_CELL_NODE_MAX]; /* the address is a broadcast address */
};

/* Makes the whole table, or replaces it, in one transaction. */
void ns_cell_print(FILE *out, const struct ns_rules_container *container, const struct ns_cell_node *node);

/*
 * Replaces the node's addresses in the table. All connections that the table knows meet its lists again, so that none
 * goes on to an address that has become the node's.
 */
void ns_cell_print_node(FILE *out, const struct ns_cell_node *node);

/* --- rules that the node's own table has for a container in the same words, see fence.h --- */

/*
 * Print the rules for packets from a container and for packets to a container. `inside`: the rules are for the table
 * in the container's namespace, where connections are counted.
 */
void ns_cell_print_from(FILE *out, const struct ns_rules_container *container, const char *chain, bool inside);
void ns_cell_print_to(FILE *out, const struct ns_rules_container *container, const char *chain, bool inside);

#endif
