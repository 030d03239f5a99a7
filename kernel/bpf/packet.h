/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* packet.h - the headers of one packet behind an Ethernet header, read once for all programs. */
#ifndef NS_PACKET_H
#define NS_PACKET_H

#include "ns_programs.h"
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <stdbool.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define NS_UDPLITE 136
#define NS_L3 ((__u32)sizeof(struct ethhdr))

struct ns_packet {
    struct ns_count_words words; /* IPv4: the first word of each address */
    void *l3;
    void *l4;     /* NULL without ports */
    __u32 length; /* of the IP packet */
    __u8 family, protocol, ttl;
    bool plain; /* no fragment, no options, no extension headers: its flow may decide about it */
};

static __always_inline bool ns_has_ports(__u8 protocol) {
    return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP || protocol == IPPROTO_DCCP || protocol == IPPROTO_SCTP ||
           protocol == NS_UDPLITE;
}

/*
 * Reads the ports. TCP's checksum ends at byte 18. The other checksums end at byte 8 at most, or lie behind the part
 * that is read.
 */
static __always_inline void ns_read_ports(struct ns_packet *packet, void *at, void *end) {
    __u32 bytes = packet->protocol == IPPROTO_TCP ? 20 : 8;

    if (!ns_has_ports(packet->protocol))
        return;
    if (packet->length < (__u32)(at - packet->l3) + bytes)
        packet->plain = false;
    if (packet->protocol == IPPROTO_TCP ? at + 20 > end : at + 8 > end) {
        packet->plain = false;
        return;
    }
    packet->l4 = at;
    packet->words.ports = *(__u32 *)at;
}

static __always_inline bool ns_read_ipv4(struct ns_packet *packet, struct iphdr *ip, void *end) {
    __u32 header;

    if ((void *)(ip + 1) > end || ip->version != 4 || ip->ihl < 5)
        return false;
    header = ip->ihl * 4u;
    packet->family = 4;
    packet->protocol = ip->protocol;
    packet->words.source[0] = ip->saddr;
    packet->words.destination[0] = ip->daddr;
    packet->length = bpf_ntohs(ip->tot_len);
    packet->ttl = ip->ttl;
    packet->plain = header == sizeof *ip && (ip->frag_off & bpf_htons(0x3fff)) == 0 && packet->length >= sizeof *ip;
    if ((ip->frag_off & bpf_htons(0x1fff)) == 0)
        ns_read_ports(packet, (void *)ip + header, end);
    return true;
}

/*
 * Reads the IPv6 header. Its next-header field counts as the protocol, even if it is an extension header's, because
 * bpfd has no flow with such a protocol.
 */
static __always_inline bool ns_read_ipv6(struct ns_packet *packet, struct ipv6hdr *ip, void *end) {
    if ((void *)(ip + 1) > end || ip->version != 6)
        return false;
    packet->family = 6;
    packet->protocol = ip->nexthdr;
    __builtin_memcpy(packet->words.source, &ip->saddr, 16);
    __builtin_memcpy(packet->words.destination, &ip->daddr, 16);
    packet->length = bpf_ntohs(ip->payload_len) + (__u32)sizeof *ip;
    packet->ttl = ip->hop_limit;
    packet->plain = ip->payload_len != 0;
    ns_read_ports(packet, ip + 1, end);
    return true;
}

/*
 * Reads the headers. Returns false if the packet is not IP, or too short for its header. A packet with a VLAN tag is
 * not ours.
 */
static __always_inline bool ns_packet_read(struct ns_packet *packet, void *data, void *end) {
    struct ethhdr *link = data;

    packet->l4 = NULL;
    packet->words.ports = 0;
    if ((void *)(link + 1) > end)
        return false;
    packet->l3 = link + 1;
    if (link->h_proto == bpf_htons(ETH_P_IP))
        return ns_read_ipv4(packet, packet->l3, end);
    if (link->h_proto == bpf_htons(ETH_P_IPV6))
        return ns_read_ipv6(packet, packet->l3, end);
    return false;
}

#endif
