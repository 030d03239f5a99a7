/* SPDX-License-Identifier: Apache-2.0 */
/* ns_checksum.h - the Internet checksum (RFC 1071) over bytes in network order; results are in host order. */
#ifndef NS_CHECKSUM_H
#define NS_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Adds bytes to a running sum. Begin with 0; every piece but the last has an even length; at most 64 KiB in all. */
uint32_t ns_checksum_add(uint32_t sum, const uint8_t *bytes, size_t length);

/* The checksum field for the bytes added. */
uint16_t ns_checksum_finish(uint32_t sum);

/* Writes the header checksum of an IPv4 header of header_length bytes (20..60). */
void ns_checksum_ipv4(uint8_t *header, size_t header_length);

/*
 * Writes the UDP checksum of an IPv4 or IPv6 packet; udp points
 * into it, length is that of header and data (8..65535).
 */
void ns_checksum_udp(const uint8_t *packet, uint8_t *udp, size_t length);

#endif
