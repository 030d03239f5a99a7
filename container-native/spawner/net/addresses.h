/* SPDX-License-Identifier: Apache-2.0 */
/* addresses.h - the node's own addresses. */
#ifndef NS_ADDRESSES_H
#define NS_ADDRESSES_H

#include "cell.h"

/*
 * Reads the addresses of all interfaces into `node`, without the interfaces toward containers. Includes broadcast
 * addresses.
 */
void ns_addresses_read(struct ns_cell_node *node);

#endif
