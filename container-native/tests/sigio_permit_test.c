/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the datagrams that may leave for gist: docs/protocols/sigio.md, "What may be sent". */
#include "../sigio/permit.h"
#include "ns_test.h"

#include <arpa/inet.h>
#include <string.h>

static const uint8_t query[] = {0x4e, 0x04, 0xbd, 0xa5, 1, 3, 0, 0, 0x7f, 0xc0, 0x80, 0};
static const uint8_t data[] = {0x4e, 0x04, 0xbd, 0xa5, 1, 3, 0, 0, 0x7f, 0xc0, 0x03, 0};

static struct ns_endpoints to(const char *source, const char *destination) {
    struct ns_endpoints ends = {.family = strchr(destination, ':') == NULL ? 4 : 6, .destination_port = 270};
    int family = ends.family == 4 ? AF_INET : AF_INET6;

    NS_EQUAL(1, inet_pton(family, destination, ends.destination));
    NS_CHECK(source == NULL || inet_pton(family, source, ends.source) == 1);
    return ends;
}

static enum ns_permit look(const struct ns_endpoints *ends, const uint8_t *payload) {
    return ns_permit_look(ends, payload, sizeof query);
}

NS_TEST(q_mode_goes_to_port_270_from_whomever) {
    static const char *const pairs[][2] = {{"192.0.2.1", "198.51.100.7"},
                                           {NULL, "10.0.0.255"},
                                           {"169.254.1.1", "223.255.255.255"},
                                           {"2001:db8::1", "2001:db8:1::2"},
                                           {NULL, "64:ff9b::1"}};

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct ns_endpoints ends = to(pairs[i][0], pairs[i][1]);

        ends.has_rao = i % 2 == 0;
        ends.source_port = (uint16_t)(i * 10000);
        NS_EQUAL(NS_PERMIT_ANY, look(&ends, query));
        ends.destination_port = 53;
        NS_CHECK(look(&ends, query) != NS_PERMIT_ANY);
    }
}

NS_TEST(d_mode_leaves_from_port_270_with_our_own_source) {
    struct ns_endpoints ends = to("192.0.2.1", "198.51.100.7");

    NS_EQUAL(NS_PERMIT_OWN, look(&ends, data));
    ends.source_port = 270;
    ends.destination_port = 40000;
    NS_EQUAL(NS_PERMIT_OWN, look(&ends, data));
    NS_EQUAL(NS_PERMIT_OWN, look(&ends, query)); /* the C-flag alone does not make it a Query */
    ends.source_port = 53;
    NS_EQUAL(NS_PERMIT_NOT, look(&ends, data));
    ends.source_port = 270;
    ends.destination_port = 0;
    NS_EQUAL(NS_PERMIT_NOT, look(&ends, data));
    ends.destination_port = 270;
    ends.has_rao = true;
    NS_EQUAL(NS_PERMIT_NOT, look(&ends, data));
}

/* An Error goes back through the NAT by which the Query came, as if the Query's destination had answered. */
NS_TEST(an_error_leaves_from_port_270_with_any_source) {
    struct ns_endpoints ends = to("192.0.2.1", "198.51.100.7");
    uint8_t error[sizeof data];

    memcpy(error, data, sizeof data);
    for (unsigned type = 0; type < 256; type++) {
        error[10] = (uint8_t)type;
        ends.destination_port = 40000;
        NS_EQUAL(type == 4 ? NS_PERMIT_ANY : NS_PERMIT_OWN, look(&ends, error));
    }
    error[10] = 4;
    ends.source_port = 53;
    NS_EQUAL(NS_PERMIT_NOT, look(&ends, error));
    ends.source_port = 270;
    ends.has_rao = true;
    NS_EQUAL(NS_PERMIT_NOT, look(&ends, error));
}

NS_TEST(what_has_no_magic_number_does_not_leave) {
    struct ns_endpoints ends = to("192.0.2.1", "198.51.100.7");
    uint8_t payload[sizeof query];

    for (unsigned i = 0; i < 4; i++) {
        memcpy(payload, query, sizeof query);
        payload[i] ^= 1;
        NS_EQUAL(NS_PERMIT_NOT, look(&ends, payload));
    }
    for (size_t length = 0; length < sizeof query; length++)
        NS_EQUAL(NS_PERMIT_NOT, ns_permit_look(&ends, query, length));
}

NS_TEST(only_addresses_of_single_hosts_are_used) {
    static const char *const bad4[] = {"0.0.0.1",   "127.0.0.1", "127.255.1.2",    "224.0.0.1",
                                       "239.1.1.1", "240.0.0.1", "255.255.255.255"};
    static const char *const bad6[] = {"::1", "::ffff:192.0.2.1", "::192.0.2.1", "ff02::1", "ff0e::1"};
    struct ns_endpoints ends;

    for (size_t i = 0; i < sizeof bad4 / sizeof bad4[0]; i++) {
        ends = to("192.0.2.1", bad4[i]);
        NS_EQUAL(NS_PERMIT_NOT, look(&ends, query));
        NS_EQUAL(NS_PERMIT_NOT, look(&ends, data));
        ends = to(bad4[i], "192.0.2.1");
        NS_EQUAL(NS_PERMIT_NOT, look(&ends, query));
    }
    for (size_t i = 0; i < sizeof bad6 / sizeof bad6[0]; i++) {
        ends = to("2001:db8::1", bad6[i]);
        NS_EQUAL(NS_PERMIT_NOT, look(&ends, query));
        ends = to(bad6[i], "2001:db8::1");
        NS_EQUAL(NS_PERMIT_NOT, look(&ends, query));
    }
    ends = to(NULL, "0.0.0.0");
    NS_EQUAL(NS_PERMIT_NOT, look(&ends, query));
    ends = to(NULL, "::");
    NS_EQUAL(NS_PERMIT_NOT, look(&ends, query));
    for (unsigned at = 4; at < 16; at++) { /* an IPv4 address has four bytes */
        ends = to("192.0.2.1", "198.51.100.7");
        ends.destination[at] = 1;
        NS_EQUAL(NS_PERMIT_NOT, look(&ends, query));
        ends = to(NULL, "198.51.100.7");
        ends.source[at] = 1;
        NS_EQUAL(NS_PERMIT_NOT, look(&ends, query));
    }
}

NS_TEST(an_interface_goes_with_a_link_local_address) {
    struct ns_endpoints ends = to(NULL, "fe80::1");

    ends.interface = 3;
    NS_EQUAL(NS_PERMIT_ANY, look(&ends, query));
    NS_EQUAL(NS_PERMIT_OWN, look(&ends, data));
    ends = to(NULL, "2001:db8::1");
    ends.interface = 3;
    NS_EQUAL(NS_PERMIT_NOT, look(&ends, query));
    ends = to(NULL, "169.254.0.1");
    ends.interface = 3;
    NS_EQUAL(NS_PERMIT_NOT, look(&ends, query));
}

int main(void) {
    NS_RUN(q_mode_goes_to_port_270_from_whomever);
    NS_RUN(d_mode_leaves_from_port_270_with_our_own_source);
    NS_RUN(an_error_leaves_from_port_270_with_any_source);
    NS_RUN(what_has_no_magic_number_does_not_leave);
    NS_RUN(only_addresses_of_single_hosts_are_used);
    NS_RUN(an_interface_goes_with_a_link_local_address);
    return ns_test_end();
}
