/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefixes.h - the two networks of which containers get theirs: named by the client's `prepare`, and held against the
 * node's own addresses and routes each time.
 */
#ifndef NS_PREFIXES_H
#define NS_PREFIXES_H

#include "ns_value.h"
#include "task.h"

struct ns_request;

struct ns_prefixes {
    char taken[NS_TASK_WHY]; /* why no container gets a network; "" = they do */
};

/* Of this size, and not of loopback, link-local, multicast or reserved addresses: fit for containers? Pure. */
bool ns_prefixes_fit(const struct ns_net *net);

/* Takes the request's from now on. NULL, or the warning: with containers that have a network the former ones stay. */
const char *ns_prefixes_take(struct ns_spawner *spawner, const struct ns_request *request);

/*
 * Looks at the node's addresses and routes in a task, and then calls `done` with a warning or "". A check that another
 * one has overtaken calls nobody.
 */
void ns_prefixes_check(struct ns_spawner *spawner, void (*done)(struct ns_spawner *spawner, const char *warning));

/* Why this order's container does not get the network that it wants; NULL = it does. */
const char *ns_prefixes_refuse(const struct ns_spawner *spawner, const struct ns_request *order);

#endif
