/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listening.h - services that are registered while a program listens on their port. The kernel is asked for all
 * listening sockets of TCP, and for all of UDP without a peer. Hooks (hooks.h) say when to ask, and a look each five
 * seconds finds what they missed. Without hooks there is one twice a second. So a program needs no change, and its end
 * is seen like that of its socket.
 *
 *     add, a hook's event --> look: sockets of watched ports --> rules
 *                              ^                `--> enter the new sockets in the hooks, and look once more
 *     time is up --------------'
 */
#ifndef NS_SALD_LISTENING_H
#define NS_SALD_LISTENING_H

#include "ns_sal.h"
#include "ns_sal_listen.h"
#include "services.h"

#define NS_SAL_WATCHED NS_SAL_LISTEN_PORTS
#define NS_SAL_LOOK_MS 500u         /* between two looks without hooks, */
#define NS_SAL_HOOKED_LOOK_MS 5000u /* and with them */
#define NS_SAL_LOOK_AGAIN_MS 5u     /* after which an event has sald look again, and then after four times as long, */
#define NS_SAL_LOOK_LAST_MS 320u    /* up to this: an end is told while the socket is still there */
#define NS_SAL_ORIGIN_LISTENING UINT32_MAX /* of the rules of these services */

struct ns_sal_watched {
    struct ns_sal_rule rule; /* as it is while a program listens */
    bool listening;
};

/* A socket on a watched port, whose end the hooks tell. */
struct ns_sal_listener_socket {
    uint64_t cookie;
    uint16_t port;
    bool datagrams;
    bool seen; /* by the last look */
};

/* Why the next look comes. */
enum ns_sal_look {
    NS_SAL_LOOK_POLL, /* time was up */
    NS_SAL_LOOK_ORDER,
    NS_SAL_LOOK_EVENT, /* a hook has told something */
};

struct ns_sal_listening {
    int fd; /* sock_diag, -1 = none */
    unsigned count;
    struct ns_sal_watched watched[NS_SAL_WATCHED];
    uint8_t wanted[2][8192]; /* a bit for each port that is watched: TCP, UDP */
    uint8_t ports[2][8192];  /* a bit for each port on which somebody listens */
    uint64_t look_at;
    enum ns_sal_look why;
    uint64_t looked_at;
    uint32_t again; /* milliseconds between the next two looks behind an event */

    /* the maps of the hooks; NULL: there are none. They return false if the map did not take it. */
    bool (*hook_port)(void *context, bool datagrams, uint16_t port, bool watched);
    bool (*hook_socket)(void *context, const struct ns_sal_listener_socket *socket, bool there);
    void *context;
    struct ns_sal_listener_socket sockets[NS_SAL_LISTEN_SOCKETS];
    unsigned socket_count;
    bool unhooked;         /* a socket has no place in the maps, so looks come as without hooks */
    uint32_t hooked_ms;    /* between two looks with hooks */
    uint64_t looks, polls; /* all, and the ones without an event or order as their reason */
    uint64_t late;         /* changes that a poll found although there are hooks */
};

/* Returns 0, or -1 with errno. */
int ns_sal_listening_open(struct ns_sal_listening *listening);

/* Has hooks say when to look. Before the first service is added. */
void ns_sal_listening_hook(struct ns_sal_listening *listening,
                           bool (*port)(void *context, bool datagrams, uint16_t port, bool watched),
                           bool (*socket)(void *context, const struct ns_sal_listener_socket *socket, bool there),
                           void *context);

/* Takes an event of a hook. A look comes NS_SAL_LOOK_AGAIN_MS behind the last, or at once, and some more after it. */
void ns_sal_listening_wake(struct ns_sal_listening *listening, uint64_t now);

/* Adds a service. Returns false if there are as many as there may be. */
bool ns_sal_listening_add(struct ns_sal_listening *listening, const struct ns_sal_rule *rule);

/* Removes the services with this prefix, and their rules. Returns false if there are none. */
bool ns_sal_listening_remove(struct ns_sal_listening *listening, struct ns_sal_services *services, const uint8_t *id,
                             unsigned bits);

/* Drains the services with this prefix, or ends that, also while no program listens. Returns false for none. */
bool ns_sal_listening_drain(struct ns_sal_listening *listening, const uint8_t *id, unsigned bits, bool drained);

/* Asks the kernel if it is time to. Returns when it is time again, UINT64_MAX if nothing is watched. */
uint64_t ns_sal_listening_due(struct ns_sal_listening *listening, struct ns_sal_services *services, uint64_t now);

/*
 * Tells whether a program has a socket with these names that is connected. False if the kernel does not know it. TCP
 * that goes on to close by itself, because its program has closed it, is nobody's.
 */
bool ns_sal_listening_is_connected(struct ns_sal_listening *listening, const struct ns_sal_tuple *tuple,
                                   bool datagrams);

/* Takes a socket that a look has found. Tells whether the hooks did not know it: it may have ended meanwhile. */
bool ns_sal_listening_found(struct ns_sal_listening *listening, bool datagrams, uint16_t port, uint64_t cookie);

/* Adds and removes rules by `ports`. Returns how many have changed. */
unsigned ns_sal_listening_apply(struct ns_sal_listening *listening, struct ns_sal_services *services, uint64_t now);

/* Takes the result of a look into account, and decides when the next one comes. `changes`: of rules. */
void ns_sal_listening_looked(struct ns_sal_listening *listening, unsigned changes, uint64_t now);

#endif
