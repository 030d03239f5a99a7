/* SPDX-License-Identifier: Apache-2.0 */
/* bpfd_filters.c - the list of filters as bpfd has it. */
#include "bpfd_wire.h"
#include "containers.h"
#include "spawner.h"
#include <stdlib.h>

#define LINES_MS 1u /* for each filter */

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
