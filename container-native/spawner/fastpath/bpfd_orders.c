/* SPDX-License-Identifier: Apache-2.0 */
/* bpfd_orders.c - orders to bpfd: interfaces, containers, filters and counters. */
#include "bpfd_wire.h"
#include "containers.h"
#include "firewall.h"
#include "ns_fastpath.h"
#include "ns_fd.h"
#include "ns_log.h"
#include "operator.h"
#include "reply.h"
#include "spawner.h"
#include "subnet.h"
#include "sysctl.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define INTERFACE_MS 1000u
#define LINES_MS 1u   /* for each filter */
#define KEEP_MS 3000u /* for the next start of a container that has died: docs/protocols/bpfd.md, "Grace" */
#define NODE_MAX 150u /* addresses in each list of an order */
#define NOT_THERE "fast path: bpfd is not there, see the spawner's log"

static char *print_interfaces(struct ns_bpfd_child *child) {
    static const char *const modes[] = {"auto", "native", "generic"};
    char *text = NULL;
    bool first = true;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    fprintf(out, "interfaces id=%llu interfaces=", (unsigned long long)++child->id);
    for (unsigned i = 0; i < child->interfaces; i++)
        fprintf(out, "%s%s", i == 0 ? "" : ",", child->interface[i]);
    fprintf(out, " mode=%s forward=%s local=", modes[child->mode], child->direct ? "direct" : "kernel");
    for (unsigned i = 0; i < child->interfaces; i++) {
        if (ns_sysctl_takes_own(child->interface[i])) {
            fprintf(out, "%s%s", first ? "" : ",", child->interface[i]);
            first = false;
        }
    }
    return fclose(out) == 0 ? text : NULL;
}

/* Sends bpfd the interfaces. Each adds to the deadline, because its driver may begin anew. */
static void send_interfaces(struct ns_spawner *spawner, ns_bpfd_done done, uint64_t token) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char *text = print_interfaces(child);

    ns_bpfd_give(spawner, child->id, text, NULL, 0, INTERFACE_MS * child->interfaces, done, token);
}

/* Notes the answer to the interfaces. False: bpfd has not answered as it should. */
static bool note_interfaces(struct ns_bpfd_child *child, const struct ns_line *answer, const char **xdp,
                            const char **tc) {
    *xdp = answer == NULL ? NULL : ns_line_get(answer, "xdp");
    *tc = answer == NULL ? NULL : ns_line_get(answer, "tc");
    ns_bpfd_attached(child, *tc);
    if (*xdp == NULL || *tc == NULL)
        return false;
    ns_info("bpfd: %u interfaces, xdp %s, tc %s", child->interfaces, *xdp, *tc);
    return true;
}

/* Takes over the interfaces of a request. True: they are others than before, or in other places. */
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
 * Marks each pktio that must be started again. A pktio gets its sockets to bpfd, its records and its AF_XDP sockets
 * only at its start. A pktio without them is started again, in order, on the same ring. Its packets bypass it for the
 * moment.
 */
static void renew_pktio(struct ns_spawner *spawner, bool others) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX && spawner->bpfd.interfaces != 0; i++) {
        struct ns_container *container = spawner->containers[i];

        if (container != NULL && (container->grant.pktio_fd < 0 || (others && container->order.afxdp)))
            container->renew = true;
    }
}

/* A verb that waits for bpfd. */
struct waiting {
    struct ns_ticket ticket;
    uint64_t serial;
    bool others;
    ns_bpfd_stats_done stats;
    char pairs[NS_BPFD_ANSWER];
};

static struct waiting *wait_for(struct waiting what) {
    struct waiting *waiting = malloc(sizeof *waiting);

    if (waiting != NULL)
        *waiting = what;
    return waiting;
}

static void fastpath_told(struct ns_spawner *spawner, uint64_t token) {
    struct waiting *waiting = (struct waiting *)(uintptr_t)token; /* NOLINT: given as such */

    renew_pktio(spawner, waiting->others);
    ns_reply_ok(spawner, waiting->ticket, waiting->pairs);
    free(waiting);
}

static void fastpath_ruled(struct ns_spawner *spawner, uint64_t token, const char *why) {
    struct waiting *waiting = (struct waiting *)(uintptr_t)token; /* NOLINT: given as such */

    if (why[0] == '\0')
        return ns_bpfd_filters_then(spawner, fastpath_told, token);
    ns_reply_error(spawner, waiting->ticket, why);
    free(waiting);
}

/* Writes the rules first and then the filters, as at each change of either. */
static void fastpath_done(struct ns_spawner *spawner, uint64_t token, const struct ns_line *answer,
                          int gives[NS_BPFD_GIVES]) {
    struct waiting *waiting = (struct waiting *)(uintptr_t)token; /* NOLINT: given as such */
    const char *xdp, *tc;

    (void)gives;
    if (!note_interfaces(&spawner->bpfd, answer, &xdp, &tc)) {
        ns_reply_error(spawner, waiting->ticket, NOT_THERE);
        return free(waiting);
    }
    snprintf(waiting->pairs, sizeof waiting->pairs, " xdp=%s tc=%s", xdp, tc);
    ns_firewall_want(spawner, fastpath_ruled, token);
}

void ns_bpfd_fastpath(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    bool others = set_interfaces(child, request);
    struct waiting *waiting;

    if (ns_bpfd_there(child) && ns_operator_mark(&spawner->paths) != child->own) {
        ns_bpfd_give_up(spawner, "the operator has other programs");
        return ns_reply_error(spawner, ticket, "fast path: it starts again with other programs of the operator");
    }
    if (!ns_bpfd_there(child))
        return ns_reply_error(spawner, ticket, NOT_THERE);
    waiting = wait_for((struct waiting){.ticket = ticket, .others = others});
    if (waiting == NULL)
        return ns_reply_error(spawner, ticket, "out of memory");
    send_interfaces(spawner, fastpath_done, (uintptr_t)waiting);
}

uint32_t ns_bpfd_mark(const struct ns_spawner *spawner) {
    const struct ns_bpfd_child *child = &spawner->bpfd;

    return child->wanted && child->interfaces != 0 && !child->direct ? NS_OFFLOAD_MARK : 0;
}

/* --- containers --- */

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
    struct waiting *waiting = (struct waiting *)(uintptr_t)token; /* NOLINT: given as such */

    (void)answer, (void)gives;
    ns_reply_ok(spawner, waiting->ticket, "");
    free(waiting);
}

void ns_bpfd_forget_asked(struct ns_spawner *spawner, const char *name, struct ns_ticket ticket) {
    struct waiting *waiting;

    if (!ns_bpfd_there(&spawner->bpfd))
        return ns_reply_ok(spawner, ticket, "");
    waiting = wait_for((struct waiting){.ticket = ticket});
    if (waiting == NULL)
        return ns_reply_error(spawner, ticket, "out of memory");
    give_name(spawner, "forget", name, "", forgotten, (uintptr_t)waiting);
}

/* --- the node's addresses: relays are held to them --- */

static void print_net(FILE *out, unsigned *count, const struct ns_net *net) {
    char text[NS_PREFIX_TEXT];

    ns_value_print_net(net, text);
    fprintf(out, "%s%s", (*count)++ == 0 ? "" : ",", text);
}

/* Prints the addresses that fit into an order. The kernel's routing table keeps packets from the others. */
static void print_node(FILE *out, const struct ns_cell_node *node) {
    const struct ns_net containers[] = {ns_subnet_all(4), ns_subnet_all(6)};
    unsigned own = 0, others = 0;

    fputs(" own=", out);
    for (unsigned i = 0; i < node->count && own < NODE_MAX; i++) {
        if (!node->broadcast[i])
            print_net(out, &own, &node->address[i]);
    }
    fputs(" others=", out);
    print_net(out, &others, &containers[0]);
    print_net(out, &others, &containers[1]);
    for (unsigned i = 0; i < node->count && others < NODE_MAX; i++) {
        if (node->broadcast[i])
            print_net(out, &others, &node->address[i]);
    }
}

void ns_bpfd_node(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char *text = NULL;
    size_t size;
    FILE *out;

    if (!ns_bpfd_there(child))
        return;
    out = open_memstream(&text, &size);
    if (out != NULL) {
        fprintf(out, "node id=%llu", (unsigned long long)++child->id);
        print_node(out, &spawner->links.now.node);
        fclose(out);
    }
    ns_bpfd_give(spawner, child->id, text, NULL, 0, 0, NULL, 0);
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
 * Returns the way of a filter's packets, as a word for bpfd. Packets with a limit by packets or bytes a second go by
 * their queue, because the rules of the queue enforce the limit. A program of a filter decides by bytes that a flow
 * does not have. So the kernel decides nothing of such a filter, as of a sampled filter.
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

/*
 * Prints each filter, unless `out` is NULL, and returns their number. Sampled filters come first, whatever their
 * prefixes, because the firewall meets them first. A filter without a reader is left out, and one that takes
 * connections, too.
 */
static unsigned each_filter(struct ns_spawner *spawner, FILE *out) {
    unsigned count = 0;

    for (int samples = 1; samples >= 0; samples--) {
        for (unsigned i = 0; i < spawner->filters; i++) {
            const struct ns_filter *filter = &spawner->filter[i];
            const struct ns_container *container = ns_bpfd_reader(spawner, filter);

            if (container == NULL || filter->take != 0 || (filter->sample != 0) != samples)
                continue;
            count++;
            if (out == NULL)
                continue;
            fputc('\n', out);
            print_filter(out, filter, &container->order, spawner->bpfd.taken[i]);
        }
    }
    return count;
}

/* A function to call once bpfd has answered a list of filters, or a later list. */
struct ns_bpfd_waiter {
    struct ns_bpfd_waiter *next;
    uint64_t list;
    ns_bpfd_filters_done done;
    uint64_t token;
};

static void filters_done(struct ns_spawner *spawner, uint64_t list, const struct ns_line *answer,
                         int gives[NS_BPFD_GIVES]) {
    struct ns_bpfd_waiter **at = &spawner->bpfd.waiters, *waiter;

    (void)gives;
    if (answer == NULL)
        ns_bpfd_samples_over(spawner);
    while ((waiter = *at) != NULL && waiter->list <= list) {
        *at = waiter->next; /* `done` may add other waiters behind */
        waiter->done(spawner, waiter->token);
        free(waiter);
    }
}

static bool wait_for_list(struct ns_bpfd_child *child, ns_bpfd_filters_done done, uint64_t token) {
    struct ns_bpfd_waiter **last = &child->waiters, *waiter = malloc(sizeof *waiter);

    if (waiter == NULL)
        return false;
    *waiter = (struct ns_bpfd_waiter){.list = child->lists, .done = done, .token = token};
    while (*last != NULL)
        last = &(*last)->next;
    *last = waiter;
    return true;
}

void ns_bpfd_filters_then(struct ns_spawner *spawner, ns_bpfd_filters_done done, uint64_t token) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    bool there = child->interfaces != 0 && ns_bpfd_there(child);
    unsigned count;
    char *text = NULL;
    size_t size;
    FILE *out;

    if (there) {
        ns_bpfd_samples_settle(spawner);
        ns_bpfd_withdraw(child, filters_done);
        child->lists++;
    }
    if (done != NULL && (!there || !wait_for_list(child, done, token)))
        done(spawner, token);
    if (!there)
        return;
    count = each_filter(spawner, NULL);
    out = open_memstream(&text, &size);
    if (out != NULL) {
        fprintf(out, "filters id=%llu count=%u", (unsigned long long)++child->id, count);
        each_filter(spawner, out);
        fclose(out);
    }
    ns_bpfd_give(spawner, child->id, text, NULL, 0, LINES_MS * count, filters_done, child->lists);
}

void ns_bpfd_filters(struct ns_spawner *spawner) {
    ns_bpfd_filters_then(spawner, NULL, 0);
}

/*
 * A publisher that moves to AF_XDP has no sockets for it yet, so its pktio is started again. A publisher that moves
 * back to queues needs no new start, because its filters alone decide the way.
 */
void ns_bpfd_planes(struct ns_spawner *spawner) {
    for (unsigned i = 0; i < spawner->filters; i++) {
        struct ns_container *container = spawner->filter[i].afxdp ? ns_bpfd_reader(spawner, &spawner->filter[i]) : NULL;

        if (container == NULL || container->order.afxdp)
            continue;
        container->order.afxdp = true;
        if (spawner->bpfd.interfaces != 0)
            container->renew = true;
    }
}

/* --- counters --- */

static void stats_done(struct ns_spawner *spawner, uint64_t token, const struct ns_line *answer,
                       int gives[NS_BPFD_GIVES]) {
    struct waiting *waiting = (struct waiting *)(uintptr_t)token, was = *waiting; /* NOLINT: given as such */
    char *pairs = NULL;
    size_t size;
    FILE *out = open_memstream(&pairs, &size);

    (void)gives;
    free(waiting);
    for (unsigned i = 0; out != NULL && answer != NULL && i < answer->count; i++) {
        const char *key = answer->pairs[i].key;
        bool whole = strcmp(key, "flows") == 0 || strncmp(key, "steer", 5) == 0 || strncmp(key, "relay", 5) == 0 ||
                     strncmp(key, "serval", 6) == 0 || strncmp(key, "answers", 7) == 0;

        if (strcmp(key, "id") != 0)
            fprintf(out, " %s%s=%s", whole ? "" : "flows-", key, answer->pairs[i].value);
    }
    if (out != NULL)
        fclose(out);
    was.stats(spawner, was.ticket, was.serial, pairs == NULL ? "" : pairs);
    free(pairs);
}

void ns_bpfd_stats(struct ns_spawner *spawner, const struct ns_container *container, struct ns_ticket ticket,
                   ns_bpfd_stats_done done) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    struct waiting *waiting = NULL;
    char *text;

    if (container->grant.pktio_fd >= 0 && ns_bpfd_there(child))
        waiting = wait_for((struct waiting){.ticket = ticket, .serial = container->serial, .stats = done});
    if (waiting == NULL)
        return done(spawner, ticket, container->serial, "");
    if (asprintf(&text, "stats id=%llu container=%s", (unsigned long long)++child->id, container->order.name) < 0)
        text = NULL;
    ns_bpfd_give(spawner, child->id, text, NULL, 0, 0, stats_done, (uintptr_t)waiting);
}

static void talkers_done(struct ns_spawner *spawner, uint64_t token, const struct ns_line *answer,
                         int gives[NS_BPFD_GIVES]) {
    struct waiting *waiting = (struct waiting *)(uintptr_t)token, was = *waiting; /* NOLINT: given as such */
    char *pairs = NULL;
    size_t size;
    FILE *out = answer == NULL ? NULL : open_memstream(&pairs, &size);

    (void)gives;
    free(waiting);
    for (unsigned i = 0; out != NULL && i < answer->count; i++) {
        if (strcmp(answer->pairs[i].key, "id") != 0)
            ns_line_put(out, answer->pairs[i].key, answer->pairs[i].value);
    }
    if (out != NULL && fclose(out) == 0)
        ns_reply_ok(spawner, was.ticket, pairs);
    else
        ns_reply_error(spawner, was.ticket, answer == NULL ? NOT_THERE : "out of memory");
    free(pairs);
}

void ns_bpfd_talkers(struct ns_spawner *spawner, uint64_t most, struct ns_ticket ticket) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    struct waiting *waiting;
    char *text;

    if (!ns_bpfd_there(child))
        return ns_reply_error(spawner, ticket, NOT_THERE);
    waiting = wait_for((struct waiting){.ticket = ticket});
    if (waiting == NULL)
        return ns_reply_error(spawner, ticket, "out of memory");
    if (asprintf(&text, "talkers id=%llu most=%llu", (unsigned long long)++child->id, (unsigned long long)most) < 0)
        text = NULL;
    ns_bpfd_give(spawner, child->id, text, NULL, 0, 0, talkers_done, (uintptr_t)waiting);
}

/* --- a new bpfd --- */

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

static void all_told(struct ns_spawner *spawner, uint64_t token) {
    (void)token;
    renew_pktio(spawner, false);
    ns_bpfd_told(spawner, "");
}

/* Sends the filters even without new rules. The firewall tries the rules again, and logs the failure. */
static void all_ruled(struct ns_spawner *spawner, uint64_t token, const char *why) {
    (void)why;
    ns_bpfd_filters_then(spawner, all_told, token);
}

static void told_interfaces(struct ns_spawner *spawner, uint64_t token, const struct ns_line *answer,
                            int gives[NS_BPFD_GIVES]) {
    const char *xdp, *tc;

    (void)token, (void)gives;
    if (!note_interfaces(&spawner->bpfd, answer, &xdp, &tc))
        return ns_bpfd_told(spawner, "bpfd does not answer");
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        struct ns_container *container = spawner->containers[i];

        if (container != NULL && container->grant.pktio_fd >= 0 && container->grant.records_fd >= 0)
            send_grant(spawner, container, granted_again);
    }
    ns_firewall_want(spawner, all_ruled, 0);
}

void ns_bpfd_tell_all(struct ns_spawner *spawner) {
    ns_bpfd_node(spawner);
    if (spawner->bpfd.interfaces == 0)
        return ns_bpfd_told(spawner, "");
    send_interfaces(spawner, told_interfaces, 0);
}
