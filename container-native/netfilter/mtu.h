/* SPDX-License-Identifier: Apache-2.0 */
/* mtu.h - a cache of MTUs by interface index. It asks the kernel at most once a second for each interface. */
#ifndef NS_MTU_H
#define NS_MTU_H

#include <stdint.h>

#define NS_MTU_CACHE 64u /* places for interfaces; interfaces with the same index modulo this share a place */

struct ns_mtu_cache {
    int fd; /* any socket */
    struct {
        uint32_t ifindex, mtu;
        uint64_t until; /* nanoseconds of the monotonic clock */
    } entries[NS_MTU_CACHE];
};

/* Returns 0, or -1 with errno. */
int ns_mtu_open(struct ns_mtu_cache *cache);
void ns_mtu_close(struct ns_mtu_cache *cache);

/* Returns the MTU in bytes, or 0 if there is no such interface. Fits struct ns_mtu_source. */
uint32_t ns_mtu_get(void *cache, uint32_t ifindex, uint64_t now);

#endif
