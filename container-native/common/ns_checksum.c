/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_checksum.h"
#include "ns_bytes.h"

uint32_t ns_checksum_add(uint32_t sum, const uint8_t *bytes, size_t length) {
    size_t i;

    for (i = 0; i + 1 < length; i += 2)
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    if (i < length)
        sum += (uint32_t)bytes[i] << 8;
    return sum;
}

uint16_t ns_checksum_finish(uint32_t sum) {
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

void ns_checksum_ipv4(uint8_t *header, size_t header_length) {
    ns_put16(header + 10, 0);
    ns_put16(header + 10, ns_checksum_finish(ns_checksum_add(0, header, header_length)));
}

void ns_checksum_udp(const uint8_t *packet, uint8_t *udp, size_t length) {
    int v4 = packet[0] >> 4 == 4;
    uint32_t sum = v4 ? ns_checksum_add(0, packet + 12, 8) : ns_checksum_add(0, packet + 8, 32);
    uint16_t field;

    sum += 17 + (uint32_t)length; /* the rest of the pseudo header: protocol and length */
    ns_put16(udp + 6, 0);
    field = ns_checksum_finish(ns_checksum_add(sum, udp, length));
    ns_put16(udp + 6, field == 0 ? 0xffff : field);
}
