/* SPDX-License-Identifier: Apache-2.0 */
#include "permit.h"

#include <string.h>

#define TYPE_ERROR 4 /* RFC 5971, section A.1 */

static const uint8_t zeros[16];

bool ns_permit_no_source(const struct ns_endpoints *ends) {
    return memcmp(ends->source, zeros, 16) == 0;
}

bool ns_permit_link_local(uint8_t family, const uint8_t *address) {
    return family == 6 && address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
}

/*
 * Tells whether the address is a single host's. IPv4: not 0/8, 127/8, 224/4, 240/4. IPv6: not ::, ::1, an IPv4
 * address in disguise, ff00::/8.
 */
static bool is_host(uint8_t family, const uint8_t *address) {
    if (family == 4)
        return address[0] != 0 && address[0] != 127 && address[0] < 224 && memcmp(address + 4, zeros, 12) == 0;
    return address[0] != 0xff && memcmp(address, zeros, 10) != 0;
}

enum ns_permit ns_permit_look(const struct ns_endpoints *ends, const uint8_t *payload, size_t length) {
    if (!ns_packet_is_gist(payload, length) || ends->destination_port == 0 ||
        !is_host(ends->family, ends->destination) ||
        !(ns_permit_no_source(ends) || is_host(ends->family, ends->source)))
        return NS_PERMIT_NOT;
    if (ends->interface != 0 && !ns_permit_link_local(ends->family, ends->destination))
        return NS_PERMIT_NOT;
    if (ends->destination_port == NS_GIST_PORT && ns_packet_is_query_mode(payload, length))
        return NS_PERMIT_ANY;
    if (ends->has_rao || (ends->source_port != 0 && ends->source_port != NS_GIST_PORT))
        return NS_PERMIT_NOT;
    return payload[10] == TYPE_ERROR ? NS_PERMIT_ANY : NS_PERMIT_OWN;
}
