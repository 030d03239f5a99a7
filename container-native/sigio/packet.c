/* SPDX-License-Identifier: Apache-2.0 */
#include "packet.h"

#include "ns_bytes.h"
#include "ns_checksum.h"
#include "ns_ip.h"
#include "quoted.h"
#include <string.h>

enum { PROTO_HOPOPTS = 0, PROTO_ICMP = 1, PROTO_UDP = 17, PROTO_ROUTING = 43, PROTO_AH = 51, PROTO_ICMPV6 = 58 };

#define IPV4_ROUTER_ALERT 148u /* RFC 2113 */
#define IPV6_ROUTER_ALERT 5u   /* RFC 2711 */
#define UDP_HEADER 8u

static void set_rao(struct ns_endpoints *ends, const uint8_t *value) {
    if (!ends->has_rao)
        ends->rao = ns_get16(value);
    ends->has_rao = true;
}

/* Looks at the IPv4 options. ns_ip_parse has checked that each option ends within [20, end). */
static void look_at_ipv4_options(struct ns_endpoints *ends, const uint8_t *bytes, size_t end) {
    size_t at = 20;

    while (at < end && bytes[at] != 0) {
        if (bytes[at] == 1) {
            at++;
            continue;
        }
        if (bytes[at] == IPV4_ROUTER_ALERT && bytes[at + 1] == 4)
            set_rao(ends, bytes + at + 2);
        at += bytes[at + 1];
    }
}

/*
 * Looks at the options of a hop-by-hop header between `at` and `end`. Returns false if an option does not end there.
 */
static bool look_at_hop_options(struct ns_endpoints *ends, const uint8_t *bytes, size_t at, size_t end) {
    while (at < end) {
        if (bytes[at] == 0) { /* Pad1 */
            at++;
            continue;
        }
        if (end - at < 2 || bytes[at + 1] > end - at - 2)
            return false;
        if (bytes[at] == IPV6_ROUTER_ALERT && bytes[at + 1] == 2)
            set_rao(ends, bytes + at + 2);
        at += 2u + bytes[at + 1];
    }
    return true;
}

/*
 * Looks at the extension headers. ns_ip_parse has checked that the chain ends within header_length. Returns false for
 * a packet that sigio leaves alone.
 */
static bool look_at_extensions(struct ns_endpoints *ends, const uint8_t *bytes, size_t header_length) {
    uint8_t kind = bytes[6];

    for (size_t at = 40; at < header_length;) {
        size_t end = at + ((size_t)bytes[at + 1] + 1) * 8;

        if (kind == PROTO_AH || end > header_length)
            return false;
        if (kind == PROTO_ROUTING && bytes[at + 3] != 0) /* segments left: this destination is not the last */
            return false;
        if (kind == PROTO_HOPOPTS && !look_at_hop_options(ends, bytes, at + 2, end))
            return false;
        kind = bytes[at];
        at = end;
    }
    return true;
}

static bool look_at_header(struct ns_endpoints *ends, const struct ns_ip *ip, const uint8_t *bytes) {
    ends->family = ip->family;
    ends->ttl = ip->hop_limit;
    memcpy(ends->source, ip->source, 16);
    memcpy(ends->destination, ip->destination, 16);
    if (ip->family == 4) {
        ends->tclass = bytes[1];
        look_at_ipv4_options(ends, bytes, ip->header_length);
        return !ip->source_route;
    }
    ends->tclass = (uint8_t)(ns_get16(bytes) >> 4);
    ends->flow_label = (uint32_t)(bytes[1] & 15) << 16 | ns_get16(bytes + 2);
    return look_at_extensions(ends, bytes, ip->header_length);
}

static bool multicast(const struct ns_endpoints *ends) {
    return ends->family == 4 ? ends->destination[0] >= 224 : ends->destination[0] == 0xff;
}

static uint32_t pseudo_header(const uint8_t *bytes, uint8_t protocol, size_t length) {
    uint32_t sum = bytes[0] >> 4 == 4 ? ns_checksum_add(0, bytes + 12, 8) : ns_checksum_add(0, bytes + 8, 32);

    return sum + protocol + (uint32_t)length;
}

/*
 * Checks the UDP checksum. A sum of 0 means that the packet has none, which GIST does not allow (RFC 5971, section
 * 5.3.2).
 */
static bool udp_checksum_right(const uint8_t *bytes, const uint8_t *udp, size_t length) {
    if (udp[6] == 0 && udp[7] == 0)
        return false;
    return ns_checksum_finish(ns_checksum_add(pseudo_header(bytes, PROTO_UDP, length), udp, length)) == 0;
}

bool ns_packet_is_gist(const uint8_t *payload, size_t length) {
    static const uint8_t magic[] = {0x4e, 0x04, 0xbd, 0xa5};

    return length >= NS_GIST_LEAST && memcmp(payload, magic, sizeof magic) == 0;
}

bool ns_packet_is_query_mode(const uint8_t *payload, size_t length) {
    return ns_packet_is_gist(payload, length) && (payload[10] & 0x80) != 0;
}

static enum ns_packet_kind look_at_udp(struct ns_packet *packet, const struct ns_ip *ip, const uint8_t *bytes) {
    const uint8_t *udp = bytes + ip->header_length;
    size_t length = ip->length - ip->header_length;

    if (!ip->has_ports || ip->destination_port != NS_GIST_PORT)
        return NS_PACKET_OTHER;
    if (ip->fragment)
        return NS_PACKET_FRAGMENT;
    if (!look_at_header(&packet->ends, ip, bytes) || multicast(&packet->ends) || ns_get16(udp + 4) != length ||
        ip->header_length + UDP_HEADER > NS_PACKET_HEADERS ||
        !ns_packet_is_query_mode(udp + UDP_HEADER, length - UDP_HEADER))
        return NS_PACKET_OTHER;
    if (!udp_checksum_right(bytes, udp, length))
        return NS_PACKET_BAD_CHECKSUM;
    packet->ends.source_port = ip->source_port;
    packet->ends.destination_port = ip->destination_port;
    packet->header_length = (uint16_t)(ip->header_length + UDP_HEADER);
    packet->payload = udp + UDP_HEADER;
    packet->payload_length = (uint16_t)(length - UDP_HEADER);
    return NS_PACKET_GIST;
}

static enum ns_packet_kind look_at_icmp(struct ns_packet *packet, const struct ns_ip *ip, const uint8_t *bytes) {
    const uint8_t *icmp = bytes + ip->header_length;
    size_t length = ip->length - ip->header_length;
    uint32_t sum = ip->family == 4 ? 0 : pseudo_header(bytes, PROTO_ICMPV6, length);

    if (ip->fragment)
        return NS_PACKET_FRAGMENT;
    if (!ns_quoted_look(packet, ip->family, icmp, length))
        return NS_PACKET_OTHER;
    if (ns_checksum_finish(ns_checksum_add(sum, icmp, length)) != 0)
        return NS_PACKET_BAD_CHECKSUM;
    memcpy(packet->offender, ip->source, 16);
    return NS_PACKET_ICMP;
}

enum ns_packet_kind ns_packet_look(struct ns_packet *packet, const uint8_t *bytes, size_t length) {
    struct ns_ip ip;

    memset(packet, 0, sizeof *packet);
    if (ns_ip_parse(&ip, bytes, length, length) != NS_IP_OK)
        return NS_PACKET_OTHER;
    if (ip.protocol == PROTO_UDP)
        return look_at_udp(packet, &ip, bytes);
    if (ip.protocol == (ip.family == 4 ? PROTO_ICMP : PROTO_ICMPV6))
        return look_at_icmp(packet, &ip, bytes);
    return NS_PACKET_OTHER;
}

size_t ns_packet_rebuild(uint8_t *out, size_t most, const uint8_t *headers, size_t header_length,
                         const uint8_t *payload, size_t length) {
    size_t total = header_length + length;
    uint8_t *udp = out + header_length - UDP_HEADER;

    if (total > most || total > UINT16_MAX)
        return 0;
    memcpy(out, headers, header_length);
    memcpy(out + header_length, payload, length);
    ns_put16(udp + 4, UDP_HEADER + length);
    if (out[0] >> 4 == 4) {
        ns_put16(out + 2, total);
        ns_checksum_ipv4(out, (size_t)(out[0] & 15) * 4);
    } else {
        ns_put16(out + 4, total - 40);
    }
    ns_checksum_udp(out, udp, UDP_HEADER + length);
    return total;
}

uint64_t ns_source_of(const struct ns_endpoints *ends) {
    uint64_t source = 0;

    for (unsigned i = 0; i < (ends->family == 4 ? 4u : 8u); i++)
        source = source << 8 | ends->source[i];
    return source;
}
