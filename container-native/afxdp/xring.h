/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xring.h - one of the four rings of an AF_XDP socket, shared with the kernel.
 *
 * Cursors have 32 bits; they only grow, and wrap. Number n is at index n & (size - 1). The producer publishes entries
 * by a store with release, and the consumer gives their places back in the same way. Our own cursor is kept in
 * private memory and is not read back from shared memory, where the kernel writes only its own cursor. A difference
 * above `size` can only be a fault of the kernel, and counts as an empty ring.
 *
 *     we produce (fill, transmit): own = entries written,  other = entries the kernel has taken
 *     we consume (rx, completion): own = entries taken,    other = entries the kernel has written
 */
#ifndef NS_XRING_H
#define NS_XRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ns_xring {
    uint32_t *producer, *consumer, *flags; /* shared */
    void *entries; /* shared: uint64_t of fill and completion, struct xdp_desc of rx and transmit */
    uint32_t size; /* entries, a power of two */
    uint32_t own;
    void *map;
    size_t mapped;
};

/* Places that may be written. */
static inline uint32_t ns_xring_room(const struct ns_xring *ring) {
    uint32_t used = ring->own - __atomic_load_n(ring->consumer, __ATOMIC_ACQUIRE);

    return used > ring->size ? 0 : ring->size - used;
}

/* Entries published that the kernel has not taken. */
static inline uint32_t ns_xring_pending(const struct ns_xring *ring) {
    uint32_t used =
        __atomic_load_n(ring->producer, __ATOMIC_RELAXED) - __atomic_load_n(ring->consumer, __ATOMIC_ACQUIRE);

    return used > ring->size ? 0 : used;
}

/* Entries that may be read. */
static inline uint32_t ns_xring_ready(const struct ns_xring *ring) {
    uint32_t ready = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE) - ring->own;

    return ready > ring->size ? 0 : ready;
}

/*
 * Returns the index of the next entry, which we may then write or read. The kernel sees the step after publish or
 * give_back.
 */
static inline uint32_t ns_xring_next(struct ns_xring *ring) {
    return ring->own++ & (ring->size - 1);
}

static inline void ns_xring_publish(struct ns_xring *ring) {
    __atomic_store_n(ring->producer, ring->own, __ATOMIC_RELEASE);
}

static inline void ns_xring_give_back(struct ns_xring *ring) {
    __atomic_store_n(ring->consumer, ring->own, __ATOMIC_RELEASE);
}

#endif
