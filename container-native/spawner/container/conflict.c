/* SPDX-License-Identifier: Apache-2.0 */
#include "conflict.h"

#include "container.h"
#include "spawner.h"
#include <stdio.h>
#include <string.h>

/* Finds the first `listen` of `a` that overlaps with one of `b`. True with the reason. */
static bool listens_overlap(const struct ns_request *a, const struct ns_request *b, char why[160]) {
    char text[NS_CONNECT_TEXT];

    for (unsigned i = 0; i < a->listens * b->listens; i++) {
        const struct ns_connect *ours = &a->listen[i / b->listens];

        if (!ns_connect_overlap(ours, &b->listen[i % b->listens]))
            continue;
        ns_connect_print(ours, text);
        snprintf(why, 160, "listen: %.70s is %s's", text, b->name);
        return true;
    }
    return false;
}

/*
 * Finds the first prefix of `take` of `a` that overlaps with one of `b`, whatever the ports, because the table of
 * routes has one container for an address. True with the reason.
 */
static bool takes_overlap(const struct ns_request *a, const struct ns_request *b, char why[160]) {
    for (unsigned i = 0; i < a->takes * b->takes; i++) {
        struct ns_connect ours = a->take[i / b->takes], theirs = b->take[i % b->takes];
        char text[NS_PREFIX_TEXT];

        ours.ports = theirs.ports;
        if (!ns_connect_overlap(&ours, &theirs))
            continue;
        ns_value_print_net(&ours.to, text);
        snprintf(why, 160, "take: %.60s overlaps one of %.70s", text, b->name);
        return true;
    }
    return false;
}

bool ns_conflict(const struct ns_spawner *spawner, const struct ns_request *order, char why[160]) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        const struct ns_request *other = spawner->containers[i] == NULL ? NULL : &spawner->containers[i]->order;
        const char *taken = NULL;

        if (other == NULL)
            continue;
        if (strcmp(other->name, order->name) == 0)
            taken = "exists";
        else if (other->queue == order->queue)
            taken = "queue: in use";
        else if (other->uid == order->uid)
            taken = "uid: in use";
        else if (order->network >= 0 && other->network == order->network)
            taken = "network: in use";
        if (taken != NULL)
            snprintf(why, 160, "%s", taken);
        if (taken != NULL || listens_overlap(order, other, why) || takes_overlap(order, other, why))
            return true;
    }
    return false;
}
