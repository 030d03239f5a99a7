/* SPDX-License-Identifier: Apache-2.0 */
#include "mtu.h"

#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define KEEP 1000000000ull

int ns_mtu_open(struct ns_mtu_cache *cache) {
    memset(cache, 0, sizeof *cache);
    cache->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return cache->fd < 0 ? -1 : 0;
}

void ns_mtu_close(struct ns_mtu_cache *cache) {
    if (cache->fd >= 0)
        close(cache->fd);
    cache->fd = -1;
}

static uint32_t ask(int fd, uint32_t ifindex) {
    struct ifreq request = {.ifr_ifindex = (int)ifindex};

    if (ioctl(fd, SIOCGIFNAME, &request) != 0 || ioctl(fd, SIOCGIFMTU, &request) != 0 || request.ifr_mtu < 0)
        return 0;
    return (uint32_t)request.ifr_mtu;
}

uint32_t ns_mtu_get(void *context, uint32_t ifindex, uint64_t now) {
    struct ns_mtu_cache *cache = context;
    uint32_t at = ifindex % NS_MTU_CACHE;

    if (ifindex == 0)
        return 0;
    if (cache->entries[at].ifindex != ifindex || cache->entries[at].until <= now) {
        cache->entries[at].ifindex = ifindex;
        cache->entries[at].mtu = ask(cache->fd, ifindex);
        cache->entries[at].until = now + KEEP;
    }
    return cache->entries[at].mtu;
}
