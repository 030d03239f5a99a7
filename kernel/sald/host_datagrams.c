/* SPDX-License-Identifier: Apache-2.0 */
#include "host_datagrams.h"

#include "icmp.h"
#include <arpa/inet.h>

#define KEEP_MS 30000u /* for which a connected socket stays with an instance that does not answer */
#define FIRST_PORT 1024u
#define PORTS 64000u
#define TRIES 64u

static uint8_t outgoing[NS_SAL_HEADER_MAX + NS_SAL_PACKET_MAX], incoming[NS_SAL_PACKET_MAX];

/* --- names --- */

static void set_peer_port(struct ns_sal_tuple *tuple, unsigned number) {
    uint16_t port = htons((uint16_t)(FIRST_PORT + number % PORTS));

    memcpy((uint8_t *)&tuple->ports + 2, &port, sizeof port);
}

/* Gives the peer a stand-in that no other one has: a new port, and for a new client a new address. */
static bool name_peer(struct ns_sal_host *host, struct ns_sal_tuple *inner, bool client) {
    for (unsigned tries = 0; tries < TRIES; tries++) {
        unsigned number = host->associations.names++;

        if (client)
            ns_sal_client_address(number / PORTS, inner->family, inner->destination);
        set_peer_port(inner, number);
        if (ns_sal_associations_by_peer_name(&host->associations, inner) == NULL &&
            ns_sal_associations_by_tuple(&host->associations, inner) == NULL &&
            ns_sal_flows_by_tuple(&host->flows, inner) == NULL)
            return true;
    }
    return false;
}

static struct ns_sal_association *make(struct ns_sal_host *host) {
    struct ns_sal_association *made = ns_sal_associations_make(&host->associations, host->now);

    if (made != NULL) {
        host->wire->random(host->wire->context, &made->flow, sizeof made->flow);
        made->flow |= 1;
    }
    return made;
}

/* Gives a socket of a program a serviceID of its own. */
static void make_own_id(struct ns_sal_host *host, struct ns_sal_association *association) {
    host->wire->random(host->wire->context, association->own_id, NS_SAL_ID);
    association->made = true;
}

/* --- from the local stack --- */

/*
 * Makes the association of a local socket with a peer that it has not sent to. The peer is a socket that this host has
 * named, or the service of a surrogate.
 */
static struct ns_sal_association *open_local(struct ns_sal_host *host, const struct ns_sal_datagram *datagram,
                                             enum ns_sal_verdict *why) {
    const struct ns_sal_association *known = ns_sal_associations_by_peer_name(&host->associations, &datagram->tuple);
    int place = known != NULL ? -1
                              : ns_sal_surrogate_find(host->names, datagram->tuple.destination, datagram->tuple.family,
                                                      host->now);
    struct ns_sal_association peer = {0}, *made;

    *why = NS_SAL_VERDICT_NO_NAME;
    if (known != NULL)
        peer = *known; /* its place may be the one that the new association gets */
    else if (place < 0)
        return NULL;
    *why = NS_SAL_VERDICT_ASSOCIATIONS_FULL;
    made = make(host);
    if (made == NULL)
        return NULL;
    memcpy(made->peer_id, known != NULL ? peer.peer_id : host->names->places[place].id, NS_SAL_ID);
    made->own = peer.own;
    made->peer = peer.peer;
    made->inner = datagram->tuple;
    made->connected = host->wire->connected(host->wire->context, &datagram->tuple, true);
    make_own_id(host, made);
    ns_sal_associations_enter(&host->associations, made);
    return made;
}

/* Finds the address of the peer. That of a service is looked up for each datagram, unless the socket is connected. */
static const struct ns_sal_address *peer_of(struct ns_sal_host *host, const struct ns_sal_association *association) {
    const struct ns_sal_rule *rule;
    uint32_t random;

    if (!ns_sal_is_none(&association->peer))
        return &association->peer;
    ns_sal_surrogate_find(host->names, association->inner.destination, association->inner.family, host->now);
    if (association->connected && !ns_sal_is_none(&association->instance) &&
        host->now - association->answered_at < KEEP_MS)
        return &association->instance;
    host->wire->random(host->wire->context, &random, sizeof random);
    rule = ns_sal_services_draw(host->services, association->peer_id, NS_SAL_ELSEWHERE, host->now, random);
    return rule == NULL ? NULL : &rule->target;
}

static enum ns_sal_verdict send_to_peer(struct ns_sal_host *host, const struct ns_sal_association *association,
                                        const struct ns_sal_datagram *datagram) {
    struct ns_sal_header header = {.message = {.source = association->flow},
                                   .protocol = NS_SAL_UDP,
                                   .service = association->peer_id,
                                   .second = association->own_id};
    const struct ns_sal_address *to = peer_of(host, association);
    struct ns_sal_address own = association->own;
    uint32_t interface, words[2];
    size_t length;

    if (to == NULL)
        return NS_SAL_VERDICT_NO_RULE;
    if (ns_sal_is_none(&own) && !host->wire->route(host->wire->context, to, &own, &interface))
        return NS_SAL_VERDICT_NO_ROUTE;
    own.port = ns_sal_is_raw(to) ? 0 : host->port;
    ns_sal_pseudo(words, association->flow, 0, &own, to);
    length = ns_sal_write(outgoing, &header);
    length += ns_sal_datagram_to_wire(outgoing + length, datagram->payload, datagram->length, words);
    return host->wire->datagram(host->wire->context, &own, to, outgoing, length) ? NS_SAL_VERDICT_DATAGRAM_OUT
                                                                                 : NS_SAL_VERDICT_NOT_SENT;
}

/* Tells the program that its datagram has no way, as the kernel does for a port that nobody has. */
static void refuse(struct ns_sal_host *host, const struct ns_sal_datagram *datagram) {
    uint8_t packet[NS_SAL_ICMP_MAX];

    host->wire->inject(
        host->wire->context, packet,
        ns_sal_icmp_make(packet, NS_SAL_UNREACHABLE_PORT, 0, &datagram->tuple, NS_SAL_UDP, datagram->udp));
}

/* Sends a datagram of the program on its flow. */
static enum ns_sal_verdict send_data(struct ns_sal_host *host, struct ns_sal_held *held,
                                     const struct ns_sal_datagram *datagram) {
    const struct ns_sal_flow *flow = &held->kept.flow;
    struct ns_sal_header header = {.message = {.source = flow->id, .destination = flow->remote.flow},
                                   .protocol = NS_SAL_UDP};
    uint32_t words[2];
    size_t length;

    if (!ns_sal_flow_is_open(flow))
        return NS_SAL_VERDICT_EARLY;
    held->kept.active_ms = host->now;
    ns_sal_pseudo(words, flow->id, flow->remote.flow, &flow->mobility.own, &flow->mobility.peer);
    length = ns_sal_write(outgoing, &header);
    length += ns_sal_datagram_to_wire(outgoing + length, datagram->payload, datagram->length, words);
    return host->wire->datagram(host->wire->context, &flow->mobility.own, &flow->mobility.peer, outgoing, length)
               ? NS_SAL_VERDICT_DATAGRAM_OUT
               : NS_SAL_VERDICT_NOT_SENT;
}

enum ns_sal_verdict ns_sal_host_send_datagram(struct ns_sal_host *host, const struct ns_sal_datagram *datagram) {
    struct ns_sal_association *association = ns_sal_associations_by_tuple(&host->associations, &datagram->tuple);
    struct ns_sal_held *held = ns_sal_flows_by_tuple(&host->flows, &datagram->tuple);
    enum ns_sal_verdict verdict;

    if (datagram->length == 0)
        return NS_SAL_VERDICT_EMPTY;
    if (held != NULL && held->kept.datagrams)
        return send_data(host, held, datagram);
    if (association == NULL)
        association = open_local(host, datagram, &verdict);
    if (association != NULL) {
        ns_sal_associations_use(&host->associations, association, true, host->now);
        verdict = send_to_peer(host, association, datagram);
    }
    if (verdict == NS_SAL_VERDICT_NO_RULE || verdict == NS_SAL_VERDICT_NO_NAME)
        refuse(host, datagram);
    return verdict;
}

/* --- from the network --- */

/* Sets the names of a listener's socket. */
static void name_listener(struct ns_sal_host *host, struct ns_sal_tuple *inner, const struct ns_sal_rule *rule) {
    uint16_t port = htons(rule->target.port);

    inner->family = 4;
    inner->source[0] = host->inside4;
    if (!ns_sal_is_none(&rule->target)) {
        inner->family = ns_sal_is_ipv4(&rule->target) ? 4 : 6;
        memcpy(inner->source, rule->target.ip + (inner->family == 4 ? 12 : 0), inner->family == 4 ? 4 : 16);
    }
    memcpy(&inner->ports, &port, sizeof port);
}

/* Makes the association of a peer that has not sent to this socket. `known` is another peer's of the same socket. */
static struct ns_sal_association *open_peer(struct ns_sal_host *host, const struct ns_sal_packet *packet,
                                            const struct ns_sal_address *from, const struct ns_sal_address *local,
                                            const struct ns_sal_association *known, const struct ns_sal_rule *rule) {
    struct ns_sal_tuple inner = {0};
    bool made_id = known != NULL;
    struct ns_sal_association *made;

    if (known != NULL)
        inner = known->inner;
    else
        name_listener(host, &inner, rule);
    if (!name_peer(host, &inner, known == NULL))
        return NULL;
    made = make(host);
    if (made == NULL)
        return NULL;
    made->inner = inner;
    made->own = *local;
    made->peer = *from;
    made->made = made_id;
    memcpy(made->own_id, packet->service, NS_SAL_ID);
    memcpy(made->peer_id, packet->second, NS_SAL_ID);
    ns_sal_associations_enter(&host->associations, made);
    return made;
}

static enum ns_sal_verdict find(struct ns_sal_host *host, const struct ns_sal_packet *packet,
                                const struct ns_sal_address *from, const struct ns_sal_address *local,
                                struct ns_sal_association **found) {
    const struct ns_sal_association *known;
    const struct ns_sal_rule *rule = NULL;
    uint32_t random;

    *found = ns_sal_associations_by_ids(&host->associations, packet->service, packet->second, from);
    if (*found != NULL)
        return NS_SAL_VERDICT_DATAGRAM_IN;
    known = ns_sal_associations_by_own(&host->associations, packet->service);
    if (known == NULL) {
        host->wire->random(host->wire->context, &random, sizeof random);
        rule = ns_sal_services_draw(host->services, packet->service, NS_SAL_SOCKET, host->now, random);
        if (rule == NULL)
            return NS_SAL_VERDICT_NO_SOCKET;
    }
    *found = open_peer(host, packet, from, local, known, rule);
    return *found == NULL ? NS_SAL_VERDICT_ASSOCIATIONS_FULL : NS_SAL_VERDICT_DATAGRAM_IN;
}

/* Hands a datagram to the program. */
static enum ns_sal_verdict inject(struct ns_sal_host *host, const struct ns_sal_tuple *inner,
                                  const struct ns_sal_datagram *datagram) {
    size_t length = ns_sal_datagram_to_local(incoming, inner, datagram->payload, datagram->length);

    if (length == 0 || (host->mtu != 0 && length > host->mtu))
        return NS_SAL_VERDICT_TOO_LONG;
    host->wire->inject(host->wire->context, incoming, length);
    return NS_SAL_VERDICT_DATAGRAM_IN;
}

enum ns_sal_verdict ns_sal_host_take_datagram(struct ns_sal_host *host, const struct ns_sal_packet *packet,
                                              const struct ns_sal_address *from, const struct ns_sal_address *local) {
    struct ns_sal_association *association;
    struct ns_sal_datagram datagram;
    enum ns_sal_verdict verdict;

    if (packet->service == NULL || packet->second == NULL)
        return NS_SAL_VERDICT_NO_SERVICE;
    if (!ns_sal_datagram_read(&datagram, packet->transport, packet->transport_length) ||
        !ns_sal_datagram_is_right(packet->transport, packet->transport_length, packet->pseudo))
        return NS_SAL_VERDICT_MALFORMED;
    if (datagram.length == 0)
        return NS_SAL_VERDICT_EMPTY;
    if (host->wire->heard != NULL &&
        host->wire->heard(host->wire->context, from, packet, datagram.payload, datagram.length))
        return NS_SAL_VERDICT_REGISTRATION;
    verdict = find(host, packet, from, local, &association);
    if (association == NULL)
        return verdict;
    ns_sal_associations_use(&host->associations, association, false, host->now);
    association->instance = *from;
    association->answered_at = host->now;
    return inject(host, &association->inner, &datagram);
}

bool ns_sal_host_name_flow(struct ns_sal_host *host, struct ns_sal_kept *kept, const struct ns_sal_rule *rule) {
    kept->datagrams = true;
    kept->active_ms = host->now;
    name_listener(host, &kept->inner, rule);
    return name_peer(host, &kept->inner, true);
}

enum ns_sal_verdict ns_sal_host_take_data(struct ns_sal_host *host, struct ns_sal_held *held,
                                          const struct ns_sal_packet *packet) {
    struct ns_sal_datagram datagram;

    if (!ns_sal_datagram_read(&datagram, packet->transport, packet->transport_length))
        return NS_SAL_VERDICT_MALFORMED;
    if (datagram.length == 0)
        return NS_SAL_VERDICT_EMPTY;
    held->kept.active_ms = host->now;
    return inject(host, &held->kept.inner, &datagram);
}
