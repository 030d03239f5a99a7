/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "host_flows.h"
#include "host_send.h"
#include <arpa/inet.h>

#define NS_X(name, text) #name,
const char *const ns_sal_verdicts[] = {NS_SAL_VERDICTS(NS_X)};
#undef NS_X

bool ns_sal_host_open(struct ns_sal_host *host, const struct ns_sal_wire *wire, struct ns_sal_services *services,
                      struct ns_sal_names *names, size_t flows) {
    uint64_t seed;

    memset(host, 0, sizeof *host);
    host->wire = wire;
    host->services = services;
    host->names = names;
    host->port = NS_SAL_PORT;
    host->request_room = NS_SAL_REQUESTS;
    host->abilities = NS_SAL_ABILITY_EXTENSIONS | NS_SAL_ABILITY_HOPS;
    wire->random(wire->context, &seed, sizeof seed);
    wire->random(wire->context, host->cookies.key, sizeof host->cookies.key);
    return ns_sal_associations_open(&host->associations, seed) && ns_sal_flows_open(&host->flows, seed, flows);
}

void ns_sal_host_close(struct ns_sal_host *host) {
    ns_sal_flows_close(&host->flows);
    ns_sal_associations_close(&host->associations);
}

/* --- events, moves, time --- */

void ns_sal_host_event(struct ns_sal_host *host, const struct ns_sal_event *event, uint64_t now) {
    struct ns_sal_held *held;
    struct ns_sal_port port;

    host->now = now;
    held = ns_sal_host_by_id(host, ntohl(event->own));
    if (held == NULL)
        return;
    port = ns_sal_host_port(host, held);
    if (event->kind == NS_SAL_FIN_ACKED)
        ns_sal_flow_close(&held->kept.flow, &port, now);
    else
        ns_sal_flow_abort(&held->kept.flow, &port, now);
    ns_sal_host_done(host, held);
}

static bool move(struct ns_sal_host *host, struct ns_sal_held *held, const struct ns_sal_address *own) {
    struct ns_sal_port port = ns_sal_host_port(host, held);

    ns_sal_host_note_silence(host, held);
    ns_sal_flow_move(&held->kept.flow, &port, own, host->now);
    ns_sal_host_done(host, held);
    return true;
}

bool ns_sal_host_move(struct ns_sal_host *host, uint32_t id, const struct ns_sal_address *own, uint64_t now) {
    struct ns_sal_held *held;
    struct ns_sal_address to = *own;
    uint32_t interface;

    host->now = now;
    held = ns_sal_host_by_id(host, id);
    if (held == NULL)
        return false;
    to.port = held->kept.flow.mobility.own.port;
    if (!host->wire->route(host->wire->context, &held->kept.flow.mobility.peer, &to, &interface))
        return false;
    held->kept.ordered = true;
    return move(host, held, &to);
}

/*
 * Finds the address and the interface by which a flow should leave. A flow that an order has moved stays at its address
 * `now` as long as it has a way from there.
 */
static bool find_way(struct ns_sal_host *host, struct ns_sal_held *held, const struct ns_sal_address *now,
                     struct ns_sal_address *own, uint32_t *interface) {
    const struct ns_sal_address *peer = &held->kept.flow.mobility.peer;

    *own = *now;
    if (held->kept.ordered && host->wire->route(host->wire->context, peer, own, interface))
        return true;
    held->kept.ordered = false;
    memset(own, 0, sizeof *own);
    return host->wire->route(host->wire->context, peer, own, interface);
}

/*
 * Moves a flow if it should leave from elsewhere. The same address behind another interface is no move. After a time
 * without a route it is one, because both ends have to send at once then.
 */
static bool reroute(struct ns_sal_host *host, struct ns_sal_held *held) {
    const struct ns_sal_mobility *mobility = &held->kept.flow.mobility;
    const struct ns_sal_address *now = mobility->has_pending ? &mobility->pending : &mobility->own;
    struct ns_sal_address own;
    uint32_t interface;
    bool cut = held->cut;

    if (held->kept.flow.state < NS_FLOW_RESPOND)
        return false;
    held->cut = !find_way(host, held, now, &own, &interface);
    if (held->cut)
        return false;
    own.port = now->port;
    if (cut || !ns_sal_same(&own, now))
        return move(host, held, &own);
    if (interface != held->kept.interface && !mobility->has_pending && ns_sal_host_is_published(&held->kept)) {
        held->kept.interface = interface;
        ns_sal_host_publish(host, held);
    }
    return false;
}

unsigned ns_sal_host_reroute(struct ns_sal_host *host, uint64_t now) {
    unsigned moves = 0;

    host->now = now;
    for (struct ns_sal_held *next, *held = ns_sal_flows_after(&host->flows, NULL); held != NULL; held = next) {
        next = held->after; /* before the flow may go */
        moves += reroute(host, held);
    }
    return moves;
}

/* Keeps a flow whose program has sent its FIN and goes on to read. Its socket has a file as long as it may. */
static void keep_half_closed(struct ns_sal_host *host, struct ns_sal_kept *kept) {
    if (!kept->datagrams && ns_sal_flow_has_waited(&kept->flow, host->now) &&
        host->wire->connected(host->wire->context, &kept->inner, false))
        ns_sal_flow_wait_again(&kept->flow, host->now);
}

uint64_t ns_sal_host_due(struct ns_sal_host *host, uint64_t now) {
    struct ns_sal_held *held;

    host->now = now;
    while ((held = ns_sal_flows_first(&host->flows)) != NULL) {
        uint64_t at = ns_sal_held_due_at(held);
        struct ns_sal_port port;

        if (at > now)
            return at;
        if (held->kept.wake_at <= now)
            ns_sal_host_wake_again(host, held);
        if (held->kept.again_at <= now)
            ns_sal_host_acknowledge_again(host, held);
        keep_half_closed(host, &held->kept);
        port = ns_sal_host_port(host, held);
        ns_sal_flow_due(&held->kept.flow, &port, now);
        ns_sal_host_done(host, held);
    }
    return NS_SAL_NEVER;
}

/*
 * Notes when a flow was last used. sald itself does that for datagrams, which it carries. A flow that the programs do
 * not have is not used.
 */
static void note_use(struct ns_sal_host *host, struct ns_sal_kept *kept) {
    struct ns_sal_use use;
    uint64_t packets = kept->packets;

    if (kept->datagrams)
        return;
    if (host->wire->use(host->wire->context, kept->flow.id, &use))
        packets = use.packets_in + use.packets_out;
    if (packets == kept->packets && kept->active_ms != 0)
        return;
    kept->packets = packets;
    kept->active_ms = host->now;
}

void ns_sal_host_sweep(struct ns_sal_host *host, uint64_t now) {
    host->now = now;
    for (struct ns_sal_held *next, *held = ns_sal_flows_after(&host->flows, NULL); held != NULL; held = next) {
        next = held->after;
        if (held->kept.flow.client) /* its surrogate is in use as long as it lives */
            ns_sal_surrogate_find(host->names, held->kept.inner.destination, held->kept.inner.family, now);
        note_use(host, &held->kept);
        if (held->kept.active_ms != 0 && now - held->kept.active_ms > NS_SAL_IDLE_MS) {
            ns_sal_host_count(host, NS_SAL_VERDICT_IDLE);
            ns_sal_host_abort(host, held);
        }
    }
}
