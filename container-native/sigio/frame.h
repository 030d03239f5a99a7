/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - the frames between sigio and gist as bytes; the picture is in docs/protocols/sigio.md. Pure. The Java
 * twin is org.netserv.gist.net.SigioFrame. container-native/tests/vectors/sigio.txt holds both sides to the same
 * bytes.
 */
#ifndef NS_FRAME_H
#define NS_FRAME_H

#include "ns_sigio_counters.h"
#include "packet.h"

#define NS_FRAME_MAJOR 1
#define NS_FRAME_MINOR 0
#define NS_FRAME_HEADER 8u /* length32, type8, 0(24) */
#define NS_FRAME_LEAST 4u  /* least value of the length, which does not count itself */
#define NS_FRAME_MOST 65600u
#define NS_FRAME_ENDPOINTS 64u
#define NS_FRAME_PAYLOAD_MOST 65507u /* bytes of UDP payload */
#define NS_FRAME_LIMIT_MOST 10000000u

enum ns_frame_type {
    NS_FRAME_HELLO = 1,
    NS_FRAME_PACKET,
    NS_FRAME_VERDICT,
    NS_FRAME_SEND,
    NS_FRAME_FAILED,
    NS_FRAME_ICMP,
    NS_FRAME_COUNTERS,
    NS_FRAME_LIMIT,
};

enum ns_frame_verdict { NS_VERDICT_ON = 0, NS_VERDICT_TAKEN = 1, NS_VERDICT_PAYLOAD = 2 };

/* A frame that gist has sent. */
struct ns_frame {
    enum ns_frame_type type;
    uint16_t major;               /* HELLO */
    uint64_t token;               /* VERDICT */
    enum ns_frame_verdict answer; /* VERDICT */
    uint32_t packets, datagrams;  /* LIMIT: a second, 1 to NS_FRAME_LIMIT_MOST */
    struct ns_endpoints ends;     /* SEND; only the family has been checked */
    const uint8_t *payload;       /* VERDICT with payload, SEND */
    size_t length;
};

enum ns_frame_status {
    NS_FRAME_OK,
    NS_FRAME_MORE,    /* the frame is not complete yet */
    NS_FRAME_UNKNOWN, /* a type that gist does not send: skipped */
    NS_FRAME_BAD,     /* length or fields make no sense: nothing after the frame can be trusted */
};

/*
 * Reads the frame at the beginning of `available` bytes. If the result is OK or UNKNOWN, *size is its whole length.
 */
enum ns_frame_status ns_frame_read(struct ns_frame *frame, const uint8_t *bytes, size_t available, size_t *size);

/* Write one frame and return its length in bytes. `out` has room for NS_FRAME_HEADER + NS_FRAME_MOST bytes. */
size_t ns_frame_hello(uint8_t *out);
size_t ns_frame_packet(uint8_t *out, const struct ns_endpoints *ends, const uint8_t *payload, size_t length);
size_t ns_frame_failed(uint8_t *out, uint64_t token, uint32_t error, uint32_t mtu);
size_t ns_frame_icmp(uint8_t *out, const struct ns_packet *packet, uint32_t mtu);
size_t ns_frame_counters(uint8_t *out, const struct ns_sigio_counters *counters);

#endif
