/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packets.h - builds packets for tests: network order, right lengths and checksums. All functions return the packet's
 * length.
 */
#ifndef NS_TEST_PACKETS_H
#define NS_TEST_PACKETS_H

#include "ns_bytes.h"
#include "ns_checksum.h"
#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Builds IPv4 with `option_bytes` bytes of options (a multiple of 4, copied from options) and UDP with `data` bytes
 * of 'x'.
 */
static inline size_t udp4_options(uint8_t *p, const char *source, unsigned sport, const char *destination,
                                  unsigned dport, size_t data, const uint8_t *options, size_t option_bytes) {
    size_t header = 20 + option_bytes, length = header + 8 + data;

    memset(p, 0, header + 8);
    p[0] = (uint8_t)(0x40 | header / 4);
    ns_put16(p + 2, (unsigned)length);
    p[6] = 0x40;
    p[8] = 57;
    p[9] = 17;
    inet_pton(AF_INET, source, p + 12);
    inet_pton(AF_INET, destination, p + 16);
    if (option_bytes != 0)
        memcpy(p + 20, options, option_bytes);
    ns_checksum_ipv4(p, header);
    ns_put16(p + header, sport);
    ns_put16(p + header + 2, dport);
    ns_put16(p + header + 4, (unsigned)(8 + data));
    memset(p + header + 8, 'x', data);
    ns_checksum_udp(p, p + header, 8 + data);
    return length;
}

static inline size_t udp4(uint8_t *p, const char *source, unsigned sport, const char *destination, unsigned dport,
                          size_t data) {
    return udp4_options(p, source, sport, destination, dport, data, NULL, 0);
}

/*
 * Builds IPv6 with a chain of extension headers and UDP. `first` is the type of the chain's first header; the chain's
 * own last type must be 17.
 */
static inline size_t udp6_chain(uint8_t *p, const char *source, unsigned sport, const char *destination, unsigned dport,
                                size_t data, uint8_t first, const uint8_t *chain, size_t chain_bytes) {
    size_t header = 40 + chain_bytes, length = header + 8 + data;

    memset(p, 0, header + 8);
    p[0] = 0x60;
    ns_put16(p + 4, (unsigned)(length - 40));
    p[6] = chain_bytes != 0 ? first : 17;
    p[7] = 57;
    inet_pton(AF_INET6, source, p + 8);
    inet_pton(AF_INET6, destination, p + 24);
    if (chain_bytes != 0)
        memcpy(p + 40, chain, chain_bytes);
    ns_put16(p + header, sport);
    ns_put16(p + header + 2, dport);
    ns_put16(p + header + 4, (unsigned)(8 + data));
    memset(p + header + 8, 'x', data);
    ns_checksum_udp(p, p + header, 8 + data);
    return length;
}

static inline size_t udp6(uint8_t *p, const char *source, unsigned sport, const char *destination, unsigned dport,
                          size_t data) {
    return udp6_chain(p, source, sport, destination, dport, data, 17, NULL, 0);
}

#endif
