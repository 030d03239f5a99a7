/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serval.h - the datagrams of `netserv bench serval`, shared by the sender's program and lab-serval.
 *
 *   Ethernet 14 | IPv4 20 | UDP 8 | SAL 12, SERVICE 36, SERVICE 36 | UDP 8 | 48 to 1,336 bytes
 */
#ifndef LAB_SERVAL_H
#define LAB_SERVAL_H

#include <linux/types.h>

#define SERVAL_SAL 42u     /* offset of the SAL header */
#define SERVAL_HEADER 84u  /* bytes of it */
#define SERVAL_PAYLOAD 48u /* of the shortest datagram */
#define SERVAL_FULL 1336u  /* of one that fills 1,500 bytes with the 44 of HOPS */
#define SERVAL_BYTES(payload) (SERVAL_SAL + SERVAL_HEADER + 8 + (payload))
#define SERVAL_FRAME SERVAL_BYTES(SERVAL_PAYLOAD)
#define SERVAL_ID (SERVAL_SAL + 16) /* offset of the serviceID asked for */
#define SERVAL_WRITTEN 136u         /* bytes that a router may have changed; a multiple of 8 */

struct serval_send {
    __u32 ifindex;
    __u32 live;                  /* serviceIDs */
    __u32 random;                /* state of the sender's choice, not 0 */
    __u32 sum;                   /* of the SAL header with serviceID and checksum 0, in memory order, not folded */
    __u8 header[SERVAL_WRITTEN]; /* with serviceID and SAL's checksum 0 */
    __u64 sent, begun, last;     /* nanoseconds */
};

struct serval_sink {
    __u64 packets;
};

/* Returns a word of the serviceID of rule `index`, in memory order. */
static inline __u32 serval_word(__u32 index, __u32 word) {
    __u32 x = (index + 1) * 2654435761u ^ (word + 1) * 2246822519u;

    x ^= x >> 15;
    x *= 3266489917u;
    return x ^ x >> 13;
}

#endif
