/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_ip.h"
#include "ns_bytes.h"

#include <string.h>

enum { PROTO_HOPOPTS = 0, PROTO_TCP = 6, PROTO_UDP = 17, PROTO_DCCP = 33, PROTO_ROUTING = 43, PROTO_FRAGMENT = 44 };
enum { PROTO_AH = 51, PROTO_DSTOPTS = 60, PROTO_SCTP = 132, PROTO_UDPLITE = 136 };

#define IPV4_DF 0x4000u
#define OPTION_END 0u
#define OPTION_NOP 1u
#define OPTION_LSRR 131u
#define OPTION_SSRR 137u

/* The bytes we may read, and how long the packet truly is. */
struct cursor {
    const uint8_t *bytes;
    size_t available, length;
};

/* May bytes [0, end) be read? */
static enum ns_ip_status need(const struct cursor *c, size_t end) {
    if (end > c->length)
        return NS_IP_TRUNCATED;
    return end > c->available ? NS_IP_UNSEEN : NS_IP_OK;
}

/* Options lie between byte 20 and `end`, which has been checked. RFC 791, section 3.1. */
static enum ns_ip_status ipv4_options(struct ns_ip *ip, const struct cursor *c, size_t end) {
    size_t at = 20;

    while (at < end && c->bytes[at] != OPTION_END) {
        uint8_t kind = c->bytes[at];

        if (kind == OPTION_NOP) {
            at++;
            continue;
        }
        if (end - at < 2 || c->bytes[at + 1] < 2 || c->bytes[at + 1] > end - at)
            return NS_IP_OPTION;
        if (kind == OPTION_LSRR || kind == OPTION_SSRR)
            ip->source_route = true;
        at += c->bytes[at + 1];
    }
    return NS_IP_OK;
}

static enum ns_ip_status ipv4_header(struct ns_ip *ip, const struct cursor *c) {
    enum ns_ip_status status = need(c, 20);
    size_t header;

    if (status != NS_IP_OK)
        return status;
    header = (size_t)(c->bytes[0] & 15) * 4;
    if (header < 20)
        return NS_IP_LENGTH;
    if ((status = need(c, header)) != NS_IP_OK)
        return status;
    if (ns_get16(c->bytes + 2) != c->length)
        return NS_IP_LENGTH;
    ip->header_length = (uint16_t)header;
    ip->fragment_word = (uint16_t)(ns_get16(c->bytes + 6) & ~IPV4_DF);
    ip->fragment = (ip->fragment_word & 0x3fff) != 0;
    ip->hop_limit = c->bytes[8];
    ip->protocol = c->bytes[9];
    memcpy(ip->source, c->bytes + 12, 4);
    memcpy(ip->destination, c->bytes + 16, 4);
    return ipv4_options(ip, c, header);
}

/*
 * Length of the extension header at `at`; its first 8 bytes may be read. RFC 8200, section 4; RFC 4302, section 2.2.
 */
static size_t extension_length(uint8_t kind, const uint8_t *at) {
    switch (kind) {
    case PROTO_FRAGMENT:
        return 8;
    case PROTO_AH:
        return ((size_t)at[1] + 2) * 4;
    default:
        return ((size_t)at[1] + 1) * 8;
    }
}

static bool is_extension(uint8_t kind) {
    return kind == PROTO_HOPOPTS || kind == PROTO_ROUTING || kind == PROTO_FRAGMENT || kind == PROTO_DSTOPTS ||
           kind == PROTO_AH;
}

static enum ns_ip_status ipv6_extensions(struct ns_ip *ip, const struct cursor *c) {
    size_t at = 40;

    for (int n = 0; is_extension(ip->protocol); n++) {
        uint8_t kind = ip->protocol;
        enum ns_ip_status status = need(c, at + 8);
        size_t length;

        if (n == NS_IP_EXTENSIONS_MAX || (kind == PROTO_HOPOPTS && n != 0) || (kind == PROTO_FRAGMENT && ip->fragment))
            return NS_IP_OPTION;
        if (status != NS_IP_OK)
            return status;
        length = extension_length(kind, c->bytes + at);
        if ((status = need(c, at + length)) != NS_IP_OK)
            return status;
        if (kind == PROTO_ROUTING)
            ip->source_route = true;
        if (kind == PROTO_FRAGMENT) {
            ip->fragment = true;
            ip->fragment_word = (uint16_t)(ns_get16(c->bytes + at + 2) & 0xfff9);
        }
        ip->protocol = c->bytes[at];
        at += length;
        if (kind == PROTO_FRAGMENT && (ip->fragment_word & 0xfff8) != 0)
            break; /* a later fragment: no header begins behind it */
    }
    ip->header_length = (uint16_t)at;
    return NS_IP_OK;
}

static enum ns_ip_status ipv6_header(struct ns_ip *ip, const struct cursor *c) {
    enum ns_ip_status status = need(c, 40);

    if (status != NS_IP_OK)
        return status;
    if ((size_t)ns_get16(c->bytes + 4) + 40 != c->length)
        return NS_IP_LENGTH;
    ip->protocol = c->bytes[6];
    ip->hop_limit = c->bytes[7];
    memcpy(ip->source, c->bytes + 8, 16);
    memcpy(ip->destination, c->bytes + 24, 16);
    return ipv6_extensions(ip, c);
}

/* Does the packet carry data of a later fragment, that is, no upper-layer header? */
static bool later_fragment(const struct ns_ip *ip) {
    return (ip->fragment_word & (ip->family == 4 ? 0x1fff : 0xfff8)) != 0;
}

/* Fixed part of the upper-layer header, bytes; 0 = a protocol without ports. */
static size_t ported_header(uint8_t protocol) {
    switch (protocol) {
    case PROTO_TCP:
        return 20;
    case PROTO_UDP:
    case PROTO_UDPLITE:
        return 8;
    case PROTO_SCTP:
    case PROTO_DCCP:
        return 12;
    default:
        return 0;
    }
}

static enum ns_ip_status upper_header(struct ns_ip *ip, const struct cursor *c) {
    const uint8_t *at = c->bytes + ip->header_length;
    size_t fixed = ported_header(ip->protocol);
    size_t rest = c->length - ip->header_length;
    enum ns_ip_status status;

    if (fixed == 0 || later_fragment(ip))
        return NS_IP_OK;
    if ((status = need(c, ip->header_length + fixed)) != NS_IP_OK)
        return status;
    if (ip->protocol == PROTO_UDP && (ns_get16(at + 4) < 8 || (ns_get16(at + 4) > rest && !ip->fragment)))
        return NS_IP_LENGTH;
    if (ip->protocol == PROTO_TCP && ((at[12] >> 4) < 5 || ((size_t)(at[12] >> 4) * 4 > rest && !ip->fragment)))
        return NS_IP_LENGTH;
    ip->has_ports = true;
    ip->source_port = ns_get16(at);
    ip->destination_port = ns_get16(at + 2);
    return NS_IP_OK;
}

enum ns_ip_status ns_ip_parse(struct ns_ip *ip, const uint8_t *packet, size_t available, size_t length) {
    struct cursor c = {.bytes = packet, .available = available < length ? available : length, .length = length};
    enum ns_ip_status status = need(&c, 1);

    if (status != NS_IP_OK)
        return status;
    memset(ip, 0, sizeof *ip);
    ip->family = packet[0] >> 4;
    ip->length = (uint32_t)length;
    if (ip->family == 4)
        status = ipv4_header(ip, &c);
    else if (ip->family == 6)
        status = ipv6_header(ip, &c);
    else
        status = NS_IP_VERSION;
    return status == NS_IP_OK ? upper_header(ip, &c) : status;
}
