/* SPDX-License-Identifier: Apache-2.0 */
/* addresses.h - the node's own addresses. */
#ifndef NS_ADDRESSES_H
#define NS_ADDRESSES_H

#include "cell.h"

/* Gives the readings from now on, and those of processes that are forked from now on, another number. */
void ns_addresses_changed(void);

/*
 * Reads the addresses of all interfaces into `node`, without the interfaces toward containers. Includes broadcast
 * addresses.
 */
void ns_addresses_read(struct ns_cell_node *node);

#endif
