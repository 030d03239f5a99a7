/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quoted.h - reads the datagram that an ICMP error quotes.
 *
 *     type | code | checksum16 | unused, with the quote's length in it (RFC 4884) |
 *     IP header | UDP header | payload, cut
 */
#ifndef NS_QUOTED_H
#define NS_QUOTED_H

#include "packet.h"

#define NS_QUOTED_MOST 1280u /* bytes of quoted payload that are reported */

/*
 * Reads "port unreachable" of `length` bytes, beginning with the type. `family` is the family of the ICMP version.
 * Fills in type, code and payload, and the family, addresses and ports of the endpoints. Returns false if it is
 * another error, or about anything but UDP to port 270.
 */
bool ns_quoted_look(struct ns_packet *packet, uint8_t family, const uint8_t *icmp, size_t length);

#endif
