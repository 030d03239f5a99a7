/* SPDX-License-Identifier: Apache-2.0 */
#include "segment.h"

#include "ns_bytes.h"
#include "ns_checksum.h"
#include "ns_ip.h"
#include <arpa/inet.h>
#include <string.h>

#define TCP 6u
#define CHECK 16u
#define IP4 20u
#define IP6 40u
#define TTL 64u
#define DONT_FRAGMENT 0x4000u

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
    bool v4 = packet[0] >> 4 == 4;
    size_t header = v4 ? (size_t)(packet[0] & 15) * 4 : IP6;
    uint8_t *tcp = packet + header;
    uint32_t sum = TCP + (uint32_t)(length - header);

    sum = v4 ? ns_checksum_add(sum, packet + 12, 8) : ns_checksum_add(sum, packet + 8, 32);
    ns_put16(tcp + CHECK, 0);
    ns_put16(tcp + CHECK, ns_checksum_finish(ns_checksum_add(sum, tcp, length - header)));
}

static void put_ip4(uint8_t *ip, const struct ns_sal_tuple *tuple, size_t length) {
    memset(ip, 0, IP4);
    ip[0] = 0x45;
    ns_put16(ip + 2, (uint32_t)length);
    ns_put16(ip + 6, DONT_FRAGMENT);
    ip[8] = TTL;
    ip[9] = TCP;
    memcpy(ip + 12, tuple->destination, 4);
    memcpy(ip + 16, tuple->source, 4);
    ns_checksum_ipv4(ip, IP4);
}

static void put_ip6(uint8_t *ip, const struct ns_sal_tuple *tuple, size_t length) {
    memset(ip, 0, IP6);
    ip[0] = 0x60;
    ns_put16(ip + 4, (uint32_t)(length - IP6));
    ip[6] = TCP;
    ip[7] = TTL;
    memcpy(ip + 8, tuple->destination, 16);
    memcpy(ip + 24, tuple->source, 16);
}

size_t ns_sal_segment_to_local(uint8_t packet[NS_SAL_PACKET_MAX], const struct ns_sal_tuple *tuple, const uint8_t *tcp,
                               size_t length) {
    bool v4 = tuple->family == 4;
    size_t header = v4 ? IP4 : IP6, total = header + length;
    const uint8_t *ports = (const uint8_t *)&tuple->ports;

    if (total > 65535)
        return 0;
    memmove(packet + header, tcp, length);
    memcpy(packet + header, ports + 2, 2);
    memcpy(packet + header + 2, ports, 2);
    if (v4)
        put_ip4(packet, tuple, total);
    else
        put_ip6(packet, tuple, total);
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
