/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_ring.h - the packet ring between pktio and one container.
 *
 * Two shared-memory regions, both sealed memfds (F_SEAL_SHRINK|GROW|SEAL), all fields little-endian host order.
 *
 *   region D "descriptors": written by pktio, mapped read-only by the container (its descriptor is O_RDONLY)
 *   region S "slots":       written by both; nothing in it is believed by pktio without a check
 *
 *   D: | header | descriptors | to the page | records of flows | records of counts |
 *   S: | header | verdicts    | to the page | slots                                |
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
 * container that never answers runs out of slots, and once the first packets without a slot have waited for as long
 * as the deadline, every further packet bypasses it (`ring_full`) until slots come back.
 *
 * With NS_VERDICT_OFFLOAD a verdict holds for the rest of the packet's flow, too, which then never
 * comes here: the kernel decides it for so many seconds (bpfd, docs/protocols/bpfd.md). What
 * became of it is in the records, which pktio copies from bpfd's own ten times a second. A minor
 * version of 0 has neither; each side takes the other's older one as it is.
 *
 * The Java twin is org.netserv.host.Ring; container-native/tests/vectors/ring.txt holds both sides to the same numbers.
 */
#ifndef NS_RING_H
#define NS_RING_H

#include <stdint.h>

#define NS_RING_D_MAGIC 0x4452534eu /* "NSRD" */
#define NS_RING_S_MAGIC 0x5352534eu /* "NSRS" */
#define NS_RING_MAJOR 1
#define NS_RING_MINOR 1 /* 1: NS_VERDICT_OFFLOAD and the table of records */

#define NS_RING_SLOTS_DEFAULT 1024u /* a power of two, 64..16384 */
#define NS_RING_SLOT_SIZE 2048u     /* bytes */
#define NS_RING_HEADROOM 128u       /* bytes free before a received packet, at least */
#define NS_RING_TAILROOM 128u       /* bytes free behind it, at least */
#define NS_RING_PACKET_MAX (NS_RING_SLOT_SIZE - NS_RING_HEADROOM - NS_RING_TAILROOM) /* longer ones bypass the ring */
#define NS_RING_BATCH 64u /* descriptors per upcall at most */

#define NS_RING_RECORD_FLOWS 1024u  /* records of offloaded flows, then */
#define NS_RING_RECORD_COUNTS 4096u /* records of packets only counted; the last takes keys without a place */

/*
 * Region D: header, descriptors, then (page aligned) the records.
 * Cursors on cache lines of their own; they only grow (64 bit).
 */
struct ns_ring_d {
    uint32_t magic;
    uint16_t major, minor;
    uint32_t slots;
    uint32_t slot_size;
    uint32_t records; /* offset 16: of the first record; 0 = there are none */
    uint32_t record_flows, record_counts;
    uint8_t pad0[36];
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

/*
 * The kernel's record of a flow, or of the packets of one key. Written by one, read by many: `version` is odd while
 * the rest changes, and a reader begins again if it was odd or is another one afterwards. Addresses in network order,
 * IPv4 in the first 4 bytes; ports in host order. In a record of a count, fields outside the filter's key are 0.
 */
struct ns_ring_record {
    uint32_t version;
    uint32_t state; /* NS_RECORD_* */
    uint32_t seq;   /* low 32 bits of the number of the packet whose verdict asked for it */
    uint8_t family, protocol;
    uint8_t ttl; /* of counts by `ttl` */
    uint8_t pad0;
    uint8_t source[16], destination[16]; /* offset 16: as the flow arrives */
    uint16_t source_port, destination_port;
    uint32_t pad1;
    uint64_t packets, bytes; /* offset 56: decided in the kernel; bytes of IP */
    uint64_t last_usec;      /* of the last of them, CLOCK_MONOTONIC, microseconds */
    uint64_t reserved[2];
}; /* 96 bytes */

enum ns_record_state {
    NS_RECORD_FREE = 0,
    NS_RECORD_OFFLOADED = 1,
    NS_RECORD_ENDED_IDLE = 2,    /* no packet for 30 s */
    NS_RECORD_ENDED_TIME = 3,    /* its seconds are over */
    NS_RECORD_ENDED_REVOKED = 4, /* its filter or its container has gone */
    NS_RECORD_COUNTED = 5,       /* a count */
};

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
    uint32_t code;   /* enum ns_verdict, with NS_VERDICT_OFFLOAD or without */
    uint32_t offset; /* CHANGED only: where the packet begins in its slot */
    uint32_t length; /* CHANGED only: its new length, bytes */
};                   /* 16 bytes; verdict number n is at index n & (2*slots - 1) */

enum ns_verdict {
    NS_VERDICT_PASS = 0,    /* goes on unchanged */
    NS_VERDICT_DROP = 1,    /* is dropped */
    NS_VERDICT_CHANGED = 2, /* goes on as it now stands in its slot, if the egress check lets it */
    NS_VERDICT_STOLEN = 3,  /* is answered later, by one more verdict; extends the deadline to the steal time */
};

/*
 * The code of a verdict:
 *
 *     31            16 15       5  4  3     0
 *     | seconds       | 0 ... 0  | O | verdict |
 *
 * O asks that the verdict hold for the rest of the flow, in the kernel, for 1-65535 seconds; not with STOLEN, not for
 * a copy. With CHANGED it is the difference of the headers that holds: addresses, ports, DSCP and TTL may differ,
 * nothing else. The packet itself is answered in any case as it would be without O.
 */
#define NS_VERDICT_MASK 0x0000000fu
#define NS_VERDICT_OFFLOAD 0x00000010u
#define NS_VERDICT_SECONDS 16 /* shift */

static inline uint64_t ns_ring_d_records(uint32_t slots) { /* offset of record 0 */
    return (NS_RING_D_DESC + (uint64_t)slots * sizeof(struct ns_ring_desc) + 4095u) & ~4095ull;
}

static inline uint64_t ns_ring_d_bytes(uint32_t slots) {
    uint64_t records = NS_RING_RECORD_FLOWS + NS_RING_RECORD_COUNTS;

    return ns_ring_d_records(slots) + ((records * sizeof(struct ns_ring_record) + 4095u) & ~4095ull);
}

static inline uint64_t ns_ring_s_slots(uint32_t slots) { /* offset of slot 0 */
    return (NS_RING_S_VERDICT + 2ull * slots * sizeof(struct ns_ring_verdict) + 4095u) & ~4095ull;
}

static inline uint64_t ns_ring_s_bytes(uint32_t slots) {
    return ns_ring_s_slots(slots) + (uint64_t)slots * NS_RING_SLOT_SIZE;
}

#endif
