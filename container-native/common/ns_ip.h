/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_ip.h - reads the headers of one IPv4 or IPv6 packet. All
 * doubts about lengths are settled here; nobody checks again.
 *
 *   packet   | IP header | options or extension headers | upper-layer header | data |
 *            0           20 / 40                        header_length               length
 *            |<-------------- available bytes ----------------->|                         available <= length
 */
#ifndef NS_IP_H
#define NS_IP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_IP_EXTENSIONS_MAX 8 /* extension headers in a chain that we follow */

enum ns_ip_status {
    NS_IP_OK = 0,
    NS_IP_TRUNCATED, /* a header does not fit into the packet */
    NS_IP_VERSION,   /* neither IPv4 nor IPv6 */
    NS_IP_LENGTH,    /* a length field contradicts another length */
    NS_IP_OPTION,    /* a malformed IPv4 option, or extension headers out of order or too many */
    NS_IP_UNSEEN,    /* the headers reach beyond the available bytes */
};

struct ns_ip {
    uint8_t family;         /* 4 or 6 */
    uint8_t protocol;       /* of the upper layer, behind all extension headers */
    uint8_t hop_limit;      /* TTL or hop limit */
    bool has_ports;         /* the upper layer has ports, and they are in this packet (not in a later fragment) */
    bool fragment;          /* one of several, or an IPv6 atomic fragment */
    bool source_route;      /* IPv4 loose or strict source route, or an IPv6 routing header */
    uint16_t header_length; /* offset of the upper-layer header, bytes */
    uint16_t fragment_word; /* IPv4: flags and offset without DF; IPv6: offset and M; as on the wire, host order */
    uint16_t source_port, destination_port; /* host order, 0 without ports */
    uint32_t length;                        /* of the whole packet, bytes */
    uint8_t source[16], destination[16];    /* network order; IPv4 in the first 4 bytes, then zeros */
};

/*
 * Reads the first `available` bytes of a packet of `length` bytes. The packet's own length field must equal `length`.
 * The length of a UDP datagram or of a TCP header must not reach beyond it (the datagram may end before), unless the
 * packet is a fragment. On failure `ip` is undefined. Reads no byte but the available.
 */
enum ns_ip_status ns_ip_parse(struct ns_ip *ip, const uint8_t *packet, size_t available, size_t length);

/* Bytes of an address of this family. */
static inline size_t ns_ip_address_bytes(uint8_t family) {
    return family == 4 ? 4 : 16;
}

#endif
