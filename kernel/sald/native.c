/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

#include <arpa/inet.h>

uint32_t ns_sal_native_id(uint32_t random) {
    const uint32_t ports = 65536u - NS_SAL_NATIVE_FIRST;

    return (random & 0xffff0000u) | (NS_SAL_NATIVE_FIRST + (random & 0xffffu) % ports);
}

static bool is_port(uint32_t id) {
    return (id & 0xffffu) >= NS_SAL_NATIVE_FIRST;
}

bool ns_sal_native_is_shared(const struct ns_sal_flow *flow) {
    return (flow->abilities & flow->peer_abilities & NS_SAL_ABILITY_NATIVE) != 0;
}

uint32_t ns_sal_native_settle(const struct ns_sal_flow *flow, const struct ns_sal_packet *packet,
                              const struct ns_sal_address *from) {
    if (packet->has_seen && ns_sal_same(&packet->seen.client, from) &&
        ns_sal_same(&packet->seen.server, &flow->mobility.own))
        return packet->capability;
    return packet->capability & ~NS_SAL_ABILITY_NATIVE;
}

struct ns_sal_tuple ns_sal_native_names(const struct ns_sal_way *way) {
    struct ns_sal_tuple names = {.family = way->family};

    memcpy(names.source, way->peer_address, sizeof names.source);
    memcpy(names.destination, way->own_address, sizeof names.destination);
    names.ports = htonl(ntohl(way->peer) << 16 | (ntohl(way->own) & 0xffffu));
    return names;
}

void ns_sal_native_publish(struct ns_sal_kept *kept, struct ns_sal_way *way) {
    const struct ns_sal_flow *flow = &kept->flow;

    if (kept->moved || kept->datagrams || way->peer_port == 0 || !ns_sal_native_is_shared(flow) || !is_port(flow->id) ||
        !is_port(flow->remote.flow))
        return;
    way->native = flow->client ? NS_SAL_NATIVE_ANSWERS : NS_SAL_NATIVE_BEGINS;
    kept->native = ns_sal_native_names(way);
}
