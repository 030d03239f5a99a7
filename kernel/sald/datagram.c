/* SPDX-License-Identifier: Apache-2.0 */
#include "datagram.h"

#include "local.h"
#include "ns_bytes.h"
#include "ns_checksum.h"
#include "ns_ip.h"
#include <string.h>

#define LONGEST 65535u

bool ns_sal_datagram_read(struct ns_sal_datagram *datagram, const uint8_t *udp, size_t length) {
    if (length < NS_SAL_UDP_HEADER || ns_get16(udp + 4) != length)
        return false;
    datagram->udp = udp;
    datagram->payload = udp + NS_SAL_UDP_HEADER;
    datagram->length = length - NS_SAL_UDP_HEADER;
    return true;
}

enum ns_sal_local_kind ns_sal_datagram_local(struct ns_sal_datagram *datagram, const uint8_t *packet, size_t length) {
    struct ns_ip ip;

    memset(datagram, 0, sizeof *datagram);
    if (ns_ip_parse(&ip, packet, length, length) != NS_IP_OK || ip.protocol != NS_SAL_UDP)
        return NS_SAL_LOCAL_OTHER;
    if (ip.fragment)
        return NS_SAL_LOCAL_FRAGMENT;
    if (!ip.has_ports || !ns_sal_datagram_read(datagram, packet + ip.header_length, length - ip.header_length))
        return NS_SAL_LOCAL_OTHER;
    memcpy(datagram->tuple.source, ip.source, sizeof ip.source);
    memcpy(datagram->tuple.destination, ip.destination, sizeof ip.destination);
    memcpy(&datagram->tuple.ports, datagram->udp, sizeof datagram->tuple.ports);
    datagram->tuple.family = ip.family;
    return NS_SAL_LOCAL_DATAGRAM;
}

static uint32_t sum_of(const uint8_t *udp, size_t length, const uint32_t words[2]) {
    uint8_t pseudo[8];

    ns_put32(pseudo, words[0]);
    ns_put32(pseudo + 4, words[1]);
    return ns_checksum_add(ns_checksum_add(NS_SAL_UDP + (uint32_t)length, pseudo, sizeof pseudo), udp, length);
}

/* Writes the checksum of a sum; 0 would stand for none. */
static void put_checksum(uint8_t *udp, uint32_t sum) {
    uint16_t check = ns_checksum_finish(sum);

    ns_put16(udp + 6, check == 0 ? 0xffff : check);
}

static size_t put(uint8_t *udp, const void *ports, const uint8_t *payload, size_t length) {
    size_t total = NS_SAL_UDP_HEADER + length;

    memmove(udp + NS_SAL_UDP_HEADER, payload, length);
    memcpy(udp, ports, 4);
    ns_put16(udp + 4, (uint32_t)total);
    ns_put16(udp + 6, 0);
    return total;
}

size_t ns_sal_datagram_to_wire(uint8_t *udp, const uint8_t *payload, size_t length, const uint32_t words[2]) {
    static const uint32_t none = 0;
    size_t total = put(udp, &none, payload, length);

    put_checksum(udp, sum_of(udp, total, words));
    return total;
}

bool ns_sal_datagram_is_right(const uint8_t *udp, size_t length, const uint32_t words[2]) {
    return ns_get16(udp + 6) == 0 || ns_checksum_finish(sum_of(udp, length, words)) == 0;
}

size_t ns_sal_datagram_to_local(uint8_t *packet, const struct ns_sal_tuple *tuple, const uint8_t *payload,
                                size_t length) {
    size_t header = ns_sal_local_header(tuple->family), total = header + NS_SAL_UDP_HEADER + length;
    uint32_t ports = tuple->ports << 16 | tuple->ports >> 16;
    uint8_t *udp = packet + header;

    if (total > LONGEST)
        return 0;
    put(udp, &ports, payload, length);
    ns_sal_local_write(packet, tuple->family, NS_SAL_UDP, tuple->destination, tuple->source, total);
    put_checksum(udp, ns_checksum_add(ns_sal_local_sum(packet, NS_SAL_UDP, total), udp, total - header));
    return total;
}
