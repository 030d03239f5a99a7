/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress.h - decides whether a packet that a module has changed may leave the node. A pure function over two private
 * copies.
 *
 *     addresses            ports                 kind          TTL                      way on
 *     as they came         as they came          same          never more than it was   accepted.
 *     exactly swapped      swapped too           turned        64                       repeated, turned mark.
 *     by a rewrite rule    free                  rewritten     never more than it was   accepted.
 *     anything else        -                     refused       -                        the original is accepted.
 *
 * In each case IP version, upper-layer protocol and fragment fields are as they were, and lengths are valid. IPv4
 * options and IPv6 extension headers are absent, or equal to the original's byte for byte. A UDP checksum of 0 over
 * IPv6 is refused (RFC 8200, 8.1).
 */
#ifndef NS_EGRESS_H
#define NS_EGRESS_H

#include "ns_ip.h"
#include "rewrite.h"
#include <stdint.h>

#define NS_EGRESS_TTL 64u

enum ns_egress {
    NS_EGRESS_SAME,
    NS_EGRESS_TURNED,
    NS_EGRESS_REWRITTEN,
    NS_EGRESS_BAD_PACKET, /* from here on: refused, one value per counter */
    NS_EGRESS_DENIED,
    NS_EGRESS_PORT,
    NS_EGRESS_PROTO,
    NS_EGRESS_OPTION,
    NS_EGRESS_TOO_LONG,
};

/*
 * The packet as it came: its parsed headers, and their bytes (header.length bytes up to the upper layer are there).
 */
struct ns_egress_original {
    struct ns_ip ip;
    const uint8_t *header;
    uint32_t mtu; /* of the interface it came in on, bytes; 0 = unknown */
};

/* Checks a changed packet. `packet` holds `length` bytes and is private to the caller. */
enum ns_egress ns_egress_check(const struct ns_egress_original *original, const uint8_t *packet, uint32_t length,
                               const struct ns_rewrite *rewrite);

/* Sets TTL and IPv4 header checksum of a packet that has passed the check with result `kind`. */
void ns_egress_finish(enum ns_egress kind, const struct ns_ip *original, uint8_t *packet);

#endif
