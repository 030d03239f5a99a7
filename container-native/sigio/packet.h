/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packet.h - the fields of a datagram that sigio knows, from the queue or a socket, and the kinds of packets of the
 * queue.
 *
 * sigio holds only Q-mode messages. A Q-mode message is a whole IPv4 or IPv6 packet of this form.
 *
 *     IP header | options, or hop-by-hop, routing and destination headers | UDP to port 270, checksum right | payload
 *
 *     payload: 4e 04 bd a5 | version, hops, length16, nslpid16, C+type ... with C = 1
 *
 * It is no fragment, has no AH and no ESP, is not inside a tunnel, and has no source route with segments left. Pure.
 */
#ifndef NS_PACKET_H
#define NS_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_GIST_PORT 270
#define NS_GIST_MAGIC 0x4e04bda5u
#define NS_GIST_LEAST 12u      /* bytes: magic number and common header */
#define NS_PACKET_HEADERS 320u /* longest headers of a held packet, UDP's included */

struct ns_endpoints {
    uint64_t token;     /* names a held packet, or a datagram to send; 0 = none */
    uint32_t interface; /* index, 0 = not known or the kernel's choice */
    uint8_t family;     /* 4 or 6 */
    uint8_t ttl, tclass;
    bool has_rao, local, by_socket;
    uint16_t rao;
    uint16_t mtu;                           /* of the interface, 0 = not known */
    uint16_t source_port, destination_port; /* host order */
    uint32_t flow_label;
    uint8_t source[16], destination[16]; /* network order; IPv4 in the first 4 bytes, then zeros */
};

enum ns_packet_kind {
    NS_PACKET_OTHER,        /* not for us */
    NS_PACKET_FRAGMENT,     /* a fragment of a datagram to port 270, or of an ICMP error */
    NS_PACKET_BAD_CHECKSUM, /* would be for gist, but its checksum is wrong */
    NS_PACKET_GIST,         /* a Q-mode message: all fields of ns_packet */
    NS_PACKET_ICMP,         /* port unreachable for a datagram to port 270: all fields of ns_packet */
};

struct ns_packet {
    struct ns_endpoints ends; /* of the packet, or of the quoted packet (then ttl, tclass and rao are 0) */
    uint16_t header_length;   /* bytes before the payload; GIST only, at most NS_PACKET_HEADERS */
    const uint8_t *payload;   /* UDP payload in the packet, or the quoted part of it */
    uint16_t payload_length;
    uint8_t icmp_type, icmp_code;
    uint8_t offender[16]; /* the sender of the ICMP error, as in ns_endpoints */
};

/*
 * Returns the source as limits count it: an IPv4 address, or the /64 of an IPv6 address, because a host chooses the
 * rest of it. IPv4 and IPv6 never give the same number, because ::/16 is not a source.
 */
uint64_t ns_source_of(const struct ns_endpoints *ends);

/* Looks at a whole packet of `length` bytes. token, interface, local and mtu are left 0. */
enum ns_packet_kind ns_packet_look(struct ns_packet *packet, const uint8_t *bytes, size_t length);

/* Tell whether the payload is a GIST message in D-mode or Q-mode, and whether its C-flag is set. */
bool ns_packet_is_gist(const uint8_t *payload, size_t length);
bool ns_packet_is_query_mode(const uint8_t *payload, size_t length);

/*
 * Writes a held packet with another payload. `headers` has its `header_length` bytes of headers, IP to UDP, as they
 * came. Lengths and checksums are corrected, and all other fields are kept. Returns the packet's length, or 0 if it
 * would be longer than `most` bytes.
 */
size_t ns_packet_rebuild(uint8_t *out, size_t most, const uint8_t *headers, size_t header_length,
                         const uint8_t *payload, size_t length);

#endif
