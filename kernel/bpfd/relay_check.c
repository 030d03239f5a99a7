/* SPDX-License-Identifier: Apache-2.0 */
#include "relay_check.h"
#include "form.h"

#include "ns_hash.h"
#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>

enum { UDP = 17, GIST_PORT = 270, CHANNEL_FIRST = 0x4000, CHANNEL_LAST = 0x7fff };

/* --- form --- */

static bool unbind_fits(const struct ns_ring_ask *ask) {
    return ask->seconds == 0 && ask->client == 0 && ask->peer == 0 &&
           ns_form_zero(ask->client_address, sizeof *ask - offsetof(struct ns_ring_ask, client_address));
}

bool ns_relay_well_formed(const struct ns_ring_ask *ask) {
    if (ask->magic != NS_RELAY_MAGIC || ask->place >= NS_RING_RELAYS || ask->zero != 0)
        return false;
    if (ask->what == NS_RELAY_UNBIND)
        return unbind_fits(ask);
    if ((ask->what != NS_RELAY_BIND && ask->what != NS_RELAY_REFRESH) || ask->seconds == 0)
        return false;
    if (!ns_form_zero(ask->zero2, sizeof ask->zero2) || ask->channel < CHANNEL_FIRST || ask->channel > CHANNEL_LAST)
        return false;
    if (ask->client_port == 0 || ask->server_port == 0 || ask->relayed_port == 0 || ask->peer_port == 0)
        return false;
    return ns_form_address(ask->client, ask->client_address) && ns_form_address(ask->client, ask->server_address) &&
           ns_form_address(ask->peer, ask->relayed_address) && ns_form_address(ask->peer, ask->peer_address);
}

bool ns_relay_same(const struct ns_ring_ask *a, const struct ns_ring_ask *b) {
    return a->client == b->client && a->peer == b->peer &&
           memcmp(a->client_address, b->client_address, sizeof *a - offsetof(struct ns_ring_ask, client_address)) == 0;
}

static bool same_client(const struct ns_ring_ask *a, const struct ns_ring_ask *b) {
    return a->client == b->client && a->client_port == b->client_port && a->server_port == b->server_port &&
           a->channel == b->channel && memcmp(a->client_address, b->client_address, 16) == 0 &&
           memcmp(a->server_address, b->server_address, 16) == 0;
}

static bool same_peer(const struct ns_ring_ask *a, const struct ns_ring_ask *b) {
    return a->peer == b->peer && a->peer_port == b->peer_port && a->relayed_port == b->relayed_port &&
           memcmp(a->peer_address, b->peer_address, 16) == 0 && memcmp(a->relayed_address, b->relayed_address, 16) == 0;
}

bool ns_relay_clashes(const struct ns_ring_ask *a, const struct ns_ring_ask *b) {
    return same_client(a, b) || same_peer(a, b);
}

/* --- rights --- */

static bool ours(const struct ns_relay_asker *asker, uint8_t family, const uint8_t *address, uint16_t port) {
    return ns_reach_has(asker->listen, family, address, port) && ns_node_owns(asker->node, family, address);
}

static struct ns_way_flow from_client(const struct ns_ring_ask *ask) {
    return (struct ns_way_flow){ask->client,     UDP, ask->client_address, ask->server_address, ask->client_port,
                                ask->server_port};
}

static struct ns_way_flow from_peer(const struct ns_ring_ask *ask) {
    return (struct ns_way_flow){ask->peer,        UDP, ask->peer_address, ask->relayed_address, ask->peer_port,
                                ask->relayed_port};
}

/* Tells whether packets of the flow are handed to a module, or to signaling. */
static bool taken_by_filter(const struct ns_way_filters *filters, const struct ns_way_flow *flow) {
    return flow->destination_port == GIST_PORT || ns_way_find(filters, flow) != NULL;
}

static enum ns_relay_refused check(const struct ns_relay_asker *asker, const struct ns_ring_ask *ask) {
    struct ns_way_flow client = from_client(ask), peer = from_peer(ask);

    if (ns_check_martian(ask->client, ask->client_address) || ns_check_martian(ask->peer, ask->peer_address))
        return NS_RELAY_REFUSED_martian;
    if (!ours(asker, ask->client, ask->server_address, ask->server_port))
        return NS_RELAY_REFUSED_server;
    if (!ours(asker, ask->peer, ask->relayed_address, ask->relayed_port))
        return NS_RELAY_REFUSED_relayed;
    if (ns_node_has(asker->node, ask->client, ask->client_address) ||
        ns_node_has(asker->node, ask->peer, ask->peer_address))
        return NS_RELAY_REFUSED_node;
    if (!ns_reach_has(asker->connect, ask->peer, ask->peer_address, ask->peer_port))
        return NS_RELAY_REFUSED_peer;
    if (taken_by_filter(asker->filters, &client) || taken_by_filter(asker->filters, &peer))
        return NS_RELAY_REFUSED_filter;
    if (ns_way_sampled(asker->filters, &client, "") || ns_way_sampled(asker->filters, &peer, ""))
        return NS_RELAY_REFUSED_sampled;
    return NS_RELAY_REFUSED_NOT;
}

/* --- the programs' form --- */

/* A pair of addresses and ports as packets have it. */
struct pair {
    uint8_t family;
    const uint8_t *source, *destination;
    uint16_t source_port, destination_port;
};

static uint32_t ports_of(const struct pair *pair) {
    uint16_t ports[2] = {htons(pair->source_port), htons(pair->destination_port)};
    uint32_t both;

    memcpy(&both, ports, sizeof both);
    return both;
}

static void make_key(struct ns_relay_way *way, const struct pair *pair, uint16_t channel) {
    way->family = pair->family;
    memset(&way->key, 0, sizeof way->key);
    if (pair->family == 4) {
        memcpy(&way->key.v4.source, pair->source, 4);
        memcpy(&way->key.v4.destination, pair->destination, 4);
        way->key.v4.ports = ports_of(pair);
        way->key.v4.meta = ns_relay_meta(4, channel);
    } else {
        memcpy(way->key.v6.source, pair->source, 16);
        memcpy(way->key.v6.destination, pair->destination, 16);
        way->key.v6.ports = ports_of(pair);
        way->key.v6.meta = ns_relay_meta(6, channel);
    }
}

static uint64_t sum_of(const struct pair *pair, bool complement) {
    uint32_t ports = ports_of(pair);
    uint16_t words[18];
    uint64_t sum = 0;

    memcpy(words, pair->source, 16);
    memcpy(words + 8, pair->destination, 16);
    memcpy(words + 16, &ports, sizeof ports);
    for (unsigned i = 0; i < 18; i++)
        sum += complement ? (uint16_t)~words[i] : words[i];
    return sum;
}

static uint16_t fold(uint64_t sum) {
    while (sum > 0xffff)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

/* Mixes the pair into 20 bits, the same for all packets of a flow: RFC 6437, section 3. */
static uint32_t label_of(const struct pair *pair, uint32_t secret) {
    uint32_t ports = ports_of(pair);
    uint64_t hash = ns_hash(NS_HASH_FIRST, &secret, sizeof secret);

    hash = ns_hash(hash, pair->source, 16);
    hash = ns_hash(hash, pair->destination, 16);
    hash = ns_hash(hash, &ports, sizeof ports);
    return htonl(6u << 28 | ((hash ^ hash >> 20 ^ hash >> 40) & 0xfffff));
}

static void compile(struct ns_relay_way *way, const struct ns_relay_asker *asker, const struct pair *in,
                    const struct pair *out, uint16_t channel, bool to_client, bool unasked) {
    make_key(way, in, to_client ? 0 : channel);
    way->relay = (struct ns_relay){
        .to_client = to_client,
        .family = out->family,
        .channel = htons(channel),
        .mark = asker->mark,
        .label = label_of(out, asker->secret),
        .difference = fold(sum_of(out, false) + sum_of(in, true)),
        .unasked = unasked,
        .ports = ports_of(out),
    };
    memcpy(way->relay.source, out->source, 16);
    memcpy(way->relay.destination, out->destination, 16);
}

void ns_relay_compile(struct ns_relay_accepted *accepted, const struct ns_relay_asker *asker,
                      const struct ns_ring_ask *ask) {
    const struct pair client_in = {ask->client, ask->client_address, ask->server_address, ask->client_port,
                                   ask->server_port};
    const struct pair client_out = {ask->client, ask->server_address, ask->client_address, ask->server_port,
                                    ask->client_port};
    const struct pair peer_in = {ask->peer, ask->peer_address, ask->relayed_address, ask->peer_port, ask->relayed_port};
    const struct pair peer_out = {ask->peer, ask->relayed_address, ask->peer_address, ask->relayed_port,
                                  ask->peer_port};
    bool unasked = ns_reach_has(asker->connect, ask->client, ask->client_address, ask->client_port);

    compile(&accepted->to_peer, asker, &client_in, &peer_out, ask->channel, false, false);
    compile(&accepted->to_client, asker, &peer_in, &client_out, ask->channel, true, unasked);
}

enum ns_relay_refused ns_relay_check(struct ns_relay_accepted *accepted, const struct ns_relay_asker *asker,
                                     const struct ns_ring_ask *ask) {
    enum ns_relay_refused refused = check(asker, ask);

    if (refused == NS_RELAY_REFUSED_NOT)
        ns_relay_compile(accepted, asker, ask);
    return refused;
}
