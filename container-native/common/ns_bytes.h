/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_bytes.h - numbers in network byte order at any address,
 * aligned or not. The caller has checked that they are there.
 */
#ifndef NS_BYTES_H
#define NS_BYTES_H

#include <stdint.h>

/* At most 0xffff. It is unsigned and wide, so that a shift to the left is defined. */
static inline uint32_t ns_get16(const uint8_t *at) {
    return (uint32_t)at[0] << 8 | at[1];
}

static inline uint32_t ns_get32(const uint8_t *at) {
    return ns_get16(at) << 16 | ns_get16(at + 2);
}

static inline uint64_t ns_get64(const uint8_t *at) {
    return (uint64_t)ns_get32(at) << 32 | ns_get32(at + 4);
}

/* Writes the low 16 bits. */
static inline void ns_put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void ns_put32(uint8_t *at, uint32_t value) {
    ns_put16(at, value >> 16);
    ns_put16(at + 2, value);
}

static inline void ns_put64(uint8_t *at, uint64_t value) {
    ns_put32(at, (uint32_t)(value >> 32));
    ns_put32(at + 4, (uint32_t)value);
}

#endif
