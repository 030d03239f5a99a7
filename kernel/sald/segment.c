/* SPDX-License-Identifier: Apache-2.0 */
#include "segment.h"

#include "local.h"
#include "ns_bytes.h"
#include "ns_checksum.h"
#include "ns_ip.h"
#include <arpa/inet.h>
#include <string.h>

#define TCP 6u
#define CHECK 16u

bool ns_sal_segment_read(struct ns_sal_segment *segment, const uint8_t *tcp, size_t length) {
    if (length < NS_SAL_TCP_LEAST)
        return false;
    segment->tcp = tcp;
    segment->length = length;
    segment->header = (size_t)(tcp[12] >> 4) * 4;
    segment->flags = tcp[13];
    segment->seq = ns_get32(tcp + 4);
    segment->ack = ns_get32(tcp + 8);
    return segment->header >= NS_SAL_TCP_LEAST && segment->header <= length;
}

bool ns_sal_segment_local(struct ns_sal_segment *segment, const uint8_t *packet, size_t length) {
    struct ns_ip ip;

    memset(segment, 0, sizeof *segment);
    if (ns_ip_parse(&ip, packet, length, length) != NS_IP_OK || ip.protocol != TCP || ip.fragment || !ip.has_ports ||
        !ns_sal_segment_read(segment, packet + ip.header_length, length - ip.header_length))
        return false;
    memcpy(segment->tuple.source, ip.source, sizeof ip.source);
    memcpy(segment->tuple.destination, ip.destination, sizeof ip.destination);
    memcpy(&segment->tuple.ports, segment->tcp, sizeof segment->tuple.ports);
    segment->tuple.family = ip.family;
    return true;
}

static uint32_t flow_sum(uint32_t source, uint32_t destination, size_t length) {
    uint8_t pseudo[8];

    ns_put32(pseudo, source);
    ns_put32(pseudo + 4, destination);
    return ns_checksum_add(TCP + (uint32_t)length, pseudo, sizeof pseudo);
}

void ns_sal_segment_to_wire(uint8_t *tcp, const struct ns_sal_segment *segment, uint32_t source, uint32_t destination) {
    memmove(tcp, segment->tcp, segment->length);
    memset(tcp, 0, 4);
    ns_put16(tcp + CHECK, 0);
    ns_put16(tcp + CHECK,
             ns_checksum_finish(ns_checksum_add(flow_sum(source, destination, segment->length), tcp, segment->length)));
}

bool ns_sal_segment_is_right(const uint8_t *tcp, size_t length, uint32_t source, uint32_t destination) {
    return ns_checksum_finish(ns_checksum_add(flow_sum(source, destination, length), tcp, length)) == 0;
}

void ns_sal_segment_finish(uint8_t *packet, size_t length) {
    size_t header = packet[0] >> 4 == 4 ? (size_t)(packet[0] & 15) * 4 : ns_sal_local_header(6);
    uint8_t *tcp = packet + header;

    ns_put16(tcp + CHECK, 0);
    ns_put16(tcp + CHECK,
             ns_checksum_finish(ns_checksum_add(ns_sal_local_sum(packet, TCP, length), tcp, length - header)));
}

size_t ns_sal_segment_to_local(uint8_t packet[NS_SAL_PACKET_MAX], const struct ns_sal_tuple *tuple, const uint8_t *tcp,
                               size_t length) {
    size_t header = ns_sal_local_header(tuple->family), total = header + length;
    const uint8_t *ports = (const uint8_t *)&tuple->ports;

    if (total > 65535)
        return 0;
    memmove(packet + header, tcp, length);
    memcpy(packet + header, ports + 2, 2);
    memcpy(packet + header + 2, ports, 2);
    ns_sal_local_write(packet, tuple->family, TCP, tuple->destination, tuple->source, total);
    ns_sal_segment_finish(packet, total);
    return total;
}

void ns_sal_segment_rst(uint8_t tcp[NS_SAL_TCP_LEAST], uint32_t seq, uint32_t ack, bool has_ack) {
    memset(tcp, 0, NS_SAL_TCP_LEAST);
    ns_put32(tcp + 4, seq);
    ns_put32(tcp + 8, has_ack ? ack : 0);
    tcp[12] = NS_SAL_TCP_LEAST / 4 << 4;
    tcp[13] = NS_TCP_RST | (has_ack ? NS_TCP_ACK : 0);
}
