/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cell.h - the table in a container's own network namespace. The table holds everything that the container's policy
 * lets it reach and be reached by. No tool of the node gets there, and nothing in the container has a right over the
 * table. Pure: only prints the text for `nft -f`.
 */
#ifndef NS_CELL_H
#define NS_CELL_H

#include "rules.h"

#define NS_CELL_TABLE "netserv"
#define NS_CELL_HOLD "hold" /* a chain: empty, or it drops all that is sent */
#define NS_CELL_NEW "new"   /* connections are opened here */
#define NS_CELL_NODE_MAX 512

/* The node's own addresses, which a container never reaches. */
struct ns_cell_node {
    unsigned count;
    struct ns_net address[NS_CELL_NODE_MAX];
    bool broadcast[NS_CELL_NODE_MAX]; /* the address is a broadcast address */
};

/* Makes the whole table, or replaces it, in one transaction. */
void ns_cell_print(FILE *out, const struct ns_rules_container *container, const struct ns_cell_node *node);

/* Replaces the node's addresses in the table. */
void ns_cell_print_node(FILE *out, const struct ns_cell_node *node);

/* --- rules that the node's own table has for a container in the same words, see fence.h --- */

/*
 * Print the rules for packets from a container and for packets to a container. `inside`: the rules are for the table
 * in the container's namespace, where connections are counted.
 */
void ns_cell_print_from(FILE *out, const struct ns_rules_container *container, const char *chain, bool inside);
void ns_cell_print_to(FILE *out, const struct ns_rules_container *container, const char *chain, bool inside);

#endif
