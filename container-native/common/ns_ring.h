/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_ring.h - the packet ring between pktio and one container.
 *
 * Two shared-memory regions, both sealed memfds (F_SEAL_SHRINK|GROW|SEAL), all fields little-endian host order.
 *
 *   region D "descriptors": written by pktio, mapped read-only by the container (its descriptor is O_RDONLY)
 *   region S "slots":       written by both; nothing in it is believed by pktio without a check
 *
 *        pktio                        D: produced                          container
 *   recv -> slot -> descriptor[seq] ---------------------> upcall(first, count) -> modules
 *        verdict <- checks <- copy <---------------------- verdict[answered]
 *                                     S: answered
 *
 * A packet is known by its sequence number: descriptor number `seq` is at index seq & (slots - 1). The verdict names
 * the low 32 bits of seq. pktio keeps, in private memory, which seq is outstanding in which slot, the kernel's packet
 * id, the true headers and the true length; a verdict that names anything else is refused and counted.
 *
 * A slot belongs to the container from the moment its descriptor is published until its final verdict is taken. pktio
 * answers a packet itself when its deadline passes, but reuses the slot only after the late verdict has arrived: a
 * container that never answers runs out of slots, and every further packet then bypasses it (`ring-full`).
 *
 * The Java twin is org.netserv.host.Ring; container-native/tests/vectors/ring.txt holds both sides to the same numbers.
 */
#ifndef NS_RING_H
#define NS_RING_H

#include <stdint.h>

#define NS_RING_D_MAGIC 0x4452534eu /* "NSRD" */
#define NS_RING_S_MAGIC 0x5352534eu /* "NSRS" */
#define NS_RING_MAJOR 1
#define NS_RING_MINOR 0

#define NS_RING_SLOTS_DEFAULT 1024u /* a power of two, 64..16384 */
#define NS_RING_SLOT_SIZE 2048u     /* bytes */
#define NS_RING_HEADROOM 128u       /* bytes free before a received packet, at least */
#define NS_RING_TAILROOM 128u       /* bytes free behind it, at least */
#define NS_RING_PACKET_MAX (NS_RING_SLOT_SIZE - NS_RING_HEADROOM - NS_RING_TAILROOM) /* longer ones bypass the ring */
#define NS_RING_BATCH 64u /* descriptors per upcall at most */

/* Region D: header, then the descriptors. Cursors on cache lines of their own; they only grow (64 bit). */
struct ns_ring_d {
    uint32_t magic;
    uint16_t major, minor;
    uint32_t slots;
    uint32_t slot_size;
    uint8_t pad0[48];
    uint64_t produced; /* offset 64: descriptors published */
    uint8_t pad1[56];
    uint32_t pktio_sleeps; /* offset 128: 1 = write to the tx eventfd after publishing verdicts */
    uint8_t pad2[60];
    uint64_t taken; /* offset 192: verdicts that pktio has taken; the container never runs ahead by > 2*slots */
    uint8_t pad3[56];
};                          /* 256 bytes */
#define NS_RING_D_DESC 256u /* offset of descriptor 0 */

struct ns_ring_desc {
    uint32_t seq;     /* low 32 bits of the sequence number */
    uint32_t slot;    /* index of the slot */
    uint32_t offset;  /* of the IP header, from the start of the slot */
    uint32_t length;  /* of the packet, bytes */
    uint32_t mark;    /* the packet's firewall mark */
    uint32_t ifindex; /* of the interface it came in on; 0 = unknown */
    uint16_t mtu;     /* of that interface, bytes: a turned packet must not be longer */
    uint8_t family;   /* 4 or 6 */
    uint8_t flags;    /* NS_RING_F_* */
    uint32_t usec;    /* receive time, low 32 bits of CLOCK_MONOTONIC in microseconds */
};                    /* 32 bytes */

#define NS_RING_F_COPY 0x01u /* a sample: the packet has already gone on, the verdict is ignored */

/* Region S: header, then 2*slots verdicts, then (page aligned) the slots. */
struct ns_ring_s {
    uint32_t magic;
    uint16_t major, minor;
    uint8_t pad0[56];
    uint64_t consumed; /* offset 64: descriptors taken by the container */
    uint8_t pad1[56];
    uint64_t answered; /* offset 128: verdicts published */
    uint8_t pad2[56];
    uint32_t container_sleeps; /* offset 192: 1 = write to the rx eventfd after publishing descriptors */
    uint8_t pad3[60];
};                             /* 256 bytes */
#define NS_RING_S_VERDICT 256u /* offset of verdict 0 */

struct ns_ring_verdict {
    uint32_t seq;    /* names the packet */
    uint32_t code;   /* NS_VERDICT_* */
    uint32_t offset; /* CHANGED only: where the packet begins in its slot */
    uint32_t length; /* CHANGED only: its new length, bytes */
};                   /* 16 bytes; verdict number n is at index n & (2*slots - 1) */

enum ns_verdict {
    NS_VERDICT_PASS = 0,    /* goes on unchanged */
    NS_VERDICT_DROP = 1,    /* is dropped */
    NS_VERDICT_CHANGED = 2, /* goes on as it now stands in its slot, if the egress check lets it */
    NS_VERDICT_STOLEN = 3,  /* is answered later, by one more verdict; extends the deadline to the steal time */
    /* 16 and up are kept for offload: the rest of the flow is decided in the kernel */
};

static inline uint64_t ns_ring_d_bytes(uint32_t slots) {
    return (NS_RING_D_DESC + (uint64_t)slots * sizeof(struct ns_ring_desc) + 4095u) & ~4095ull;
}

static inline uint64_t ns_ring_s_slots(uint32_t slots) { /* offset of slot 0 */
    return (NS_RING_S_VERDICT + 2ull * slots * sizeof(struct ns_ring_verdict) + 4095u) & ~4095ull;
}

static inline uint64_t ns_ring_s_bytes(uint32_t slots) {
    return ns_ring_s_slots(slots) + (uint64_t)slots * NS_RING_SLOT_SIZE;
}

#endif
