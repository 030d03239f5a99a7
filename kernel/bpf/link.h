/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* link.h - the interface of a packet in XDP. */
#ifndef NS_LINK_H
#define NS_LINK_H

#include "maps.h"
#include <linux/if_ether.h>

/*
 * Returns the interface that the packet came in by. Returns NULL if the packet is not ours to forward, because its
 * link address is another's or a group's.
 */
static __always_inline const struct ns_interface *ns_sent_to_us(struct xdp_md *context, const struct ethhdr *link) {
    __u32 index = context->ingress_ifindex;
    const struct ns_interface *interface = bpf_map_lookup_elem(&ns_interfaces, &index);

    if (interface == NULL)
        return NULL;
    for (int i = 0; i < 6; i += 2) {
        if (*(const __u16 *)(interface->address + i) != *(const __u16 *)(link->h_dest + i))
            return NULL;
    }
    return interface;
}

#endif
