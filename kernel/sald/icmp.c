/* SPDX-License-Identifier: Apache-2.0 */
#include "icmp.h"

#include "local.h"
#include "ns_bytes.h"
#include "ns_checksum.h"
#include <stdbool.h>
#include <string.h>

#define HEADER 8u
#define ICMP 1u
#define ICMPV6 58u

/*
 * Type and code, by family and reason (RFC 792; RFC 4443, sections 3.1 and 3.2). IPv6 has "no route" for a host. Both
 * families have the MTU in bytes 6 and 7 (RFC 1191), IPv6 in the lower half of a word.
 */
static const uint16_t codes[2][3] = {{0x0301, 0x0303, 0x0304}, {0x0100, 0x0104, 0x0200}};

size_t ns_sal_icmp_make(uint8_t packet[NS_SAL_ICMP_MAX], enum ns_sal_error_kind what, uint16_t mtu,
                        const struct ns_sal_tuple *inner, uint8_t protocol, const uint8_t quoted[NS_SAL_ICMP_QUOTED]) {
    bool v4 = inner->family == 4;
    size_t header = ns_sal_local_header(inner->family), message = HEADER + header + NS_SAL_ICMP_QUOTED;
    uint8_t *icmp = packet + header, *original = icmp + HEADER;

    ns_sal_local_write(packet, inner->family, v4 ? ICMP : ICMPV6, inner->destination, inner->source, header + message);
    memset(icmp, 0, HEADER);
    ns_put16(icmp, codes[!v4][what]);
    ns_put16(icmp + 6, what == NS_SAL_TOO_BIG ? mtu : 0);
    ns_sal_local_write(original, inner->family, protocol, inner->source, inner->destination, header + 20);
    memcpy(original + header, quoted, NS_SAL_ICMP_QUOTED);
    ns_put16(icmp + 2, ns_checksum_finish(ns_checksum_add(v4 ? 0 : ns_sal_local_sum(packet, ICMPV6, header + message),
                                                          icmp, message)));
    return header + message;
}
