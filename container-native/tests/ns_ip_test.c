/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_ip.h"
#include "ns_test.h"
#include "packets.h"
#include <stdlib.h>

static const uint8_t router_alert[4] = {0x94, 4, 0, 0};
/* hop-by-hop with router alert, then destination options (PadN), then UDP */
static const uint8_t chain6[16] = {60, 0, 5, 2, 0, 0, 1, 0, 17, 0, 1, 4, 0, 0, 0, 0};
static const uint8_t first_fragment6[8] = {17, 0, 0x00, 0x01, 1, 2, 3, 4};
static const uint8_t later_fragment6[8] = {17, 0, 0x01, 0x00, 1, 2, 3, 4};
static const uint8_t routing6[8] = {17, 0, 0, 1, 0, 0, 0, 0};

/* Parses from an exact heap copy, so that ASan sees a read beyond the bytes given. */
static enum ns_ip_status parse(struct ns_ip *ip, const uint8_t *packet, size_t available, size_t length) {
    uint8_t *copy = malloc(available == 0 ? 1 : available);
    enum ns_ip_status status;

    memcpy(copy, packet, available);
    status = ns_ip_parse(ip, copy, available, length);
    free(copy);
    return status;
}

/*
 * Cuts a packet to every length. No cut packet is valid, because the length field contradicts or a header is missing.
 * The same holds for missing bytes.
 */
static void cut(const uint8_t *packet, size_t length) {
    struct ns_ip ip;

    NS_EQUAL(NS_IP_OK, parse(&ip, packet, length, length));
    for (size_t n = 0; n < length; n++)
        NS_CHECK(parse(&ip, packet, n, n) != NS_IP_OK);
    for (size_t n = 0; n < (size_t)ip.header_length + 8; n++)
        NS_EQUAL(NS_IP_UNSEEN, parse(&ip, packet, n, length));
}

NS_TEST(fields_of_udp4) {
    uint8_t p[256];
    size_t n = udp4(p, "192.0.2.1", 5060, "198.51.100.2", 5061, 20);
    struct ns_ip ip;

    NS_EQUAL(NS_IP_OK, parse(&ip, p, n, n));
    NS_EQUAL(4, ip.family);
    NS_EQUAL(17, ip.protocol);
    NS_EQUAL(57, ip.hop_limit);
    NS_EQUAL(20, ip.header_length);
    NS_EQUAL(n, ip.length);
    NS_CHECK(ip.has_ports && !ip.fragment && !ip.source_route);
    NS_EQUAL(5060, ip.source_port);
    NS_EQUAL(5061, ip.destination_port);
    NS_EQUAL(0, memcmp(ip.source, p + 12, 4));
    NS_EQUAL(0, memcmp(ip.destination, p + 16, 4));
}

NS_TEST(every_truncation_is_refused) {
    uint8_t p[256];

    cut(p, udp4(p, "192.0.2.1", 1, "192.0.2.2", 2, 3));
    cut(p, udp4_options(p, "192.0.2.1", 1, "192.0.2.2", 2, 3, router_alert, 4));
    cut(p, udp6(p, "2001:db8::1", 1, "2001:db8::2", 2, 3));
    cut(p, udp6_chain(p, "2001:db8::1", 1, "2001:db8::2", 2, 3, 0, chain6, sizeof chain6));
    cut(p, udp6_chain(p, "2001:db8::1", 1, "2001:db8::2", 2, 3, 44, first_fragment6, 8));
}

NS_TEST(options_of_ipv4) {
    static const struct {
        uint8_t bytes[4];
        enum ns_ip_status status;
        int route;
    } cases[] = {
        {{0x94, 4, 0, 0}, NS_IP_OK, 0},     {{1, 1, 1, 1}, NS_IP_OK, 0},        {{0, 0xff, 0xff, 0xff}, NS_IP_OK, 0},
        {{0x94, 5, 0, 0}, NS_IP_OPTION, 0}, {{0x94, 0, 0, 0}, NS_IP_OPTION, 0}, {{0x94, 1, 0, 0}, NS_IP_OPTION, 0},
        {{1, 1, 1, 0x94}, NS_IP_OPTION, 0}, {{131, 3, 4, 0}, NS_IP_OK, 1},      {{137, 4, 4, 0}, NS_IP_OK, 1},
    };
    uint8_t p[256];
    struct ns_ip ip;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n = udp4_options(p, "192.0.2.1", 1, "192.0.2.2", 2, 0, cases[i].bytes, 4);

        NS_EQUAL(cases[i].status, parse(&ip, p, n, n));
        if (cases[i].status == NS_IP_OK)
            NS_EQUAL(cases[i].route, ip.source_route);
    }
}

NS_TEST(contradicting_lengths) {
    uint8_t p[256], q[256];
    size_t n = udp4(p, "192.0.2.1", 1, "192.0.2.2", 2, 8);
    struct ns_ip ip;

    for (int header = 0; header < 5; header++) {
        memcpy(q, p, n);
        q[0] = (uint8_t)(0x40 | header);
        NS_EQUAL(NS_IP_LENGTH, parse(&ip, q, n, n));
    }
    memcpy(q, p, n);
    ns_put16(q + 2, (unsigned)n + 1);
    NS_EQUAL(NS_IP_LENGTH, parse(&ip, q, n, n));
    for (unsigned udp = 0; udp < 40; udp++) {
        memcpy(q, p, n);
        ns_put16(q + 24, udp);
        NS_EQUAL(udp < 8 || udp > 16 ? NS_IP_LENGTH : NS_IP_OK, parse(&ip, q, n, n));
    }
    memcpy(q, p, n);
    q[0] = 0x55;
    NS_EQUAL(NS_IP_VERSION, parse(&ip, q, n, n));
    n = udp6(q, "2001:db8::1", 1, "2001:db8::2", 2, 8);
    ns_put16(q + 4, 0); /* a jumbogram, which is refused */
    NS_EQUAL(NS_IP_LENGTH, parse(&ip, q, n, n));
}

NS_TEST(tcp_and_protocols_without_ports) {
    uint8_t p[256];
    size_t n = udp4(p, "192.0.2.1", 1000, "192.0.2.2", 2000, 12); /* 20 bytes behind the IP header */
    struct ns_ip ip;

    p[9] = 6;
    p[32] = 0x50;
    NS_EQUAL(NS_IP_OK, parse(&ip, p, n, n));
    NS_CHECK(ip.has_ports && ip.destination_port == 2000);
    p[32] = 0x60;
    NS_EQUAL(NS_IP_LENGTH, parse(&ip, p, n, n));
    p[32] = 0x40;
    NS_EQUAL(NS_IP_LENGTH, parse(&ip, p, n, n));
    p[9] = 1;
    NS_EQUAL(NS_IP_OK, parse(&ip, p, n, n));
    NS_CHECK(!ip.has_ports && ip.source_port == 0);
}

NS_TEST(fragments) {
    uint8_t p[256];
    size_t n = udp4(p, "192.0.2.1", 1, "192.0.2.2", 2, 16);
    struct ns_ip ip;

    p[6] = 0x20; /* first of several fragments; its UDP length may reach beyond */
    ns_put16(p + 24, 4000);
    NS_EQUAL(NS_IP_OK, parse(&ip, p, n, n));
    NS_CHECK(ip.fragment && ip.has_ports && ip.fragment_word == 0x2000);
    p[6] = 0;
    p[7] = 9;
    NS_EQUAL(NS_IP_OK, parse(&ip, p, n, n));
    NS_CHECK(ip.fragment && !ip.has_ports && ip.fragment_word == 9);
    n = udp6_chain(p, "2001:db8::1", 1, "2001:db8::2", 2, 3, 44, first_fragment6, 8);
    NS_EQUAL(NS_IP_OK, parse(&ip, p, n, n));
    NS_CHECK(ip.fragment && ip.has_ports && ip.fragment_word == 1 && ip.header_length == 48);
    n = udp6_chain(p, "2001:db8::1", 1, "2001:db8::2", 2, 3, 44, later_fragment6, 8);
    NS_EQUAL(NS_IP_OK, parse(&ip, p, n, n));
    NS_CHECK(ip.fragment && !ip.has_ports);
}

NS_TEST(extension_headers) {
    uint8_t p[512], chain[96];
    size_t n = udp6_chain(p, "2001:db8::1", 7, "2001:db8::2", 8, 3, 0, chain6, sizeof chain6);
    struct ns_ip ip;

    NS_EQUAL(NS_IP_OK, parse(&ip, p, n, n));
    NS_CHECK(ip.protocol == 17 && ip.header_length == 56 && ip.destination_port == 8 && !ip.source_route);
    n = udp6_chain(p, "2001:db8::1", 7, "2001:db8::2", 8, 3, 43, routing6, 8);
    NS_EQUAL(NS_IP_OK, parse(&ip, p, n, n));
    NS_CHECK(ip.source_route);
    memset(chain, 0, sizeof chain);
    for (int i = 0; i < NS_IP_EXTENSIONS_MAX; i++)
        chain[8 * i] = i == NS_IP_EXTENSIONS_MAX - 1 ? 17 : 60;
    n = udp6_chain(p, "2001:db8::1", 7, "2001:db8::2", 8, 3, 60, chain, 8 * NS_IP_EXTENSIONS_MAX);
    NS_EQUAL(NS_IP_OK, parse(&ip, p, n, n));
    chain[8 * NS_IP_EXTENSIONS_MAX - 8] = 60;
    chain[8 * NS_IP_EXTENSIONS_MAX] = 17;
    n = udp6_chain(p, "2001:db8::1", 7, "2001:db8::2", 8, 3, 60, chain, 8 * NS_IP_EXTENSIONS_MAX + 8);
    NS_EQUAL(NS_IP_OPTION, parse(&ip, p, n, n));
    memcpy(chain, chain6, 16);
    chain[0] = 0; /* a second hop-by-hop header */
    n = udp6_chain(p, "2001:db8::1", 7, "2001:db8::2", 8, 3, 0, chain, 16);
    NS_EQUAL(NS_IP_OPTION, parse(&ip, p, n, n));
    memcpy(chain, chain6, 16);
    chain[9] = 200; /* longer than the packet */
    n = udp6_chain(p, "2001:db8::1", 7, "2001:db8::2", 8, 3, 0, chain, 16);
    NS_EQUAL(NS_IP_TRUNCATED, parse(&ip, p, n, n));
}

/* Parses random bytes: no read out of bounds (ASan), and an accepted packet lies inside the bytes. */
NS_TEST(fuzz_300000) {
    uint64_t seed = 20260101;
    uint8_t p[512];
    unsigned accepted = 0;

    for (int round = 0; round < 300000; round++) {
        size_t n = round % 2 == 0 ? udp4_options(p, "192.0.2.1", 1, "192.0.2.2", 2, 24, router_alert, 4)
                                  : udp6_chain(p, "2001:db8::1", 1, "2001:db8::2", 2, 24, 0, chain6, 16);
        unsigned changes = (unsigned)(ns_test_random(&seed) % 4);
        struct ns_ip ip;

        for (unsigned i = 0; i < changes; i++)
            p[ns_test_random(&seed) % 60] = (uint8_t)ns_test_random(&seed);
        size_t available = ns_test_random(&seed) % 3 == 0 ? (size_t)(ns_test_random(&seed) % (n + 1)) : n;
        if (parse(&ip, p, available, n) == NS_IP_OK) {
            accepted++;
            NS_CHECK(ip.header_length <= n && ip.header_length <= available);
            NS_CHECK(ip.family == 4 || ip.family == 6);
        }
    }
    NS_CHECK(accepted > 30000 && accepted < 270000);
}

NS_TEST(checksums) {
    static const uint8_t header[20] = {0x45, 0, 0,    0x73, 0, 0, 0x40, 0,    0x40, 0x11,
                                       0,    0, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0,    0xc7};
    uint8_t p[64],
        udp[32] = {0x45, [9] = 17, [12] = 192, 0, 2, 1, 198, 51, 100, 7, [22] = 0x13, 0xc4, 0, 12, [28] = 1, 2, 3};

    memcpy(p, header, 20);
    ns_checksum_ipv4(p, 20);
    NS_EQUAL(0xb8, p[10]);
    NS_EQUAL(0x61, p[11]);
    NS_EQUAL(0, ns_checksum_finish(ns_checksum_add(0, p, 20)));
    NS_EQUAL(0xffff - 0x0100, ns_checksum_finish(ns_checksum_add(0, (const uint8_t *)"\x01", 1)));
    ns_checksum_udp(udp, udp + 20, 12);
    memcpy(udp + 20, udp + 26, 2); /* as source port it makes the checksum 0, which would mean that there is none */
    ns_checksum_udp(udp, udp + 20, 12);
    NS_EQUAL(0xff, udp[26]);
    NS_EQUAL(0xff, udp[27]);
}

int main(void) {
    NS_RUN(fields_of_udp4);
    NS_RUN(every_truncation_is_refused);
    NS_RUN(options_of_ipv4);
    NS_RUN(contradicting_lengths);
    NS_RUN(tcp_and_protocols_without_ports);
    NS_RUN(fragments);
    NS_RUN(extension_headers);
    NS_RUN(fuzz_300000);
    NS_RUN(checksums);
    return ns_test_end();
}
