/* SPDX-License-Identifier: Apache-2.0 */
#include "offload.h"

#include "ns_bytes.h"
#include "ns_checksum.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum { PROTO_TCP = 6, PROTO_UDP = 17 };

#define LEAVE 0xffu /* a DSCP or TTL that stays */

bool ns_offload_flow(struct ns_offload *request, const struct ns_packet *packet, uint16_t seconds) {
    const struct ns_ip *ip = &packet->ip;

    *request = (struct ns_offload){
        .family = ip->family,
        .protocol = ip->protocol,
        .seconds = seconds,
        .seq = packet->seq,
        .source_port = ip->source_port,
        .destination_port = ip->destination_port,
        .dscp = LEAVE,
        .ttl = LEAVE,
    };
    memcpy(request->source, ip->source, 16);
    memcpy(request->destination, ip->destination, 16);
    return !ip->fragment;
}

static uint8_t dscp(const uint8_t *packet) {
    return packet[0] >> 4 == 4 ? packet[1] >> 2 : (uint8_t)((ns_get16(packet) >> 6) & 63);
}

/* Returns the offset of the checksum in the header of the upper layer, or 0 if we know of none. */
static uint32_t checksum_at(uint8_t protocol) {
    return protocol == PROTO_UDP ? 6 : protocol == PROTO_TCP ? 16 : 0;
}

/* Blanks the fields that a rewrite may change in the first bytes of a packet. */
static void blank(uint8_t *packet, const struct ns_ip *ip) {
    uint32_t sum = checksum_at(ip->protocol);

    if (ip->family == 4) {
        packet[1] &= 3; /* ECN stays */
        packet[8] = 0;
        memset(packet + 10, 0, 10);
    } else {
        packet[0] &= 0xf0;
        packet[1] &= 0x3f;
        packet[7] = 0;
        memset(packet + 8, 0, 32);
    }
    if (sum != 0 && ip->has_ports) {
        memset(packet + ip->header_length, 0, 4);
        memset(packet + ip->header_length + sum, 0, 2);
    }
}

static uint32_t endpoints(const uint8_t *packet, const struct ns_ip *ip) {
    size_t at = ip->family == 4 ? 12 : 8, bytes = 2 * ns_ip_address_bytes(ip->family);

    return ns_checksum_add(ns_checksum_add(0, packet + at, bytes), packet + ip->header_length, 4);
}

/*
 * Tells whether the new checksum is the old one, carried over the new endpoints (RFC 1624). If so, nothing behind the
 * endpoints has changed.
 */
static bool checksum_follows(const struct ns_packet *packet, const uint8_t *changed) {
    const struct ns_ip *ip = &packet->ip;
    uint32_t at = ip->header_length + checksum_at(ip->protocol);
    uint32_t before = ns_get16(packet->header + at), after = ns_get16(changed + at);
    uint64_t sum = (uint64_t)(uint16_t)~before + (uint16_t)ns_checksum_finish(endpoints(packet->header, ip)) +
                   endpoints(changed, ip);

    if (before == 0 && ip->protocol == PROTO_UDP)
        return after == 0; /* there is none */
    return (sum + after) % 0xffff == 0;
}

static bool same_otherwise(const struct ns_packet *packet, const uint8_t *changed) {
    uint8_t before[NS_TABLE_HEADER], after[NS_TABLE_HEADER];

    memcpy(before, packet->header, packet->kept);
    memcpy(after, changed, packet->kept);
    blank(before, &packet->ip);
    blank(after, &packet->ip);
    return memcmp(before, after, packet->kept) == 0;
}

static void set_addresses(struct ns_offload *request, const struct ns_ip *out) {
    memcpy(request->new_source, out->source, 16);
    memcpy(request->new_destination, out->destination, 16);
    request->new_source_port = out->source_port;
    request->new_destination_port = out->destination_port;
    if (memcmp(request->source, out->source, 16) != 0 || memcmp(request->destination, out->destination, 16) != 0)
        request->set |= NS_SET_ADDRESSES;
    if (request->source_port != out->source_port || request->destination_port != out->destination_port)
        request->set |= NS_SET_PORTS;
}

bool ns_offload_rewrite(struct ns_offload *request, const struct ns_packet *packet, const uint8_t *changed,
                        uint32_t length) {
    bool summed = packet->ip.has_ports && checksum_at(packet->ip.protocol) != 0;
    struct ns_ip out;

    if (length != packet->ip.length || ns_ip_parse(&out, changed, length, length) != NS_IP_OK ||
        out.header_length != packet->ip.header_length || !same_otherwise(packet, changed))
        return false;
    if (summed && !checksum_follows(packet, changed))
        return false;
    set_addresses(request, &out);
    if (request->set != 0 && !summed)
        return false; /* the kernel does not know the place of the checksum */
    if (dscp(changed) != dscp(packet->header)) {
        request->set |= NS_SET_DSCP;
        request->dscp = dscp(changed);
    }
    if (out.hop_limit != packet->ip.hop_limit) {
        request->set |= NS_SET_TTL;
        request->ttl = out.hop_limit;
    }
    request->action = request->set != 0 ? NS_OFFLOAD_REWRITE : NS_OFFLOAD_PASS;
    return true;
}

enum ns_offload_end ns_offload_send(int fd, const struct ns_offload *request) {
    return ns_offload_send_bytes(fd, request, sizeof *request);
}

enum ns_offload_end ns_offload_send_bytes(int fd, const void *request, size_t length) {
    ssize_t sent;

    if (fd < 0)
        return NS_OFFLOAD_UNAVAILABLE;
    do
        sent = send(fd, request, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent == (ssize_t)length)
        return NS_OFFLOAD_REQUESTED;
    return sent < 0 && (errno == EAGAIN || errno == ENOBUFS) ? NS_OFFLOAD_OVERFLOW : NS_OFFLOAD_UNAVAILABLE;
}
