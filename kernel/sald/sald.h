/* SPDX-License-Identifier: Apache-2.0 */
/* sald.h - the parts of the running sald. */
#ifndef NS_SALD_SALD_H
#define NS_SALD_SALD_H

#include "controller.h"
#include "hooks.h"
#include "host.h"
#include "links.h"
#include "listening.h"
#include "net.h"
#include "programs.h"
#include "registrar.h"
#include "set_up.h"

#define NS_SAL_INTERFACES 32u
#define NS_SAL_OWNERS 256u /* processes that have registered a service */
#define NS_SAL_ASKERS 16u  /* connections to the control socket */
#define NS_SAL_ORDER_MAX 4096u
#define NS_SAL_REPLY_MAX 131072u

/* A process with registrations. They end with it. */
struct ns_sal_owner {
    uint32_t pid; /* 0 = the place is free */
    int fd;
};

struct ns_sald {
    struct ns_sal_net net;
    struct ns_sal_programs programs;
    struct ns_sal_services services;
    struct ns_sal_names names;
    struct ns_sal_host host;
    bool native; /* flows may have the native form, if the host announces it */
    struct ns_sal_links links;
    struct ns_sal_pool pool;
    struct ns_sal_listening listening;
    struct ns_sal_hooks hooks;
    struct ns_sal_registrar registrar;
    unsigned followed; /* services.changes that the registrar knows */
    struct ns_sal_controller controller;
    struct ns_sal_wire wire;
    struct ns_sal_owner owners[NS_SAL_OWNERS];
    char interfaces[NS_SAL_INTERFACES][16];
    unsigned interface_count;
    unsigned attached[NS_SAL_INTERFACES]; /* indexes of the interfaces that have the program */
    uint64_t moves, restored;
};

/* --- open.c --- */

struct ns_sald_options;

/* Opens the sockets, the programs and the host, and takes over the flows of the sald before. Returns 0 or -1. */
int ns_sald_open(struct ns_sald *sald, const struct ns_sald_options *options);

/* Logs the failure of a thing, with the reason in errno. Returns -1. */
int ns_sald_fail(const char *what);

/* --- interfaces.c --- */

/* Attaches the programs to interfaces that have come or come again. */
void ns_sald_attach(struct ns_sald *sald);

/* Finds the links on which the local stack takes packets of open flows. */
void ns_sald_look_at_links(struct ns_sald *sald);

/* Notes the addresses of sal0, from which the local stack answers. */
void ns_sald_find_inside(struct ns_sald *sald);

/* --- wire.c --- */

/* Joins the host to its sockets and maps. */
void ns_sald_wire(struct ns_sald *sald);

/* Puts a surrogate that was just assigned into its map. */
void ns_sald_note_place(struct ns_sald *sald);

/* --- orders.c --- */

/* Carries out one order, a line of the control socket or the file. Writes the reply, one line without LF. */
void ns_sald_order(struct ns_sald *sald, char *line, size_t length, char *reply, size_t size);

/* Carries out the orders of a file, a line each; # begins a comment. Returns 0, or -1; the log has the bad line. */
int ns_sald_orders_file(struct ns_sald *sald, const char *path);

/* Ends the registrations of a process that has ended. */
void ns_sald_owner_gone(struct ns_sald *sald, struct ns_sal_owner *owner);

#endif
