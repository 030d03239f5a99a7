/* SPDX-License-Identifier: Apache-2.0 */
/* local.h - the IP header of packets that sald makes for the local stack. */
#ifndef NS_SALD_LOCAL_H
#define NS_SALD_LOCAL_H

#include <stddef.h>
#include <stdint.h>

/* Returns the bytes of the header. */
static inline size_t ns_sal_local_header(unsigned family) {
    return family == 4 ? 20 : 40;
}

/*
 * Writes the IP header of a packet of `length` bytes, with TTL 64 and no fragments. Addresses are in network order;
 * IPv4 is in the first word. Returns its bytes.
 */
size_t ns_sal_local_write(uint8_t *packet, unsigned family, uint8_t protocol, const uint32_t *source,
                          const uint32_t *destination, size_t length);

/* Returns the sum of the pseudo-header of a packet that has a header as above, for the checksum of its transport. */
uint32_t ns_sal_local_sum(const uint8_t *packet, uint8_t protocol, size_t length);

#endif
