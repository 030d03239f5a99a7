/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.h - definitions that the two BPF programs and lab-mlffr share.
 *
 *   Ethernet 14 | IPv4 20 | UDP 8 | payload ... | stamp 16 | ...
 *
 * The stamp is the time of sending, CLOCK_MONOTONIC in nanoseconds. It is text, so that it can stand in a SIP
 * message: sixteen letters from 'a' (0) to 'p' (15), the highest nibble first. It begins at an even offset, as the
 * checksum needs.
 */
#ifndef LAB_MLFFR_WIRE_H
#define LAB_MLFFR_WIRE_H

#include <linux/types.h>

#define WIRE_UDP 34u     /* offset of the UDP header */
#define WIRE_PAYLOAD 42u /* offset of the UDP payload */
#define WIRE_WRITTEN 48u /* bytes written each time: a relay moves the headers into the payload's first four bytes */
#define WIRE_STAMP 16u   /* bytes */
#define WIRE_FLOWS 64u   /* source addresses, a power of two; they differ in the last byte */
#define WIRE_BUCKETS 65536u

/* State of the sender. The fields up to the header are set before a trial. */
struct wire_send {
    __u64 interval;            /* nanoseconds from one burst to the next, 0 = as fast as possible */
    __u32 burst;               /* frames */
    __u32 ifindex;             /* interface of the frames */
    __u32 stamp;               /* offset of the stamp in the frame */
    __u32 ip_sum;              /* sum of flow 0's IP header with a checksum of 0, in memory order, not folded */
    __u32 udp_sum;             /* sum of pseudo header, header and payload of flow 0 with checksum and stamp 0 */
    __u8 header[WIRE_WRITTEN]; /* of flow 0 */
    __u64 next;                /* time when the next burst is due */
    __u64 begun, last;         /* times of the first and the latest burst */
    __u64 sent;                /* frames */
};

/* State of the receiver. */
struct wire_count {
    __u32 port;  /* UDP destination, as on the wire */
    __u32 stamp; /* offset of the stamp in the frame, 0 = do not look */
    __u64 packets;
    __u64 bytes;
    __u32 micros[WIRE_BUCKETS]; /* packets by their time on the way; the last bucket takes all beyond */
};

#endif
