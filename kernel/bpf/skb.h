/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * skb.h - reads a packet in tc. Its headers may have to be brought together first, and the device may have taken a
 * VLAN tag off.
 */
#ifndef NS_SKB_H
#define NS_SKB_H

#include "packet.h"
#include <linux/if_packet.h>
#include <linux/pkt_cls.h>

#define NS_HEADERS 74u      /* Ethernet, IPv6, TCP */
#define NS_HEADERS_TCP4 54u /* Ethernet, IPv4 without options, TCP */

/*
 * Tells whether TCP in IPv4 has all headers at hand. A train of the local TCP has no byte more there, and the kernel
 * copies all of its head to bring one.
 */
static __always_inline bool ns_skb_has_tcp4(void *data, void *end) {
    struct iphdr *ip = data + NS_L3;

    return data + NS_HEADERS_TCP4 <= end && ((struct ethhdr *)data)->h_proto == bpf_htons(ETH_P_IP) && ip->ihl == 5 &&
           ip->protocol == IPPROTO_TCP;
}

/* Reads a packet whatever link address it has. */
static __always_inline bool ns_skb_read_any(struct ns_packet *packet, struct __sk_buff *skb) {
    void *data = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;

    if (skb->vlan_present)
        return false;
    if (data + NS_HEADERS > end && skb->len > (__u32)(end - data) && !ns_skb_has_tcp4(data, end)) {
        if (bpf_skb_pull_data(skb, skb->len < NS_HEADERS ? skb->len : NS_HEADERS) != 0)
            return false;
        data = (void *)(long)skb->data;
        end = (void *)(long)skb->data_end;
    }
    return ns_packet_read(packet, data, end);
}

static __always_inline bool ns_skb_read(struct ns_packet *packet, struct __sk_buff *skb) {
    return skb->pkt_type != PACKET_OTHERHOST && ns_skb_read_any(packet, skb);
}

#endif
