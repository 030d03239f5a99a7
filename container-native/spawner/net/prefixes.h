/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefixes.h - the two networks (IPv4, IPv6) from which containers get theirs. The client's `prepare` names them.
 * Each `prepare` checks them against the node's own addresses and routes.
 */
#ifndef NS_PREFIXES_H
#define NS_PREFIXES_H

#include "ns_value.h"
#include "task.h"

struct ns_request;

struct ns_prefixes {
    char taken[NS_TASK_WHY]; /* why no container gets a network; "" = containers get networks */
};

/*
 * Returns true if containers can use the network: it has the fixed size, and no loopback, link-local, multicast or
 * reserved addresses. Pure.
 */
bool ns_prefixes_fit(const struct ns_net *net);

/*
 * Takes the networks of the request from now on. Returns NULL, or a warning: the former networks stay while a
 * container has a network of them.
 */
const char *ns_prefixes_take(struct ns_spawner *spawner, const struct ns_request *request);

/*
 * Checks the networks against the node's addresses and routes in a task, and then calls `done` with a warning or "".
 * A check that a later check has overtaken calls nobody.
 */
void ns_prefixes_check(struct ns_spawner *spawner, void (*done)(struct ns_spawner *spawner, const char *warning));

/* Returns the reason why the order's container does not get the network that it wants. NULL = it gets the network. */
const char *ns_prefixes_refuse(const struct ns_spawner *spawner, const struct ns_request *order);

#endif
