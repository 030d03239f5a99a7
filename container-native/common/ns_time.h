/* SPDX-License-Identifier: Apache-2.0 */
/* ns_time.h - moments of CLOCK_MONOTONIC. Any thread may ask. */
#ifndef NS_TIME_H
#define NS_TIME_H

#include <stdint.h>

/* Milliseconds since an arbitrary moment. */
uint64_t ns_now(void);

/* Nanoseconds since the same moment. */
uint64_t ns_now_ns(void);

/* The earlier of two moments. `at` is 0 if there is none. */
static inline uint64_t ns_sooner(uint64_t next, uint64_t at) {
    return at != 0 && at < next ? at : next;
}

#endif
