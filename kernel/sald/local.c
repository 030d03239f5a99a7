/* SPDX-License-Identifier: Apache-2.0 */
#include "local.h"

#include "ns_bytes.h"
#include "ns_checksum.h"
#include <stdbool.h>
#include <string.h>

#define TTL 64u
#define DONT_FRAGMENT 0x4000u

static void put_ip4(uint8_t *ip, uint8_t protocol, const uint32_t *source, const uint32_t *destination, size_t length) {
    ip[0] = 0x45;
    ns_put16(ip + 2, (uint32_t)length);
    ns_put16(ip + 6, DONT_FRAGMENT);
    ip[8] = TTL;
    ip[9] = protocol;
    memcpy(ip + 12, source, 4);
    memcpy(ip + 16, destination, 4);
    ns_checksum_ipv4(ip, 20);
}

static void put_ip6(uint8_t *ip, uint8_t protocol, const uint32_t *source, const uint32_t *destination, size_t length) {
    ip[0] = 0x60;
    ns_put16(ip + 4, (uint32_t)length - 40);
    ip[6] = protocol;
    ip[7] = TTL;
    memcpy(ip + 8, source, 16);
    memcpy(ip + 24, destination, 16);
}

size_t ns_sal_local_write(uint8_t *packet, unsigned family, uint8_t protocol, const uint32_t *source,
                          const uint32_t *destination, size_t length) {
    size_t header = ns_sal_local_header(family);

    memset(packet, 0, header);
    if (family == 4)
        put_ip4(packet, protocol, source, destination, length);
    else
        put_ip6(packet, protocol, source, destination, length);
    return header;
}

uint32_t ns_sal_local_sum(const uint8_t *packet, uint8_t protocol, size_t length) {
    bool v4 = packet[0] >> 4 == 4;
    size_t header = v4 ? (size_t)(packet[0] & 15) * 4 : 40;

    return ns_checksum_add(protocol + (uint32_t)(length - header), packet + (v4 ? 12 : 8), v4 ? 8 : 32);
}
