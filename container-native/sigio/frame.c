/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"
#include "ns_bytes.h"

#include <string.h>

enum { FLAG_RAO = 1, FLAG_LOCAL = 2, FLAG_SOCKET = 4 };

/*
 * Writes the endpoints.
 *
 *     token64 | interface32 | family8 ttl8 tclass8 flags8 | rao16 mtu16 |
 *     ports 16, 16 | flowlabel32 | 0(32) | source | destination
 */
static void put_endpoints(uint8_t *at, const struct ns_endpoints *ends) {
    memset(at, 0, NS_FRAME_ENDPOINTS);
    ns_put64(at, ends->token);
    ns_put32(at + 8, ends->interface);
    at[12] = ends->family;
    at[13] = ends->ttl;
    at[14] = ends->tclass;
    at[15] = (uint8_t)((ends->has_rao ? FLAG_RAO : 0) | (ends->local ? FLAG_LOCAL : 0) |
                       (ends->by_socket ? FLAG_SOCKET : 0));
    ns_put16(at + 16, ends->rao);
    ns_put16(at + 18, ends->mtu);
    ns_put16(at + 20, ends->source_port);
    ns_put16(at + 22, ends->destination_port);
    ns_put32(at + 24, ends->flow_label);
    memcpy(at + 32, ends->source, 16);
    memcpy(at + 48, ends->destination, 16);
}

static void get_endpoints(struct ns_endpoints *ends, const uint8_t *at) {
    *ends = (struct ns_endpoints){
        .token = ns_get64(at),
        .interface = ns_get32(at + 8),
        .family = at[12],
        .ttl = at[13],
        .tclass = at[14],
        .has_rao = (at[15] & FLAG_RAO) != 0,
        .local = (at[15] & FLAG_LOCAL) != 0,
        .by_socket = (at[15] & FLAG_SOCKET) != 0,
        .rao = ns_get16(at + 16),
        .mtu = ns_get16(at + 18),
        .source_port = ns_get16(at + 20),
        .destination_port = ns_get16(at + 22),
        .flow_label = ns_get32(at + 24),
    };
    memcpy(ends->source, at + 32, 16);
    memcpy(ends->destination, at + 48, 16);
}

static enum ns_frame_status read_hello(struct ns_frame *frame, const uint8_t *body, size_t length) {
    if (length < 4)
        return NS_FRAME_BAD;
    frame->major = ns_get16(body);
    return NS_FRAME_OK;
}

static enum ns_frame_status read_verdict(struct ns_frame *frame, const uint8_t *body, size_t length) {
    if (length < 12 || body[8] > NS_VERDICT_PAYLOAD || length - 12 > NS_FRAME_PAYLOAD_MOST ||
        (body[8] != NS_VERDICT_PAYLOAD && length != 12))
        return NS_FRAME_BAD;
    frame->token = ns_get64(body);
    frame->answer = (enum ns_frame_verdict)body[8];
    frame->payload = body + 12;
    frame->length = length - 12;
    return NS_FRAME_OK;
}

static bool is_limit(uint32_t value) {
    return value > 0 && value <= NS_FRAME_LIMIT_MOST;
}

static enum ns_frame_status read_limit(struct ns_frame *frame, const uint8_t *body, size_t length) {
    if (length < 8)
        return NS_FRAME_BAD;
    frame->packets = ns_get32(body);
    frame->datagrams = ns_get32(body + 4);
    return is_limit(frame->packets) && is_limit(frame->datagrams) ? NS_FRAME_OK : NS_FRAME_BAD;
}

static enum ns_frame_status read_send(struct ns_frame *frame, const uint8_t *body, size_t length) {
    if (length < NS_FRAME_ENDPOINTS || length - NS_FRAME_ENDPOINTS > NS_FRAME_PAYLOAD_MOST)
        return NS_FRAME_BAD;
    get_endpoints(&frame->ends, body);
    if (frame->ends.family != 4 && frame->ends.family != 6)
        return NS_FRAME_BAD;
    frame->payload = body + NS_FRAME_ENDPOINTS;
    frame->length = length - NS_FRAME_ENDPOINTS;
    return NS_FRAME_OK;
}

enum ns_frame_status ns_frame_read(struct ns_frame *frame, const uint8_t *bytes, size_t available, size_t *size) {
    size_t length;

    if (available < 4)
        return NS_FRAME_MORE;
    length = ns_get32(bytes);
    if (length < NS_FRAME_LEAST || length > NS_FRAME_MOST)
        return NS_FRAME_BAD;
    if (available - 4 < length)
        return NS_FRAME_MORE;
    *size = 4 + length;
    memset(frame, 0, sizeof *frame);
    frame->type = (enum ns_frame_type)bytes[4];
    bytes += NS_FRAME_HEADER;
    length -= NS_FRAME_LEAST;
    switch (frame->type) {
    case NS_FRAME_HELLO:
        return read_hello(frame, bytes, length);
    case NS_FRAME_VERDICT:
        return read_verdict(frame, bytes, length);
    case NS_FRAME_SEND:
        return read_send(frame, bytes, length);
    case NS_FRAME_LIMIT:
        return read_limit(frame, bytes, length);
    default:
        return NS_FRAME_UNKNOWN;
    }
}

/* Writes the header of a frame with a body of `length` bytes and returns the whole length. */
static size_t header(uint8_t *out, enum ns_frame_type type, size_t length) {
    ns_put32(out, (uint32_t)(NS_FRAME_LEAST + length));
    ns_put32(out + 4, (uint32_t)type << 24);
    return NS_FRAME_HEADER + length;
}

size_t ns_frame_hello(uint8_t *out) {
    ns_put16(out + 8, NS_FRAME_MAJOR);
    ns_put16(out + 10, NS_FRAME_MINOR);
    return header(out, NS_FRAME_HELLO, 4);
}

size_t ns_frame_packet(uint8_t *out, const struct ns_endpoints *ends, const uint8_t *payload, size_t length) {
    put_endpoints(out + NS_FRAME_HEADER, ends);
    memcpy(out + NS_FRAME_HEADER + NS_FRAME_ENDPOINTS, payload, length);
    return header(out, NS_FRAME_PACKET, NS_FRAME_ENDPOINTS + length);
}

size_t ns_frame_failed(uint8_t *out, uint64_t token, uint32_t error, uint32_t mtu) {
    ns_put64(out + 8, token);
    ns_put32(out + 16, error);
    ns_put32(out + 20, mtu);
    return header(out, NS_FRAME_FAILED, 16);
}

size_t ns_frame_icmp(uint8_t *out, const struct ns_packet *packet, uint32_t mtu) {
    uint8_t *error = out + NS_FRAME_HEADER + NS_FRAME_ENDPOINTS;

    put_endpoints(out + NS_FRAME_HEADER, &packet->ends);
    error[0] = packet->icmp_type;
    error[1] = packet->icmp_code;
    ns_put16(error + 2, 0);
    ns_put32(error + 4, mtu);
    memcpy(error + 8, packet->offender, 16);
    if (packet->payload_length != 0)
        memcpy(error + 24, packet->payload, packet->payload_length);
    return header(out, NS_FRAME_ICMP, NS_FRAME_ENDPOINTS + 24u + packet->payload_length);
}

size_t ns_frame_counters(uint8_t *out, const struct ns_sigio_counters *counters) {
    uint8_t *at = out + NS_FRAME_HEADER + 4;

    ns_put16(out + NS_FRAME_HEADER, NS_SIGIO_COUNTER_COUNT);
    ns_put16(out + NS_FRAME_HEADER + 2, 0);
#define NS_X(name, text)                                                                                               \
    ns_put64(at, counters->name);                                                                                      \
    at += 8;
    NS_SIGIO_COUNTERS(NS_X)
#undef NS_X
    return header(out, NS_FRAME_COUNTERS, 4u + NS_SIGIO_COUNTER_COUNT * 8u);
}
