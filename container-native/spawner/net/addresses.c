/* SPDX-License-Identifier: Apache-2.0 */
#include "addresses.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static uint32_t reading;

void ns_addresses_changed(void) {
    reading++;
}

static void add_address(struct ns_cell_node *node, const struct sockaddr *address, bool broadcast) {
    struct ns_net *net = &node->address[node->count];

    if (address == NULL || (address->sa_family != AF_INET && address->sa_family != AF_INET6) ||
        node->count == NS_CELL_NODE_MAX)
        return;
    *net = (struct ns_net){.family = address->sa_family == AF_INET ? 4 : 6,
                           .bits = address->sa_family == AF_INET ? 32 : 128};
    if (net->family == 4)
        memcpy(net->address, &((const struct sockaddr_in *)address)->sin_addr, 4);
    else
        memcpy(net->address, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
    for (unsigned i = 0; i < node->count; i++) {
        if (memcmp(&node->address[i], net, sizeof *net) != 0)
            continue;
        memset(net, 0, sizeof *net);
        return;
    }
    node->broadcast[node->count++] = broadcast;
}

void ns_addresses_read(struct ns_cell_node *node) {
    struct ifaddrs *all = NULL;

    memset(node, 0, sizeof *node);
    node->reading = reading;
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *at = all; at != NULL; at = at->ifa_next) {
        if (strncmp(at->ifa_name, "nsv", 3) == 0)
            continue;
        add_address(node, at->ifa_addr, false);
        if (at->ifa_flags & IFF_BROADCAST && at->ifa_addr != NULL && at->ifa_addr->sa_family == AF_INET)
            add_address(node, at->ifa_broadaddr, true);
    }
    freeifaddrs(all);
}
