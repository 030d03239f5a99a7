/* SPDX-License-Identifier: Apache-2.0 */
#include "quoted.h"
#include "ns_bytes.h"

#include <string.h>

enum { PROTO_HOPOPTS = 0, PROTO_UDP = 17, PROTO_ROUTING = 43, PROTO_DSTOPTS = 60 };

#define ICMP_HEADER 8u
#define EXTENSIONS_MOST 8

/*
 * Returns the number of quoted bytes: all, or as many as the length field tells. The field counts words of 4 bytes
 * (IPv4) or 8 (IPv6), and 0 means that it tells nothing.
 */
static size_t quote_length(uint8_t family, const uint8_t *icmp, size_t length) {
    size_t told = family == 4 ? icmp[5] * 4u : icmp[4] * 8u;

    length -= ICMP_HEADER;
    return told != 0 && told < length ? told : length;
}

/* Returns the offset of the UDP header behind a quoted IPv4 header, or 0 if there is none. */
static size_t ipv4_quote(struct ns_endpoints *ends, const uint8_t *quote, size_t length) {
    size_t header;

    if (length < 20 || quote[0] >> 4 != 4 || quote[9] != PROTO_UDP || (ns_get16(quote + 6) & 0x1fff) != 0)
        return 0;
    header = (size_t)(quote[0] & 15) * 4;
    memcpy(ends->source, quote + 12, 4);
    memcpy(ends->destination, quote + 16, 4);
    return header < 20 ? 0 : header;
}

static size_t ipv6_quote(struct ns_endpoints *ends, const uint8_t *quote, size_t length) {
    size_t at = 40;
    uint8_t kind;

    if (length < 40 || quote[0] >> 4 != 6)
        return 0;
    kind = quote[6];
    for (int n = 0; kind == PROTO_HOPOPTS || kind == PROTO_ROUTING || kind == PROTO_DSTOPTS; n++) {
        if (n == EXTENSIONS_MOST || length - at < 8)
            return 0;
        kind = quote[at];
        at += ((size_t)quote[at + 1] + 1) * 8;
        if (at > length)
            return 0;
    }
    memcpy(ends->source, quote + 8, 16);
    memcpy(ends->destination, quote + 24, 16);
    return kind == PROTO_UDP ? at : 0;
}

static bool port_unreachable(uint8_t family, const uint8_t *icmp) {
    return family == 4 ? icmp[0] == 3 && icmp[1] == 3 : icmp[0] == 1 && icmp[1] == 4;
}

bool ns_quoted_look(struct ns_packet *packet, uint8_t family, const uint8_t *icmp, size_t length) {
    const uint8_t *quote = icmp + ICMP_HEADER;
    size_t quoted, udp, rest;

    if (length < ICMP_HEADER || !port_unreachable(family, icmp))
        return false;
    quoted = quote_length(family, icmp, length);
    udp = family == 4 ? ipv4_quote(&packet->ends, quote, quoted) : ipv6_quote(&packet->ends, quote, quoted);
    if (udp == 0 || udp > quoted || quoted - udp < 8 || ns_get16(quote + udp + 2) != NS_GIST_PORT)
        return false;
    rest = quoted - udp - 8;
    if (ns_get16(quote + udp + 4) < 8u + rest) /* the quote may end with padding */
        rest = ns_get16(quote + udp + 4) < 8 ? 0 : ns_get16(quote + udp + 4) - 8u;
    packet->ends.family = family;
    packet->ends.source_port = ns_get16(quote + udp);
    packet->ends.destination_port = NS_GIST_PORT;
    packet->icmp_type = icmp[0];
    packet->icmp_code = icmp[1];
    packet->payload = quote + udp + 8;
    packet->payload_length = (uint16_t)(rest > NS_QUOTED_MOST ? NS_QUOTED_MOST : rest);
    return true;
}
