/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * serval - XDP, forward=direct: routes SYNs and unconnected datagrams of Serval in UDP by their serviceID, over IPv4
 * and IPv6.
 *
 *     | IP | UDP | SAL, CONTROL, SERVICE          | ... -> | IP | UDP | SAL, CONTROL, SERVICE, HOPS  | ...
 *     | IP | UDP | SAL, SERVICE, SERVICE          | ... -> | IP | UDP | SAL, SERVICE, SERVICE, HOPS  | ...
 *     | IP | UDP | SAL, ..., HOPS of a known peer | ... -> | IP | UDP | SAL, ..., HOPS, longer by one | ...
 *
 * The packet leaves from the router's address, as if the module had sent it: the client is the first entry of HOPS, and
 * the router the last one. Router and target have one family. Any packet in doubt goes the long way as it came, to the
 * module's socket, which also drops and counts by name.
 */
#include "serval.h"
#include "bound.h"
#include "link.h"
#include "ns_helpers.h"
#include "relay.h"

#define CONTROL_SYN bpf_htons(0x1014)
#define SERVICE_ID bpf_htons(0x2024)
#define SYN 0x80
#define HOPS 0x60
#define HOPS_HEAD 4
#define HOPS_MOST 12
#define SYN_BYTES 68u
#define DATAGRAM_BYTES 84u
#define NEW_LIST (HOPS_HEAD + 2 * (__u32)sizeof(struct hop))
#define BYTES_MASK 0x1ffu

struct sal {
    __u32 source, destination;
    __u8 words, protocol;
    __u16 checksum;
};

struct hop {
    __u16 zero, port;
    __u32 address[4]; /* IPv4 as ::ffff:a.b.c.d */
};

/* Room for a SAL header that moves, on each processor. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u8[BYTES_MASK + 1]);
} ns_serval_headers SEC(".maps");

/* The packet as it came, and its way. */
struct routed {
    struct ns_serval_key whole;
    struct ns_serval_address client, own, target;
    __u32 bytes, before, list; /* of the SAL header, its part before HOPS, and HOPS, 0 = there is none */
    __u32 grow, length;        /* bytes to be added; of the new IP packet */
    __u32 udp_length;
    __u16 checksum, sal_checksum; /* as they are to be */
    __u16 fragment;
    __u8 tos, ttl, words, protocol;
    bool six;
    __u32 label; /* of IPv6: the flow label as it came */
};

/* The verifier takes no offset into a packet that it cannot bound. No packet that is read has more. */
static __always_inline __u32 bounded(__u32 offset) {
    offset &= BYTES_MASK;
    asm volatile("" : "+r"(offset));
    return offset & BYTES_MASK;
}

static __always_inline void put_address(struct ns_serval_address *at, __u8 family, const __u32 *words) {
    if (family == 4) {
        at->address[0] = at->address[1] = 0;
        at->address[2] = bpf_htonl(0xffff);
        at->address[3] = words[0];
    } else {
        __builtin_memcpy(at->address, words, 16);
    }
}

static __always_inline bool is_address(const __u32 *a, const __u32 *b) {
    return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0;
}

static __always_inline bool is_hop(const struct hop *hop, const struct ns_serval_address *at) {
    return is_address(hop->address, at->address) && hop->port == at->port;
}

static __always_inline void put_hop(struct hop *hop, const struct ns_serval_address *at) {
    hop->zero = 0;
    hop->port = at->port;
    for (int i = 0; i < 4; i++)
        hop->address[i] = at->address[i];
}

/* Adds up an address and its port. The words before an IPv4 address add nothing. */
static __always_inline __u32 sum_of(const struct ns_serval_address *at) {
    return ns_sum_words(at->address, 4) + at->port;
}

/* Reads the serviceID, and the length of the part that has no list. Returns 0 if the packet has another shape. */
static __always_inline __u32 read_service(struct routed *out, const struct sal *sal, void *end) {
    const __u16 *first = (void *)(sal + 1);
    const __u32 *id;
    __u32 bytes;

    if ((void *)sal + SYN_BYTES > end || sal->destination != 0)
        return 0;
    if (*first == CONTROL_SYN) {
        if (*((const __u8 *)first + 2) != SYN || sal->source == 0 || *(const __u16 *)((void *)first + 20) != SERVICE_ID)
            return 0;
        id = (void *)first + 24;
        bytes = SYN_BYTES;
    } else {
        if (*first != SERVICE_ID || (void *)sal + DATAGRAM_BYTES > end ||
            *(const __u16 *)((void *)first + 36) != SERVICE_ID)
            return 0;
        id = (void *)first + 4;
        bytes = DATAGRAM_BYTES;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        out->whole.id[i] = id[i];
    return bytes;
}

/* Reads the list. Returns false if it is not one that a router of ours may append to. */
static __always_inline bool read_list(struct routed *out, const struct sal *sal, void *end) {
    const __u8 *head = (void *)sal + out->before;
    __u32 rest = out->bytes - out->before;

    if (rest == 0)
        return true;
    if ((void *)(head + HOPS_HEAD) > end || head[0] != HOPS || head[1] != rest)
        return false;
    out->list = rest;
    return (rest - HOPS_HEAD) % sizeof(struct hop) == 0 && rest >= HOPS_HEAD + 2 * sizeof(struct hop) &&
           rest < HOPS_HEAD + HOPS_MOST * sizeof(struct hop);
}

/* Tells whether the last entry of the list is the sender, and a router that the module knows. */
static __always_inline bool is_from_peer(const struct routed *out, const struct sal *sal, void *end) {
    struct ns_serval_peer peer = {out->client, out->whole.router};
    const struct hop *last = (void *)sal + bounded(out->bytes - (__u32)sizeof *last);
    const __u64 *until;

    if ((void *)(last + 1) > end || !is_hop(last, &out->client))
        return false;
    until = bpf_map_lookup_elem(&ns_serval_peers, &peer);
    return until != NULL && bpf_ktime_get_coarse_ns() < *until;
}

/* Tells whether an address is in the list, on whichever port. */
static __always_inline bool has_target(const struct routed *out, const struct sal *sal, void *end) {
    for (__u32 i = 1; i < HOPS_MOST; i++) {
        const struct hop *hop = (void *)sal + bounded(out->bytes - i * (__u32)sizeof *hop);

        if (i * sizeof *hop > out->list)
            break;
        if ((void *)(hop + 1) > end || is_address(hop->address, out->target.address))
            return true;
    }
    return false;
}

/* Computes the checksums by their differences (RFC 1624), so that a wrong one stays wrong. */
static __always_inline void sum_up(struct routed *out, __u16 udp_old) {
    __u32 sum = (__u16)~out->sal_checksum, udp_new = bpf_htons((__u16)out->udp_length);

    sum += (__u16) ~(__u16)out->words + (out->words + out->grow / 4); /* the byte before the protocol's */
    if (out->list == 0)
        sum += (HOPS | NEW_LIST << 8) + sum_of(&out->client);
    else
        sum += (__u16) ~(__u16)(out->list << 8) + ((out->list + out->grow) << 8);
    sum += sum_of(&out->own);
    out->sal_checksum = (__u16)~ns_fold(sum);
    if (out->checksum == 0)
        return;
    /* The SAL header adds nothing: with its checksum its sum is as before. */
    sum = (__u16)~out->checksum + 2 * ((__u16)~udp_old + udp_new);
    sum += (__u16)~ns_fold(sum_of(&out->client)) + (__u32)(__u16)~ns_fold(sum_of(&out->own));
    sum += sum_of(&out->own) + sum_of(&out->target);
    out->checksum = (__u16)~ns_fold(sum);
    if (out->checksum == 0)
        out->checksum = 0xffff;
}

/* Reads the IP header. Returns its length, 0 if it is cut. */
static __always_inline __u32 read_ip(struct routed *out, const struct ns_packet *packet, void *end) {
    if (packet->family == 4) {
        const struct iphdr *ip = packet->l3;

        if ((void *)(ip + 1) > end)
            return 0;
        out->tos = ip->tos;
        out->fragment = ip->frag_off & bpf_htons(0x4000);
        return sizeof *ip;
    } else {
        const struct ipv6hdr *ip = packet->l3;

        if ((void *)(ip + 1) > end)
            return 0;
        out->tos = (__u8)(bpf_ntohs(*(const __u16 *)ip) >> 4);
        out->label = *(const __u32 *)ip & bpf_htonl(0xfffff);
        return sizeof *ip;
    }
}

/* Tells whether the checksum is one that can be changed, or that may be missing. */
static __always_inline bool has_checksum(const struct ns_packet *packet, const struct udphdr *udp) {
    return udp->check == 0 ? packet->family == 4 : !ns_relay_open_checksum(packet, udp->len, udp->check);
}

/* Reads a packet to a router. Returns the reason for the long way, or NS_SERVAL_FITS. */
static __always_inline __u32 read(struct routed *out, const struct ns_packet *packet, void *end) {
    const struct udphdr *udp = packet->l4;
    const struct sal *sal = (void *)(udp + 1);
    __u32 header = read_ip(out, packet, end);

    if (header == 0 || (void *)(sal + 1) > end)
        return NS_SERVAL_LENGTH;
    out->udp_length = bpf_ntohs(udp->len);
    out->bytes = sal->words * 4u;
    if (out->udp_length + header != packet->length || sizeof *udp + out->bytes > out->udp_length)
        return NS_SERVAL_LENGTH;
    out->before = read_service(out, sal, end);
    if (out->before == 0 || out->bytes < out->before)
        return NS_SERVAL_SHAPE;
    if (!read_list(out, sal, end))
        return out->list == 0 ? NS_SERVAL_SHAPE : NS_SERVAL_LIST;
    if (out->list != 0 && !is_from_peer(out, sal, end))
        return NS_SERVAL_LIST;
    if (packet->ttl <= 1)
        return NS_SERVAL_TTL;
    if (!has_checksum(packet, udp))
        return NS_SERVAL_CHECKSUM;
    out->checksum = udp->check;
    out->sal_checksum = sal->checksum;
    out->words = sal->words;
    out->protocol = sal->protocol;
    out->ttl = packet->ttl;
    return NS_SERVAL_FITS;
}

/* Makes room for the list. Returns false if the header can grow no more. */
static __always_inline bool grow(struct routed *out, const struct ns_packet *packet) {
    out->grow = out->list == 0 ? NEW_LIST : (__u32)sizeof(struct hop);
    out->length = packet->length + out->grow;
    return out->bytes + out->grow <= 255 * 4 && out->length <= 0xffff;
}

/* Begins a question about the way from our address to another. */
static __always_inline void ask_way(struct xdp_md *context, const struct routed *out, const __u32 *to,
                                    struct bpf_fib_lookup *way) {
    __builtin_memset(way, 0, sizeof *way);
    way->l4_protocol = IPPROTO_UDP;
    way->ifindex = context->ingress_ifindex;
    if (out->six) {
        way->family = NS_AF_INET6;
        __builtin_memcpy(way->ipv6_src, out->own.address, 16);
        __builtin_memcpy(way->ipv6_dst, to, 16);
    } else {
        way->family = NS_AF_INET;
        way->ipv4_src = out->own.address[3];
        way->ipv4_dst = to[3];
    }
}

/* Tells whether an answer would leave by the interface that the packet came in by: once a second for each client. */
static __always_inline bool from_its_home(struct xdp_md *context, const struct routed *out,
                                          struct bpf_fib_lookup *way) {
    __u64 now = (__u64)context->ingress_ifindex << 32 | ((bpf_ktime_get_coarse_ns() >> 30) & 0xffffffff);
    const __u32 *client = out->client.address;
    __u32 mixed = client[1] ^ client[2] ^ client[3], place = (mixed ^ mixed >> 16) & (NS_SERVAL_HOMES - 1);
    struct ns_serval_home *last = bpf_map_lookup_elem(&ns_serval_homes, &place);
    long found;

    if (last != NULL && last->home == now && is_address(last->client, client))
        return true;
    ask_way(context, out, client, way);
    found = bpf_fib_lookup(context, way, sizeof *way, 0);
    if ((found != BPF_FIB_LKUP_RET_SUCCESS && found != BPF_FIB_LKUP_RET_NO_NEIGH) ||
        way->ifindex != context->ingress_ifindex)
        return false;
    if (last != NULL) {
        last->home = now;
        __builtin_memcpy(last->client, client, 16);
    }
    return true;
}

/* Asks the kernel's tables for the way out. */
static __always_inline __u32 find_way(struct xdp_md *context, const struct ns_interface *in, const struct routed *out,
                                      struct bpf_fib_lookup *way) {
    const struct ns_interface *to;

    ask_way(context, out, out->target.address, way);
    way->tot_len = (__u16)out->length;
    if (!out->six)
        way->tos = out->tos;
    way->sport = out->own.port;
    way->dport = out->target.port;
    if (bpf_fib_lookup(context, way, sizeof *way, 0) != BPF_FIB_LKUP_RET_SUCCESS)
        return NS_SERVAL_ROUTE;
    to = bpf_map_lookup_elem(&ns_interfaces, &way->ifindex);
    return to != NULL && (to->native || !in->native) ? NS_SERVAL_FITS : NS_SERVAL_ROUTE;
}

static __always_inline void write_udp(struct udphdr *udp, const struct routed *out) {
    udp->source = out->own.port;
    udp->dest = out->target.port;
    udp->len = bpf_htons((__u16)out->udp_length);
    udp->check = out->checksum;
}

static __always_inline void write_ipv4(struct iphdr *ip, const struct routed *out) {
    ip->version = 4;
    ip->ihl = 5;
    ip->tos = out->tos;
    ip->tot_len = bpf_htons((__u16)out->length);
    ip->id = out->fragment != 0 ? 0 : (__u16)bpf_get_prandom_u32();
    ip->frag_off = out->fragment;
    ip->ttl = out->ttl - 1;
    ip->protocol = IPPROTO_UDP;
    ip->check = 0;
    ip->saddr = out->own.address[3];
    ip->daddr = out->target.address[3];
    ip->check = (__u16)~ns_fold(ns_sum_words((const __u32 *)ip, 5));
}

static __always_inline void write_ipv6(struct ipv6hdr *ip, const struct routed *out) {
    *(__u32 *)ip = bpf_htonl(6u << 28 | (__u32)out->tos << 20) | out->label;
    ip->payload_len = bpf_htons((__u16)out->udp_length);
    ip->nexthdr = IPPROTO_UDP;
    ip->hop_limit = out->ttl - 1;
    __builtin_memcpy(&ip->saddr, out->own.address, 16);
    __builtin_memcpy(&ip->daddr, out->target.address, 16);
}

/* Writes the headers of link, IP and UDP. Returns false if a bound is not as it was. */
static __always_inline bool write_outside(struct ethhdr *link, const struct routed *out,
                                          const struct bpf_fib_lookup *way, void *end) {
    struct iphdr *ip4 = (void *)(link + 1);
    struct ipv6hdr *ip6 = (void *)(link + 1);

    if ((void *)(ip4 + 1) + sizeof(struct udphdr) > end)
        return false;
    __builtin_memcpy(link->h_dest, way->dmac, 6);
    __builtin_memcpy(link->h_source, way->smac, 6);
    if (!out->six) {
        link->h_proto = bpf_htons(ETH_P_IP);
        write_ipv4(ip4, out);
        write_udp((void *)(ip4 + 1), out);
        return true;
    }
    if ((void *)(ip6 + 1) + sizeof(struct udphdr) > end)
        return false;
    link->h_proto = bpf_htons(ETH_P_IPV6);
    write_ipv6(ip6, out);
    write_udp((void *)(ip6 + 1), out);
    return true;
}

/* Moves a header without a list, of one of two lengths. Returns false if a bound is not as it was. */
static __always_inline bool move_words(__u32 *to, __u32 bytes, void *end) {
    const __u32 *from = (void *)to + NEW_LIST;

    if ((void *)from + bytes > end)
        return false;
#pragma unroll
    for (__u32 i = 0; i < bytes / 4; i++)
        to[i] = from[i];
    return true;
}

/* Moves a header with a list by one hop. Returns false if the kernel refuses. */
static __always_inline bool move_list(struct xdp_md *context, const struct routed *out) {
    __u32 at = NS_L3 + sizeof(struct udphdr) + (out->six ? sizeof(struct ipv6hdr) : sizeof(struct iphdr));
    __u32 bytes = out->bytes, only = 0;
    void *header = bpf_map_lookup_elem(&ns_serval_headers, &only);

    if (header == NULL || !ns_bound(&bytes, 1, BYTES_MASK))
        return false;
    return bpf_xdp_load_bytes(context, at + (__u32)sizeof(struct hop), header, bytes) == 0 &&
           bpf_xdp_store_bytes(context, at, header, bytes) == 0;
}

/* Writes the SAL header, with one more hop. Returns false if a bound is not as it was. */
static __always_inline bool write_inside(struct sal *sal, const struct routed *out, void *end) {
    __u32 list = bounded(out->list), bytes = bounded(out->bytes);
    struct hop *hop;
    __u8 *head;

    if (list == 0 && !(bytes == SYN_BYTES ? move_words((__u32 *)sal, SYN_BYTES, end)
                                          : move_words((__u32 *)sal, DATAGRAM_BYTES, end)))
        return false;
    if ((void *)(sal + 1) > end)
        return false;
    sal->words = (__u8)(out->words + out->grow / 4);
    sal->checksum = out->sal_checksum;
    head = (void *)sal + bytes;
    if (list == 0) {
        if ((void *)head + NEW_LIST > end)
            return false;
        head[0] = HOPS;
        head[1] = NEW_LIST;
        head[2] = head[3] = 0;
        put_hop((void *)(head + HOPS_HEAD), &out->client);
        put_hop((void *)(head + HOPS_HEAD + sizeof *hop), &out->own);
        return true;
    }
    hop = (void *)head;
    if ((void *)(hop + 1) > end)
        return false;
    put_hop(hop, &out->own);
    head = (void *)sal + bounded(out->before);
    if ((void *)head + HOPS_HEAD > end)
        return false;
    head[1] = (__u8)(list + sizeof *hop);
    return true;
}

static __always_inline __u32 write(struct xdp_md *context, const struct routed *out, const struct bpf_fib_lookup *way) {
    void *data, *end;

    if (bpf_xdp_adjust_head(context, -(int)out->grow) != 0)
        return NS_SERVAL_ROUTE;
    if (out->list != 0 && !move_list(context, out))
        return NS_SERVAL_FAILED;
    data = (void *)(long)context->data;
    end = (void *)(long)context->data_end;
    if (!write_outside(data, out, way, end))
        return NS_SERVAL_FAILED;
    data += NS_L3 + sizeof(struct udphdr) + (out->six ? sizeof(struct ipv6hdr) : sizeof(struct iphdr));
    if (data + SYN_BYTES > end)
        return NS_SERVAL_FAILED;
    return write_inside(data, out, end) ? NS_SERVAL_FITS : NS_SERVAL_FAILED;
}

/* Routes a packet. Returns the reason for the long way, or NS_SERVAL_FITS. */
static __always_inline __u32 route(struct xdp_md *context, const struct ns_serval_router *router,
                                   const struct ns_packet *packet, struct routed *out, struct bpf_fib_lookup *way,
                                   bool *recent) {
    void *end = (void *)(long)context->data_end;
    const struct ns_interface *in = ns_sent_to_us(context, packet->l3 - sizeof(struct ethhdr));
    __u16 udp_old;
    __u32 reason;

    out->whole.router = router->number;
    out->client.port = (__u16)packet->words.ports;
    put_address(&out->client, packet->family, packet->words.source);
    if (in == NULL)
        return NS_SERVAL_BACK;
    reason = read(out, packet, end);
    if (reason != NS_SERVAL_FITS)
        return reason;
    reason = ns_serval_resolve(router, &out->whole, &out->target, recent);
    if (reason != NS_SERVAL_FITS)
        return reason;
    if (out->list != 0 && has_target(out, packet->l4 + sizeof(struct udphdr), end))
        return NS_SERVAL_LOOP;
    if (!grow(out, packet))
        return NS_SERVAL_LIST;
    if (!from_its_home(context, out, way))
        return NS_SERVAL_BACK;
    reason = find_way(context, in, out, way);
    if (reason != NS_SERVAL_FITS)
        return reason;
    udp_old = bpf_htons((__u16)out->udp_length);
    out->udp_length += out->grow;
    sum_up(out, udp_old);
    return write(context, out, way);
}

static __always_inline bool is_ours(const struct ns_packet *packet, void *end) {
    return packet->plain && packet->protocol == IPPROTO_UDP && packet->l4 != NULL &&
           packet->length <= (__u64)(end - packet->l3);
}

/* Handles one packet. All bytes of the packet must be there: see offload.bpf.c. */
SEC("xdp") int ns_xdp_serval(struct xdp_md *context) {
    void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
    const struct ns_serval_router *router = NULL;
    struct bpf_fib_lookup way;
    struct routed out = {};
    struct ns_packet packet;
    bool recent = false;
    __u32 reason;

    if (ns_packet_read(&packet, data, end) && is_ours(&packet, end)) {
        out.six = packet.family == 6;
        put_address(&out.own, packet.family, packet.words.destination);
        out.own.port = (__u16)(packet.words.ports >> 16);
        router = bpf_map_lookup_elem(&ns_serval_routers, &out.own);
    }
    if (router != NULL) {
        reason = route(context, router, &packet, &out, &way, &recent);
        if (reason == NS_SERVAL_FITS) {
            ns_serval_count(router, NS_SERVAL_ROUTED);
            if (recent)
                ns_serval_count(router, NS_SERVAL_FOUND);
            return bpf_redirect(way.ifindex, 0);
        }
        ns_serval_count(router, reason);
        if (reason == NS_SERVAL_FAILED)
            return XDP_DROP;
    }
    bpf_tail_call(context, &ns_xdp_slots, NS_XDP_RELAYS);
    bpf_tail_call(context, &ns_xdp_slots, NS_XDP_STEER);
    return XDP_PASS;
}

char ns_license[] SEC("license") = "GPL";
