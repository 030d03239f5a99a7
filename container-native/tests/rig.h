/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rig.h - a packet path with a kernel and a container that are only arrays. The kernel obeys the rules of the real
 * kernel: an answer to an id that is not queued is an error, and a batch verdict hits every queued id up to its own.
 */
#ifndef NS_TEST_RIG_H
#define NS_TEST_RIG_H

#include "ns_test.h"
#include "packets.h"
#include "pktio.h"
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <sys/socket.h>

#define RIG_IDS 65536u
#define RIG_SLOTS 64u
#define MS 1000000ull

struct rig_fate {
    uint8_t queued, answered;
    uint8_t has_mark, has_payload;
    uint32_t verdict, mark, length;
    unsigned turn; /* number of packets answered before this one */
    uint8_t payload[NS_RING_SLOT_SIZE];
};

struct rig {
    struct ns_pktio p;
    struct ns_ring_fds fds;
    struct ns_counters counters;
    struct rig_fate *fates; /* by id */
    unsigned errors, batches, singles, settled;
    int fastpath_fd; /* -1 = none */
};

static void rig_settle(struct rig *rig, uint32_t id, const struct ns_answer *answer) {
    struct rig_fate *fate = &rig->fates[id];

    fate->queued = 0;
    fate->answered++;
    fate->turn = rig->settled++;
    fate->verdict = answer->verdict;
    fate->has_mark = answer->has_mark;
    fate->mark = answer->mark;
    fate->has_payload = answer->payload != NULL;
    fate->length = answer->length;
    if (answer->payload != NULL)
        memcpy(fate->payload, answer->payload, answer->length);
}

static void rig_answer(void *context, const struct ns_answer *answer) {
    struct rig *rig = context;

    rig->singles++;
    if (answer->id >= RIG_IDS || !rig->fates[answer->id].queued)
        rig->errors++;
    else
        rig_settle(rig, answer->id, answer);
}

static void rig_accept_up_to(void *context, uint32_t id) {
    struct rig *rig = context;
    struct ns_answer answer = {.verdict = NF_ACCEPT};

    rig->batches++;
    for (uint32_t i = 0; i <= id; i++) {
        if (rig->fates[i].queued)
            rig_settle(rig, i, &answer);
    }
}

static void rig_flush(void *context) {
    (void)context;
}

static uint32_t rig_mtu(void *context, uint32_t ifindex, uint64_t now) {
    (void)context, (void)now;
    return ifindex == 0 ? 0 : 1500;
}

/* Starts the process, on the present ring. */
static inline void rig_start(struct rig *rig) {
    memset(&rig->p, 0, sizeof rig->p);
    rig->p.limits = (struct ns_pktio_limits){200 * MS, 5000 * MS, 4, 0x00400000, 0x00800000};
    rig->p.counters = &rig->counters;
    rig->p.kernel = (struct ns_kernel){rig, rig_answer, rig_accept_up_to, rig_flush};
    rig->p.mtu = (struct ns_mtu_source){NULL, rig_mtu};
    rig->p.fastpath_fd = rig->fastpath_fd;
    NS_EQUAL(0, ns_ring_map(&rig->p.ring, rig->fds.desc_rw, rig->fds.slots, RIG_SLOTS, 1));
    NS_EQUAL(0, ns_pktio_init(&rig->p));
}

/* Kills the process. The kernel drops the packets that it had queued for the process. */
static inline void rig_kill(struct rig *rig) {
    ns_ring_unmap(&rig->p.ring);
    ns_pktio_destroy(&rig->p);
    memset(rig->fates, 0, RIG_IDS * sizeof *rig->fates);
}

static inline struct rig *rig_open(void) {
    struct rig *rig = calloc(1, sizeof *rig);

    NS_CHECK(rig != NULL);
    rig->fates = calloc(RIG_IDS, sizeof *rig->fates);
    NS_CHECK(rig->fates != NULL);
    NS_EQUAL(0, ns_ring_create(RIG_SLOTS, &rig->fds));
    rig->fastpath_fd = -1;
    rig_start(rig);
    return rig;
}

static inline void rig_close(struct rig *rig) {
    NS_EQUAL(0, rig->errors);
    rig_kill(rig);
    ns_ring_close(&rig->fds);
    free(rig->fates);
    free(rig);
}

static inline size_t rig_attribute(uint8_t *at, uint16_t type, const void *value, size_t length) {
    struct nlattr attribute = {.nla_len = (uint16_t)(NLA_HDRLEN + length), .nla_type = type};

    memcpy(at, &attribute, sizeof attribute);
    memcpy(at + NLA_HDRLEN, value, length);
    return NLA_ALIGN(NLA_HDRLEN + length);
}

/* Writes the kernel's message for a packet. Returns its length. */
static inline size_t rig_datagram(uint8_t *out, uint32_t id, uint32_t mark, const uint8_t *packet, size_t length) {
    struct nfqnl_msg_packet_hdr header = {.packet_id = htonl(id)};
    uint32_t be_mark = htonl(mark), ifindex = htonl(3);
    struct nlmsghdr message = {.nlmsg_type = NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_PACKET};
    size_t n = NLMSG_HDRLEN + sizeof(struct nfgenmsg);

    memset(out, 0, n);
    out[NLMSG_HDRLEN] = packet[0] >> 4 == 6 ? AF_INET6 : AF_INET;
    n += rig_attribute(out + n, NFQA_PACKET_HDR, &header, sizeof header);
    n += rig_attribute(out + n, NFQA_MARK, &be_mark, 4);
    n += rig_attribute(out + n, NFQA_IFINDEX_INDEV, &ifindex, 4);
    n += rig_attribute(out + n, NFQA_PAYLOAD, packet, length);
    message.nlmsg_len = (uint32_t)n;
    memcpy(out, &message, sizeof message);
    return n;
}

/* Has the kernel queue a packet and the process receive it. */
static inline bool rig_packet(struct rig *rig, uint32_t id, bool copy, const uint8_t *packet, size_t length,
                              uint64_t now) {
    uint8_t datagram[8192] __attribute__((aligned(4)));
    size_t n = rig_datagram(datagram, id, 0x11, packet, length);
    struct ns_arrival arrival = {.copy = copy, .head = datagram, .slot = ns_table_take(&rig->p.table)};
    enum ns_message_kind kind = ns_message_parse(&arrival.message, datagram, n);
    bool used;

    NS_CHECK(kind == NS_MESSAGE_PACKET || kind == NS_MESSAGE_BAD_BUT);
    arrival.understood = kind == NS_MESSAGE_PACKET;
    rig->fates[id].queued = 1;
    if (n > NS_MESSAGE_HEAD && arrival.slot != NS_TABLE_NONE) {
        size_t rest = n - NS_MESSAGE_HEAD, room = NS_RING_SLOT_SIZE - NS_DELIVER_AT;

        memcpy(rig->p.ring.slot + (size_t)arrival.slot * NS_RING_SLOT_SIZE + NS_DELIVER_AT, datagram + NS_MESSAGE_HEAD,
               rest < room ? rest : room);
    }
    used = ns_deliver(&rig->p, &arrival, now);
    if (!used && arrival.slot != NS_TABLE_NONE)
        ns_table_give_back(&rig->p.table, arrival.slot);
    return used;
}

/* Sends a packet 192.0.2.1:1000 -> 198.51.100.2:2000 with 100 bytes. */
static inline bool rig_udp(struct rig *rig, uint32_t id, uint64_t now) {
    uint8_t packet[256];

    return rig_packet(rig, id, false, packet, udp4(packet, "192.0.2.1", 1000, "198.51.100.2", 2000, 100), now);
}

static inline void rig_turn(struct rig *rig, uint64_t now) {
    ns_ring_look(&rig->p);
    ns_ring_publish(&rig->p);
    ns_verdicts_take(&rig->p, 4096, now);
    ns_verdicts_expire(&rig->p, now);
    ns_pktio_flush(&rig->p);
}

/* The container's side. */
static inline const struct ns_ring_desc *rig_desc(struct rig *rig, uint32_t seq) {
    return &rig->p.ring.desc[seq & (RIG_SLOTS - 1)];
}

static inline uint8_t *rig_slot(struct rig *rig, uint32_t seq) {
    return rig->p.ring.slot + (size_t)rig_desc(rig, seq)->slot * NS_RING_SLOT_SIZE;
}

static inline void rig_consume(struct rig *rig) {
    rig->p.ring.s->consumed = rig->p.ring.d->produced;
}

static inline void rig_say(struct rig *rig, uint32_t seq, uint32_t code, uint32_t offset, uint32_t length) {
    uint64_t n = rig->p.ring.s->answered;

    rig->p.ring.verdict[n & (2 * RIG_SLOTS - 1)] = (struct ns_ring_verdict){seq, code, offset, length};
    rig->p.ring.s->answered = n + 1;
}

/* Tells whether the packet was accepted once, as it came. */
static inline bool rig_passed(const struct rig *rig, uint32_t id) {
    const struct rig_fate *fate = &rig->fates[id];

    return fate->answered == 1 && fate->verdict == NF_ACCEPT && !fate->has_payload && !fate->has_mark;
}

#endif
