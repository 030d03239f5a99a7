/* SPDX-License-Identifier: Apache-2.0 */
/* bpfd_orders.c - what bpfd is told of interfaces, containers and filters, and asked for. */
#include "bpfd_wire.h"
#include "container.h"
#include "ns_fastpath.h"
#include "ns_fd.h"
#include "ns_log.h"
#include "own.h"
#include "spawner.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define INTERFACE_MS 1000u

static char *print_interfaces(struct ns_bpfd_child *child) {
    static const char *const modes[] = {"auto", "native", "generic"};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    fprintf(out, "interfaces id=%llu interfaces=", (unsigned long long)++child->id);
    for (unsigned i = 0; i < child->interfaces; i++)
        fprintf(out, "%s%s", i == 0 ? "" : ",", child->interface[i]);
    fprintf(out, " mode=%s forward=%s", modes[child->mode], child->direct ? "direct" : "kernel");
    return fclose(out) == 0 ? text : NULL;
}

/* A driver may begin anew for it. */
static int send_interfaces(struct ns_bpfd_child *child, char **pairs) {
    char *text = print_interfaces(child), answer[NS_BPFD_ANSWER + 1];
    const char *xdp, *tc;
    struct ns_line line;
    int gives[NS_BPFD_GIVES] = {-1, -1}, result;

    child->patience = (int)(INTERFACE_MS * child->interfaces);
    result = text == NULL ? -1 : ns_bpfd_ask(child, text, NULL, 0, &line, answer, gives);
    child->patience = 0;
    xdp = result == 0 ? ns_line_get(&line, "xdp") : NULL;
    tc = result == 0 ? ns_line_get(&line, "tc") : NULL;
    ns_bpfd_drop(gives);
    free(text);
    ns_bpfd_attached(child, tc);
    if (xdp == NULL || tc == NULL)
        return -1;
    ns_info("bpfd: %u interfaces, xdp %s, tc %s", child->interfaces, xdp, tc);
    return pairs != NULL && asprintf(pairs, " xdp=%s tc=%s", xdp, tc) < 0 ? -1 : 0;
}

/* Other interfaces than before, in other places. */
static bool set_interfaces(struct ns_bpfd_child *child, const struct ns_request *request) {
    bool same = child->interfaces == request->interfaces;

    for (unsigned i = 0; same && i < child->interfaces; i++)
        same = strcmp(child->interface[i], request->interface[i]) == 0;
    child->interfaces = request->interfaces;
    memcpy(child->interface, request->interface, sizeof child->interface);
    child->mode = request->mode;
    child->direct = request->past_stack;
    return !same;
}

/*
 * Sockets to bpfd, records and AF_XDP sockets are given to a pktio at its start: one that is without them is started again, in order,
 * on the same ring. Its packets bypass it for the moment.
 */
static void renew_pktio(struct ns_spawner *spawner, bool others) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX && spawner->bpfd.interfaces != 0; i++) {
        const struct ns_container *container = spawner->containers[i];

        if (container != NULL && (container->grant.pktio_fd < 0 || (others && container->order.afxdp)))
            ns_container_renew_pktio(container);
    }
}

int ns_bpfd_fastpath(struct ns_spawner *spawner, const struct ns_request *request, char **pairs, char why[160]) {
    struct ns_bpfd_child *child = &spawner->bpfd;

    bool others = set_interfaces(child, request);

    if (ns_bpfd_there(child) && ns_own_mark(&spawner->paths) != child->own) {
        ns_bpfd_give_up(child, "the operator has other programs");
        snprintf(why, 160, "fast path: it starts again with other programs of the operator");
        return -1;
    }
    if (!ns_bpfd_there(&spawner->bpfd) || send_interfaces(child, pairs) != 0) {
        snprintf(why, 160, "fast path: bpfd is not there, see the spawner's log");
        return -1;
    }
    if (ns_spawner_rules(spawner) != 0)
        ns_error("fast path: the rule for its mark could not be written");
    ns_bpfd_filters(spawner);
    renew_pktio(spawner, others);
    return 0;
}

uint32_t ns_bpfd_mark(const struct ns_spawner *spawner) {
    const struct ns_bpfd_child *child = &spawner->bpfd;

    return child->wanted && child->interfaces != 0 && !child->direct ? NS_OFFLOAD_MARK : 0;
}

/* --- containers --- */

static void print_grant(FILE *out, struct ns_bpfd_child *child, const struct ns_container *container) {
    const struct ns_request *order = &container->order;

    fprintf(out, "grant id=%llu container=%s serial=%llu flows=%llu", (unsigned long long)++child->id, order->name,
            (unsigned long long)container->serial, (unsigned long long)order->flows);
    ns_line_put_number(out, "packets", order->packets);
    ns_line_put_number(out, "bytes", order->bytes);
    fputs(" rewrite=", out);
    for (unsigned i = 0; i < order->rewrites; i++) {
        char source[NS_PREFIX_TEXT], destination[NS_PREFIX_TEXT];

        ns_value_print_net(&order->rewrite[i].source, source);
        ns_value_print_net(&order->rewrite[i].destination, destination);
        fprintf(out, "%s%s->%s", i == 0 ? "" : ",", source, destination);
    }
}

static int send_grant(struct ns_bpfd_child *child, struct ns_container *container) {
    struct ns_bpfd_grant *grant = &container->grant;
    const int fds[NS_BPFD_TAKES] = {grant->bpfd_fd, grant->records_fd, grant->samples_fd};
    unsigned count = grant->records_fd < 0 ? 1 : grant->samples_fd < 0 ? 2 : 3;
    char *text = NULL, answer[NS_BPFD_ANSWER + 1];
    struct ns_line line;
    size_t size;
    int gives[NS_BPFD_GIVES] = {-1, -1}, result = -1;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return -1;
    print_grant(out, child, container);
    if (fclose(out) == 0)
        result = ns_bpfd_ask(child, text, fds, count, &line, answer, gives);
    free(text);
    if (result == 0 && grant->records_fd < 0) {
        grant->records_fd = gives[0];
        grant->samples_fd = gives[1];
        gives[0] = gives[1] = -1;
    }
    ns_bpfd_drop(gives);
    return result;
}

static void close_grant(struct ns_bpfd_grant *grant) {
    ns_fd_drop(&grant->pktio_fd);
    ns_fd_drop(&grant->bpfd_fd);
    ns_fd_drop(&grant->records_fd);
    ns_fd_drop(&grant->samples_fd);
}

void ns_bpfd_grant(struct ns_spawner *spawner, struct ns_container *container) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    struct ns_bpfd_grant *grant = &container->grant;
    int pair[2];

    if (child->interfaces == 0 || grant->pktio_fd >= 0 || !ns_bpfd_there(&spawner->bpfd))
        return;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0) {
        grant->pktio_fd = pair[0];
        grant->bpfd_fd = pair[1];
        if (send_grant(child, container) == 0 && grant->records_fd >= 0) {
            ns_bpfd_filters(spawner);
            return;
        }
    }
    ns_warn("%s: no fast path", container->order.name);
    close_grant(grant);
}

void ns_bpfd_revoke(struct ns_spawner *spawner, struct ns_container *container) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char text[NS_NAME_MAX + 64];

    if (container->grant.pktio_fd < 0)
        return;
    if (ns_bpfd_there(&spawner->bpfd)) {
        snprintf(text, sizeof text, "revoke id=%llu container=%s", (unsigned long long)++child->id,
                 container->order.name);
        ns_bpfd_order(child, text);
    }
    close_grant(&container->grant);
}

/* --- filters --- */

static void put_range(FILE *out, const char *key, const struct ns_ports *ports) {
    fprintf(out, " %s=%u-%u", key, ports->first, ports->last);
}

static void put_net(FILE *out, const char *key, const struct ns_net *net) {
    char text[NS_PREFIX_TEXT];

    ns_value_print_net(net, text);
    fprintf(out, " %s=%s", key, text);
}

/*
 * What is limited by packets or bytes a second is so by the rules of its queue, and goes that way. A program decides by bytes that
 * a flow does not have: as of a sampled one, nothing of it is decided in the kernel.
 */
static const char *way_of(const struct ns_filter *filter, const struct ns_request *order) {
    if (filter->count[0] != '\0')
        return "count";
    if (filter->sample != 0 || filter->match.count != 0)
        return "sample";
    return filter->afxdp && order->packets == 0 && order->bytes == 0 ? "steer" : "queue";
}

static void print_filter(FILE *out, const struct ns_filter *filter, const struct ns_request *order, bool taken) {
    fprintf(out, "container=%s family=%u proto=%u do=%s claim=%llu", order->name, filter->family, filter->protocol,
            way_of(filter, order), (unsigned long long)filter->claim);
    if (filter->count[0] != '\0')
        fprintf(out, " count=%s", filter->count);
    if (taken)
        fprintf(out, " every=%u", filter->sample);
    if (filter->has_source)
        put_net(out, "src", &filter->source);
    if (filter->has_destination)
        put_net(out, "dst", &filter->destination);
    if (filter->has_source_ports)
        put_range(out, "sport", &filter->source_ports);
    if (filter->has_destination_ports)
        put_range(out, "dport", &filter->destination_ports);
}

struct ns_container *ns_bpfd_reader(const struct ns_spawner *spawner, const struct ns_filter *filter) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        struct ns_container *container = spawner->containers[i];

        if (container != NULL && container->order.queue == filter->queue)
            return container;
    }
    return NULL;
}

/* The firewall meets samples first, whatever their prefixes; a filter that nobody reads is passed by. */
static unsigned each_filter(struct ns_spawner *spawner, bool tell) {
    unsigned count = 0;

    for (int samples = 1; samples >= 0; samples--) {
        for (unsigned i = 0; i < spawner->filters; i++) {
            const struct ns_filter *filter = &spawner->filter[i];
            const struct ns_container *container = ns_bpfd_reader(spawner, filter);
            char text[512];
            FILE *out;

            if (container == NULL || (filter->sample != 0) != samples)
                continue;
            count++;
            if (!tell)
                continue;
            out = fmemopen(text, sizeof text, "w");
            if (out == NULL)
                return 0;
            print_filter(out, filter, &container->order, spawner->bpfd.taken[i]);
            fclose(out);
            ns_bpfd_say(&spawner->bpfd, text, NULL, 0);
        }
    }
    return count;
}

void ns_bpfd_filters(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char text[64], answer[NS_BPFD_ANSWER + 1];
    int gives[NS_BPFD_GIVES];
    struct ns_line line;

    if (child->interfaces == 0 || !ns_bpfd_there(&spawner->bpfd))
        return;
    ns_bpfd_samples_settle(spawner);
    snprintf(text, sizeof text, "filters id=%llu count=%u", (unsigned long long)++child->id,
             each_filter(spawner, false));
    if (ns_bpfd_say(child, text, NULL, 0) != 0) {
        ns_bpfd_give_up(child, strerror(errno));
        return;
    }
    each_filter(spawner, true);
    if (ns_bpfd_hear(child, child->id, &line, answer, gives) != 0)
        ns_bpfd_samples_over(spawner);
    ns_bpfd_drop(gives);
}

/* A publisher whose plane is AF_XDP from now on has no sockets for it yet. From AF_XDP to queues its filters alone lead. */
void ns_bpfd_planes(struct ns_spawner *spawner) {
    for (unsigned i = 0; i < spawner->filters; i++) {
        struct ns_container *container = spawner->filter[i].afxdp ? ns_bpfd_reader(spawner, &spawner->filter[i]) : NULL;

        if (container == NULL || container->order.afxdp)
            continue;
        container->order.afxdp = true;
        if (spawner->bpfd.interfaces != 0)
            ns_container_renew_pktio(container);
    }
}

/* --- counters --- */

void ns_bpfd_stats(struct ns_spawner *spawner, const struct ns_container *container, FILE *out) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char text[NS_NAME_MAX + 64], answer[NS_BPFD_ANSWER + 1];
    int gives[NS_BPFD_GIVES];
    struct ns_line line;

    if (container->grant.pktio_fd < 0 || !ns_bpfd_there(&spawner->bpfd))
        return;
    snprintf(text, sizeof text, "stats id=%llu container=%s", (unsigned long long)++child->id, container->order.name);
    if (ns_bpfd_ask(child, text, NULL, 0, &line, answer, gives) != 0)
        return;
    ns_bpfd_drop(gives);
    for (unsigned i = 0; i < line.count; i++) {
        if (strcmp(line.pairs[i].key, "id") != 0)
            fprintf(out, " %s%s=%s", strcmp(line.pairs[i].key, "flows") == 0 ? "" : "flows-", line.pairs[i].key,
                    line.pairs[i].value);
    }
}

/* --- a new one --- */

void ns_bpfd_tell_all(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;

    if (child->interfaces == 0 || send_interfaces(child, NULL) != 0)
        return;
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        struct ns_container *container = spawner->containers[i];

        if (container != NULL && container->grant.pktio_fd >= 0 && send_grant(child, container) != 0) {
            ns_warn("%s: no fast path until it starts again", container->order.name);
            ns_fd_drop(&container->grant.samples_fd); /* the firewall takes them */
        }
    }
    if (ns_spawner_rules(spawner) != 0)
        ns_error("fast path: the rule for its mark could not be written");
    ns_bpfd_filters(spawner);
    renew_pktio(spawner, false);
}
