/* SPDX-License-Identifier: Apache-2.0 */
/* The deny matrix of packets that leave: one original, one change, one named result. */
#include "egress.h"
#include "ns_test.h"
#include "packets.h"

#define A "192.0.2.1"
#define B "198.51.100.2"
#define C "203.0.113.3"
#define A6 "2001:db8:a::1"
#define B6 "2001:db8:b::2"
#define C6 "2001:db8:c::3"

static const uint8_t alert[4] = {0x94, 4, 0, 0};
static const uint8_t other_option[4] = {0x94, 4, 0, 1};
static const uint8_t loose_route[8] = {131, 7, 4, 203, 0, 113, 3, 0};
static const uint8_t hop6[8] = {17, 0, 5, 2, 0, 0, 1, 0};
static const uint8_t routing6[8] = {17, 0, 0, 1, 0, 0, 0, 0};
static const uint8_t fragment6[8] = {17, 0, 0, 1, 9, 9, 9, 9};

static struct ns_rewrite rules;
static uint8_t in_bytes[2048];
static struct ns_egress_original in;

static void original(size_t length, uint32_t mtu) {
    in.header = in_bytes;
    in.mtu = mtu;
    NS_EQUAL(NS_IP_OK, ns_ip_parse(&in.ip, in_bytes, length, length));
}

static void original4(void) {
    original(udp4(in_bytes, A, 1000, B, 2000, 100), 1500);
}

static void original6(void) {
    original(udp6(in_bytes, A6, 1000, B6, 2000, 100), 1500);
}

static enum ns_egress check4(const char *source, unsigned sport, const char *destination, unsigned dport) {
    uint8_t out[256];

    return ns_egress_check(&in, out, (uint32_t)udp4(out, source, sport, destination, dport, 60), &rules);
}

static enum ns_egress check6(const char *source, unsigned sport, const char *destination, unsigned dport) {
    uint8_t out[256];

    return ns_egress_check(&in, out, (uint32_t)udp6(out, source, sport, destination, dport, 60), &rules);
}

NS_TEST(addresses_and_ports_ipv4) {
    memset(&rules, 0, sizeof rules);
    original4();
    NS_EQUAL(NS_EGRESS_SAME, check4(A, 1000, B, 2000));
    NS_EQUAL(NS_EGRESS_TURNED, check4(B, 2000, A, 1000));
    NS_EQUAL(NS_EGRESS_DENIED, check4(B, 2000, C, 1000)); /* turned to a foreign address */
    NS_EQUAL(NS_EGRESS_DENIED, check4(C, 2000, A, 1000)); /* spoofed source */
    NS_EQUAL(NS_EGRESS_DENIED, check4(C, 1000, B, 2000));
    NS_EQUAL(NS_EGRESS_DENIED, check4(A, 1000, C, 2000));
    NS_EQUAL(NS_EGRESS_DENIED, check4(A, 1000, A, 2000));
    NS_EQUAL(NS_EGRESS_DENIED, check4(B, 2000, B, 1000));
    NS_EQUAL(NS_EGRESS_PORT, check4(A, 1001, B, 2000));
    NS_EQUAL(NS_EGRESS_PORT, check4(A, 1000, B, 53));
    NS_EQUAL(NS_EGRESS_PORT, check4(A, 2000, B, 1000)); /* ports swapped, addresses not */
    NS_EQUAL(NS_EGRESS_PORT, check4(B, 1000, A, 2000)); /* addresses swapped, ports not */
    NS_EQUAL(NS_EGRESS_PORT, check4(B, 2000, A, 1001));
}

NS_TEST(addresses_and_ports_ipv6) {
    memset(&rules, 0, sizeof rules);
    original6();
    NS_EQUAL(NS_EGRESS_SAME, check6(A6, 1000, B6, 2000));
    NS_EQUAL(NS_EGRESS_TURNED, check6(B6, 2000, A6, 1000));
    NS_EQUAL(NS_EGRESS_DENIED, check6(B6, 2000, C6, 1000));
    NS_EQUAL(NS_EGRESS_DENIED, check6(C6, 2000, A6, 1000));
    NS_EQUAL(NS_EGRESS_DENIED, check6("2001:db8:a::2", 1000, B6, 2000)); /* the last byte counts */
    NS_EQUAL(NS_EGRESS_PORT, check6(B6, 1000, A6, 2000));
}

NS_TEST(an_own_pair_may_be_turned_by_its_ports) {
    original(udp4(in_bytes, A, 1000, A, 2000, 100), 1500);
    NS_EQUAL(NS_EGRESS_SAME, check4(A, 1000, A, 2000));
    NS_EQUAL(NS_EGRESS_TURNED, check4(A, 2000, A, 1000));
    NS_EQUAL(NS_EGRESS_PORT, check4(A, 1000, A, 1000));
}

NS_TEST(version_and_protocol) {
    uint8_t out[256];
    size_t n;

    original4();
    NS_EQUAL(NS_EGRESS_PROTO, check6(A6, 1000, B6, 2000));
    n = udp4(out, A, 1000, B, 2000, 60);
    out[9] = 136;
    NS_EQUAL(NS_EGRESS_PROTO, ns_egress_check(&in, out, (uint32_t)n, &rules));
    in_bytes[9] = 1; /* ICMP has no ports, so the addresses decide */
    original(128, 1500);
    n = udp4(out, B, 7, A, 9, 60);
    out[9] = 1;
    NS_EQUAL(NS_EGRESS_TURNED, ns_egress_check(&in, out, (uint32_t)n, &rules));
}

NS_TEST(options_none_or_the_same) {
    uint8_t out[256];

    original4();
    NS_EQUAL(NS_EGRESS_OPTION,
             ns_egress_check(&in, out, (uint32_t)udp4_options(out, A, 1000, B, 2000, 9, alert, 4), &rules));
    original(udp4_options(in_bytes, A, 1000, B, 2000, 100, alert, 4), 1500);
    NS_EQUAL(NS_EGRESS_SAME,
             ns_egress_check(&in, out, (uint32_t)udp4_options(out, A, 1000, B, 2000, 9, alert, 4), &rules));
    NS_EQUAL(NS_EGRESS_OPTION,
             ns_egress_check(&in, out, (uint32_t)udp4_options(out, A, 1000, B, 2000, 9, other_option, 4), &rules));
    NS_EQUAL(NS_EGRESS_SAME, check4(A, 1000, B, 2000));
    original(udp4_options(in_bytes, A, 1000, B, 2000, 100, loose_route, 8), 1500);
    NS_EQUAL(NS_EGRESS_SAME,
             ns_egress_check(&in, out, (uint32_t)udp4_options(out, A, 1000, B, 2000, 9, loose_route, 8), &rules));
    NS_EQUAL(NS_EGRESS_OPTION,
             ns_egress_check(&in, out, (uint32_t)udp4_options(out, B, 2000, A, 1000, 9, loose_route, 8), &rules));
    NS_EQUAL(NS_EGRESS_TURNED, check4(B, 2000, A, 1000));
}

static enum ns_egress chain_out(uint8_t first, const uint8_t *chain) {
    uint8_t out[256];

    return ns_egress_check(&in, out, (uint32_t)udp6_chain(out, A6, 1000, B6, 2000, 9, first, chain, 8), &rules);
}

NS_TEST(extension_headers_none_or_the_same) {
    uint8_t longer[8];

    original6();
    NS_EQUAL(NS_EGRESS_OPTION, chain_out(0, hop6));
    NS_EQUAL(NS_EGRESS_OPTION, chain_out(43, routing6));
    NS_EQUAL(NS_EGRESS_OPTION, chain_out(44, fragment6));
    original(udp6_chain(in_bytes, A6, 1000, B6, 2000, 100, 0, hop6, 8), 1500);
    NS_EQUAL(NS_EGRESS_SAME, chain_out(0, hop6));
    NS_EQUAL(NS_EGRESS_OPTION, chain_out(60, hop6)); /* same bytes, another type */
    memcpy(longer, hop6, 8);
    longer[7] = 1;
    NS_EQUAL(NS_EGRESS_OPTION, chain_out(0, longer));
    NS_EQUAL(NS_EGRESS_SAME, check6(A6, 1000, B6, 2000));
    original(udp6_chain(in_bytes, A6, 1000, B6, 2000, 100, 44, fragment6, 8), 1500);
    NS_EQUAL(NS_EGRESS_SAME, chain_out(44, fragment6));
    NS_EQUAL(NS_EGRESS_OPTION, check6(A6, 1000, B6, 2000)); /* a fragment does not become a whole packet */
}

NS_TEST(fragment_fields_stay) {
    uint8_t out[256];
    size_t n;

    original4();
    for (unsigned word = 0; word < 0x10000; word++) {
        n = udp4(out, A, 1000, B, 2000, 40);
        ns_put16(out + 6, word);
        NS_EQUAL((word & ~0x4000u) == 0, ns_egress_check(&in, out, (uint32_t)n, &rules) == NS_EGRESS_SAME);
    }
    in_bytes[6] = 0x20;
    original(128, 1500);
    NS_EQUAL(NS_EGRESS_OPTION, check4(A, 1000, B, 2000));
}

NS_TEST(length_limits) {
    static uint8_t out[2048];

    original(udp4(in_bytes, A, 1000, B, 2000, 100), 600);
    NS_EQUAL(NS_EGRESS_TURNED, ns_egress_check(&in, out, (uint32_t)udp4(out, B, 2000, A, 1000, 572), &rules));
    NS_EQUAL(NS_EGRESS_TOO_LONG, ns_egress_check(&in, out, (uint32_t)udp4(out, B, 2000, A, 1000, 573), &rules));
    NS_EQUAL(NS_EGRESS_TOO_LONG, ns_egress_check(&in, out, (uint32_t)udp4(out, A, 1000, B, 2000, 573), &rules));
    original(udp4(in_bytes, A, 1000, B, 2000, 1000), 600); /* came longer than the MTU of the way back */
    NS_EQUAL(NS_EGRESS_SAME, ns_egress_check(&in, out, (uint32_t)udp4(out, A, 1000, B, 2000, 1000), &rules));
    NS_EQUAL(NS_EGRESS_TOO_LONG, ns_egress_check(&in, out, (uint32_t)udp4(out, A, 1000, B, 2000, 1001), &rules));
    NS_EQUAL(NS_EGRESS_TOO_LONG, ns_egress_check(&in, out, (uint32_t)udp4(out, B, 2000, A, 1000, 1000), &rules));
    original(udp4(in_bytes, A, 1000, B, 2000, 100), 0); /* unknown */
    NS_EQUAL(NS_EGRESS_TURNED, ns_egress_check(&in, out, (uint32_t)udp4(out, B, 2000, A, 1000, 1252), &rules));
    NS_EQUAL(NS_EGRESS_TOO_LONG, ns_egress_check(&in, out, (uint32_t)udp4(out, B, 2000, A, 1000, 1253), &rules));
}

NS_TEST(bad_packets) {
    uint8_t out[256];
    size_t n = udp4(out, A, 1000, B, 2000, 40);

    original4();
    for (size_t cut = 1; cut < n; cut++)
        NS_EQUAL(NS_EGRESS_BAD_PACKET, ns_egress_check(&in, out, (uint32_t)cut, &rules));
    out[24] = 1; /* UDP length beyond the packet */
    NS_EQUAL(NS_EGRESS_BAD_PACKET, ns_egress_check(&in, out, (uint32_t)n, &rules));
    n = udp4(out, A, 1000, B, 2000, 40);
    ns_put16(out + 26, 0); /* no checksum: allowed over IPv4 */
    NS_EQUAL(NS_EGRESS_SAME, ns_egress_check(&in, out, (uint32_t)n, &rules));
    original6();
    n = udp6(out, A6, 1000, B6, 2000, 40);
    ns_put16(out + 46, 0);
    NS_EQUAL(NS_EGRESS_BAD_PACKET, ns_egress_check(&in, out, (uint32_t)n, &rules));
}

NS_TEST(rewrite_rules) {
    memset(&rules, 0, sizeof rules);
    NS_CHECK(ns_rewrite_add(&rules, "203.0.113.0/24->198.51.100.0/25"));
    NS_CHECK(ns_rewrite_add(&rules, "2001:db8:c::/48->2001:db8:b::2"));
    original4();
    NS_EQUAL(NS_EGRESS_REWRITTEN, check4(C, 7, B, 8));
    NS_EQUAL(NS_EGRESS_REWRITTEN, check4("203.0.113.255", 1000, "198.51.100.127", 2000));
    NS_EQUAL(NS_EGRESS_DENIED, check4("203.0.113.255", 1000, "198.51.100.128", 2000));
    NS_EQUAL(NS_EGRESS_DENIED, check4("203.0.114.0", 1000, "198.51.100.127", 2000));
    NS_EQUAL(NS_EGRESS_DENIED, check4(B, 2000, C, 1000)); /* a rule has one direction */
    original6();
    NS_EQUAL(NS_EGRESS_REWRITTEN, check6(C6, 1, B6, 2));
    NS_EQUAL(NS_EGRESS_DENIED, check6(C6, 1, A6, 2));
}

NS_TEST(rewrite_rules_that_are_none) {
    static const char *const bad[] = {"",
                                      "->",
                                      "192.0.2.0/24",
                                      "192.0.2.0/24->",
                                      "->192.0.2.0/24",
                                      "192.0.2.0/33->192.0.2.0/24",
                                      "192.0.2.0/->192.0.2.1",
                                      "192.0.2.0/+8->192.0.2.1",
                                      "192.0.2.0/24->2001:db8::/32",
                                      "192.0.2/24->192.0.2.0/24",
                                      "::/129->::/0",
                                      "192.0.2.0/24->192.0.2.0/24x",
                                      "192.0.2.0/99999999999999999999->192.0.2.1"};
    struct ns_rewrite none = {.count = 0};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        NS_CHECK(!ns_rewrite_add(&none, bad[i]));
    NS_EQUAL(0, none.count);
    for (int i = 0; i < (int)NS_REWRITE_MAX; i++)
        NS_CHECK(ns_rewrite_add(&none, "0.0.0.0/0->0.0.0.0/0"));
    NS_CHECK(!ns_rewrite_add(&none, "0.0.0.0/0->0.0.0.0/0"));
}

NS_TEST(ttl_and_header_checksum) {
    uint8_t out[256];

    original4();
    udp4(out, B, 2000, A, 1000, 5);
    out[8] = 1;
    ns_egress_finish(NS_EGRESS_TURNED, &in.ip, out);
    NS_EQUAL(64, out[8]);
    NS_EQUAL(0, ns_checksum_finish(ns_checksum_add(0, out, 20)));
    udp4(out, A, 1000, B, 2000, 5);
    out[8] = 255; /* may not grow */
    ns_egress_finish(NS_EGRESS_SAME, &in.ip, out);
    NS_EQUAL(57, out[8]);
    out[8] = 3;
    ns_egress_finish(NS_EGRESS_REWRITTEN, &in.ip, out);
    NS_EQUAL(3, out[8]);
    NS_EQUAL(0, ns_checksum_finish(ns_checksum_add(0, out, 20)));
}

/* Mutated answers: each packet that may leave has a pair of addresses and ports that the table in egress.h allows. */
NS_TEST(fuzz_300000) {
    uint64_t seed = 4711;
    unsigned out_count = 0;

    memset(&rules, 0, sizeof rules);
    original4();
    for (int round = 0; round < 300000; round++) {
        uint8_t out[256];
        size_t n = round % 2 == 0 ? udp4(out, A, 1000, B, 2000, 30) : udp4(out, B, 2000, A, 1000, 30);
        enum ns_egress kind;

        for (unsigned i = (unsigned)(ns_test_random(&seed) % 3); i-- > 0;)
            out[ns_test_random(&seed) % 28] ^= (uint8_t)(1u << ns_test_random(&seed) % 8);
        kind = ns_egress_check(&in, out, (uint32_t)n, &rules);
        if (kind >= NS_EGRESS_BAD_PACKET)
            continue;
        out_count++;
        NS_CHECK(kind == NS_EGRESS_SAME || kind == NS_EGRESS_TURNED);
        NS_EQUAL(0x45, out[0]);
        NS_EQUAL(17, out[9]);
        if (kind == NS_EGRESS_SAME) {
            NS_EQUAL(0, memcmp(out + 12, in_bytes + 12, 12));
        } else {
            NS_EQUAL(0, memcmp(out + 12, in_bytes + 16, 4));
            NS_EQUAL(0, memcmp(out + 16, in_bytes + 12, 4));
            NS_EQUAL(0, memcmp(out + 20, in_bytes + 22, 2));
            NS_EQUAL(0, memcmp(out + 22, in_bytes + 20, 2));
        }
    }
    NS_CHECK(out_count > 100000 && out_count < 290000);
}

int main(void) {
    NS_RUN(addresses_and_ports_ipv4);
    NS_RUN(addresses_and_ports_ipv6);
    NS_RUN(an_own_pair_may_be_turned_by_its_ports);
    NS_RUN(version_and_protocol);
    NS_RUN(options_none_or_the_same);
    NS_RUN(extension_headers_none_or_the_same);
    NS_RUN(fragment_fields_stay);
    NS_RUN(length_limits);
    NS_RUN(bad_packets);
    NS_RUN(rewrite_rules);
    NS_RUN(rewrite_rules_that_are_none);
    NS_RUN(ttl_and_header_checksum);
    NS_RUN(fuzz_300000);
    return ns_test_end();
}
