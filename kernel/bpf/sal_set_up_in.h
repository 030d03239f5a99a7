/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* sal_set_up_in.h - part of sal_set_up.h: the SYN, SYN-ACK and acknowledgement of a peer. */
#ifndef NS_SAL_SET_UP_IN_H
#define NS_SAL_SET_UP_IN_H

#include "sal_set_up.h"

/* Hands a segment to the local stack, by sal0: rules of a firewall see each connection begin there. */
static __always_inline int deliver(struct __sk_buff *skb, const struct ns_packet *packet, struct scratch *work,
                                   __u32 header, const struct ns_sal_way *way) {
    __u32 names[2], inner[8], ports = way->inner.ports << 16 | way->inner.ports >> 16;
    __u32 room = UDP_BYTES + header, segment = packet->length - ip_bytes(packet->family) - room;
    const struct ns_sal_settings *set = settings();

    names[0] = work->message.base.source;
    names[1] = work->message.base.destination;
    __builtin_memcpy(inner, way->inner.source, sizeof inner);
    if (set == NULL ||
        !rename_segment(skb, NS_L3 + ip_bytes(packet->family) + room, names, sizeof names, inner, sizeof inner, 0,
                        ports) ||
        bpf_skb_adjust_room(skb, -(__s32)room, BPF_ADJ_ROOM_MAC, 0) != 0 ||
        !change_family(skb, packet->family, way->inner.family) || !write_inner(skb, way, segment, packet->ttl))
        return count(NS_SAL_COUNT_FAILED, TC_ACT_SHOT);
    return hand_by_inside(skb, set, way->inner.family);
}

/*
 * Tells whether a host on a link may have an address. The kernel drops packets from all others, but the programs come
 * before it. In IPv6, the addresses from :: to ::ffff:ffff:ffff are none of a host: loopback and mapped ones are there.
 */
static __always_inline bool is_host(const __u32 address[4], __u32 family) {
    const __u8 first = *(const __u8 *)address;

    if (family == 4)
        return first < 224 && first != 0 && first != 127;
    return first != 0xff && (address[0] | address[1] | (address[2] & bpf_htonl(0xffff0000))) != 0;
}

static __always_inline bool is_list(const __u8 *at, __u32 bytes, __u32 family) {
    if (at[1] != bytes)
        return false;
    if ((at[0] & 0xf0) == SOURCE)
        return family == 4 && bytes >= 12 && bytes <= 80; /* 84 has no room for the own address */
    return (at[0] & 0xf0) == HOPS && (bytes == 24 || bytes == 44 || bytes == 64 || bytes == 84);
}

static __always_inline __u32 last_word(const struct ns_packet *packet, const __u32 *address) {
    return packet->family == 4 ? address[0] : address[3];
}

/*
 * Tells whether the list of a SYN ends with its sender, which sald knows as a router. Such a router sends from its own
 * address, and the client is the first hop of the list.
 */
static __always_inline bool is_routers(const struct ns_packet *packet, struct scratch *work) {
    __builtin_memcpy(work->router.address, packet->words.source, 16);
    work->router.port = ((const __u16 *)&packet->words.ports)[0];
    return bpf_map_lookup_elem(&ns_set_routers, &work->router) != NULL;
}

/* Reads the first hop. Returns false if it is of another family than the packet, so that sald has to decide. */
static __always_inline bool read_first(const struct ns_packet *packet, struct scratch *work) {
    const __u8 *list = &work->bytes[NS_SAL_OPENING_BYTES];
    const __u32 *entry = (const __u32 *)&list[4];

    if ((list[0] & 0xf0) == SOURCE) {
        work->client.address[0] = entry[0];
        return true; /* the port is that of the sender */
    }
    work->client.port = ((const __u16 *)entry)[1];
    if (packet->family == 4) {
        work->client.address[0] = entry[4];
        return entry[1] == 0 && entry[2] == 0 && entry[3] == bpf_htonl(0xffff);
    }
    __builtin_memcpy(work->client.address, &entry[1], 16);
    return true;
}

/* Finds the client of a SYN. Returns false if sald has to decide who it is. */
static __always_inline bool find_client(const struct ns_packet *packet, struct scratch *work, __u32 list) {
    work->client.flow = work->message.base.source;
    work->client.nonce = work->message.nonce;
    work->client.port = ((const __u16 *)&packet->words.ports)[0];
    __builtin_memcpy(work->client.address, packet->words.source, 16);
    if (list == 0)
        return true;
    if (!ns_bound(&list, 12, NS_SAL_LIST_MOST) || !is_list(&work->bytes[NS_SAL_OPENING_BYTES], list, packet->family))
        return false;
    if (*(__u32 *)&work->bytes[NS_SAL_OPENING_BYTES - 4 + list] != last_word(packet, packet->words.source))
        return true;
    return is_routers(packet, work) && read_first(packet, work) && is_host(work->client.address, packet->family);
}

/* Copies the list of a SYN into its slot, and appends the own address. */
static __always_inline bool take_list(const struct ns_packet *packet, struct scratch *work, struct ns_sal_slot *slot,
                                      __u32 list) {
    const struct ns_sal_settings *set = settings();

    slot->list_length = 0;
    if (list == 0)
        return true;
    if (set == NULL || !ns_bound(&list, 12, NS_SAL_LIST_MOST))
        return false;
    __builtin_memcpy(slot->list, &work->bytes[NS_SAL_OPENING_BYTES], NS_SAL_LIST_MOST);
    if ((slot->list[0] & 0xf0) == SOURCE) {
        *(__u32 *)&slot->list[list] = packet->words.destination[0];
        slot->list_length = (__u8)(list + 4);
    } else {
        __u32 *entry = (__u32 *)&slot->list[list];
        bool v4 = packet->family == 4;

        entry[0] = bpf_htonl(bpf_ntohs(set->port));
        entry[1] = v4 ? 0 : packet->words.destination[0];
        entry[2] = v4 ? 0 : packet->words.destination[1];
        entry[3] = v4 ? bpf_htonl(0xffff) : packet->words.destination[2];
        entry[4] = v4 ? packet->words.destination[0] : packet->words.destination[3];
        slot->list_length = (__u8)(list + 20);
    }
    slot->list[1] = slot->list_length;
    return true;
}

static __always_inline void name_client(struct ns_sal_slot *slot, const struct ns_sal_listener *listener) {
    __builtin_memset(&slot->inner, 0, sizeof slot->inner);
    slot->inner.family = listener->family;
    __builtin_memcpy(slot->inner.source, listener->address, 16);
    if (listener->family == 4)
        slot->inner.destination[0] = slot->client4;
    else
        __builtin_memcpy(slot->inner.destination, slot->client6, 16);
    ((__u16 *)&slot->inner.ports)[0] = listener->port;
    ((__u16 *)&slot->inner.ports)[1] = slot->client_port;
}

static __always_inline void fill_client(struct ns_sal_slot *slot, const struct ns_packet *packet,
                                        const struct ns_sal_client_key *client, const struct sal_message *syn,
                                        __u32 interface) {
    __builtin_memset(slot->own_address, 0, 32);
    if (packet->family == 4) {
        slot->own_address[0] = packet->words.destination[0];
        slot->peer_address[0] = client->address[0];
    } else {
        __builtin_memcpy(slot->own_address, packet->words.destination, 16);
        __builtin_memcpy(slot->peer_address, client->address, 16);
    }
    slot->family = packet->family;
    slot->own_port = ((const __u16 *)&packet->words.ports)[1];
    slot->peer_port = (__u16)client->port;
    slot->interface = interface;
    slot->peer_flow = syn->base.source;
    slot->peer_verno = bpf_ntohl(syn->verno);
    slot->peer_nonce = syn->nonce;
    slot->peer_abilities = 0;
    slot->capability = 0;
}

/* Takes a SYN to a listener that sald has prepared. */
static __always_inline int connect_in(struct __sk_buff *skb, const struct ns_packet *packet, struct scratch *work,
                                      __u32 header) {
    struct sal_message *syn = &work->message;
    struct ns_sal_set_up *state = set_up();
    const struct ns_sal_listener *listener;
    struct ns_sal_slot *slot;
    __u32 index;

    if (state == NULL || !state->serve || skb->pkt_type != PACKET_HOST || syn->base.source == 0 ||
        syn->base.destination != 0 || !is_host(packet->words.source, packet->family))
        return TC_ACT_UNSPEC;
    __builtin_memset(&work->listener, 0, sizeof work->listener);
    __builtin_memcpy(work->listener.service, &work->bytes[AT_SERVICE + 4], 32);
    __builtin_memcpy(work->listener.address, packet->words.destination, 16);
    listener = bpf_map_lookup_elem(&ns_set_listeners, &work->listener);
    if (listener == NULL || listener->generation != state->generation || listener->until_ns < bpf_ktime_get_coarse_ns())
        return TC_ACT_UNSPEC;
    if (!find_client(packet, work, header - NS_SAL_OPENING_BYTES) ||
        bpf_map_lookup_elem(&ns_set_clients, &work->client) != NULL)
        return TC_ACT_UNSPEC; /* a copy, or of a client that sald has to find */
    slot = take_slot(state, &ns_set_free_in, &index);
    if (slot == NULL)
        return TC_ACT_UNSPEC;
    fill_client(slot, packet, &work->client, syn, skb->ifindex);
    __builtin_memcpy(slot->service, &work->bytes[AT_SERVICE + 4], 32);
    name_client(slot, listener);
    slot->segment_length = 0;
    if (!take_list(packet, work, slot, header - NS_SAL_OPENING_BYTES) ||
        bpf_map_update_elem(&ns_set_clients, &work->client, &slot->own, BPF_NOEXIST) != 0) {
        leave(slot, NS_SAL_STAGE_FAILED);
        return TC_ACT_UNSPEC;
    }
    if (!enter_flow(slot, &work->way, index)) {
        bpf_map_delete_elem(&ns_set_clients, &work->client);
        leave(slot, NS_SAL_STAGE_FAILED);
        return TC_ACT_UNSPEC;
    }
    leave(slot, NS_SAL_STAGE_SYN);
    count(NS_SAL_COUNT_SET_UP_IN, 0);
    return deliver(skb, packet, work, header, &work->way);
}

/* Tells whether a packet comes from the peer's address. */
static __always_inline bool is_peer(const struct ns_packet *packet, const struct ns_sal_slot *slot) {
    const __u32 *a = packet->words.source, *b = slot->peer_address;

    if (packet->family != slot->family || a[0] != b[0] || ((const __u16 *)&packet->words.ports)[0] != slot->peer_port)
        return false;
    return packet->family == 4 || (a[1] == b[1] && a[2] == b[2] && a[3] == b[3]);
}

/*
 * Takes the SYN-ACK. A list counts only if the sender is the one whom the SYN was sent to, and is sald's to judge then.
 */
static __always_inline int answer_in(struct __sk_buff *skb, const struct ns_packet *packet, struct scratch *work,
                                     __u32 header) {
    const struct sal_message *answer = &work->message;
    __u32 own = answer->base.destination, list = header - NS_SAL_MESSAGE_BYTES;
    struct ns_sal_way *way = bpf_map_lookup_elem(&ns_sal_flows, &own);
    struct ns_sal_slot *slot = way == NULL ? NULL : slot_of(way, true);

    if (slot == NULL || answer->base.source == 0 || answer->ackno != bpf_htonl(slot->verno + 1) ||
        packet->family != slot->family || !is_host(packet->words.source, packet->family) ||
        (list != 0 && (is_peer(packet, slot) || !is_list(&work->bytes[AT_SERVICE], list, packet->family))) ||
        !hold(slot, own, NS_SAL_STAGE_SYN))
        return TC_ACT_UNSPEC;
    slot->peer_flow = way->peer = answer->base.source;
    slot->peer_verno = bpf_ntohl(answer->verno);
    slot->peer_nonce = answer->nonce;
    slot->peer_abilities = answer->abilities;
    slot->peer_port = way->peer_port = ((const __u16 *)&packet->words.ports)[0];
    if (packet->family == 4) {
        slot->peer_address[0] = way->peer_address[0] = packet->words.source[0];
    } else {
        __builtin_memcpy(slot->peer_address, packet->words.source, 16);
        __builtin_memcpy(way->peer_address, packet->words.source, 16);
    }
    slot->answered_ns = bpf_ktime_get_ns();
    work->way.inner = slot->inner;
    leave(slot, NS_SAL_STAGE_ANSWERED);
    return deliver(skb, packet, work, header, &work->way);
}

/* Takes the acknowledgement of the client, from the address that its SYN had. */
static __always_inline int acknowledge_in(struct __sk_buff *skb, const struct ns_packet *packet, struct scratch *work,
                                          __u32 header) {
    const struct sal_message *ack = &work->message;
    __u32 own = ack->base.destination, capability = 0;
    struct ns_sal_way *way = bpf_map_lookup_elem(&ns_sal_flows, &own);
    struct ns_sal_slot *slot = way == NULL ? NULL : slot_of(way, false);

    if (header == NS_SAL_OPENING_BYTES + 8) {
        if ((work->bytes[NS_SAL_OPENING_BYTES] & 0xf0) != CAPABILITY || work->bytes[NS_SAL_OPENING_BYTES + 1] != 8)
            return TC_ACT_UNSPEC;
        capability = bpf_ntohl(*(__u32 *)&work->bytes[NS_SAL_OPENING_BYTES + 4]);
    } else if (header != NS_SAL_OPENING_BYTES) {
        return TC_ACT_UNSPEC;
    }
    if (slot == NULL || ack->base.source != slot->peer_flow || ack->nonce != slot->peer_nonce ||
        ack->ackno != bpf_htonl(slot->verno + 1) || ack->verno != bpf_htonl(slot->peer_verno + 1) ||
        !is_peer(packet, slot) || !hold(slot, own, NS_SAL_STAGE_ANSWERED))
        return TC_ACT_UNSPEC;
    slot->capability = capability;
    work->way.inner = slot->inner;
    open_flow(work, slot, way);
    leave(slot, NS_SAL_STAGE_OPEN);
    return deliver(skb, packet, work, header, &work->way);
}

static __always_inline bool has_service(const struct scratch *work, __u32 header) {
    return header >= NS_SAL_OPENING_BYTES && (work->bytes[AT_SERVICE] & 0xf0) == SERVICE &&
           work->bytes[AT_SERVICE + 1] == 36;
}

static __always_inline int in(struct __sk_buff *skb, const struct ns_packet *packet, struct scratch *work,
                              __u32 header) {
    __u32 at = NS_L3 + ip_bytes(packet->family) + UDP_BYTES;
    __u8 flags = work->message.flags;
    struct tcphdr tcp;
    bool syn, ack;

    /* the header of TCP is all of the segment */
    if (bpf_skb_load_bytes(skb, at + header, &tcp, sizeof tcp) != 0 || tcp.rst || tcp.fin ||
        tcp.doff * 4u != packet->length - ip_bytes(packet->family) - UDP_BYTES - header)
        return TC_ACT_UNSPEC;
    syn = tcp.syn;
    ack = tcp.ack;
    if (flags == SAL_SYN && syn && !ack && has_service(work, header))
        return connect_in(skb, packet, work, header);
    if (flags == (SAL_SYN | SAL_ACK) && syn && ack)
        return answer_in(skb, packet, work, header);
    if (flags == SAL_ACK && ack && !syn && has_service(work, header))
        return acknowledge_in(skb, packet, work, header);
    return TC_ACT_UNSPEC;
}

/*
 * Tells whether the checksum of UDP is left to a device, as a socket of a neighbour on a veth leaves it. The one of TCP
 * is whole then, but the kernel's helpers take it for one that is left, too.
 */
static __always_inline bool is_left(const struct ns_packet *packet, const struct udphdr *udp) {
    __u32 sum = (__u32)bpf_csum_diff(NULL, 0, (__be32 *)packet->words.source, 32, bpf_htons(IPPROTO_UDP) + udp->len);

    return udp->check == fold(sum);
}

/* Reads the SAL header into `work`. Returns its length, 0 if it is not one of a handshake. */
static __always_inline __u32 read_header(struct __sk_buff *skb, const struct ns_packet *packet, struct scratch *work) {
    __u32 at = NS_L3 + ip_bytes(packet->family) + UDP_BYTES, header;
    struct {
        struct udphdr udp;
        struct sal_base sal;
    } head;

    if (bpf_skb_load_bytes(skb, at - UDP_BYTES, &head, sizeof head) != 0 || head.sal.protocol != IPPROTO_TCP ||
        is_left(packet, &head.udp))
        return 0;
    header = head.sal.words * 4u;
    if (!ns_bound(&header, NS_SAL_MESSAGE_BYTES, HEADER_MOST) ||
        bpf_skb_load_bytes(skb, at, work->bytes, header) != 0 || work->message.kind >> 4 != CONTROL >> 4 ||
        work->message.length != 20 || sum_header(work, header) != 0xffff)
        return 0;
    return header;
}

SEC("tc") int ns_sal_set_up_in(struct __sk_buff *skb) {
    struct ns_packet packet = {0};
    struct scratch *work = scratch();
    int verdict = TC_ACT_UNSPEC;

    if (work != NULL && ns_skb_read(&packet, skb) && packet.plain && packet.length <= skb->len - NS_L3 &&
        packet.protocol == IPPROTO_UDP && packet.l4 != NULL) {
        __u32 header = read_header(skb, &packet, work);

        verdict = header == 0 ? TC_ACT_UNSPEC : in(skb, &packet, work, header);
    }
    return verdict == TC_ACT_UNSPEC ? count(NS_SAL_COUNT_IN_TO_SALD, TC_ACT_UNSPEC) : verdict;
}

#endif
