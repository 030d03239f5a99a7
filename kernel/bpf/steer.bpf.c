/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * steer.bpf.c - XDP, slot NS_XDP_STEER of the entry: redirects packets of authorised filters to their container's
 * AF_XDP socket.
 *
 * A packet is steered only if pktio can forward it without the kernel. All other packets go on to the stack, where
 * the filter's queue rule waits for them. The kernel therefore handles every case that needs a complete router:
 * fragments, options, TTL, too big, its own addresses.
 */
#include "ns_helpers.h"
#include "ns_steer.h"
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define INET 2 /* address families, because programs cannot include their headers */
#define INET6 10
#define FRAGMENT 0x3fff /* more fragments, offset */

/* The list of filters in use. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __array(
        values, struct {
            __uint(type, BPF_MAP_TYPE_ARRAY);
            __uint(max_entries, 1);
            __uint(key_size, sizeof(uint32_t));
            __uint(value_size, sizeof(struct ns_steer_filters));
        });
} steer_filters SEC(".maps");

/*
 * Sockets by queue. Without preallocation, so that an entry that a program still reads is not given to another queue.
 */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_STEER_SOCKETS);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct ns_steer_queue);
    __type(value, struct ns_steer_socket);
} steer_queues SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1024);
    __type(key, struct ns_steer_exit);
    __type(value, uint32_t);
} steer_ports SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_XSKMAP);
    __uint(max_entries, NS_STEER_SOCKETS);
    __type(key, uint32_t);
    __type(value, uint32_t);
} steer_xsks SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, NS_STEER_SLOTS *NS_STEER_COUNTS);
    __type(key, uint32_t);
    __type(value, uint64_t);
} steer_counts SEC(".maps");

struct packet {
    uint32_t source[4], destination[4];     /* network order, IPv4 in the first word */
    uint32_t flow;                          /* IPv6: class and label, network order */
    uint16_t source_port, destination_port; /* host order, 0 without ports */
    uint16_t length;                        /* of the IP packet */
    uint8_t family, protocol, hops, tos;
};

static __always_inline int pass(uint32_t container, uint32_t why) {
    uint32_t place = ns_steer_counter(container, why);
    uint64_t *count = bpf_map_lookup_elem(&steer_counts, &place);

    if (count)
        *count += 1;
    return XDP_PASS;
}

static __always_inline int has_ports(uint8_t protocol) {
    return protocol == IPPROTO_UDP || protocol == IPPROTO_TCP || protocol == IPPROTO_SCTP || protocol == IPPROTO_DCCP ||
           protocol == IPPROTO_UDPLITE;
}

static __always_inline int read_ports(struct packet *packet, void *at, void *end) {
    uint16_t *ports = at;

    if (!has_ports(packet->protocol))
        return 1;
    if ((void *)(ports + 2) > end)
        return 0;
    packet->source_port = bpf_ntohs(ports[0]);
    packet->destination_port = bpf_ntohs(ports[1]);
    return 1;
}

static __always_inline int read_ipv4(struct packet *packet, void *at, void *end) {
    struct iphdr *ip = at;

    if ((void *)(ip + 1) > end || ip->version != 4 || ip->ihl != 5 || (ip->frag_off & bpf_htons(FRAGMENT)) != 0)
        return 0;
    packet->family = 4;
    packet->protocol = ip->protocol;
    packet->hops = ip->ttl;
    packet->tos = ip->tos;
    packet->length = bpf_ntohs(ip->tot_len);
    packet->source[0] = ip->saddr;
    packet->destination[0] = ip->daddr;
    return packet->length >= sizeof *ip && packet->length <= end - at && read_ports(packet, ip + 1, end);
}

static __always_inline int is_extension(uint8_t next) {
    return next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING || next == IPPROTO_FRAGMENT || next == IPPROTO_DSTOPTS ||
           next == IPPROTO_AH || next == IPPROTO_MH || next == 139 || next == 140;
}

static __always_inline int read_ipv6(struct packet *packet, void *at, void *end) {
    struct ipv6hdr *ip = at;

    if ((void *)(ip + 1) > end || ip->version != 6 || is_extension(ip->nexthdr))
        return 0;
    packet->family = 6;
    packet->protocol = ip->nexthdr;
    packet->hops = ip->hop_limit;
    packet->flow = *(uint32_t *)at & bpf_htonl(0x0fffffff);
    packet->length = bpf_ntohs(ip->payload_len) + sizeof *ip;
    __builtin_memcpy(packet->source, &ip->saddr, 16);
    __builtin_memcpy(packet->destination, &ip->daddr, 16);
    return packet->length <= end - at && read_ports(packet, ip + 1, end);
}

static __always_inline int same_link(const uint8_t *a, const uint8_t *b) {
    return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]) | (a[4] ^ b[4]) | (a[5] ^ b[5])) == 0;
}

static __always_inline int read_packet(struct packet *packet, const struct ns_steer_socket *to, void *data, void *end) {
    struct ethhdr *link = data;

    if ((void *)(link + 1) > end || end - data > NS_STEER_FRAME_MAX || !same_link(link->h_dest, to->address))
        return 0;
    if (link->h_proto == bpf_htons(ETH_P_IP))
        return read_ipv4(packet, link + 1, end);
    if (link->h_proto == bpf_htons(ETH_P_IPV6))
        return read_ipv6(packet, link + 1, end);
    return 0;
}

static __always_inline int in(const uint32_t *address, const uint32_t *prefix, const uint32_t *mask) {
    return (((address[0] & mask[0]) ^ prefix[0]) | ((address[1] & mask[1]) ^ prefix[1]) |
            ((address[2] & mask[2]) ^ prefix[2]) | ((address[3] & mask[3]) ^ prefix[3])) == 0;
}

static __always_inline int matches(const struct packet *packet, const struct ns_steer_filter *filter) {
    return filter->family == packet->family && (filter->protocol == 0 || filter->protocol == packet->protocol) &&
           packet->source_port >= filter->source_ports[0] && packet->source_port <= filter->source_ports[1] &&
           packet->destination_port >= filter->destination_ports[0] &&
           packet->destination_port <= filter->destination_ports[1] &&
           in(packet->destination, filter->destination, filter->destination_mask) &&
           in(packet->source, filter->source, filter->source_mask);
}

/* A walk along the list. With bpf_loop the verifier checks one step, not 256 steps in all their branches. */
struct walk {
    const struct packet *packet;
    const struct ns_steer_filters *filters;
    const struct ns_steer_filter *found;
};

static long step(uint32_t i, struct walk *walk) {
    if (i >= NS_STEER_FILTERS)
        return 1;
    if (!matches(walk->packet, &walk->filters->filter[i]))
        return 0;
    walk->found = &walk->filters->filter[i];
    return 1;
}

/* Tells whether the packet is this container's, and for the plane. The first filter that matches decides. */
static __always_inline int wanted(const struct packet *packet, uint16_t container) {
    uint32_t zero = 0;
    void *list = bpf_map_lookup_elem(&steer_filters, &zero);
    struct walk walk = {.packet = packet};

    if (!list)
        return 0;
    walk.filters = bpf_map_lookup_elem(list, &zero);
    if (!walk.filters)
        return 0;
    bpf_loop(walk.filters->count, step, &walk, 0);
    return walk.found && walk.found->steer && walk.found->container == container;
}

/*
 * Tells whether an address, in network order, is one that a router neither forwards nor answers: 0/8, loopback,
 * link-local, multicast and beyond, broadcast.
 */
static __always_inline int martian4(uint32_t address) {
    uint32_t host = bpf_ntohl(address);

    return host >> 24 == 0 || host >> 24 == 127 || host >> 16 == 0xa9fe || host >= 0xe0000000u;
}

/* The same for IPv6: the unspecified address, loopback, the addresses mapped from IPv4, link-local, multicast. */
static __always_inline int martian6(const uint32_t *address) {
    uint32_t first = bpf_ntohl(address[0]);

    return (first | address[1] | address[2]) == 0 || ((first | address[1]) == 0 && address[2] == bpf_htonl(0xffff)) ||
           first >> 22 == 0xfe80u >> 6 || first >> 24 == 0xff;
}

/*
 * Tells whether the stack would refuse the packet by its addresses; the stack then gets it. The tables would route
 * such a packet, too.
 */
static __always_inline int martian(const struct packet *packet) {
    if (packet->family == 4)
        return martian4(packet->source[0]) || martian4(packet->destination[0]);
    return martian6(packet->source) || martian6(packet->destination);
}

/*
 * Asks the kernel's tables for a route, as for a packet that came in here. Returns 0, or the reason not to steer. A
 * packet may be forged if the tables place its source behind another interface than it came from. Netfilter must
 * decide about a module's answer to such a packet.
 */
static __always_inline int route(struct xdp_md *ctx, const struct packet *packet, const uint32_t *source,
                                 const uint32_t *destination, int back, uint16_t container, struct ns_steer_route *to) {
    struct bpf_fib_lookup lookup = {
        .family = packet->family == 4 ? INET : INET6,
        .l4_protocol = packet->protocol,
        .sport = bpf_htons(back ? packet->destination_port : packet->source_port),
        .dport = bpf_htons(back ? packet->source_port : packet->destination_port),
        .tot_len = packet->length,
        .ifindex = ctx->ingress_ifindex,
    };
    struct ns_steer_exit exit = {.container = container};
    uint32_t *port;
    long result;

    to->magic = NS_STEER_MAGIC;
    if (packet->family == 4) {
        lookup.tos = packet->tos;
        lookup.ipv4_src = source[0];
        lookup.ipv4_dst = destination[0];
    } else {
        lookup.flowinfo = packet->flow;
        __builtin_memcpy(lookup.ipv6_src, source, 16);
        __builtin_memcpy(lookup.ipv6_dst, destination, 16);
    }
    result = bpf_fib_lookup(ctx, &lookup, sizeof lookup, 0);
    if (result != BPF_FIB_LKUP_RET_SUCCESS && result != BPF_FIB_LKUP_RET_NO_NEIGH)
        return back ? NS_STEER_NO_BACK : NS_STEER_NO_ROUTE;
#ifndef NS_UNCURED /* the lab shows the effect without the next check */
    if (back && lookup.ifindex != ctx->ingress_ifindex)
        return NS_STEER_OTHER_BACK;
#endif
    exit.ifindex = lookup.ifindex;
    port = bpf_map_lookup_elem(&steer_ports, &exit);
    if (!port)
        return NS_STEER_NO_PORT;
    to->port = (uint8_t)*port;
    if (result == BPF_FIB_LKUP_RET_NO_NEIGH)
        return 0; /* do not wait: a module may answer every packet, and nobody asks; a send by the kernel does */
    to->mtu = lookup.mtu_result;
    __builtin_memcpy(to->destination, lookup.dmac, ETH_ALEN);
    __builtin_memcpy(to->source, lookup.smac, ETH_ALEN);
    return 0;
}

static __always_inline int put_meta(struct xdp_md *ctx, const struct ns_steer_meta *meta) {
    struct ns_steer_meta *at;

    if (bpf_xdp_adjust_meta(ctx, -(int)sizeof *meta) != 0)
        return 0;
    at = (void *)(long)ctx->data_meta;
    if ((void *)(at + 1) > (void *)(long)ctx->data)
        return 0;
    *at = *meta;
    return 1;
}

SEC("xdp")
int ns_steer(struct xdp_md *ctx) {
    struct ns_steer_queue key = {.ifindex = ctx->ingress_ifindex, .queue = ctx->rx_queue_index};
    const struct ns_steer_socket *to = bpf_map_lookup_elem(&steer_queues, &key);
    struct ns_steer_meta meta = {};
    struct packet packet = {};
    int why;

    if (!to)
        return XDP_PASS;
    if (!read_packet(&packet, to, (void *)(long)ctx->data, (void *)(long)ctx->data_end))
        return pass(to->container, NS_STEER_UNFIT);
    if (!wanted(&packet, to->container))
        return pass(to->container, NS_STEER_OTHER);
    if (martian(&packet))
        return pass(to->container, NS_STEER_MARTIAN);
    if (packet.hops <= 1)
        return pass(to->container, NS_STEER_TTL);
    why = route(ctx, &packet, packet.source, packet.destination, 0, to->container, &meta.forward);
    if (why == 0)
        why = route(ctx, &packet, packet.destination, packet.source, 1, to->container, &meta.back);
    if (why != 0)
        return pass(to->container, (uint32_t)why);
    if (!put_meta(ctx, &meta))
        return pass(to->container, NS_STEER_UNFIT);
    if (bpf_redirect_map(&steer_xsks, to->index, XDP_PASS) != XDP_REDIRECT)
        return pass(to->container, NS_STEER_NO_SOCKET);
    pass(to->container, NS_STEER_STEERED);
    return XDP_REDIRECT;
}

char ns_license[] SEC("license") = "GPL";
