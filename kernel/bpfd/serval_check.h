/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serval_check.h - decides whether the kernel may have a rule of a service router of Serval. Neither pktio nor the
 * container is trusted. Pure.
 *
 *     client -> router    the router's address is in the container's listen grants, and the node's
 *     router -> target    the target is in the connect grants
 *     prefix              a prefix of the serval grant covers it
 */
#ifndef NS_BPFD_SERVAL_CHECK_H
#define NS_BPFD_SERVAL_CHECK_H

#include "check.h"
#include "ns_ring.h"
#include "reach.h"

#define NS_SERVAL_GRANTS 16

/* The serviceIDs for which a container may have rules. */
struct ns_service_grants {
    unsigned count;
    struct ns_service_prefix prefix[NS_SERVAL_GRANTS];
};

struct ns_serval_asker {
    const struct ns_reach *listen, *connect;
    const struct ns_service_grants *grants;
    const struct ns_node *node;
    const struct ns_way_filters *filters;
};

/* Adds an element of the key `serval`. For ns_value_list(), with a struct ns_service_grants. */
bool ns_service_grants_add(void *grants, const char *element);

/*
 * Tells whether a question is well formed. Only then its place and number are valid, and the record can be answered.
 */
bool ns_serval_well_formed(const struct ns_serval_ask *ask);

/* Checks a well-formed question but REMOVE. */
enum ns_serval_refused ns_serval_check(const struct ns_serval_asker *asker, const struct ns_serval_ask *ask);

#endif
