/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller.h - carries the messages of this host's controller, which registers services by signatures
 * (docs/protocols/sald.md, "Signed registration"). The target of a registration is the sender's address, so the
 * messages have to leave from the socket of sald. The controller gives the message alone. Its header is made here, and
 * it goes to a router that takes signed registrations, or nowhere.
 *
 *     controller -- tell --> check, header --> router
 *                <-- heard -- answer of a router
 *                <-- route, services -- changes
 */
#ifndef NS_SALD_CONTROLLER_H
#define NS_SALD_CONTROLLER_H

#include "host.h"
#include <stdio.h>

#define NS_SAL_TELL_MAX 432u /* bytes of the longest message */
#define NS_SAL_TELLS 100u    /* messages to routers, each second */
#define NS_SAL_HEARS 200u    /* answers of routers, each second */
#define NS_SAL_OFFERS 512u   /* rules in the view `offers` */

#define NS_SAL_TELL_REFUSALS(X)                                                                                        \
    X(OK, "ok")                                                                                                        \
    X(ROUTER, "no router with registration=signed has this address")                                                   \
    X(MESSAGE, "no ASK, REGISTER or REFRESH of a signed registration")                                                 \
    X(OTHER, "the message is about another serviceID")                                                                 \
    X(SERVICE, "no program of this host offers this service")                                                          \
    X(RATE, "too many messages in this second")                                                                        \
    X(ROUTE, "no route to the router")                                                                                 \
    X(SOCKET, "the socket did not take the datagram")

enum ns_sal_tell_refusal {
#define NS_X(name, text) NS_SAL_TELL_##name,
    NS_SAL_TELL_REFUSALS(NS_X)
#undef NS_X
        NS_SAL_TELL_REFUSAL_KINDS
};
extern const char *const ns_sal_tell_texts[];

#define NS_SAL_CONTROLLER_COUNTS(X)                                                                                    \
    X(TOLD, "told")                                                                                                    \
    X(REFUSED, "refused")                                                                                              \
    X(HEARD, "heard")                                                                                                  \
    X(DROPPED, "dropped")                                                                                              \
    X(NOBODY, "nobody")

enum ns_sal_controller_count {
#define NS_X(name, text) NS_SAL_CONTROLLER_##name,
    NS_SAL_CONTROLLER_COUNTS(NS_X)
#undef NS_X
        NS_SAL_CONTROLLER_COUNT_KINDS
};
extern const char *const ns_sal_controller_counts[];

struct ns_sal_controller {
    int asker;  /* the connection whose order is carried out, 0 = none */
    int hearer; /* the connection of the controller, 0 = none */
    uint64_t second;
    unsigned told, heard; /* in this second */
    bool services_told;   /* the hearer knows the services of the number `services` */
    unsigned services;
    bool routes_told;                          /* the hearer knows the routes, unless there is news */
    struct ns_sal_address own[NS_SAL_ROUTERS]; /* toward each router, as the hearer knows it */
    uint64_t counts[NS_SAL_CONTROLLER_COUNT_KINDS];
};

/* A message of a signed registration, for a router. */
struct ns_sal_tell {
    struct ns_sal_address router;
    uint8_t id[NS_SAL_ID];
    unsigned bits;
    uint8_t bytes[NS_SAL_TELL_MAX];
    size_t length;
};

/* Reads hexadecimal digits into the bytes of a message. Returns false if they are none, or too many. */
bool ns_sal_tell_read(struct ns_sal_tell *tell, const char *digits);

/* Sends a message from the socket of this host. */
enum ns_sal_tell_refusal ns_sal_controller_tell(struct ns_sal_controller *controller, struct ns_sal_host *host,
                                                const struct ns_sal_tell *tell, uint64_t now);

/*
 * Makes the connection that asks the hearer. Returns false if another one is, or if the order is from a file. The
 * hearer is told the routes and that there are services by the next ns_sal_controller_look.
 */
bool ns_sal_controller_hear(struct ns_sal_controller *controller);

/* Notes the end of a connection. */
void ns_sal_controller_gone(struct ns_sal_controller *controller, int fd);

/* Has the hearer told the routes that are other ones now. */
void ns_sal_controller_moved(struct ns_sal_controller *controller);

/* Tells the hearer the changes. One that does not read hears it the next time. */
void ns_sal_controller_look(struct ns_sal_controller *controller, const struct ns_sal_host *host);

/* Tells whether a datagram is an answer of a router to a signed registration. */
bool ns_sal_controller_is_answer(const struct ns_sal_host *host, const struct ns_sal_address *from,
                                 const uint8_t *source, const uint8_t *bytes, size_t length);

/* Gives such an answer to the hearer. It is dropped and counted if that one does not read, or if there is none. */
void ns_sal_controller_heard(struct ns_sal_controller *controller, const struct ns_sal_address *from,
                             const uint8_t *service, const uint8_t *bytes, size_t length, uint64_t now);

/* Prints the services that routers are to know, as JSON. */
void ns_sal_controller_print(FILE *out, const struct ns_sal_services *services);

#endif
