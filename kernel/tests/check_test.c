/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the flows that bpfd accepts (docs/protocols/bpfd.md, "Requests"), and of the lines of filters. */
#include "check.h"
#include "ns_test.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static struct ns_way_filters filters;
static struct ns_rewrite rewrite;
static const struct ns_asker asker = {"c", &rewrite, &filters, NS_OFFLOAD_MARK, 0x400000};
static struct ns_accepted accepted;

static bool add(const char *text) {
    char copy[256];
    struct ns_line line;
    const char *why = "";

    strcpy(copy, text);
    if (!ns_line_parse(&line, copy, strlen(copy), false) || !ns_way_parse(&filters.filter[filters.count], &line, &why))
        return false;
    filters.count++;
    return true;
}

static struct ns_offload request(void) {
    struct ns_offload r = {.family = 4, .protocol = 17, .seconds = 60, .dscp = 0xff, .ttl = 0xff};

    inet_pton(AF_INET, "192.0.2.1", r.source);
    inet_pton(AF_INET, "198.51.100.7", r.destination);
    r.source_port = 5000;
    r.destination_port = 53;
    return r;
}

static void become(struct ns_offload *r, const char *source, const char *destination, uint16_t source_port,
                   uint16_t destination_port) {
    r->action = NS_OFFLOAD_REWRITE;
    r->set = NS_SET_ADDRESSES | NS_SET_PORTS;
    inet_pton(AF_INET, source, r->new_source);
    inet_pton(AF_INET, destination, r->new_destination);
    r->new_source_port = source_port;
    r->new_destination_port = destination_port;
}

static enum ns_refused check(const struct ns_offload *r) {
    return ns_check(&accepted, &asker, r, sizeof *r);
}

static void owner(const char *line) {
    filters.count = 0;
    memset(&rewrite, 0, sizeof rewrite);
    NS_CHECK(add(line));
}

static void own(void) {
    owner("container=c family=4 proto=17 dst=198.51.100.0/24 dport=53 do=queue");
}

NS_TEST(a_flow_of_its_own_filter_is_taken) {
    struct ns_offload r = request();

    own();
    NS_EQUAL(NS_REFUSED_NOT, check(&r));
    NS_EQUAL(NS_OFFLOAD_MARK, accepted.flow.mark);
    r.action = NS_OFFLOAD_DROP;
    NS_EQUAL(NS_REFUSED_NOT, check(&r));
}

/* Puts the request on the heap in exactly its length, so that a read beyond the end is found. */
NS_TEST(a_request_of_any_other_length_is_malformed) {
    struct ns_offload r = request();

    own();
    for (size_t length = 0; length < 2 * sizeof r; length++) {
        uint8_t *bytes = malloc(length + 1);

        memset(bytes, 0, length);
        memcpy(bytes, &r, length < sizeof r ? length : sizeof r);
        bytes = realloc(bytes, length == 0 ? 1 : length);
        NS_EQUAL(length == sizeof r ? NS_REFUSED_NOT : NS_REFUSED_malformed,
                 ns_check(&accepted, &asker, bytes, length));
        free(bytes);
    }
}

NS_TEST(random_bytes_are_refused) {
    uint64_t seed = 11;

    own();
    for (int i = 0; i < 200000; i++) {
        struct ns_offload r;

        for (size_t j = 0; j < sizeof r; j++)
            ((uint8_t *)&r)[j] = (uint8_t)ns_test_random(&seed);
        NS_CHECK(check(&r) != NS_REFUSED_NOT);
    }
}

NS_TEST(each_field_has_its_range) {
    own();
#define BAD(change)                                                                                                    \
    do {                                                                                                               \
        struct ns_offload r = request();                                                                               \
        change;                                                                                                        \
        NS_EQUAL(NS_REFUSED_malformed, check(&r));                                                                     \
    } while (0)
    BAD(r.family = 5);
    BAD(r.action = 3);
    BAD(r.seconds = 0);
    BAD(r.zero = 1);
    BAD(r.zero2 = 1);
    BAD(r.zero3 = 1);
    BAD(r.source[4] = 1);
    BAD(r.destination[15] = 1);
    BAD(r.action = NS_OFFLOAD_REWRITE);
    BAD(r.set = NS_SET_TTL);
    BAD(become(&r, "192.0.2.1", "198.51.100.7", 1, 2); r.new_source[9] = 1);
    BAD(r.action = NS_OFFLOAD_REWRITE; r.set = 16);
    BAD(r.action = NS_OFFLOAD_REWRITE; r.set = NS_SET_DSCP; r.dscp = 64);
    BAD(r.action = NS_OFFLOAD_REWRITE; r.set = NS_SET_TTL; r.ttl = 0);
    BAD(r.action = NS_OFFLOAD_REWRITE; r.set = NS_SET_TTL; r.ttl = 0xff);
    BAD(r.protocol = 47);
#undef BAD
}

/* Tries each new pair of addresses and ports, without and with a rewrite rule. */
NS_TEST(the_pair_may_be_the_old_one_swapped_or_by_a_rule) {
    static const struct {
        const char *source, *destination;
        uint16_t source_port, destination_port;
        enum ns_refused without, with; /* the rule 0.0.0.0/0->203.0.113.0/24 */
    } rows[] = {
        {"192.0.2.1", "198.51.100.7", 5000, 53, NS_REFUSED_NOT, NS_REFUSED_NOT},
        {"198.51.100.7", "192.0.2.1", 53, 5000, NS_REFUSED_NOT, NS_REFUSED_NOT},
        {"192.0.2.1", "198.51.100.7", 5000, 54, NS_REFUSED_port, NS_REFUSED_port},
        {"192.0.2.1", "198.51.100.7", 53, 5000, NS_REFUSED_port, NS_REFUSED_port},
        {"198.51.100.7", "192.0.2.1", 5000, 53, NS_REFUSED_port, NS_REFUSED_port},
        {"192.0.2.2", "198.51.100.7", 5000, 53, NS_REFUSED_address, NS_REFUSED_address},
        {"192.0.2.1", "198.51.100.8", 5000, 53, NS_REFUSED_address, NS_REFUSED_address},
        {"192.0.2.1", "203.0.113.9", 5000, 53, NS_REFUSED_address, NS_REFUSED_NOT},
        {"10.9.9.9", "203.0.113.9", 1, 2, NS_REFUSED_address, NS_REFUSED_NOT},
        {"203.0.113.9", "192.0.2.1", 5000, 53, NS_REFUSED_address, NS_REFUSED_address},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ns_offload r = request();

        become(&r, rows[i].source, rows[i].destination, rows[i].source_port, rows[i].destination_port);
        own();
        NS_EQUAL(rows[i].without, check(&r));
        NS_CHECK(ns_rewrite_add(&rewrite, "0.0.0.0/0->203.0.113.0/24"));
        NS_EQUAL(rows[i].with, check(&r));
    }
}

/*
 * The stack forwards none of these addresses, so neither may a flow that is led past it. A turned flow would lead to
 * the first of the two.
 */
NS_TEST(no_flow_has_an_address_that_no_router_forwards) {
    static const char *const martians[] = {
        "0.0.0.0", "0.1.2.3", "127.0.0.1",   "169.254.1.1",     "224.0.0.1", "240.0.0.1", "255.255.255.255",
        "::",      "::1",     "::192.0.2.1", "::ffff:10.1.2.3", "fe80::1",   "febf::1",   "ff02::1"};

    for (unsigned i = 0; i < sizeof martians / sizeof martians[0]; i++) {
        int family = strchr(martians[i], ':') == NULL ? AF_INET : AF_INET6;

        for (int which = 0; which < 2; which++) {
            struct ns_offload r = request();

            owner(family == AF_INET ? "container=c family=4 proto=17 do=queue"
                                    : "container=c family=6 proto=17 do=queue");
            r.family = family == AF_INET ? 4 : 6;
            memset(r.source, family == AF_INET ? 0 : 0x20, 16);
            memset(r.destination, family == AF_INET ? 0 : 0x30, 16);
            r.source[0] = r.destination[0] = 10;
            NS_EQUAL(NS_REFUSED_NOT, check(&r));
            inet_pton(family, martians[i], which == 0 ? r.source : r.destination);
            NS_EQUAL(NS_REFUSED_martian, check(&r));
        }
    }
}

NS_TEST(a_turned_flow_has_the_mark_and_the_ttl_of_one) {
    struct ns_offload r = request();

    own();
    become(&r, "198.51.100.7", "192.0.2.1", 53, 5000);
    NS_EQUAL(NS_REFUSED_NOT, check(&r));
    NS_EQUAL(0x400000, accepted.flow.mark);
    NS_EQUAL(64, accepted.flow.ttl);
    NS_CHECK(accepted.flow.turned && (accepted.flow.set & NS_SET_TTL));
    NS_EQUAL(0xffff, accepted.flow.address_diff); /* the sum is the same */
}

NS_TEST(only_tcp_and_udp_get_other_addresses_and_no_flow_has_an_extension_header) {
    struct ns_offload r = request();

    owner("container=c family=4 proto=0 do=queue");
    r.protocol = 132;
    NS_EQUAL(NS_REFUSED_NOT, check(&r));
    become(&r, "198.51.100.7", "192.0.2.1", 53, 5000);
    NS_EQUAL(NS_REFUSED_protocol, check(&r));
    r.set = NS_SET_DSCP;
    r.dscp = 46;
    NS_EQUAL(NS_REFUSED_NOT, check(&r));
    r = request();
    r.family = 6;
    r.source_port = r.destination_port = 0;
    owner("container=c family=6 proto=0 do=queue");
    r.protocol = 50;
    NS_EQUAL(NS_REFUSED_NOT, check(&r));
    r.protocol = 58;
    NS_EQUAL(NS_REFUSED_protocol, check(&r));
    r.protocol = 44;
    NS_EQUAL(NS_REFUSED_protocol, check(&r));
}

NS_TEST(a_flow_outlives_no_module_behind_a_filter_that_it_matches) {
    static struct ns_way_filters before;
    struct ns_offload r = request();

    owner("container=c family=4 proto=17 dport=53 do=queue claim=7");
    NS_CHECK(add("container=c family=4 proto=0 do=sample claim=7"));
    NS_CHECK(add("container=c family=4 proto=17 dport=54 do=queue claim=7"));
    before = filters;
    NS_CHECK(ns_check_again(&r, &asker, &before));
    filters.count = 2; /* a filter that does not match the flow is gone */
    NS_CHECK(ns_check_again(&r, &asker, &before));
    filters.filter[1].claim = 8; /* the same filter, of other modules */
    NS_CHECK(!ns_check_again(&r, &asker, &before));
    filters.count = 1;
    NS_CHECK(!ns_check_again(&r, &asker, &before));
    NS_CHECK(add("container=c family=4 proto=0 do=sample claim=7"));
    NS_CHECK(add("container=c family=4 proto=17 do=queue claim=7")); /* a new filter that would see the flow, too */
    NS_CHECK(!ns_check_again(&r, &asker, &before));
}

/*
 * The first queue or steer filter decides, as in the firewall. A counting filter takes nothing away, and another
 * container's sample forbids.
 */
NS_TEST(the_filter_that_decides_must_be_the_containers) {
    struct ns_offload r = request();

    own();
    r.destination_port = 54;
    NS_EQUAL(NS_REFUSED_filter, check(&r));
    r = request();
    r.protocol = 6;
    NS_EQUAL(NS_REFUSED_filter, check(&r));
    r = request();
    inet_pton(AF_INET, "198.51.101.7", r.destination);
    NS_EQUAL(NS_REFUSED_filter, check(&r));
    r = request();
    owner("container=d family=4 proto=17 src=192.0.2.1 do=queue");
    NS_CHECK(add("container=c family=4 proto=17 do=queue"));
    NS_EQUAL(NS_REFUSED_filter, check(&r));
    NS_CHECK(!ns_check_again(&r, &asker, &filters));
    owner("container=c family=4 proto=17 do=queue");
    r.destination_port = 270;
    NS_EQUAL(NS_REFUSED_filter, check(&r));
    r = request();
    owner("container=d family=4 proto=17 do=count count=src");
    NS_CHECK(add("container=c family=4 proto=17 do=steer"));
    NS_EQUAL(NS_REFUSED_NOT, check(&r));
    owner("container=c family=4 proto=17 do=sample");
    NS_CHECK(add("container=c family=4 proto=17 do=queue"));
    NS_EQUAL(NS_REFUSED_NOT, check(&r));
    NS_CHECK(add("container=d family=4 proto=0 do=sample"));
    NS_EQUAL(NS_REFUSED_sampled, check(&r));
    NS_CHECK(!ns_check_again(&r, &asker, &filters));
}

NS_TEST(a_filter_says_what_it_is) {
    static const char *const bad[] = {"family=4 proto=17 do=queue",
                                      "container=c family=5 proto=17 do=queue",
                                      "container=c family=4 proto=256 do=queue",
                                      "container=c family=4 proto=17",
                                      "container=c family=4 proto=17 do=eat",
                                      "container=c family=4 proto=17 do=queue src=2001:db8::/32",
                                      "container=c family=4 proto=17 do=queue count=src",
                                      "container=c family=4 proto=17 do=count",
                                      "container=c family=4 proto=17 do=count count=colour",
                                      "container=c family=4 proto=17 do=queue sport=9-8",
                                      "container=.. family=4 proto=17 do=queue",
                                      "container=c family=4 proto=17 do=queue every=2",
                                      "container=c family=4 proto=17 do=sample every=0",
                                      "container=c family=4 proto=17 do=queue queue=2"};

    filters.count = 0;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        NS_CHECK(!add(bad[i]));
    NS_CHECK(add("container=c family=6 proto=6 src=2001:db8::/32 dst=::1 sport=1-2 dport=3 do=count count=src,ttl"));
    NS_EQUAL(NS_COUNT_SOURCE | NS_COUNT_TTL, filters.filter[0].fields);
    NS_CHECK(add("container=c family=4 proto=0 do=sample every=1000000"));
    NS_EQUAL(1000000, filters.filter[1].every);
}

int main(void) {
    NS_RUN(a_flow_of_its_own_filter_is_taken);
    NS_RUN(a_request_of_any_other_length_is_malformed);
    NS_RUN(random_bytes_are_refused);
    NS_RUN(each_field_has_its_range);
    NS_RUN(the_pair_may_be_the_old_one_swapped_or_by_a_rule);
    NS_RUN(no_flow_has_an_address_that_no_router_forwards);
    NS_RUN(a_turned_flow_has_the_mark_and_the_ttl_of_one);
    NS_RUN(only_tcp_and_udp_get_other_addresses_and_no_flow_has_an_extension_header);
    NS_RUN(a_flow_outlives_no_module_behind_a_filter_that_it_matches);
    NS_RUN(the_filter_that_decides_must_be_the_containers);
    NS_RUN(a_filter_says_what_it_is);
    return ns_test_end();
}
