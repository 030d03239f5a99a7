/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the relays that bpfd accepts (docs/protocols/bpfd.md, "Relays"). */
#include "ns_test.h"
#include "relay_check.h"

#include <arpa/inet.h>
#include <string.h>

static struct ns_way_filters filters;
static struct ns_reach listen_to, connect_to;
static struct ns_node node;
static const struct ns_relay_asker asker = {&listen_to, &connect_to, &node, &filters, 0x600000, 7};
static struct ns_relay_accepted accepted;

static void reach(struct ns_reach *list, const char *text) {
    list->count = 0;
    NS_CHECK(ns_value_list(text, ns_reach_add, list));
}

static struct ns_ring_ask question(void) {
    struct ns_ring_ask ask = {.magic = NS_RELAY_MAGIC,
                              .number = 1,
                              .place = 4095,
                              .seconds = 1,
                              .what = NS_RELAY_BIND,
                              .client = 4,
                              .peer = 6,
                              .client_port = 4000,
                              .server_port = 3478,
                              .relayed_port = 49160,
                              .peer_port = 7000,
                              .channel = 0x4fff};

    inet_pton(AF_INET, "203.0.113.9", ask.client_address);
    inet_pton(AF_INET, "192.0.2.1", ask.server_address);
    inet_pton(AF_INET6, "2001:db8::1", ask.relayed_address);
    inet_pton(AF_INET6, "2001:db8:9::9", ask.peer_address);
    return ask;
}

static void allow(void) {
    memset(&filters, 0, sizeof filters);
    memset(&node, 0, sizeof node);
    reach(&listen_to, "udp/192.0.2.1/32/3478,udp/2001:db8::1/128/49152-49200");
    reach(&connect_to, "tcp/0.0.0.0/0/1-65535,udp/2001:db8:9::/64/7000-7010");
    NS_CHECK(ns_value_list("192.0.2.1,2001:db8::1", ns_node_add_own, &node));
    NS_CHECK(ns_value_list("192.0.2.255,100.64.0.0/18,fd6e:6574:7376::/48", ns_node_add_other, &node));
}

NS_TEST(a_question_within_the_lists_is_accepted) {
    struct ns_ring_ask ask = question();

    allow();
    NS_CHECK(ns_relay_well_formed(&ask));
    NS_EQUAL(NS_RELAY_REFUSED_NOT, ns_relay_check(&accepted, &asker, &ask));
    NS_EQUAL(4, accepted.to_peer.family);
    NS_EQUAL(6, accepted.to_peer.relay.family);
    NS_EQUAL(6, accepted.to_client.family);
    NS_EQUAL(4, accepted.to_client.relay.family);
    NS_CHECK(accepted.to_client.relay.to_client && !accepted.to_client.relay.unasked);
    reach(&connect_to, "udp/0.0.0.0/0/1-65535,udp/::/0/1-65535");
    NS_EQUAL(NS_RELAY_REFUSED_NOT, ns_relay_check(&accepted, &asker, &ask));
    NS_CHECK(accepted.to_client.relay.unasked);
}

/* Clients of RFC 5766 choose from a wider range than those of RFC 8656. */
NS_TEST(numbers_of_both_standards_are_channels) {
    static const uint16_t numbers[] = {0x4000, 0x4fff, 0x5000, 0x7fff};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct ns_ring_ask ask = question();

        ask.channel = numbers[i];
        NS_CHECK(ns_relay_well_formed(&ask));
    }
}

NS_TEST(each_field_has_its_range) {
#define BAD(change)                                                                                                    \
    do {                                                                                                               \
        struct ns_ring_ask ask = question();                                                                           \
        change;                                                                                                        \
        NS_CHECK(!ns_relay_well_formed(&ask));                                                                         \
    } while (0)
    BAD(ask.magic++);
    BAD(ask.place = NS_RING_RELAYS);
    BAD(ask.seconds = 0);
    BAD(ask.what = 0);
    BAD(ask.what = 4);
    BAD(ask.client = 5);
    BAD(ask.peer = 0);
    BAD(ask.zero = 1);
    BAD(ask.client_address[4] = 1);
    BAD(ask.server_address[15] = 1);
    BAD(ask.peer = 4);
    BAD(ask.client_port = 0);
    BAD(ask.server_port = 0);
    BAD(ask.relayed_port = 0);
    BAD(ask.peer_port = 0);
    BAD(ask.channel = 0x3fff);
    BAD(ask.channel = 0x8000);
    BAD(ask.zero2[2] = 1);
    BAD(ask.what = NS_RELAY_UNBIND);
}

NS_TEST(each_refusal_has_its_reason) {
#define REFUSED(reason, change)                                                                                        \
    do {                                                                                                               \
        struct ns_ring_ask ask = question();                                                                           \
        allow();                                                                                                       \
        change;                                                                                                        \
        NS_EQUAL(NS_RELAY_REFUSED_##reason, ns_relay_check(&accepted, &asker, &ask));                                  \
    } while (0)
    REFUSED(server, ask.server_port++);
    REFUSED(server, ask.server_address[3]++);
    REFUSED(server, node.own[0].address[3]++); /* in the grant, but not the node's */
    REFUSED(relayed, ask.relayed_port = 49201);
    REFUSED(relayed, inet_pton(AF_INET6, "2001:db8::2", ask.relayed_address));
    REFUSED(peer, ask.peer_port = 7011);
    REFUSED(peer, inet_pton(AF_INET6, "2001:db8:8::9", ask.peer_address));
    REFUSED(peer, reach(&connect_to, "tcp/::/0/1-65535"));
    REFUSED(martian, inet_pton(AF_INET6, "fe80::1", ask.peer_address));
    REFUSED(martian, inet_pton(AF_INET6, "::ffff:127.0.0.1", ask.peer_address));
    REFUSED(martian, inet_pton(AF_INET, "127.0.0.1", ask.client_address));
    REFUSED(martian, inet_pton(AF_INET, "224.0.0.1", ask.client_address));
    REFUSED(node, inet_pton(AF_INET, "192.0.2.1", ask.client_address));
    REFUSED(node, inet_pton(AF_INET, "192.0.2.255", ask.client_address));
    REFUSED(node, inet_pton(AF_INET, "100.64.0.2", ask.client_address));
    REFUSED(node, inet_pton(AF_INET6, "2001:db8::1", ask.peer_address));
    REFUSED(node, inet_pton(AF_INET6, "fd6e:6574:7376::2", ask.peer_address));
    REFUSED(filter, ask.server_port = 270; reach(&listen_to, "udp/0.0.0.0/0/1-65535,udp/::/0/1-65535"));
}

NS_TEST(lists_are_read_or_refused_whole) {
    static const char *const bad[] = {
        "udp/192.0.2.1", "udp", "icmp/192.0.2.1/32/1", "udp/x/1", "udp/192.0.2.1/2-1", "udp/192.0.2.1/70000", "udp//1"};
    struct ns_reach list = {0};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        NS_CHECK(!ns_value_list(bad[i], ns_reach_add, &list));
    NS_EQUAL(0, list.count);
    for (unsigned i = 0; i < NS_REACH_MAX; i++)
        NS_CHECK(ns_reach_add(&list, "udp/192.0.2.1/32/5"));
    NS_CHECK(!ns_reach_add(&list, "udp/192.0.2.1/32/5"));
    NS_CHECK(!ns_node_add_own(&node, "192.0.2.1000"));
}

NS_TEST(random_bytes_are_refused) {
    uint64_t seed = 11;

    allow();
    for (int i = 0; i < 200000; i++) {
        struct ns_ring_ask ask;

        for (size_t j = 0; j < sizeof ask; j++)
            ((uint8_t *)&ask)[j] = (uint8_t)ns_test_random(&seed);
        NS_CHECK(!ns_relay_well_formed(&ask));
    }
}

/* Two questions clash if the kernel would have to choose between them for a packet. */
NS_TEST(questions_clash_by_either_side) {
    struct ns_ring_ask a = question(), b = question();

    NS_CHECK(ns_relay_clashes(&a, &b) && ns_relay_same(&a, &b));
    b.peer_port++; /* the same channel, to another peer */
    NS_CHECK(ns_relay_clashes(&a, &b) && !ns_relay_same(&a, &b));
    b.channel--;
    NS_CHECK(!ns_relay_clashes(&a, &b));
    b.peer_port--; /* the same pair of peer and relayed address, by another channel */
    NS_CHECK(ns_relay_clashes(&a, &b));
    b.relayed_port++;
    NS_CHECK(!ns_relay_clashes(&a, &b));
    b = question();
    b.client_address[3]++;
    b.peer_address[15]++;
    NS_CHECK(!ns_relay_clashes(&a, &b));
    b = question();
    b.place--;
    b.number++;
    b.seconds++;
    NS_CHECK(ns_relay_clashes(&a, &b));
}

int main(void) {
    NS_RUN(questions_clash_by_either_side);
    NS_RUN(a_question_within_the_lists_is_accepted);
    NS_RUN(numbers_of_both_standards_are_channels);
    NS_RUN(each_field_has_its_range);
    NS_RUN(each_refusal_has_its_reason);
    NS_RUN(lists_are_read_or_refused_whole);
    NS_RUN(random_bytes_are_refused);
    return ns_test_end();
}
