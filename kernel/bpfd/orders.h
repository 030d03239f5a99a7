/* SPDX-License-Identifier: Apache-2.0 */
/* orders.h - obeys and answers the spawner's orders, a line in a datagram: docs/protocols/bpfd.md. */
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
    char why[160]; /* fault of the first bad line */
};

/* Obeys one datagram and takes its descriptors. Answers on the socket. */
void ns_orders_line(struct ns_orders *orders, char *text, size_t length, int *fds, unsigned count);

#endif
