/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_hash.h - FNV-1a with 64 bits, to detect change and to number flows. The hash does not resist forgery.
 */
#ifndef NS_HASH_H
#define NS_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The hash of no bytes: each hash begins with this value. */
#define NS_HASH_FIRST 0xcbf29ce484222325u

/* Returns the hash of the bytes behind all that `hash` has mixed so far. */
static inline uint64_t ns_hash(uint64_t hash, const void *bytes, size_t length) {
    const uint8_t *at = bytes;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

/* Returns the hash of the text, without its final 0, behind all that `hash` has mixed so far. */
static inline uint64_t ns_hash_text(uint64_t hash, const char *text) {
    return ns_hash(hash, text, strlen(text));
}

#endif
