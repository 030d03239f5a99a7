/* SPDX-License-Identifier: Apache-2.0 */
/* addresses.h - the node's own addresses. */
#ifndef NS_ADDRESSES_H
#define NS_ADDRESSES_H

#include "cell.h"

/* Reads the addresses of all interfaces but those toward containers. Broadcast addresses are among them. */
void ns_addresses_read(struct ns_cell_node *node);

#endif
