/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registrar.h - registers the services of this host with its service routers, by the message of the published stack
 * (docs/protocols/serval.md). A router does not answer and forgets after 50 s. So the first messages follow each other
 * soon, in case some are lost, and later ones come every 20 s. Routers with registration=signed are left to the
 * controller (controller.h).
 */
#ifndef NS_SALD_REGISTRAR_H
#define NS_SALD_REGISTRAR_H

#include "host.h"

#define NS_SAL_REGISTRATIONS 256u /* services times routers; services beyond that are not registered */
#define NS_SAL_REGISTER_BYTES 48u

extern const uint8_t ns_sal_router_id[NS_SAL_ID]; /* of each router of the published stack */

/* Tells whether routers are to know a rule. */
bool ns_sal_is_offered(const struct ns_sal_rule *rule);

/* Sends the message of a registration, an unconnected datagram from the service. False if the socket refuses it. */
bool ns_sal_registrar_send(struct ns_sal_host *host, const struct ns_sal_address *own,
                           const struct ns_sal_address *router, const uint8_t *id, const uint8_t *message,
                           size_t length);

/* A service at a router. */
struct ns_sal_registration {
    bool used, withdraws;
    uint8_t id[NS_SAL_ID];
    uint16_t bits;
    struct ns_sal_address router;
    struct ns_sal_address own; /* from which the last message went */
    uint32_t old;              /* IPv4, network order: the address before, 0 = none */
    uint32_t transaction;
    unsigned sent; /* since the last change */
    uint64_t due_at;
};

struct ns_sal_registrar {
    struct ns_sal_registration entries[NS_SAL_REGISTRATIONS];
};

/* Takes note of the listeners and routers that there are now: begins for new ones, withdraws those that are gone. */
void ns_sal_registrar_follow(struct ns_sal_registrar *registrar, const struct ns_sal_host *host, uint64_t now);

/* Sends what is due. Returns when something is due again, NS_SAL_NEVER if nothing is. */
uint64_t ns_sal_registrar_due(struct ns_sal_registrar *registrar, struct ns_sal_host *host, uint64_t now);

/* Begins anew at once where messages would leave from another address than before. */
void ns_sal_registrar_moved(struct ns_sal_registrar *registrar, const struct ns_sal_host *host, uint64_t now);

#endif
