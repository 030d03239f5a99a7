/* SPDX-License-Identifier: Apache-2.0 */
/* container.h - a container in C for tests. It takes descriptors and answers them as its mode demands. */
#ifndef NS_TEST_CONTAINER_H
#define NS_TEST_CONTAINER_H

#include "ns_checksum.h"
#include "ns_memfd.h"
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum container_mode {
    MODE_PASS,
    MODE_TURN,
    MODE_CHANGE, /* "C" as the first byte of the data */
    MODE_DROP,
    MODE_STEAL,  /* each packet is answered when the next one comes */
    MODE_DIVERT, /* sends it to another address, which is refused */
    MODE_MIXED,  /* passed, changed, dropped by turns */
    MODE_VERIFY, /* passed if its checksum, of UDP or TCP, is right, else dropped */
    MODE_SILENT,
    MODE_CORRUPT,
    MODE_REPAIR,
    MODE_BLOCK
};

struct container {
    struct ns_ring_map ring;
    int receive_fd, send_fd;
    const volatile int *mode;
    bool has_stolen;
    uint32_t stolen; /* the packet to be answered when the next one comes */
};

static inline void swap(uint8_t *a, uint8_t *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint8_t t = a[i];

        a[i] = b[i];
        b[i] = t;
    }
}

/* Returns the bytes before the data of a UDP packet without options. */
static inline size_t udp_data(const uint8_t *p) {
    return (p[0] >> 4 == 4 ? 20 : 40) + 8;
}

static inline void change(uint8_t *p, uint32_t length) {
    size_t data = udp_data(p);

    p[data] = 'C';
    ns_checksum_udp(p, p + data - 8, length - data + 8);
}

static inline void divert(uint8_t *p, uint32_t length) {
    p[p[0] >> 4 == 4 ? 19 : 39] ^= 0x60; /* the last byte of its destination */
    change(p, length);
}

/* Tells whether the checksum is right, for a packet without IP options. */
static inline bool verified(const uint8_t *p, uint32_t length) {
    bool v4 = p[0] >> 4 == 4;
    size_t header = v4 ? 20 : 40;
    uint32_t sum = v4 ? ns_checksum_add(p[9], p + 12, 8) : ns_checksum_add(p[6], p + 8, 32);

    sum += length - (uint32_t)header; /* the rest of the pseudo header: protocol and length */
    return ns_checksum_finish(ns_checksum_add(sum, p + header, length - header)) == 0;
}

/* Sends a UDP packet without options back, with "T" as the first byte of its data. */
static inline void turn_around(uint8_t *p, uint32_t length) {
    size_t addresses = p[0] >> 4 == 4 ? 4 : 16, at = p[0] >> 4 == 4 ? 12 : 8, udp = at + 2 * addresses;

    swap(p + at, p + at + addresses, addresses);
    swap(p + udp, p + udp + 2, 2);
    p[udp + 8] = 'T';
    ns_checksum_udp(p, p + udp, length - udp);
}

static inline void container_answer(struct container *c, uint32_t seq, uint32_t code, uint32_t offset,
                                    uint32_t length) {
    uint64_t n = c->ring.s->answered;

    c->ring.verdict[n & (2 * c->ring.slots - 1)] = (struct ns_ring_verdict){seq, code, offset, length};
    __atomic_store_n(&c->ring.s->answered, n + 1, __ATOMIC_RELEASE);
}

static inline void container_mix(struct container *c, const struct ns_ring_desc *desc, uint8_t *packet) {
    if (desc->seq % 10 == 9) {
        container_answer(c, desc->seq, NS_VERDICT_DROP, 0, 0);
    } else if (desc->seq % 3 == 1) {
        change(packet, desc->length);
        container_answer(c, desc->seq, NS_VERDICT_CHANGED, desc->offset, desc->length);
    } else {
        container_answer(c, desc->seq, NS_VERDICT_PASS, 0, 0);
    }
}

static inline void container_take(struct container *c, uint64_t seq) {
    struct ns_ring_desc desc = c->ring.desc[seq & (c->ring.slots - 1)];
    uint8_t *packet = c->ring.slot + (size_t)desc.slot * NS_RING_SLOT_SIZE + desc.offset;

    switch (*c->mode) {
    case MODE_TURN:
        if ((desc.flags & NS_RING_F_COPY) == 0)
            turn_around(packet, desc.length);
        container_answer(c, desc.seq, NS_VERDICT_CHANGED, desc.offset, desc.length);
        break;
    case MODE_PASS:
        container_answer(c, desc.seq, NS_VERDICT_PASS, 0, 0);
        break;
    case MODE_CHANGE:
        change(packet, desc.length);
        container_answer(c, desc.seq, NS_VERDICT_CHANGED, desc.offset, desc.length);
        break;
    case MODE_DROP:
        container_answer(c, desc.seq, NS_VERDICT_DROP, 0, 0);
        break;
    case MODE_STEAL:
        container_answer(c, desc.seq, NS_VERDICT_STOLEN, 0, 0);
        if (c->has_stolen)
            container_answer(c, c->stolen, NS_VERDICT_PASS, 0, 0);
        c->has_stolen = true;
        c->stolen = desc.seq;
        break;
    case MODE_DIVERT:
        divert(packet, desc.length);
        container_answer(c, desc.seq, NS_VERDICT_CHANGED, desc.offset, desc.length);
        break;
    case MODE_MIXED:
        container_mix(c, &desc, packet);
        break;
    case MODE_VERIFY:
        container_answer(c, desc.seq, verified(packet, desc.length) ? NS_VERDICT_PASS : NS_VERDICT_DROP, 0, 0);
        break;
    case MODE_CORRUPT:
        __atomic_store_n(&c->ring.s->answered, c->ring.d->taken + (1u << 20), __ATOMIC_RELEASE);
        break;
    default: /* no answer */
        break;
    }
}

/*
 * Makes a write to the container's own eventfd block, for all processes that hold the eventfd, and claims to sleep.
 */
static inline void container_block(struct container *c) {
    uint64_t most = UINT64_MAX - 1, ignored;

    fcntl(c->receive_fd, F_SETFL, O_NONBLOCK);
    while (read(c->receive_fd, &ignored, sizeof ignored) > 0)
        continue;
    fcntl(c->receive_fd, F_SETFL, 0);
    if (write(c->receive_fd, &most, sizeof most) != (ssize_t)sizeof most)
        _exit(1);
    __atomic_store_n(&c->ring.s->container_sleeps, 1, __ATOMIC_SEQ_CST);
    for (;;)
        pause();
}

static inline void container_sleep(struct container *c, uint64_t taken) {
    struct pollfd poll_fd = {.fd = c->receive_fd, .events = POLLIN};
    uint64_t value;

    __atomic_store_n(&c->ring.s->container_sleeps, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&c->ring.d->produced, __ATOMIC_ACQUIRE) == taken && poll(&poll_fd, 1, 20) == 1 &&
        read(c->receive_fd, &value, sizeof value) < 0)
        _exit(1);
    __atomic_store_n(&c->ring.s->container_sleeps, 0, __ATOMIC_RELAXED);
}

static inline void container_run(struct container *c) {
    uint64_t one = 1, taken = c->ring.s->consumed;

    for (;;) {
        uint64_t produced = __atomic_load_n(&c->ring.d->produced, __ATOMIC_ACQUIRE);

        if (*c->mode == MODE_BLOCK)
            container_block(c);
        if (*c->mode == MODE_REPAIR)
            __atomic_store_n(&c->ring.s->answered, c->ring.d->taken, __ATOMIC_RELEASE);
        if (produced == taken) {
            container_sleep(c, taken);
            continue;
        }
        while (taken != produced)
            container_take(c, taken++);
        __atomic_store_n(&c->ring.s->consumed, taken, __ATOMIC_RELEASE);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (__atomic_load_n(&c->ring.d->pktio_sleeps, __ATOMIC_RELAXED) != 0 &&
            write(c->send_fd, &one, sizeof one) != (ssize_t)sizeof one)
            _exit(1);
    }
}

#endif
