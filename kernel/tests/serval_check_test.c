/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the rules of service routers that bpfd accepts (docs/protocols/bpfd.md, "Routers of Serval"). */
#include "ns_test.h"
#include "serval_check.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static struct ns_way_filters filters;
static struct ns_reach listen_to, connect_to;
static struct ns_service_grants grants;
static struct ns_node node;
static const struct ns_serval_asker asker = {&listen_to, &connect_to, &grants, &node, &filters};

static struct ns_serval_ask question(enum ns_serval_what what) {
    bool target = what == NS_SERVAL_ASK_TARGET, peer = what == NS_SERVAL_ASK_PEER;
    struct ns_serval_ask ask = {.magic = NS_SERVAL_MAGIC,
                                .number = 1,
                                .place = 4095,
                                .seconds = 1,
                                .what = (uint8_t)what,
                                .family = 4,
                                .bits = peer ? 0 : 33,
                                .router_port = 54325,
                                .target_port = target || peer ? 6000 : 0,
                                .weight = target};

    inet_pton(AF_INET, "192.0.2.1", ask.router);
    if (target || peer)
        inet_pton(AF_INET, "198.51.100.7", ask.target);
    if (!peer)
        memcpy(ask.id, "\0\0\x40\x01\x80", 5);
    return ask;
}

static void allow(void) {
    memset(&filters, 0, sizeof filters);
    memset(&node, 0, sizeof node);
    listen_to.count = connect_to.count = grants.count = 0;
    NS_CHECK(ns_value_list("udp/192.0.2.1/32/54325", ns_reach_add, &listen_to));
    NS_CHECK(ns_value_list("udp/198.51.100.0/24/6000-6010,tcp/0.0.0.0/0/1-65535", ns_reach_add, &connect_to));
    NS_CHECK(ns_value_list("51/8,00004001/32", ns_service_grants_add, &grants));
    NS_CHECK(ns_value_list("192.0.2.1", ns_node_add_own, &node));
}

NS_TEST(each_kind_is_accepted_within_the_lists) {
    allow();
    for (int what = NS_SERVAL_ASK_TARGET; what <= NS_SERVAL_ASK_PEER; what++) {
        struct ns_serval_ask ask = question((enum ns_serval_what)what);

        NS_CHECK(ns_serval_well_formed(&ask));
        NS_EQUAL(NS_SERVAL_REFUSED_NOT, ns_serval_check(&asker, &ask));
    }
}

/* A byte that is not zero where the form wants zero, one after the other. */
NS_TEST(what_does_not_matter_is_zero) {
    struct ns_serval_ask remove = {.magic = NS_SERVAL_MAGIC, .number = 7, .place = 3, .what = NS_SERVAL_ASK_REMOVE};

    NS_CHECK(ns_serval_well_formed(&remove));
    remove.rule = NS_SERVAL_PLACE - 1;
    NS_CHECK(ns_serval_well_formed(&remove));
    for (unsigned i = 10; i < sizeof remove; i++) {
        struct ns_serval_ask ask = remove;

        ((uint8_t *)&ask)[i] ^= 0x40;
        NS_CHECK(!ns_serval_well_formed(&ask));
    }
    for (int what = NS_SERVAL_ASK_TARGET; what <= NS_SERVAL_ASK_PEER; what++) {
        for (unsigned i = 86; i < sizeof remove; i++) {
            struct ns_serval_ask ask = question((enum ns_serval_what)what);

            ((uint8_t *)&ask)[i] = i == 86 ? NS_SERVAL_PLACE : 1;
            NS_CHECK(!ns_serval_well_formed(&ask));
        }
    }
}

NS_TEST(fields_outside_their_ranges_are_refused) {
    struct ns_serval_ask ask = question(NS_SERVAL_ASK_TARGET);

#define NS_WRONG(member, value)                                                                                        \
    do {                                                                                                               \
        struct ns_serval_ask wrong = ask;                                                                              \
        wrong.member = value;                                                                                          \
        NS_CHECK(!ns_serval_well_formed(&wrong));                                                                      \
    } while (0)
    NS_WRONG(magic, NS_RELAY_MAGIC);
    NS_WRONG(place, NS_RING_RELAYS);
    NS_WRONG(seconds, 0);
    NS_WRONG(what, 0);
    NS_WRONG(what, 5);
    NS_WRONG(family, 5);
    NS_WRONG(bits, 257);
    NS_WRONG(bits, 32); /* a bit is set behind them */
    NS_WRONG(router_port, 0);
    NS_WRONG(target_port, 0);
    NS_WRONG(weight, 0);
    NS_WRONG(router[4], 1);
    NS_WRONG(target[15], 1);
    ask = question(NS_SERVAL_ASK_MODULE);
    NS_WRONG(target_port, 1);
    NS_WRONG(target[0], 1);
    NS_WRONG(weight, 1);
    ask = question(NS_SERVAL_ASK_PEER);
    NS_WRONG(bits, 1);
    NS_WRONG(id[0], 1);
    NS_WRONG(weight, 1);
    NS_WRONG(target_port, 0);
#undef NS_WRONG
}

NS_TEST(random_bytes_are_answered) {
    unsigned sound = 0;

    allow();
    srand(3);
    for (int i = 0; i < 200000; i++) {
        struct ns_serval_ask ask = question((enum ns_serval_what)(1 + rand() % 4));

        for (int changes = rand() % 4; changes > 0; changes--)
            ((uint8_t *)&ask)[(unsigned)rand() % sizeof ask] = (uint8_t)rand();
        if (!ns_serval_well_formed(&ask))
            continue;
        sound++;
        NS_CHECK(ask.place < NS_RING_RELAYS && ask.bits <= 256);
        if (ask.what != NS_SERVAL_ASK_REMOVE)
            NS_CHECK(ns_serval_check(&asker, &ask) < NS_SERVAL_REFUSED_KINDS);
    }
    NS_CHECK(sound > 1000);
}

NS_TEST(every_refusal_of_rights) {
    static const struct ns_way_filter queue = {.family = 4,
                                               .protocol = 17,
                                               .way = NS_WAY_QUEUE,
                                               .source_ports = {0, 65535},
                                               .destination_ports = {54325, 54325}};
    struct ns_serval_ask ask = question(NS_SERVAL_ASK_TARGET);

    allow();
    grants.prefix[1].bits = 34;
    NS_EQUAL(NS_SERVAL_REFUSED_prefix, ns_serval_check(&asker, &ask));
    allow();
    grants.count = 0;
    NS_EQUAL(NS_SERVAL_REFUSED_prefix, ns_serval_check(&asker, &ask));
    allow();
    connect_to.count = 0;
    NS_EQUAL(NS_SERVAL_REFUSED_target, ns_serval_check(&asker, &ask));
    allow();
    listen_to.count = 0;
    NS_EQUAL(NS_SERVAL_REFUSED_router, ns_serval_check(&asker, &ask));
    allow();
    node.owns = 0;
    NS_EQUAL(NS_SERVAL_REFUSED_router, ns_serval_check(&asker, &ask));
    allow();
    NS_CHECK(ns_value_list("198.51.100.0/24", ns_node_add_other, &node));
    NS_EQUAL(NS_SERVAL_REFUSED_node, ns_serval_check(&asker, &ask));
    allow();
    filters.filter[0] = queue;
    filters.count = 1;
    NS_EQUAL(NS_SERVAL_REFUSED_filter, ns_serval_check(&asker, &ask));
    filters.filter[0].way = NS_WAY_COUNT;
    NS_EQUAL(NS_SERVAL_REFUSED_NOT, ns_serval_check(&asker, &ask));
    ask.target[0] = 127;
    NS_EQUAL(NS_SERVAL_REFUSED_martian, ns_serval_check(&asker, &ask));
    ask = question(NS_SERVAL_ASK_TARGET);
    ask.family = 6;
    inet_pton(AF_INET6, "2001:db8:1::1", ask.router);
    inet_pton(AF_INET6, "2001:db8:2::7", ask.target);
    NS_EQUAL(NS_SERVAL_REFUSED_router, ns_serval_check(&asker, &ask));
    NS_CHECK(ns_value_list("udp/2001:db8:1::1/128/54325", ns_reach_add, &listen_to));
    NS_CHECK(ns_value_list("udp/2001:db8:2::/64/6000", ns_reach_add, &connect_to));
    NS_CHECK(ns_value_list("2001:db8:1::1", ns_node_add_own, &node));
    filters.count = 0;
    NS_EQUAL(NS_SERVAL_REFUSED_NOT, ns_serval_check(&asker, &ask));
    inet_pton(AF_INET6, "::ffff:198.51.100.7", ask.target);
    NS_EQUAL(NS_SERVAL_REFUSED_family, ns_serval_check(&asker, &ask));
    inet_pton(AF_INET6, "::ffff:192.0.2.1", ask.router);
    NS_EQUAL(NS_SERVAL_REFUSED_family, ns_serval_check(&asker, &ask));
}

int main(void) {
    NS_RUN(each_kind_is_accepted_within_the_lists);
    NS_RUN(what_does_not_matter_is_zero);
    NS_RUN(fields_outside_their_ranges_are_refused);
    NS_RUN(random_bytes_are_answered);
    NS_RUN(every_refusal_of_rights);
    return ns_test_end();
}
