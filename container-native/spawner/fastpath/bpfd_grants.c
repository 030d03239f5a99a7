/* SPDX-License-Identifier: Apache-2.0 */
/* bpfd_grants.c - orders to bpfd about containers: what they may have in the kernel, and until when. */
#include "bpfd_wire.h"
#include "containers.h"
#include "ns_fd.h"
#include "ns_log.h"
#include "reply.h"
#include "spawner.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define KEEP_MS 3000u /* for the next start of a container that has died: docs/protocols/bpfd.md, "Grace" */

/* Prints a list as bpfd has it: outside ports only, because its programs see packets outside of containers. */
static void print_endpoints(FILE *out, const char *key, const struct ns_connect *list, unsigned count) {
    fprintf(out, " %s=", key);
    for (unsigned i = 0; i < count; i++) {
        struct ns_connect outside = list[i];
        char text[NS_CONNECT_TEXT];

        outside.inside = 0;
        ns_connect_print(&outside, text);
        fprintf(out, "%s%s", i == 0 ? "" : ",", text);
    }
}

static void print_services(FILE *out, const struct ns_request *order) {
    fputs(" serval=", out);
    for (unsigned i = 0; i < order->services; i++) {
        char text[NS_SERVICE_TEXT];

        ns_value_print_service(&order->service[i], text);
        fprintf(out, "%s%s", i == 0 ? "" : ",", text);
    }
}

static void print_grant(FILE *out, struct ns_bpfd_child *child, const struct ns_container *container) {
    const struct ns_request *order = &container->order;

    fprintf(out, "grant id=%llu container=%s serial=%llu flows=%llu", (unsigned long long)++child->id, order->name,
            (unsigned long long)container->serial, (unsigned long long)order->flows);
    ns_line_put_number(out, "packets", order->packets);
    ns_line_put_number(out, "bytes", order->bytes);
    if (order->network >= 0)
        ns_line_put_number(out, "network", (uint64_t)order->network);
    fputs(" rewrite=", out);
    for (unsigned i = 0; i < order->rewrites; i++) {
        char source[NS_PREFIX_TEXT], destination[NS_PREFIX_TEXT];

        ns_value_print_net(&order->rewrite[i].source, source);
        ns_value_print_net(&order->rewrite[i].destination, destination);
        fprintf(out, "%s%s->%s", i == 0 ? "" : ",", source, destination);
    }
    print_endpoints(out, "listen", order->listen, order->network < 0 ? 0 : order->listens);
    print_endpoints(out, "connect", order->connect, order->network < 0 ? 0 : order->connects);
    print_services(out, order);
}

static void close_grant(struct ns_bpfd_grant *grant) {
    ns_fd_drop(&grant->pktio_fd);
    ns_fd_drop(&grant->bpfd_fd);
    ns_fd_drop(&grant->records_fd);
    ns_fd_drop(&grant->samples_fd);
}

static void send_grant(struct ns_spawner *spawner, const struct ns_container *container, ns_bpfd_done done) {
    const struct ns_bpfd_grant *grant = &container->grant;
    const int fds[NS_BPFD_TAKES] = {grant->bpfd_fd, grant->records_fd, grant->samples_fd};
    unsigned count = grant->records_fd < 0 ? 1 : grant->samples_fd < 0 ? 2 : 3;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out != NULL) {
        print_grant(out, &spawner->bpfd, container);
        fclose(out);
    }
    ns_bpfd_give(spawner, spawner->bpfd.id, text, fds, count, 0, done, container->serial);
}

/* Takes the answer to a grant. A pktio waits for it. */
static void granted(struct ns_spawner *spawner, uint64_t serial, const struct ns_line *answer,
                    int gives[NS_BPFD_GIVES]) {
    struct ns_container *container = ns_container_of_serial(spawner, serial);
    struct ns_bpfd_grant *grant = container == NULL ? NULL : &container->grant;

    if (grant == NULL || grant->pktio_fd < 0)
        return; /* the container has ended meanwhile: the order to revoke it follows */
    if (answer != NULL && gives[0] >= 0) {
        grant->records_fd = gives[0];
        grant->samples_fd = gives[1];
        gives[0] = gives[1] = -1;
        ns_bpfd_filters(spawner);
    } else {
        ns_warn("%s: no fast path", container->order.name);
        close_grant(grant);
    }
    container->granted = true;
}

bool ns_bpfd_grant(struct ns_spawner *spawner, struct ns_container *container) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    struct ns_bpfd_grant *grant = &container->grant;
    int pair[2];

    if (child->interfaces == 0 || grant->pktio_fd >= 0 || !ns_bpfd_there(child))
        return false;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) {
        ns_warn("%s: no fast path: %s", container->order.name, strerror(errno));
        return false;
    }
    grant->pktio_fd = pair[0];
    grant->bpfd_fd = pair[1];
    send_grant(spawner, container, granted);
    return true;
}

/* Gives bpfd an order about a container by its name. */
static void give_name(struct ns_spawner *spawner, const char *verb, const char *name, const char *rest,
                      ns_bpfd_done done, uint64_t token) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char *text;

    if (asprintf(&text, "%s id=%llu container=%s%s", verb, (unsigned long long)++child->id, name, rest) < 0)
        text = NULL;
    ns_bpfd_give(spawner, child->id, text, NULL, 0, 0, done, token);
}

/* Closes the container's grant. Returns true if bpfd is to hear of it. */
static bool ungrant(struct ns_spawner *spawner, struct ns_container *container) {
    bool had = container->grant.pktio_fd >= 0;

    close_grant(&container->grant);
    return had && ns_bpfd_there(&spawner->bpfd);
}

void ns_bpfd_revoke(struct ns_spawner *spawner, struct ns_container *container) {
    if (ungrant(spawner, container))
        give_name(spawner, "revoke", container->order.name, "", NULL, 0);
}

void ns_bpfd_keep(struct ns_spawner *spawner, struct ns_container *container) {
    char grace[32];

    snprintf(grace, sizeof grace, " msec=%u", KEEP_MS);
    if (ungrant(spawner, container))
        give_name(spawner, "keep", container->order.name, grace, NULL, 0);
}

void ns_bpfd_forget(struct ns_spawner *spawner, const char *name) {
    if (ns_bpfd_there(&spawner->bpfd))
        give_name(spawner, "forget", name, "", NULL, 0);
}

/* Answers `forget`. A bpfd that has not answered has ended, and all relays with it. */
static void forgotten(struct ns_spawner *spawner, uint64_t token, const struct ns_line *answer,
                      int gives[NS_BPFD_GIVES]) {
    struct ns_bpfd_waiting *waiting = ns_bpfd_waiting(token);

    (void)answer, (void)gives;
    ns_reply_ok(spawner, waiting->ticket, "");
    free(waiting);
}

void ns_bpfd_forget_asked(struct ns_spawner *spawner, const char *name, struct ns_ticket ticket) {
    struct ns_bpfd_waiting *waiting;

    if (!ns_bpfd_there(&spawner->bpfd))
        return ns_reply_ok(spawner, ticket, "");
    waiting = ns_bpfd_wait_for((struct ns_bpfd_waiting){.ticket = ticket});
    if (waiting == NULL)
        return ns_reply_error(spawner, ticket, "out of memory");
    give_name(spawner, "forget", name, "", forgotten, (uintptr_t)waiting);
}

static void granted_again(struct ns_spawner *spawner, uint64_t serial, const struct ns_line *answer,
                          int gives[NS_BPFD_GIVES]) {
    struct ns_container *container = ns_container_of_serial(spawner, serial);

    (void)gives;
    if (answer != NULL || container == NULL || container->grant.pktio_fd < 0)
        return;
    ns_warn("%s: no fast path until it starts again", container->order.name);
    ns_fd_drop(&container->grant.samples_fd); /* the firewall takes the samples */
    ns_bpfd_samples_settle(spawner);
}

void ns_bpfd_grants_again(struct ns_spawner *spawner) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        struct ns_container *container = spawner->containers[i];

        if (container != NULL && container->grant.pktio_fd >= 0 && container->grant.records_fd >= 0)
            send_grant(spawner, container, granted_again);
    }
}
