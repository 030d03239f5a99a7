/* SPDX-License-Identifier: Apache-2.0 */
#include "orders.h"
#include "answers.h"
#include "kept.h"
#include "leave.h"
#include "relays.h"
#include "requests.h"
#include "samples.h"
#include "serval.h"
#include "steer.h"
#include "talkers.h"

#include "ns_log.h"
#include "ns_rights.h"
#include "ns_time.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* One order: its line and its answer. */
struct order {
    struct ns_orders *orders;
    struct ns_line line;
    uint64_t id;
    int *fds; /* -1 once taken */
    unsigned count;
    int give[2];   /* descriptors that go with the answer, -1 = none */
    FILE *pairs;   /* of the answer */
    char why[160]; /* "" = no error */
};

static void refuse(struct order *order, const char *key, const char *why) {
    snprintf(order->why, sizeof order->why, "%.40s: %.100s", key, why);
}

static void answer(struct ns_orders *orders, uint64_t id, const char *why, const char *pairs, const int fds[2]) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return;
    fprintf(out, "%s id=%llu", why[0] == '\0' ? "ok" : "error", (unsigned long long)id);
    if (why[0] == '\0')
        fputs(pairs, out);
    else
        ns_line_put(out, "reason", why);
    if (fclose(out) == 0 && ns_rights_send(orders->socket, text, size, fds, (fds[0] >= 0) + (fds[1] >= 0)) < 0)
        ns_error("answer: %s", strerror(errno));
    free(text);
}

static bool number(struct order *order, const char *key, uint64_t most, uint64_t *value) {
    const char *text = ns_line_get(&order->line, key);

    if (text != NULL && ns_value_number(text, 0, most, value))
        return true;
    refuse(order, key, text == NULL ? "missing" : "bad value");
    return false;
}

/* Reads an optional number, 0 if it is missing. */
static bool perhaps(struct order *order, const char *key, uint64_t most, uint64_t *value) {
    *value = 0;
    return ns_line_get(&order->line, key) == NULL || number(order, key, most, value);
}

/* --- verbs --- */

/* Writes the slots with a program of the operator, and the reasons why other slots have none. */
static void put_owns(FILE *out, const struct ns_owns *owns) {
    char there[128] = "", refused[1024] = "";
    size_t used = 0, said = 0;

    for (unsigned i = 0; i < owns->count; i++) {
        const struct ns_own *own = &owns->own[i];
        const char *hook = own->tc ? "tc" : "xdp";

        if (own->program >= 0)
            used +=
                (size_t)snprintf(there + used, sizeof there - used, "%s%s-%u", used == 0 ? "" : ",", hook, own->slot);
        else
            said += (size_t)snprintf(refused + said, sizeof refused - said, "%s%s-%u: %s", said == 0 ? "" : "; ", hook,
                                     own->slot, own->why);
        if (said >= sizeof refused)
            said = sizeof refused - 1;
    }
    ns_line_put(out, "programs", there);
    ns_line_put(out, "programs-refused", refused);
}

static void hello(struct order *order) {
    static const char *const names[] = {
#define NS_X(name) #name,
        NS_FEATURES(NS_X)
#undef NS_X
    };
    const char *comma = "";

    fputs(" features=", order->pairs);
    for (unsigned i = 0; i < NS_FEATURE_KINDS; i++) {
        if (!order->orders->bpfd->programs.features[i])
            continue;
        fputs(comma, order->pairs);
        for (const char *c = names[i]; *c != '\0'; c++)
            fputc(*c == '_' ? '-' : *c, order->pairs);
        comma = ",";
    }
    put_owns(order->pairs, &order->orders->bpfd->programs.owns);
}

struct names {
    unsigned count;
    char name[NS_FASTPATH_INTERFACES][NS_INTERFACE_MAX + 1];
};

static bool add_name(void *context, const char *element) {
    struct names *names = context;

    if (names->count == NS_FASTPATH_INTERFACES || !ns_value_interface(element))
        return false;
    strcpy(names->name[names->count++], element);
    return true;
}

/*
 * Tells whether an interface leads to a container. Packets that leave by it must have met the rules of its container.
 */
static bool leads_to_container(const struct names *names) {
    for (unsigned i = 0; i < names->count; i++) {
        if (strncmp(names->name[i], "nsv", 3) == 0)
            return true;
    }
    return false;
}

static bool read_mode(const char *text, enum ns_xdp_mode *mode) {
    if (text != NULL && strcmp(text, "auto") == 0)
        *mode = NS_XDP_AUTO;
    else if (text != NULL && strcmp(text, "native") == 0)
        *mode = NS_XDP_NATIVE;
    else if (text != NULL && strcmp(text, "generic") == 0)
        *mode = NS_XDP_GENERIC;
    else
        return false;
    return true;
}

static void interfaces(struct order *order) {
    static const char *const modes[] = {"none", "native", "generic"};
    struct ns_programs *programs = &order->orders->bpfd->programs;
    const char *list = ns_line_get(&order->line, "interfaces"), *forward = ns_line_get(&order->line, "forward");
    const char *local = ns_line_get(&order->line, "local");
    static struct names names, locals;
    enum ns_xdp_mode mode;

    names.count = locals.count = 0;
    if (list == NULL || !ns_value_list(list, add_name, &names))
        return refuse(order, "interfaces", "missing or bad value");
    if (leads_to_container(&names))
        return refuse(order, "interfaces", "nsv* is a container's");
    if (local != NULL && !ns_value_list(local, add_name, &locals))
        return refuse(order, "local", "bad value");
    if (!read_mode(ns_line_get(&order->line, "mode"), &mode))
        return refuse(order, "mode", "missing or bad value");
    if (forward == NULL || (strcmp(forward, "kernel") != 0 && strcmp(forward, "direct") != 0))
        return refuse(order, "forward", "missing or bad value");
    ns_programs_attach(programs, names.count, (const char(*)[NS_INTERFACE_MAX + 1]) names.name, mode,
                       forward[0] == 'd');
    for (unsigned i = 0; i < locals.count; i++)
        ns_programs_local(programs, locals.name[i]);
    ns_serval_check_again(order->orders->bpfd);
    ns_leave_again(order->orders->bpfd);
    fputs(" xdp=", order->pairs);
    for (unsigned i = 0; i < programs->interfaces; i++)
        fprintf(order->pairs, "%s%s", i == 0 ? "" : ",", modes[programs->attached[i].mode]);
    fputs(" tc=", order->pairs);
    for (unsigned i = 0; i < programs->interfaces; i++) {
        const struct ns_attached *at = &programs->attached[i];

        fprintf(order->pairs, "%s%s", i == 0 ? "" : ",",
                at->entry.link > 0 ? "link"
                : at->entry.filter ? "filter"
                                   : "none");
    }
}

static bool add_rule(void *context, const char *element) {
    return ns_rewrite_add(context, element);
}

/* Reads an optional list of endpoints, empty if it is missing. */
static bool endpoints(struct order *order, const char *key, struct ns_reach *reach) {
    const char *list = ns_line_get(&order->line, key);

    if (list == NULL || ns_value_list(list, ns_reach_add, reach))
        return true;
    refuse(order, key, "bad value");
    return false;
}

/* Discards the requests that wait in a socket, because their sender sent them before it knew of us. */
static void drain(int socket) {
    char byte;

    while (recv(socket, &byte, sizeof byte, MSG_DONTWAIT) > 0)
        continue;
}

static void grant(struct order *order) {
    struct ns_bpfd *bpfd = order->orders->bpfd;
    const char *name = ns_line_get(&order->line, "container"), *rules = ns_line_get(&order->line, "rewrite"),
               *services = ns_line_get(&order->line, "serval");
    struct ns_rewrite rewrite = {0};
    static struct ns_reach listen, connect;
    struct ns_service_grants grants = {0};
    struct ns_granted *granted;
    uint64_t flows, serial, packets, bytes, network;
    int fds[NS_ORDER_FDS] = {-1, -1, -1};

    if (name == NULL || !ns_value_name(name) || ns_flows_find(bpfd, name) != NULL)
        return refuse(order, "container", "missing, bad or granted");
    if (!number(order, "flows", NS_RING_RECORD_FLOWS, &flows) || !number(order, "serial", INT64_MAX, &serial))
        return;
    if (!perhaps(order, "packets", INT64_MAX, &packets) || !perhaps(order, "bytes", INT64_MAX, &bytes))
        return;
    if (!perhaps(order, "network", NS_NETWORKS - 1, &network))
        return;
    if (rules == NULL || !ns_value_list(rules, add_rule, &rewrite))
        return refuse(order, "rewrite", "missing or bad value");
    listen.count = connect.count = 0;
    if (!endpoints(order, "listen", &listen) || !endpoints(order, "connect", &connect))
        return;
    if (services != NULL && !ns_value_list(services, ns_service_grants_add, &grants))
        return refuse(order, "serval", "bad value");
    if (order->count == 0)
        return refuse(order, "socket", "missing");
    memcpy(fds, order->fds, order->count * sizeof *fds);
    order->count = 0;
    ns_kept_meet(bpfd, name, &listen, &connect);
    granted = ns_flows_grant(bpfd, name, fds[0], fds[1], fds[2]);
    if (granted == NULL)
        return refuse(order, "records", strerror(errno));
    drain(granted->socket);
    ns_steer_ask(granted);
    ns_samples_limit(bpfd, granted, packets, bytes);
    granted->quota = (unsigned)flows;
    granted->serial = serial;
    granted->rewrite = rewrite;
    granted->relays.listen = listen;
    granted->relays.connect = connect;
    granted->serval.grants = grants;
    granted->leave.network = ns_line_get(&order->line, "network") == NULL ? -1 : (int)network;
    ns_leave_begin(bpfd, granted);
    order->give[0] = granted->records_fd;
    order->give[1] = granted->samples_fd;
}

static struct ns_granted *named(struct order *order) {
    const char *name = ns_line_get(&order->line, "container");
    struct ns_granted *granted = name == NULL ? NULL : ns_flows_find(order->orders->bpfd, name);

    if (granted == NULL)
        refuse(order, "container", "not granted");
    return granted;
}

static void take_back(struct order *order) {
    struct ns_granted *granted = named(order);

    if (granted != NULL)
        ns_flows_revoke(order->orders->bpfd, granted);
}

/* Takes the death of a container. What it has asked for last is heeded first. */
static void keep(struct order *order) {
    struct ns_bpfd *bpfd = order->orders->bpfd;
    struct ns_granted *granted = named(order);
    uint64_t msec;

    if (granted == NULL || !number(order, "msec", NS_KEPT_MOST_MS, &msec))
        return;
    ns_requests_read_last(bpfd, granted);
    ns_line_put_number(order->pairs, "relays", ns_kept_begin(bpfd, granted, ns_now_ns() + msec * 1000000ull));
}

static void forget(struct order *order) {
    const char *name = ns_line_get(&order->line, "container");

    if (name == NULL || !ns_value_name(name))
        return refuse(order, "container", "missing or bad");
    ns_kept_forget(order->orders->bpfd, name);
}

static void stats(struct order *order) {
    struct ns_granted *granted = named(order);
    uint64_t packets, bytes;

    if (granted == NULL)
        return;
    fprintf(order->pairs, " flows=%u asked=%llu taken=%llu", granted->used, (unsigned long long)granted->asked,
            (unsigned long long)granted->taken);
    ns_line_put_number(order->pairs, "ended-time", granted->ended_time);
    ns_line_put_number(order->pairs, "ended-idle", granted->ended_idle);
    ns_line_put_number(order->pairs, "ended-revoked", granted->ended_revoked);
    ns_flows_sum(granted, false, &packets, &bytes);
    ns_line_put_number(order->pairs, "packets", packets);
    ns_line_put_number(order->pairs, "bytes", bytes);
    ns_flows_sum(granted, true, &packets, &bytes);
    ns_line_put_number(order->pairs, "counted-packets", packets);
    ns_line_put_number(order->pairs, "counted-bytes", bytes);
    ns_line_put_number(order->pairs, "counted-other",
                       __atomic_load_n(&granted->records[NS_RECORD_OTHER].packets, __ATOMIC_RELAXED));
#define NS_X(name, text) ns_line_put_number(order->pairs, "refused-" #name, granted->refused[NS_REFUSED_##name]);
    NS_REFUSALS(NS_X)
#undef NS_X
    ns_steer_print_counts(order->orders->bpfd, granted, order->pairs);
    ns_relays_print(order->orders->bpfd, granted, order->pairs);
    ns_serval_print(order->orders->bpfd, granted, order->pairs);
    ns_answers_print(order->orders->bpfd, granted, order->pairs);
    ns_leave_print(order->orders->bpfd, granted, order->pairs);
}

/* Tells the counts and flows with the most bytes, of all containers together. */
static void talk(struct order *order) {
    const struct ns_bpfd *bpfd = order->orders->bpfd;
    struct ns_talkers talkers = {0};
    uint64_t most;

    if (!number(order, "most", NS_TALKERS_MOST, &most))
        return;
    talkers.most = (unsigned)most;
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        if (bpfd->granted[i] != NULL && bpfd->granted[i]->kept.until == 0)
            ns_talkers_add(&talkers, bpfd->granted[i]->name, bpfd->granted[i]->records);
    }
    ns_talkers_print(&talkers, ns_now_ns() / 1000, order->pairs);
}

/* Takes the node's addresses. Relays that they forbid end. */
static void node(struct order *order) {
    const char *own = ns_line_get(&order->line, "own"), *others = ns_line_get(&order->line, "others");
    static struct ns_node node;

    node.owns = node.others = 0;
    if (own == NULL || !ns_value_list(own, ns_node_add_own, &node))
        return refuse(order, "own", "missing or bad value");
    if (others == NULL || !ns_value_list(others, ns_node_add_other, &node))
        return refuse(order, "others", "missing or bad value");
    order->orders->bpfd->node = node;
    ns_relays_check_again(order->orders->bpfd);
    ns_serval_check_again(order->orders->bpfd);
    ns_leave_again(order->orders->bpfd);
}

/* --- filters: their lines follow --- */

static void filters_complete(struct ns_orders *orders) {
    static const int none[2] = {-1, -1};

    if (orders->why[0] == '\0' && ns_flows_filter(orders->bpfd, &orders->filters) != 0)
        snprintf(orders->why, sizeof orders->why, "every: see the log");
    answer(orders, orders->pending_id, orders->why, "", none);
    orders->pending_id = 0;
}

static void filters(struct order *order) {
    struct ns_orders *orders = order->orders;
    uint64_t count;

    if (!number(order, "count", NS_FILTERS_MAX, &count))
        return;
    orders->pending = (unsigned)count;
    orders->pending_id = order->id;
    orders->filters.count = 0;
    orders->why[0] = '\0';
    if (count == 0)
        filters_complete(orders);
}

static void filter_line(struct ns_orders *orders, char *text, size_t length) {
    const char *at = "";
    struct ns_line line;

    if (!ns_line_parse(&line, text, length, false))
        at = line.why;
    else if (ns_way_parse(&orders->filters.filter[orders->filters.count], &line, &at))
        orders->filters.count++, at = NULL;
    if (at != NULL && orders->why[0] == '\0')
        snprintf(orders->why, sizeof orders->why, "filter: %.100s", at);
    if (--orders->pending == 0)
        filters_complete(orders);
}

/* --- lines --- */

static const struct {
    const char *verb;
    void (*act)(struct order *order);
} verbs[] = {
    {"hello", hello},     {"interfaces", interfaces}, {"grant", grant}, {"revoke", take_back},
    {"filters", filters}, {"stats", stats},           {"node", node},   {"talkers", talk},
    {"keep", keep},       {"forget", forget},
};

static void act(struct order *order) {
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(order->line.verb, verbs[i].verb) == 0)
            return verbs[i].act(order);
    }
    refuse(order, "verb", "unknown");
}

static void order_line(struct ns_orders *orders, char *text, size_t length, int *fds, unsigned *count) {
    struct order order = {.orders = orders, .fds = fds, .count = *count, .give = {-1, -1}};
    char *pairs = NULL;
    size_t size;

    order.pairs = open_memstream(&pairs, &size);
    if (order.pairs == NULL)
        return;
    if (!ns_line_parse(&order.line, text, length, true))
        refuse(&order, "line", order.line.why);
    else if (number(&order, "id", INT64_MAX / 16, &order.id))
        act(&order);
    *count = order.count;
    if (fclose(order.pairs) == 0 && (orders->pending_id != order.id || order.id == 0) &&
        (strcmp(order.line.verb, "filters") != 0 || order.why[0] != '\0'))
        answer(orders, order.id, order.why, pairs, order.give);
    free(pairs);
}

void ns_orders_line(struct ns_orders *orders, char *text, size_t length, int *fds, unsigned count) {
    if (orders->pending != 0)
        filter_line(orders, text, length);
    else
        order_line(orders, text, length, fds, &count);
    for (unsigned i = 0; i < count; i++)
        close(fds[i]);
}
