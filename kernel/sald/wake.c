/* SPDX-License-Identifier: Apache-2.0 */
#include "wake.h"

#include "ns_bytes.h"
#include "ns_checksum.h"
#include <string.h>

#define QUOTED 8u /* of TCP: ports and sequence number */
#define ICMP_HEADER 8u
#define ICMP 1u
#define ICMPV6 58u
#define UNREACHABLE4 3u /* code 1: host */
#define UNREACHABLE6 1u /* code 0: no route */

static void put_ip4(uint8_t *ip, uint8_t protocol, const uint32_t *source, const uint32_t *destination, size_t length) {
    memset(ip, 0, 20);
    ip[0] = 0x45;
    ns_put16(ip + 2, (uint32_t)length);
    ip[8] = 64;
    ip[9] = protocol;
    memcpy(ip + 12, source, 4);
    memcpy(ip + 16, destination, 4);
    ns_checksum_ipv4(ip, 20);
}

static void put_ip6(uint8_t *ip, uint8_t protocol, const uint32_t *source, const uint32_t *destination, size_t length) {
    memset(ip, 0, 40);
    ip[0] = 0x60;
    ns_put16(ip + 4, (uint32_t)length - 40);
    ip[6] = protocol;
    ip[7] = 64;
    memcpy(ip + 8, source, 16);
    memcpy(ip + 24, destination, 16);
}

size_t ns_sal_wake_make(uint8_t packet[NS_SAL_WAKE_MAX], const struct ns_sal_tuple *inner, uint32_t acked) {
    bool v4 = inner->family == 4;
    size_t header = v4 ? 20 : 40, message = ICMP_HEADER + header + QUOTED, length = header + message;
    uint8_t *icmp = packet + header, *quoted = icmp + ICMP_HEADER, *tcp = quoted + header;
    uint32_t sum = 0;

    memset(icmp, 0, ICMP_HEADER);
    memcpy(tcp, &inner->ports, 4);
    ns_put32(tcp + 4, acked);
    if (v4) {
        put_ip4(packet, ICMP, inner->destination, inner->source, length);
        put_ip4(quoted, 6, inner->source, inner->destination, header + 20);
        icmp[0] = UNREACHABLE4;
        icmp[1] = 1;
    } else {
        put_ip6(packet, ICMPV6, inner->destination, inner->source, length);
        put_ip6(quoted, 6, inner->source, inner->destination, header + 20);
        icmp[0] = UNREACHABLE6;
        sum = ns_checksum_add(ICMPV6 + (uint32_t)message, packet + 8, 32);
    }
    ns_put16(icmp + 2, ns_checksum_finish(ns_checksum_add(sum, icmp, message)));
    return length;
}
