/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the kinds of packets in sigio's eyes, the fields that it reads, and packets rebuilt with another payload. */
#include "../sigio/packet.h"
#include "../sigio/send.h"
#include "ns_test.h"
#include "packets.h"

#include <stdlib.h>

#define PAYLOAD 44u

static const uint8_t rao4[] = {0x94, 4, 0xff, 0xdf};
static const uint8_t rao6[] = {17, 0, 5, 2, 0xff, 0xdf, 1, 0};
static uint8_t bytes[4096];
static struct ns_packet packet;

/* Makes a Q-mode message of the UDP payload at `udp`, which is PAYLOAD bytes long. */
static size_t as_query(size_t length) {
    static const uint8_t head[] = {0x4e, 0x04, 0xbd, 0xa5, 1, 3, 0, 8, 0x7f, 0xc0, 0x80, 0};
    uint8_t *udp = bytes + length - PAYLOAD - 8;

    memcpy(udp + 8, head, sizeof head);
    ns_checksum_udp(bytes, udp, 8 + PAYLOAD);
    return length;
}

static size_t query4(void) {
    size_t length = udp4_options(bytes, "192.0.2.1", 40000, "198.51.100.7", 270, PAYLOAD, rao4, sizeof rao4);

    bytes[1] = 0xb8;
    ns_checksum_ipv4(bytes, 24);
    return as_query(length);
}

static size_t query6_chain(uint8_t first, const uint8_t *chain, size_t chain_bytes) {
    size_t length = udp6_chain(bytes, "2001:db8::1", 40000, "2001:db8:1::2", 270, PAYLOAD, first, chain, chain_bytes);

    bytes[1] = 0x2a;
    bytes[2] = 0xbc;
    bytes[3] = 0xde;
    return as_query(length);
}

static size_t query6(void) {
    return query6_chain(0, rao6, sizeof rao6);
}

/* Looks at a copy of exactly this length, so that a byte read beyond it is found. */
static enum ns_packet_kind look(size_t length) {
    static uint8_t *copy;

    free(copy);
    copy = malloc(length == 0 ? 1 : length);
    memcpy(copy, bytes, length);
    return ns_packet_look(&packet, copy, length);
}

NS_TEST(a_query_is_read_with_all_its_fields) {
    size_t length = query4();

    NS_EQUAL(NS_PACKET_GIST, look(length));
    NS_EQUAL(4, packet.ends.family);
    NS_EQUAL(57, packet.ends.ttl);
    NS_EQUAL(0xb8, packet.ends.tclass);
    NS_CHECK(packet.ends.has_rao);
    NS_EQUAL(0xffdf, packet.ends.rao);
    NS_EQUAL(40000, packet.ends.source_port);
    NS_EQUAL(270, packet.ends.destination_port);
    NS_EQUAL(32, packet.header_length);
    NS_EQUAL(PAYLOAD, packet.payload_length);
    NS_EQUAL(0x4e, packet.payload[0]);
    NS_EQUAL(192, packet.ends.source[0]);
    NS_EQUAL(7, packet.ends.destination[3]);
    NS_EQUAL(0, packet.ends.destination[4]);
    length = query6();
    NS_EQUAL(NS_PACKET_GIST, look(length));
    NS_EQUAL(6, packet.ends.family);
    NS_EQUAL(2, packet.ends.tclass);
    NS_EQUAL(0xabcde, packet.ends.flow_label);
    NS_CHECK(packet.ends.has_rao);
    NS_EQUAL(0xffdf, packet.ends.rao);
    NS_EQUAL(56, packet.header_length);
    length = query6_chain(17, NULL, 0);
    NS_EQUAL(NS_PACKET_GIST, look(length));
    NS_CHECK(!packet.ends.has_rao);
}

NS_TEST(no_shorter_packet_is_a_query) {
    for (int v6 = 0; v6 < 2; v6++) {
        size_t whole = v6 ? query6() : query4();

        for (size_t length = 0; length < whole; length++) {
            whole = v6 ? query6() : query4();
            NS_EQUAL(NS_PACKET_OTHER, look(length)); /* its length field claims more */
            if (length < 40)
                continue;
            ns_put16(bytes + (v6 ? 4 : 2), (unsigned)(v6 ? length - 40 : length)); /* nor with a right length field */
            NS_EQUAL(NS_PACKET_OTHER, look(length));
        }
    }
}

NS_TEST(what_only_looks_like_one_is_left_alone) {
    size_t length = query4();

    bytes[32] ^= 1; /* magic number */
    ns_checksum_udp(bytes, bytes + 24, 8 + PAYLOAD);
    NS_EQUAL(NS_PACKET_OTHER, look(length));
    length = query4();
    bytes[42] &= 0x7f; /* C-flag */
    ns_checksum_udp(bytes, bytes + 24, 8 + PAYLOAD);
    NS_EQUAL(NS_PACKET_OTHER, look(length));
    length = query4();
    ns_put16(bytes + 26, 271);
    ns_checksum_udp(bytes, bytes + 24, 8 + PAYLOAD);
    NS_EQUAL(NS_PACKET_OTHER, look(length));
    length = query4();
    ns_put16(bytes + 28, 8 + PAYLOAD - 1); /* bytes behind the datagram */
    NS_EQUAL(NS_PACKET_OTHER, look(length));
    length = query4();
    bytes[9] = 136; /* UDP-Lite */
    NS_EQUAL(NS_PACKET_OTHER, look(length));
    length = query4();
    memcpy(bytes + 16, "\xe0\0\0\1", 4);
    ns_checksum_udp(bytes, bytes + 24, 8 + PAYLOAD);
    NS_EQUAL(NS_PACKET_OTHER, look(length));
}

NS_TEST(a_wrong_or_missing_checksum_is_told) {
    size_t length = query4();

    bytes[length - 1] ^= 4;
    NS_EQUAL(NS_PACKET_BAD_CHECKSUM, look(length));
    length = query4();
    bytes[30] = bytes[31] = 0;
    NS_EQUAL(NS_PACKET_BAD_CHECKSUM, look(length));
    length = query6();
    bytes[length - 1] ^= 4;
    NS_EQUAL(NS_PACKET_BAD_CHECKSUM, look(length));
}

NS_TEST(fragments_are_told) {
    static const uint8_t atomic[] = {17, 0, 0, 0, 0, 0, 0, 1};
    size_t length = query4();

    bytes[6] = 0x20; /* more fragments follow */
    NS_EQUAL(NS_PACKET_FRAGMENT, look(length));
    length = query6_chain(44, atomic, sizeof atomic);
    NS_EQUAL(NS_PACKET_FRAGMENT, look(length));
    length = query4();
    ns_put16(bytes + 6, 3); /* a later fragment has no ports */
    NS_EQUAL(NS_PACKET_OTHER, look(length));
}

NS_TEST(extension_headers_are_passed_but_not_all) {
    static const uint8_t chain[] = {
        43, 0, 1, 4, 0, 0, 0, 0, /* hop-by-hop, PadN */
        60, 2, 4, 0, 0, 0, 0, 0, /* routing, no segments left, and its address: */
        1,  2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0, 1, 4, 0, 0, 0, 0, /* destination */
    };
    static const uint8_t authentication[] = {17, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    uint8_t changed[sizeof chain], overrun[] = {17, 0, 5, 9, 0, 0, 0, 0};
    size_t length = query6_chain(0, chain, sizeof chain);

    NS_EQUAL(NS_PACKET_GIST, look(length));
    NS_CHECK(!packet.ends.has_rao);
    NS_EQUAL(40 + sizeof chain + 8, packet.header_length);
    memcpy(changed, chain, sizeof chain);
    changed[8 + 3] = 1; /* a segment is left: this is not its final destination */
    length = query6_chain(0, changed, sizeof changed);
    NS_EQUAL(NS_PACKET_OTHER, look(length));
    length = query6_chain(51, authentication, sizeof authentication);
    NS_EQUAL(NS_PACKET_OTHER, look(length));
    length = query6_chain(0, overrun, sizeof overrun); /* an option beyond its header */
    NS_EQUAL(NS_PACKET_OTHER, look(length));
}

NS_TEST(options_other_than_the_alert_do_not_matter) {
    static const uint8_t many[] = {1, 7, 7, 4, 0, 0, 0, 0, 0x94, 4, 0, 5, 0x94, 4, 0, 9, 0, 0, 0, 0};
    static const uint8_t routed[] = {131, 7, 4, 192, 0, 2, 9, 0};
    size_t length = udp4_options(bytes, "192.0.2.1", 270, "198.51.100.7", 270, PAYLOAD, many, sizeof many);

    NS_EQUAL(NS_PACKET_GIST, look(as_query(length)));
    NS_EQUAL(5, packet.ends.rao); /* the first one counts */
    length = udp4_options(bytes, "192.0.2.1", 270, "198.51.100.7", 270, PAYLOAD, routed, sizeof routed);
    NS_EQUAL(NS_PACKET_OTHER, look(as_query(length)));
}

/* --- ICMP --- */

/* Turns the packet in `bytes` into an error that quotes its first `quoted` bytes. */
static size_t error_about(size_t quoted) {
    uint8_t quote[2048];
    bool v4 = bytes[0] >> 4 == 4;
    size_t header = v4 ? 20 : 40, length = header + 8 + quoted;
    uint32_t sum = 0;

    memcpy(quote, bytes, quoted);
    memset(bytes, 0, header + 8);
    bytes[0] = v4 ? 0x45 : 0x60;
    ns_put16(bytes + (v4 ? 2 : 4), (unsigned)(v4 ? length : length - 40));
    bytes[v4 ? 9 : 6] = v4 ? 1 : 58;
    bytes[v4 ? 8 : 7] = 60;
    inet_pton(v4 ? AF_INET : AF_INET6, v4 ? "203.0.113.9" : "2001:db8:9::9", bytes + (v4 ? 12 : 8));
    inet_pton(v4 ? AF_INET : AF_INET6, v4 ? "192.0.2.1" : "2001:db8::1", bytes + (v4 ? 16 : 24));
    bytes[header] = v4 ? 3 : 1;
    bytes[header + 1] = v4 ? 3 : 4;
    memcpy(bytes + header + 8, quote, quoted);
    if (v4)
        ns_checksum_ipv4(bytes, 20);
    else
        sum = ns_checksum_add(58 + (uint32_t)(length - 40), bytes + 8, 32);
    ns_put16(bytes + header + 2, ns_checksum_finish(ns_checksum_add(sum, bytes + header, length - header)));
    return length;
}

NS_TEST(errors_tell_what_they_are_about) {
    size_t quoted = query4();

    NS_EQUAL(NS_PACKET_ICMP, look(error_about(quoted)));
    NS_EQUAL(3, packet.icmp_type);
    NS_EQUAL(3, packet.icmp_code);
    NS_EQUAL(40000, packet.ends.source_port);
    NS_EQUAL(198, packet.ends.destination[0]);
    NS_EQUAL(203, packet.offender[0]);
    NS_EQUAL(PAYLOAD, packet.payload_length);
    NS_EQUAL(0x4e, packet.payload[0]);
    NS_EQUAL(0, packet.ends.ttl);
    quoted = query6();
    NS_EQUAL(NS_PACKET_ICMP, look(error_about(quoted)));
    NS_EQUAL(1, packet.icmp_type);
    NS_EQUAL(4, packet.icmp_code);
    NS_EQUAL(9, packet.offender[15]);
    NS_EQUAL(PAYLOAD, packet.payload_length);
}

NS_TEST(a_quote_may_end_anywhere_behind_the_ports) {
    for (int v6 = 0; v6 < 2; v6++) {
        size_t headers = v6 ? 56 : 32;

        for (size_t quoted = 0; quoted <= headers + PAYLOAD; quoted++) {
            size_t length;

            if (v6)
                query6();
            else
                query4();
            length = error_about(quoted);
            NS_EQUAL(quoted < headers ? NS_PACKET_OTHER : NS_PACKET_ICMP, look(length));
            if (quoted >= headers)
                NS_EQUAL(quoted - headers, packet.payload_length);
        }
    }
}

NS_TEST(other_errors_and_other_quotes_are_left_alone) {
    size_t quoted = query4(), length = error_about(quoted);

    bytes[21] = 1; /* host unreachable */
    NS_EQUAL(NS_PACKET_OTHER, look(length));
    quoted = query4();
    ns_put16(bytes + 26, 271);
    NS_EQUAL(NS_PACKET_OTHER, look(error_about(quoted)));
    quoted = query4();
    ns_put16(bytes + 6, 5); /* a later fragment has no ports */
    NS_EQUAL(NS_PACKET_OTHER, look(error_about(quoted)));
    quoted = query4();
    length = error_about(quoted);
    bytes[length - 1] ^= 1;
    NS_EQUAL(NS_PACKET_BAD_CHECKSUM, look(length));
}

NS_TEST(noise_is_read_within_its_bounds) {
    uint64_t seed = 270;
    unsigned gist = 0, icmp = 0;

    for (int i = 0; i < 200000; i++) {
        size_t length = i % 2 ? query6() : query4();

        if (i % 4 >= 2)
            length = error_about(length);
        for (unsigned n = ns_test_random(&seed) % 6; n > 0; n--)
            bytes[ns_test_random(&seed) % length] = (uint8_t)ns_test_random(&seed);
        if (ns_test_random(&seed) % 3 == 0)
            length = ns_test_random(&seed) % (length + 1);
        switch (look(length)) {
        case NS_PACKET_GIST:
            gist++;
            NS_CHECK(packet.header_length <= NS_PACKET_HEADERS &&
                     packet.header_length + packet.payload_length == (int)length);
            break;
        case NS_PACKET_ICMP:
            icmp++;
            break;
        default:
            break;
        }
    }
    NS_CHECK(gist > 1000 && icmp > 1000);
}

/* --- with another payload --- */

NS_TEST(a_rebuilt_packet_is_a_right_one) {
    uint8_t headers[NS_PACKET_HEADERS], out[4096], payload[2000];

    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)i;
    memcpy(payload, "\x4e\x04\xbd\xa5\1\3\0\x08\x7f\xc0\x80", 11);
    for (int v6 = 0; v6 < 2; v6++) {
        for (size_t length = 12; length < sizeof payload; length += 97) {
            size_t header, total;

            NS_EQUAL(NS_PACKET_GIST, look(v6 ? query6() : query4()));
            header = packet.header_length;
            memcpy(headers, bytes, header);
            total = ns_packet_rebuild(out, sizeof out, headers, header, payload, length);
            NS_EQUAL(header + length, total);
            NS_EQUAL(0, memcmp(out + header, payload, length));
            memcpy(bytes, out, total);
            NS_EQUAL(NS_PACKET_GIST, look(total)); /* lengths and the UDP checksum are right */
            NS_EQUAL(0xffdf, packet.ends.rao);
            NS_EQUAL(57, packet.ends.ttl);
            NS_CHECK(v6 || ns_checksum_finish(ns_checksum_add(0, out, 24)) == 0);
            NS_EQUAL(0, ns_packet_rebuild(out, total - 1, headers, header, payload, length));
        }
    }
}

NS_TEST(what_is_sent_is_what_was_told) {
    struct ns_endpoints ends = {.family = 4,
                                .tclass = 0xb8,
                                .has_rao = true,
                                .rao = 0xffdf,
                                .destination_port = 270,
                                .source = {192, 0, 2, 1},
                                .destination = {198, 51, 100, 7}};
    uint8_t payload[PAYLOAD] = {0x4e, 0x04, 0xbd, 0xa5, [10] = 0x80};
    size_t length = ns_send_build(bytes, &ends, payload, sizeof payload);

    NS_EQUAL(24 + 8 + PAYLOAD, length);
    NS_EQUAL(NS_PACKET_GIST, look(length));
    NS_EQUAL(64, packet.ends.ttl); /* 0 stands for 64 and 270 */
    NS_EQUAL(270, packet.ends.source_port);
    NS_EQUAL(0xffdf, packet.ends.rao);
    NS_EQUAL(0xb8, packet.ends.tclass);
    NS_EQUAL(0x40, bytes[6]);
    ends = (struct ns_endpoints){.family = 6,
                                 .ttl = 255,
                                 .tclass = 0x21,
                                 .flow_label = 0xfffff,
                                 .source_port = 40000,
                                 .destination_port = 270,
                                 .source = {0x20, 1},
                                 .destination = {0x20, 1, [15] = 2}};
    length = ns_send_build(bytes, &ends, payload, sizeof payload);
    NS_EQUAL(40 + 8 + PAYLOAD, length);
    NS_EQUAL(NS_PACKET_GIST, look(length));
    NS_EQUAL(255, packet.ends.ttl);
    NS_EQUAL(0x21, packet.ends.tclass);
    NS_EQUAL(0xfffff, packet.ends.flow_label);
    NS_EQUAL(40000, packet.ends.source_port);
    NS_CHECK(!packet.ends.has_rao);
}

int main(void) {
    NS_RUN(a_query_is_read_with_all_its_fields);
    NS_RUN(no_shorter_packet_is_a_query);
    NS_RUN(what_only_looks_like_one_is_left_alone);
    NS_RUN(a_wrong_or_missing_checksum_is_told);
    NS_RUN(fragments_are_told);
    NS_RUN(extension_headers_are_passed_but_not_all);
    NS_RUN(options_other_than_the_alert_do_not_matter);
    NS_RUN(errors_tell_what_they_are_about);
    NS_RUN(a_quote_may_end_anywhere_behind_the_ports);
    NS_RUN(other_errors_and_other_quotes_are_left_alone);
    NS_RUN(noise_is_read_within_its_bounds);
    NS_RUN(a_rebuilt_packet_is_a_right_one);
    NS_RUN(what_is_sent_is_what_was_told);
    return ns_test_end();
}
