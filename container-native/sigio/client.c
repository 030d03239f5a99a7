/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

#include "ns_log.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool may_connect(const struct ns_sig_client *client, int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return false;
    if (peer.uid == client->uid || peer.uid == 0)
        return true;
    ns_warn("client: uid %u may not connect", (unsigned)peer.uid);
    return false;
}

bool ns_sig_client_accept(struct ns_sig_client *client) {
    int fd = accept4(client->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0)
        return false;
    if (!may_connect(client, fd)) {
        close(fd);
        return false;
    }
    if (client->fd >= 0)
        ns_sig_client_drop(client, "another one took over");
    client->fd = fd;
    ns_sig_client_queue(client, ns_frame_hello(ns_sig_client_room(client, 4)));
    return true;
}

void ns_sig_client_drop(struct ns_sig_client *client, const char *why) {
    if (client->fd < 0)
        return;
    ns_info("client: %s", why);
    close(client->fd);
    client->fd = -1;
    client->greeted = false;
    client->in_from = client->in_to = client->out_from = client->out_to = 0;
}

/* Moves the used part of a buffer to the front. */
static void shift(uint8_t *buffer, size_t *from, size_t *to) {
    memmove(buffer, buffer + *from, *to - *from);
    *to -= *from;
    *from = 0;
}

bool ns_sig_client_read(struct ns_sig_client *client) {
    ssize_t n;

    shift(client->in, &client->in_from, &client->in_to);
    n = read(client->fd, client->in + client->in_to, sizeof client->in - client->in_to);
    if (n > 0)
        client->in_to += (size_t)n;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

enum ns_frame_status ns_sig_client_next(struct ns_sig_client *client, struct ns_frame *frame) {
    size_t size = 0;
    enum ns_frame_status status =
        ns_frame_read(frame, client->in + client->in_from, client->in_to - client->in_from, &size);

    if (status == NS_FRAME_OK || status == NS_FRAME_UNKNOWN)
        client->in_from += size;
    return status;
}

uint8_t *ns_sig_client_room(struct ns_sig_client *client, size_t length) {
    size_t size = NS_FRAME_HEADER + length;

    if (client->fd < 0 || sizeof client->out - (client->out_to - client->out_from) < size)
        return NULL;
    if (sizeof client->out - client->out_to < size)
        shift(client->out, &client->out_from, &client->out_to);
    return client->out + client->out_to;
}

void ns_sig_client_queue(struct ns_sig_client *client, size_t written) {
    client->out_to += written;
}

bool ns_sig_client_waits(const struct ns_sig_client *client) {
    return client->fd >= 0 && client->out_to != client->out_from;
}

bool ns_sig_client_write(struct ns_sig_client *client) {
    ssize_t n;

    if (!ns_sig_client_waits(client))
        return true;
    n = send(client->fd, client->out + client->out_from, client->out_to - client->out_from,
             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    client->out_from += (size_t)n;
    if (client->out_from == client->out_to)
        client->out_from = client->out_to = 0;
    return true;
}
