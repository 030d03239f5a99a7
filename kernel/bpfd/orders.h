/* SPDX-License-Identifier: Apache-2.0 */
/* orders.h - what the spawner says, a line in a datagram, and the answer to it: docs/protocols/bpfd.md. */
#ifndef NS_BPFD_ORDERS_H
#define NS_BPFD_ORDERS_H

#include "flows.h"

#define NS_ORDER_MAX 16384
#define NS_ORDER_FDS 3

struct ns_orders {
    struct ns_bpfd *bpfd;
    int socket;
    unsigned pending; /* lines of `filters` that are to come */
    uint64_t pending_id;
    struct ns_way_filters filters;
    char why[160]; /* of the first bad one of them */
};

/* One datagram with its descriptors, which it takes. Answers on the socket. */
void ns_orders_line(struct ns_orders *orders, char *text, size_t length, int *fds, unsigned count);

#endif
