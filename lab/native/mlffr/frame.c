/* SPDX-License-Identifier: Apache-2.0 */
#include "mlffr.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define IP 14u
#define FIRST_SOURCE 0xc0000240u /* 192.0.2.64 and the following */
#define DESTINATION 0xc633640au  /* 198.51.100.10 */

#define CHANNEL_HEADER 4u

static const uint8_t addresses[12] = {2, 0, 0, 0, 1, 2, 2, 0, 0, 0, 1, 1}; /* to the router, from the sender */

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value) {
    put16(at, value >> 16);
    put16(at + 2, value & 0xffff);
}

/* Sums 16-bit words in memory order. An odd byte is the first of its word. */
static uint32_t sum(const uint8_t *at, size_t length) {
    uint32_t total = 0;

    for (size_t i = 0; i < length; i += 2)
        total += at[i] | (i + 1 < length ? (uint32_t)at[i + 1] << 8 : 0);
    return total;
}

/*
 * Writes a keep-alive as SIP user agents send it, with the stamp as its branch. Returns the stamp's offset, 0 = no
 * room.
 */
static size_t notify(char *payload, size_t length) {
    static const char begin[] =
        "NOTIFY sip:198.51.100.10 SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.64:5060;rport;branch=z9hG4bK0";
    static const char middle[] =
        "\r\nMax-Forwards: 70\r\nFrom: <sip:agent@192.0.2.64>;tag=1\r\nTo: <sip:198.51.100.10>\r\n"
        "Call-ID: 1@192.0.2.64\r\nCSeq: 1 NOTIFY\r\nEvent: keep-alive\r\nUser-Agent: ";
    static const char end[] = "\r\nContent-Length: 0\r\n\r\n";
    size_t stamp = sizeof begin - 1, agent = stamp + WIRE_STAMP + sizeof middle - 1;

    if (agent + sizeof end > length || stamp % 2 != 0)
        return 0;
    memcpy(payload, begin, stamp);
    memset(payload + stamp, 'a', WIRE_STAMP);
    memcpy(payload + stamp + WIRE_STAMP, middle, sizeof middle - 1);
    memset(payload + agent, 'x', length - agent - (sizeof end - 1));
    memcpy(payload + length - (sizeof end - 1), end, sizeof end - 1);
    return stamp;
}

static void checksums(struct frame *frame) {
    uint8_t *udp = frame->bytes + WIRE_UDP;
    size_t length = frame->length - WIRE_UDP;
    uint8_t stamp[WIRE_STAMP];

    memcpy(stamp, frame->bytes + frame->stamp, WIRE_STAMP);
    memset(frame->bytes + frame->stamp, 0, WIRE_STAMP);
    frame->ip_sum = sum(frame->bytes + IP, 20);
    frame->udp_sum = sum(frame->bytes + IP + 12, 8) + htons(17) + htons((uint16_t)length) + sum(udp, length);
    memcpy(frame->bytes + frame->stamp, stamp, WIRE_STAMP);
}

void frame_flows(struct flows *flows, uint16_t port) {
    *flows = (struct flows){.source = FIRST_SOURCE, .destination = DESTINATION, .port = port, .counted = port};
    memcpy(flows->links, addresses, sizeof addresses);
}

/* Writes the payload, and returns the stamp's offset in it. */
static size_t payload(uint8_t *at, size_t length, uint16_t channel) {
    if (channel != 0) {
        put16(at, channel);
        put16(at + 2, (uint32_t)(length - CHANNEL_HEADER));
        return CHANNEL_HEADER;
    }
    return length >= 300 - WIRE_PAYLOAD ? notify((char *)at, length) : 0;
}

int frame_make(struct frame *frame, size_t length, const struct flows *flows) {
    uint8_t *at = frame->bytes;

    *frame = (struct frame){.length = length};
    if (length < WIRE_PAYLOAD + CHANNEL_HEADER + WIRE_STAMP || length > MLFFR_FRAME_MAX) {
        fprintf(stderr, "lab-mlffr: frames have %u to %u bytes\n", WIRE_PAYLOAD + CHANNEL_HEADER + WIRE_STAMP,
                MLFFR_FRAME_MAX);
        return -1;
    }
    memcpy(at, flows->links, sizeof flows->links);
    put16(at + 12, 0x0800);
    put16(at + IP, 0x4500);
    put16(at + IP + 2, (uint32_t)(length - IP));
    put16(at + IP + 8, 64 << 8 | 17);
    put32(at + IP + 12, flows->source);
    put32(at + IP + 16, flows->destination);
    put16(at + WIRE_UDP, flows->port);
    put16(at + WIRE_UDP + 2, flows->port);
    put16(at + WIRE_UDP + 4, (uint32_t)(length - WIRE_UDP));
    frame->stamp = (uint32_t)(WIRE_PAYLOAD + payload(at + WIRE_PAYLOAD, length - WIRE_PAYLOAD, flows->channel));
    checksums(frame);
    return 0;
}
