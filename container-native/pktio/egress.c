/* SPDX-License-Identifier: Apache-2.0 */
#include "egress.h"

#include "ns_checksum.h"
#include <string.h>

enum { PROTO_UDP = 17 };

#define MTU_UNKNOWN 1280u /* each IPv6 link carries it, RFC 8200, section 5; so does nearly each IPv4 link */

static bool same_pair(const struct ns_ip *a, const struct ns_ip *b) {
    return memcmp(a->source, b->source, 16) == 0 && memcmp(a->destination, b->destination, 16) == 0;
}

static bool swapped_pair(const struct ns_ip *a, const struct ns_ip *b) {
    return memcmp(a->source, b->destination, 16) == 0 && memcmp(a->destination, b->source, 16) == 0;
}

static bool same_ports(const struct ns_ip *a, const struct ns_ip *b) {
    return a->source_port == b->source_port && a->destination_port == b->destination_port;
}

static bool swapped_ports(const struct ns_ip *a, const struct ns_ip *b) {
    return a->source_port == b->destination_port && a->destination_port == b->source_port;
}

/*
 * Classifies a changed packet by its addresses and ports. An address pair of equal source and destination is the same
 * and swapped at once.
 */
static enum ns_egress classify(const struct ns_ip *in, const struct ns_ip *out, const struct ns_rewrite *rewrite) {
    bool same = same_pair(in, out), swapped = swapped_pair(in, out);

    if (same && same_ports(in, out))
        return NS_EGRESS_SAME;
    if (swapped && swapped_ports(in, out))
        return NS_EGRESS_TURNED;
    if (ns_rewrite_allows(rewrite, out))
        return NS_EGRESS_REWRITTEN;
    return same || swapped ? NS_EGRESS_PORT : NS_EGRESS_DENIED;
}

/* Allows no options or extension headers, or the original's byte for byte, the type of the first one included. */
static bool options_allowed(const struct ns_egress_original *original, const struct ns_ip *out, const uint8_t *packet) {
    const struct ns_ip *in = &original->ip;
    size_t base = out->family == 4 ? 20 : 40;

    if (in->fragment_word != out->fragment_word || in->fragment != out->fragment)
        return false;
    if (out->header_length == base)
        return true;
    if (in->header_length != out->header_length ||
        memcmp(original->header + base, packet + base, out->header_length - base))
        return false;
    return out->family == 4 || original->header[6] == packet[6];
}

static bool udp_checksum_missing(const struct ns_ip *out, const uint8_t *packet) {
    const uint8_t *udp = packet + out->header_length;

    return out->family == 6 && out->protocol == PROTO_UDP && out->has_ports && udp[6] == 0 && udp[7] == 0;
}

/*
 * Returns the greatest length for this packet. A turned packet leaves by the interface it came in on. Any other
 * packet may always be as long as the original.
 */
static uint32_t length_limit(const struct ns_egress_original *original, enum ns_egress kind) {
    uint32_t mtu = original->mtu != 0 ? original->mtu : MTU_UNKNOWN;

    return kind == NS_EGRESS_TURNED || original->ip.length < mtu ? mtu : original->ip.length;
}

enum ns_egress ns_egress_check(const struct ns_egress_original *original, const uint8_t *packet, uint32_t length,
                               const struct ns_rewrite *rewrite) {
    const struct ns_ip *in = &original->ip;
    struct ns_ip out;
    enum ns_egress kind;

    if (ns_ip_parse(&out, packet, length, length) != NS_IP_OK)
        return NS_EGRESS_BAD_PACKET;
    if (in->family != out.family || in->protocol != out.protocol)
        return NS_EGRESS_PROTO;
    if (!options_allowed(original, &out, packet))
        return NS_EGRESS_OPTION;
    if (udp_checksum_missing(&out, packet))
        return NS_EGRESS_BAD_PACKET;
    kind = classify(in, &out, rewrite);
    if (kind >= NS_EGRESS_BAD_PACKET)
        return kind;
    if (kind == NS_EGRESS_TURNED && out.source_route)
        return NS_EGRESS_OPTION; /* the route would lead the packet past the address that was checked */
    if (length > length_limit(original, kind))
        return NS_EGRESS_TOO_LONG;
    return kind;
}

void ns_egress_finish(enum ns_egress kind, const struct ns_ip *original, uint8_t *packet) {
    bool v4 = original->family == 4;
    uint8_t *ttl = packet + (v4 ? 8 : 7);

    if (kind == NS_EGRESS_TURNED)
        *ttl = NS_EGRESS_TTL;
    else if (*ttl > original->hop_limit)
        *ttl = original->hop_limit; /* else a module could keep a packet on the road for ever */
    if (v4)
        ns_checksum_ipv4(packet, (size_t)(packet[0] & 15) * 4);
}
