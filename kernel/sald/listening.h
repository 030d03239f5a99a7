/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listening.h - services that are registered while a program listens on their port. The kernel is asked for all
 * listening sockets of TCP, and for all of UDP without a peer, twice a second. So a program needs no change and no
 * cgroup, and its end is seen like that of its socket.
 */
#ifndef NS_SALD_LISTENING_H
#define NS_SALD_LISTENING_H

#include "ns_sal.h"
#include "services.h"

#define NS_SAL_WATCHED 128u
#define NS_SAL_LOOK_MS 500u
#define NS_SAL_ORIGIN_LISTENING UINT32_MAX /* of the rules of these services */

struct ns_sal_watched {
    struct ns_sal_rule rule; /* as it is while a program listens */
    bool listening;
};

struct ns_sal_listening {
    int fd; /* sock_diag, -1 = none */
    unsigned count;
    struct ns_sal_watched watched[NS_SAL_WATCHED];
    uint8_t ports[2][8192]; /* a bit for each port on which somebody listens: TCP, UDP */
    uint64_t look_at;
};

/* Returns 0, or -1 with errno. */
int ns_sal_listening_open(struct ns_sal_listening *listening);

/* Adds a service. Returns false if there are as many as there may be. */
bool ns_sal_listening_add(struct ns_sal_listening *listening, const struct ns_sal_rule *rule);

/* Removes the services with this prefix, and their rules. Returns false if there are none. */
bool ns_sal_listening_remove(struct ns_sal_listening *listening, struct ns_sal_services *services, const uint8_t *id,
                             unsigned bits);

/* Drains the services with this prefix, or ends that, also while no program listens. Returns false for none. */
bool ns_sal_listening_drain(struct ns_sal_listening *listening, const uint8_t *id, unsigned bits, bool drained);

/* Asks the kernel if it is time to. Returns when it is time again, UINT64_MAX if nothing is watched. */
uint64_t ns_sal_listening_due(struct ns_sal_listening *listening, struct ns_sal_services *services, uint64_t now);

/* Tells whether a socket of UDP with these names is connected. False if the kernel does not know it. */
bool ns_sal_listening_is_connected(struct ns_sal_listening *listening, const struct ns_sal_tuple *tuple);

/* Adds and removes rules by `ports`. */
void ns_sal_listening_apply(struct ns_sal_listening *listening, struct ns_sal_services *services, uint64_t now);

#endif
