/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - the socket: at most one client, a new one takes over. Lines in, lines out, never blocking.
 *
 * A reply that comes later holds a ticket; the reply to a client that has gone is dropped.
 */
#ifndef NS_CLIENT_H
#define NS_CLIENT_H

#include "ns_line.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NS_CLIENT_BACKLOG (1u << 20) /* bytes not yet taken by the client; with more it is closed */

struct ns_ticket {
    uint64_t generation, id;
};

struct ns_client {
    int listener, fd;    /* fd -1 = nobody */
    uid_t uid;           /* the user that may connect, besides root */
    uint64_t generation; /* grows with each client */
    bool greeted;        /* its hello has come */
    size_t used;
    char in[NS_LINE_MAX];
    char *out;
    size_t out_used, out_sent;
};

/* Listens on `path`, mode 0600, owned by `uid`. 0, or -1 with errno. */
int ns_client_open(struct ns_client *client, const char *path, uid_t uid);
void ns_client_close(struct ns_client *client, const char *path);

/* Accepts a new client in place of the old one. */
void ns_client_accept(struct ns_client *client);

/* A line, with its LF taken off (room for one more byte behind it). False = the next one is for another call. */
typedef bool (*ns_client_line)(void *context, char *text, size_t length);

/*
 * Reads the bytes that are there and calls `line` for each complete line. Closes the client at its end, on an error,
 * and when a line is too long. With complete lines left over it reads nothing and goes on with these.
 */
void ns_client_read(struct ns_client *client, ns_client_line line, void *context);

/* Are complete lines left over? */
bool ns_client_has_line(const struct ns_client *client);
void ns_client_write(struct ns_client *client);
bool ns_client_wants_write(const struct ns_client *client);

/* Sends a complete line; a LF is added. */
void ns_client_send(struct ns_client *client, const char *line);
void ns_client_drop(struct ns_client *client, const char *why);

struct ns_ticket ns_client_ticket(const struct ns_client *client, uint64_t id);
bool ns_client_holds(const struct ns_client *client, struct ns_ticket ticket);

#endif
