/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_time.h"

#include <time.h>

uint64_t ns_now_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t ns_now(void) {
    return ns_now_ns() / 1000000u;
}
