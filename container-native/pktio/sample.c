/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

#include "ns_bytes.h"
#include "ns_checksum.h"
#include "ns_ip.h"
#include <string.h>

enum { PROTO_TCP = 6, PROTO_UDP = 17 };
enum { TCP_FIN = 0x01, TCP_PSH = 0x08, TCP_CWR = 0x80 };

_Static_assert(offsetof(struct ns_sampled, packet) == offsetof(struct ns_sampled, before) + NS_SAMPLE_BEFORE, "no gap");

static void add32(uint8_t *at, uint32_t more) {
    uint32_t value = (ns_get16(at) << 16 | ns_get16(at + 2)) + more;

    ns_put16(at, value >> 16);
    ns_put16(at + 2, value);
}

/*
 * Changes the TCP header as the kernel does when it cuts an aggregate: only the last packet has FIN and PSH, only the
 * first has CWR.
 */
static void cut_tcp(uint8_t *tcp, const struct ns_sample *head) {
    add32(tcp + 4, (uint32_t)head->segment * head->segment_bytes);
    if (head->segment + 1u < head->segments)
        tcp[13] &= (uint8_t) ~(TCP_FIN | TCP_PSH);
    if (head->segment != 0)
        tcp[13] &= (uint8_t)~TCP_CWR;
}

/*
 * Turns the aggregate's headers into the headers of one packet of it. Returns false for headers that the program does
 * not let pass.
 */
static bool cut(struct ns_sampled *sampled) {
    const struct ns_sample *head = &sampled->head;
    uint8_t *ip = sampled->packet;
    uint32_t upper = head->family == 4 ? (ip[0] & 15u) * 4 : 40;
    uint8_t protocol = ip[head->family == 4 ? 9 : 6];

    if (upper < 20 || (protocol != PROTO_TCP && protocol != PROTO_UDP) ||
        head->headers < upper + (protocol == PROTO_TCP ? 20 : 8))
        return false;
    if (head->family == 4) {
        ns_put16(ip + 2, sampled->kept);
        ns_put16(ip + 4, ns_get16(ip + 4) + head->segment);
        ns_checksum_ipv4(ip, upper);
    } else {
        ns_put16(ip + 4, sampled->kept - 40);
    }
    if (protocol == PROTO_TCP)
        cut_tcp(ip + upper, head);
    else
        ns_put16(ip + upper + 4, sampled->kept - upper);
    return true;
}

static uint32_t pseudo_header(const struct ns_ip *ip, uint32_t length) {
    uint32_t sum = ns_checksum_add(0, ip->source, 16) + ns_checksum_add(0, ip->destination, 16);

    return sum + ip->protocol + length;
}

/*
 * Computes the checksum. `always`: the checksum is the aggregate's, so it is always computed. Else it is computed
 * only if it was left open.
 */
static void complete(struct ns_sampled *sampled, bool always) {
    uint32_t at, length, sum;
    struct ns_ip ip;
    uint8_t *field;

    if (ns_ip_parse(&ip, sampled->packet, sampled->kept, sampled->kept) != NS_IP_OK || ip.fragment || !ip.has_ports ||
        (ip.protocol != PROTO_TCP && ip.protocol != PROTO_UDP))
        return;
    at = ip.header_length + (ip.protocol == PROTO_TCP ? 16u : 6u);
    length = sampled->kept - ip.header_length;
    if (at + 2 > sampled->kept)
        return;
    field = sampled->packet + at;
    sum = pseudo_header(&ip, length);
    if (ip.protocol == PROTO_UDP && ns_get16(field) == 0)
        return; /* there is none */
    if (!always && ns_get16(field) != (uint16_t)~ns_checksum_finish(sum))
        return;
    ns_put16(field, 0);
    sum = ns_checksum_finish(ns_checksum_add(sum, sampled->packet + ip.header_length, length));
    ns_put16(field, sum == 0 && ip.protocol == PROTO_UDP ? 0xffff : sum);
}

static bool makes_sense(const struct ns_sample *head, size_t kept) {
    if ((head->family != 4 && head->family != 6) || kept == 0 || kept > NS_RING_PACKET_MAX || kept > head->length)
        return false;
    if (head->headers == 0)
        return true;
    return head->headers >= (head->family == 4 ? 20 : 40) && head->headers < kept && head->segment < head->segments;
}

bool ns_sample_read(struct ns_sampled *sampled, const uint8_t *record, size_t length) {
    const size_t head = sizeof sampled->head;

    if (length < head)
        return false;
    memcpy(&sampled->head, record, head);
    if (!makes_sense(&sampled->head, length - head))
        return false;
    sampled->kept = (uint32_t)(length - head);
    memcpy(sampled->packet, record + head, sampled->kept);
    if (sampled->kept < sampled->head.length)
        return true;
    if (sampled->head.headers != 0 && !cut(sampled))
        return false;
    complete(sampled, sampled->head.headers != 0);
    return true;
}
