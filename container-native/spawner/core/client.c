/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

#include "listen.h"
#include "ns_log.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int ns_client_open(struct ns_client *client, const char *path, uid_t uid) {
    memset(client, 0, sizeof *client);
    client->fd = -1;
    client->uid = uid;
    client->listener = ns_listen(path, uid, uid, 0600);
    return client->listener < 0 ? -1 : 0;
}

void ns_client_close(struct ns_client *client, const char *path) {
    ns_client_drop(client, "we stop");
    close(client->listener);
    unlink(path);
}

void ns_client_drop(struct ns_client *client, const char *why) {
    if (client->fd < 0)
        return;
    ns_info("client closed: %s", why);
    close(client->fd);
    free(client->out);
    client->fd = -1;
    client->out = NULL;
    client->used = client->out_used = client->out_sent = 0;
    client->greeted = false;
}

void ns_client_accept(struct ns_client *client) {
    int fd = accept4(client->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct ucred peer;
    socklen_t length = sizeof peer;

    if (fd < 0)
        return;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || (peer.uid != client->uid && peer.uid != 0)) {
        ns_warn("client with uid %u refused", (unsigned)peer.uid);
        close(fd);
        return;
    }
    ns_client_drop(client, "another one has come");
    client->fd = fd;
    client->generation++;
    ns_info("client: pid %d, uid %u", (int)peer.pid, (unsigned)peer.uid);
    ns_client_send(client, "hello protocol=1.0 build=0.1.0");
}

bool ns_client_wants_write(const struct ns_client *client) {
    return client->fd >= 0 && client->out_sent < client->out_used;
}

void ns_client_write(struct ns_client *client) {
    while (ns_client_wants_write(client)) {
        ssize_t n = send(client->fd, client->out + client->out_sent, client->out_used - client->out_sent, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0) {
            ns_client_drop(client, strerror(errno));
            return;
        }
        client->out_sent += (size_t)n;
    }
    client->out_used = client->out_sent = 0;
}

void ns_client_send(struct ns_client *client, const char *line) {
    size_t length = strlen(line);
    char *grown;

    if (client->fd < 0)
        return;
    if (client->out_sent > 0) { /* sent bytes are no backlog */
        client->out_used -= client->out_sent;
        memmove(client->out, client->out + client->out_sent, client->out_used);
        client->out_sent = 0;
    }
    if (client->out_used + length + 1 > NS_CLIENT_BACKLOG) {
        ns_client_drop(client, "it does not read");
        return;
    }
    grown = realloc(client->out, client->out_used + length + 1);
    if (grown == NULL) {
        ns_client_drop(client, "out of memory");
        return;
    }
    client->out = grown;
    memcpy(client->out + client->out_used, line, length);
    client->out[client->out_used + length] = '\n';
    client->out_used += length + 1;
    ns_client_write(client);
}

bool ns_client_has_line(const struct ns_client *client) {
    return client->fd >= 0 && memchr(client->in, '\n', client->used) != NULL;
}

/* Hands out the lines in the buffer; the handler may drop the client. */
static void hand_out(struct ns_client *client, ns_client_line line, void *context) {
    uint64_t generation = client->generation;
    bool more = true;
    size_t begin = 0;
    char *end;

    while (more && (end = memchr(client->in + begin, '\n', client->used - begin)) != NULL) {
        size_t length = (size_t)(end - (client->in + begin));

        more = line(context, client->in + begin, length);
        if (client->fd < 0 || client->generation != generation)
            return;
        begin += length + 1;
    }
    memmove(client->in, client->in + begin, client->used - begin);
    client->used -= begin;
    if (client->used == sizeof client->in && !ns_client_has_line(client))
        ns_client_drop(client, "line too long");
}

void ns_client_read(struct ns_client *client, ns_client_line line, void *context) {
    ssize_t n;

    if (ns_client_has_line(client))
        return hand_out(client, line, context);
    n = read(client->fd, client->in + client->used, sizeof client->in - client->used);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        ns_client_drop(client, n == 0 ? "it has gone" : strerror(errno));
        return;
    }
    client->used += (size_t)n;
    hand_out(client, line, context);
}

struct ns_ticket ns_client_ticket(const struct ns_client *client, uint64_t id) {
    return (struct ns_ticket){client->generation, id};
}

bool ns_client_holds(const struct ns_client *client, struct ns_ticket ticket) {
    return client->fd >= 0 && ticket.id != 0 && ticket.generation == client->generation;
}
