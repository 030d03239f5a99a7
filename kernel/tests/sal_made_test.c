/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of flows that are made of slots of the programs (host_made.h): both ends of one handshake, in each stage. */
#include "host_made.h"
#include "host_send.h"
#include "ns_bytes.h"
#include "ns_test.h"

#include <arpa/inet.h>
#include <string.h>

#define ABILITIES 5

static struct ns_sal_host host;
static struct ns_sal_services services;
static struct ns_sal_names names;
static struct ns_sal_wire wire;
static unsigned saved, published;
static bool local; /* all addresses are of this host */
static const uint8_t id[NS_SAL_ID] = {0x40, 1};

static void on_save(void *context, const struct ns_sal_kept *kept) {
    (void)context;
    (void)kept;
    saved++;
}

static void on_publish(void *context, const struct ns_sal_way *way) {
    (void)context;
    (void)way;
    published++;
}

static void on_random(void *context, void *bytes, size_t length) {
    (void)context;
    memset(bytes, 7, length);
}

static bool on_route(void *context, const struct ns_sal_address *to, struct ns_sal_address *own, uint32_t *interface) {
    (void)context;
    (void)to;
    (void)own;
    *interface = 3;
    return !local;
}

static void fresh(void) {
    wire = (struct ns_sal_wire){.route = on_route, .save = on_save, .publish = on_publish, .random = on_random};
    local = false;
    saved = published = 0;
    NS_CHECK(ns_sal_host_open(&host, &wire, &services, &names, 4));
}

static uint64_t raw_nonce(uint64_t nonce) {
    uint64_t raw;

    ns_put64((uint8_t *)&raw, nonce);
    return raw;
}

/* The slot of either end. The client is 192.0.2.1 with flow 17, the server 192.0.2.2 with flow 34. */
static struct ns_sal_slot slot_of(bool client) {
    struct ns_sal_slot slot = {.own = htonl(client ? 17 : 34),
                               .verno = client ? 100 : 200,
                               .nonce = raw_nonce(client ? 1001 : 2002),
                               .own_port = htons(54325),
                               .peer_port = htons(54325),
                               .family = 4,
                               .peer_abilities = client ? ABILITIES : 0,
                               .began_ns = 1000000000,
                               .answered_ns = 1040000000,
                               .opened_ns = 1050000000,
                               .interface = 3,
                               .peer_flow = htonl(client ? 34 : 17),
                               .peer_verno = client ? 200 : 100,
                               .capability = client ? 0 : ABILITIES,
                               .peer_nonce = raw_nonce(client ? 2002 : 1001),
                               .segment_length = NS_SAL_TCP_LEAST};

    slot.inner = (struct ns_sal_tuple){{inet_addr("198.18.0.1")}, {inet_addr("198.18.1.0")}, 5, 4};
    slot.own_address[0] = inet_addr(client ? "192.0.2.1" : "192.0.2.2");
    slot.peer_address[0] = inet_addr(client ? "192.0.2.2" : "192.0.2.1");
    memcpy(slot.service, id, sizeof id);
    return slot;
}

static struct ns_sal_kept made(bool client, enum ns_sal_stage stage) {
    struct ns_sal_slot slot = slot_of(client);
    struct ns_sal_kept kept;

    ns_sal_made(&kept, &slot, stage, client, ABILITIES);
    return kept;
}

NS_TEST(a_clients_slot_becomes_its_flow) {
    struct ns_sal_kept kept = made(true, NS_SAL_STAGE_SYN);

    NS_EQUAL(NS_FLOW_REQUEST, kept.flow.state);
    NS_CHECK(!kept.has_message && kept.again_at == NS_SAL_NEVER);
    NS_EQUAL(17, kept.flow.id);
    NS_EQUAL(1001, kept.flow.nonce);
    NS_EQUAL(101, kept.flow.channel.next);
    NS_EQUAL(1000 + NS_SAL_SET_UP_MS, kept.flow.channel.due_at);
    kept = made(true, NS_SAL_STAGE_ANSWERED);
    NS_EQUAL(NS_FLOW_CONNECTED, kept.flow.state);
    NS_CHECK(kept.has_message && !ns_sal_host_is_published(&kept)); /* the local TCP has not acknowledged */
    kept = made(true, NS_SAL_STAGE_OPEN);
    NS_EQUAL(NS_FLOW_CONNECTED, kept.flow.state);
    NS_CHECK(!kept.has_message && ns_sal_host_is_published(&kept));
    NS_EQUAL(NS_SAL_ACK, kept.message.message.flags);
    NS_EQUAL(101, kept.message.message.verno);
    NS_EQUAL(201, kept.message.message.ackno);
    NS_EQUAL(ABILITIES, kept.message.capability);
    NS_EQUAL(1050 + NS_SAL_AGAIN_MS, kept.again_at);
    NS_EQUAL(34, kept.flow.remote.flow);
    NS_EQUAL(2002, kept.flow.remote.nonce);
    NS_EQUAL(40, kept.flow.channel.round_trip.smoothed / 8);
}

NS_TEST(a_servers_slot_becomes_its_flow) {
    struct ns_sal_kept kept = made(false, NS_SAL_STAGE_SYN);

    NS_EQUAL(NS_FLOW_RESPOND, kept.flow.state);
    NS_CHECK(kept.has_message);
    NS_EQUAL(NS_SAL_SYN | NS_SAL_ACK, kept.message.message.flags);
    NS_EQUAL(101, kept.message.message.ackno);
    NS_EQUAL(17, kept.client.flow);
    NS_EQUAL(1001, kept.client.nonce);
    kept = made(false, NS_SAL_STAGE_ANSWERED);
    NS_EQUAL(NS_FLOW_RESPOND, kept.flow.state);
    NS_CHECK(!kept.has_message);
    NS_EQUAL(1000 + NS_SAL_WAIT_MS, kept.flow.wait_until);
    kept = made(false, NS_SAL_STAGE_OPEN);
    NS_EQUAL(NS_FLOW_CONNECTED, kept.flow.state);
    NS_EQUAL(ABILITIES, kept.flow.peer_abilities);
    NS_EQUAL(201, kept.flow.channel.next);
    NS_EQUAL(NS_SAL_NEVER, kept.flow.wait_until);
}

NS_TEST(a_half_open_flow_is_a_request_and_an_open_one_is_published) {
    struct ns_sal_kept half = made(false, NS_SAL_STAGE_ANSWERED), open = made(true, NS_SAL_STAGE_OPEN);

    fresh();
    NS_CHECK(ns_sal_host_take_made(&host, &half, 1100));
    NS_EQUAL(1, host.requests);
    NS_EQUAL(0, published);
    NS_CHECK(!ns_sal_host_take_made(&host, &open, 1100)); /* its names are in use */
    NS_EQUAL(1, host.verdicts[NS_SAL_VERDICT_FLOWS_FULL]);
    open.inner.ports = 6;
    NS_CHECK(ns_sal_host_take_made(&host, &open, 1100));
    NS_CHECK(!ns_sal_host_take_made(&host, &open, 1100));
    NS_EQUAL(1, host.requests);
    NS_EQUAL(1, published);
    NS_EQUAL(2, saved);
    NS_EQUAL(1, host.verdicts[NS_SAL_VERDICT_CONNECT]);
    NS_EQUAL(1, host.verdicts[NS_SAL_VERDICT_REQUEST]);
    ns_sal_host_close(&host);
}

NS_TEST(a_request_from_an_address_of_this_host_makes_no_flow) {
    struct ns_sal_kept half = made(false, NS_SAL_STAGE_ANSWERED), open = made(false, NS_SAL_STAGE_OPEN);

    fresh();
    local = true;
    NS_CHECK(!ns_sal_host_take_made(&host, &half, 1100));
    NS_EQUAL(0, host.requests);
    NS_EQUAL(0, saved);
    NS_EQUAL(1, host.verdicts[NS_SAL_VERDICT_SENDER]);
    NS_CHECK(ns_sal_host_take_made(&host, &open, 1100)); /* its client has got the SYN-ACK */
    ns_sal_host_close(&host);
}

NS_TEST(a_slot_is_found_by_its_number_its_names_and_its_client) {
    struct ns_sal_slot slot = slot_of(false);
    struct ns_sal_client client = made(false, NS_SAL_STAGE_SYN).client;
    struct ns_sal_tuple tuple = slot.inner;

    NS_CHECK(ns_sal_is_sought(&slot, false, &(struct ns_sal_sought){.id = 34}));
    NS_CHECK(!ns_sal_is_sought(&slot, false, &(struct ns_sal_sought){.id = 17}));
    NS_CHECK(ns_sal_is_sought(&slot, false, &(struct ns_sal_sought){.tuple = &tuple}));
    NS_CHECK(ns_sal_is_sought(&slot, false, &(struct ns_sal_sought){.client = &client}));
    NS_CHECK(!ns_sal_is_sought(&slot, true, &(struct ns_sal_sought){.client = &client}));
    client.nonce++;
    NS_CHECK(!ns_sal_is_sought(&slot, false, &(struct ns_sal_sought){.client = &client}));
    tuple.ports++;
    NS_CHECK(!ns_sal_is_sought(&slot, false, &(struct ns_sal_sought){.tuple = &tuple}));
}

NS_TEST(one_rule_alone_decides_or_none_does) {
    struct ns_sal_rule rule = {.bits = 16, .action = NS_SAL_FORWARD, .until = UINT64_MAX, .rank = 1};
    static struct ns_sal_services table;

    memcpy(rule.id, id, sizeof id);
    NS_CHECK(ns_sal_services_sole(&table, id, NS_SAL_ELSEWHERE, 1) == NULL);
    rule.target = ns_sal_address_of(4, "\300\0\2\1", 54325);
    ns_sal_services_add(&table, &rule, 0);
    NS_CHECK(ns_sal_services_sole(&table, id, NS_SAL_ELSEWHERE, 1) != NULL);
    NS_CHECK(ns_sal_services_sole(&table, id, NS_SAL_LISTENER, 1) == NULL);
    rule.target.port = 1;
    ns_sal_services_add(&table, &rule, 0);
    NS_CHECK(ns_sal_services_sole(&table, id, NS_SAL_ELSEWHERE, 1) == NULL); /* two are drawn from */
    rule.rank = 2;
    ns_sal_services_add(&table, &rule, 0);
    NS_EQUAL(1, ns_sal_services_sole(&table, id, NS_SAL_ELSEWHERE, 1)->target.port);
    NS_EQUAL(1, table.replaced);
    rule.action = NS_SAL_DROP;
    rule.bits = 32;
    memset(&rule.target, 0, sizeof rule.target);
    ns_sal_services_add(&table, &rule, 0);
    NS_CHECK(ns_sal_services_sole(&table, id, NS_SAL_ELSEWHERE, 1) == NULL);
}

int main(void) {
    NS_RUN(a_clients_slot_becomes_its_flow);
    NS_RUN(a_servers_slot_becomes_its_flow);
    NS_RUN(a_half_open_flow_is_a_request_and_an_open_one_is_published);
    NS_RUN(a_request_from_an_address_of_this_host_makes_no_flow);
    NS_RUN(a_slot_is_found_by_its_number_its_names_and_its_client);
    NS_RUN(one_rule_alone_decides_or_none_does);
    return ns_test_end();
}
