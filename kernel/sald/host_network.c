/* SPDX-License-Identifier: Apache-2.0 */
/* host_network.c - of host.h: what a host does with packets of the network. */
#include "host_answer.h"
#include "host_datagrams.h"
#include "host_flows.h"
#include "host_send.h"
#include "native.h"

/* Allows so many answers to strangers in a second. */
static bool may_reset(struct ns_sal_host *host) {
    if (host->now / 1000 != host->resets_second) {
        host->resets_second = host->now / 1000;
        host->resets = 0;
    }
    return host->resets++ < NS_SAL_RESETS;
}

/*
 * Answers a packet that nobody wants by a RST, as far as it gets one. The source may be forged, so a RST is never
 * longer than the packet.
 */
static void refuse(struct ns_sal_host *host, const struct ns_sal_packet *packet, const struct ns_sal_address *from,
                   const struct ns_sal_address *local) {
    struct ns_sal_header header = {.protocol = packet->protocol};
    uint8_t bytes[NS_SAL_HEADER_MAX];
    size_t length;

    if (packet->for_many || !ns_sal_refusal(&header.message, &packet->message))
        return;
    length = ns_sal_write(bytes, &header);
    if (length > packet->length || !may_reset(host))
        return;
    if (!host->wire->datagram(host->wire->context, local, from, bytes, length))
        ns_sal_host_count(host, NS_SAL_VERDICT_NOT_SENT);
}

static bool knows_router(const struct ns_sal_host *host, const struct ns_sal_address *sender) {
    for (unsigned i = 0; i < host->router_count; i++) {
        if (ns_sal_is_socket_of(&host->routers[i], sender))
            return true;
    }
    return false;
}

/*
 * Returns the client of a SYN. A router that keeps the IP source leaves the client there; one that sends from its own
 * address is the last hop of the list, and the client the first. A list of a stranger does not count.
 */
static struct ns_sal_address client_of(const struct ns_sal_host *host, const uint8_t *way,
                                       const struct ns_sal_address *from) {
    unsigned hops = way == NULL ? 0 : ns_sal_way_count(way);
    struct ns_sal_address last;

    if (hops < 2 || !knows_router(host, from))
        return *from;
    last = ns_sal_way_hop(way, hops - 1, 0);
    return ns_sal_is_socket_of(&last, from) ? ns_sal_way_hop(way, 0, from->port) : *from;
}

/* Gives a server's flow names that no other connection of this host has. Returns false if none are free. */
static bool name_client(struct ns_sal_host *host, struct ns_sal_kept *kept, const struct ns_sal_rule *rule) {
    for (unsigned tries = 0; tries < 64; tries++) {
        ns_sal_client_tuple(&kept->inner, &rule->target, host->inside4, host->clients++);
        if (ns_sal_flows_by_tuple(&host->flows, &kept->inner) == NULL)
            return true;
    }
    return false;
}

/*
 * Copies the way of a SYN with this host at its end, and the tickets of its routers. Returns false if the list has no
 * room.
 */
static bool take_way(uint8_t copy[NS_SAL_WAY_MAX], const struct ns_sal_packet *packet,
                     const struct ns_sal_address *local) {
    memset(copy, 0, NS_SAL_WAY_MAX);
    if (packet->way == NULL)
        return true;
    if (!ns_sal_way_append(copy, packet->way, local))
        return false;
    ns_sal_way_put_tickets(copy, packet->way, packet->tickets);
    return true;
}

/* Returns the address to which the answer to a SYN goes: with tickets the sender, which takes it back to the client. */
static const struct ns_sal_address *answered_to(const uint8_t way[NS_SAL_WAY_MAX], const struct ns_sal_address *from,
                                                const struct ns_sal_address *client) {
    return ns_sal_way_tickets(way) != NULL ? from : client;
}

/* Keeps the way of the last SYN of a request. */
static void keep_way(struct ns_sal_kept *kept, const uint8_t way[NS_SAL_WAY_MAX], const struct ns_sal_address *from) {
    const struct ns_sal_address none = {0};

    memcpy(kept->way, way, NS_SAL_WAY_MAX);
    kept->back = *answered_to(way, from, &none);
}

/*
 * Chooses the interface by which data of a server's flow leave: the one by which its packets come, if the host has a
 * way to the client there, or else the one of the kernel's route.
 */
static void choose_interface(struct ns_sal_host *host, struct ns_sal_kept *kept, const struct ns_sal_address *client,
                             const struct ns_sal_address *local, uint32_t interface) {
    struct ns_sal_address any = {0}, own = *local;
    uint32_t best, by;

    kept->interface = interface;
    if (!host->wire->route(host->wire->context, client, &any, &best) || best == interface ||
        (host->wire->route(host->wire->context, client, &own, &by) && by == interface))
        return;
    kept->interface = best;
    kept->elsewhere = true;
}

static enum ns_sal_verdict request(struct ns_sal_host *host, const struct ns_sal_packet *packet,
                                   const struct ns_sal_client *client, const struct ns_sal_address *from,
                                   const struct ns_sal_address *local, uint32_t interface) {
    struct ns_sal_identity numbers;
    uint8_t way[NS_SAL_WAY_MAX];
    bool udp = packet->protocol == NS_SAL_UDP;
    struct ns_sal_rule *rule;
    struct ns_sal_held *held;
    struct ns_sal_port port;
    uint32_t random;

    if (packet->service == NULL)
        return NS_SAL_VERDICT_NO_SERVICE;
    if (!take_way(way, packet, local))
        return NS_SAL_VERDICT_TOO_MANY_HOPS;
    if (host->requests >= host->request_room && (udp || ns_sal_is_raw(&client->address)))
        return NS_SAL_VERDICT_LISTENER_FULL;
    if (host->requests >= host->request_room)
        return ns_sal_host_answer(host, packet, &client->address, local, answered_to(way, from, &client->address), way);
    host->wire->random(host->wire->context, &random, sizeof random);
    rule =
        ns_sal_services_draw(host->services, packet->service, udp ? NS_SAL_SOCKET : NS_SAL_LISTENER, host->now, random);
    if (rule == NULL)
        return NS_SAL_VERDICT_NO_LISTENER;
    held = ns_sal_flows_make(&host->flows);
    if (held == NULL || !(udp ? ns_sal_host_name_flow : name_client)(host, &held->kept, rule)) {
        if (held != NULL)
            ns_sal_flows_remove(&host->flows, held);
        return NS_SAL_VERDICT_FLOWS_FULL;
    }
    numbers = ns_sal_host_identity(host);
    ns_sal_flow_begin(&held->kept.flow, &numbers, false, local, packet->service);
    keep_way(&held->kept, way, from);
    held->kept.client = *client;
    choose_interface(host, &held->kept, &client->address, local, interface);
    ns_sal_flows_enter(&host->flows, held);
    ns_sal_host_enter_names(host, held);
    held->request = true;
    host->requests++;
    port = ns_sal_host_port(host, held);
    ns_sal_flow_take(&held->kept.flow, &port, &packet->message, 0, &client->address, host->now);
    if (!udp)
        ns_sal_host_inject(host, &held->kept.inner, packet->transport, packet->transport_length);
    ns_sal_host_done(host, held);
    return NS_SAL_VERDICT_REQUEST;
}

/* Gives a message to its flow. Its segment goes to the local stack if the flow takes the message. */
static enum ns_sal_verdict control(struct ns_sal_host *host, struct ns_sal_held *held,
                                   const struct ns_sal_packet *packet, const struct ns_sal_address *from) {
    struct ns_sal_port port = ns_sal_host_port(host, held);
    bool answered = held->kept.flow.state == NS_FLOW_RESPOND;
    enum ns_sal_refusal refusal =
        ns_sal_flow_take(&held->kept.flow, &port, &packet->message,
                         ns_sal_native_settle(&held->kept.flow, packet, from), from, host->now);
    bool datagrams = held->kept.datagrams;
    bool over = host->over == held, syn = (packet->message.flags & (NS_SAL_SYN | NS_SAL_ACK)) == NS_SAL_SYN;
    bool waits = held->kept.has_message;

    host->refusals[refusal]++;
    if (datagrams && !over && held->kept.flow.state == NS_FLOW_CLOSEWAIT)
        ns_sal_flow_close(&held->kept.flow, &port, host->now); /* datagrams have no end of their own */
    /*
     * A copy of a SYN or SYN-ACK got its answer from the segment that is kept. The program waits for this packet, and
     * for nothing that follows.
     */
    if (refusal == NS_SAL_REFUSED_OK && !over && !datagrams && packet->transport_length >= NS_SAL_TCP_LEAST &&
        (waits || (answered && !syn)))
        ns_sal_host_inject(host, &held->kept.inner, packet->transport, packet->transport_length);
    ns_sal_host_done(host, held);
    return refusal == NS_SAL_REFUSED_OK ? NS_SAL_VERDICT_CONTROL : NS_SAL_VERDICT_FLOW_REFUSES;
}

static enum ns_sal_verdict syn(struct ns_sal_host *host, const struct ns_sal_packet *packet,
                               const struct ns_sal_address *from, const struct ns_sal_address *local,
                               uint32_t interface) {
    struct ns_sal_client client = {.flow = packet->message.source, .nonce = packet->message.nonce};
    uint8_t way[NS_SAL_WAY_MAX];
    struct ns_sal_held *held;

    client.address = client_of(host, packet->way, from);
    if (client.flow == 0 || packet->message.destination != 0)
        return NS_SAL_VERDICT_WRONG_FLOW;
    if (ns_sal_is_for_many(&client.address))
        return NS_SAL_VERDICT_SENDER;
    held = ns_sal_host_by_client(host, &client);
    if (held != NULL && held->kept.datagrams != (packet->protocol == NS_SAL_UDP))
        return NS_SAL_VERDICT_PROTOCOL;
    if (held == NULL)
        return request(host, packet, &client, from, local, interface);
    if (held->kept.flow.state == NS_FLOW_RESPOND && take_way(way, packet, local))
        keep_way(&held->kept, way, from);
    return control(host, held, packet, &client.address);
}

/* Takes a packet for a flow that is not there: the acknowledgement of an answer without state makes its flow. */
static enum ns_sal_verdict without_flow(struct ns_sal_host *host, const struct ns_sal_packet *packet,
                                        const struct ns_sal_address *from, const struct ns_sal_address *local,
                                        uint32_t interface) {
    struct ns_sal_held *held;
    struct ns_sal_port port;
    enum ns_sal_verdict why = NS_SAL_VERDICT_NO_FLOW;

    if (!packet->has_message && host->now < host->stateless_until)
        return NS_SAL_VERDICT_EARLY; /* its acknowledgement may follow */
    held = packet->protocol == NS_SAL_UDP ? NULL : ns_sal_host_prove(host, packet, from, local, interface, &why);
    if (held == NULL) {
        refuse(host, packet, from, local);
        return why;
    }
    ns_sal_host_enter_names(host, held);
    choose_interface(host, &held->kept, from, local, interface);
    port = ns_sal_host_port(host, held);
    ns_sal_flow_prove(&held->kept.flow, &port, &packet->message, packet->capability, from, host->now);
    ns_sal_host_inject(host, &held->kept.inner, packet->transport, packet->transport_length);
    ns_sal_host_done(host, held);
    return why;
}

static enum ns_sal_verdict data(struct ns_sal_host *host, struct ns_sal_held *held,
                                const struct ns_sal_packet *packet) {
    if (!ns_sal_flow_is_open(&held->kept.flow))
        return NS_SAL_VERDICT_EARLY;
    if (packet->message.source != held->kept.flow.remote.flow)
        return NS_SAL_VERDICT_WRONG_FLOW;
    if (held->kept.datagrams)
        return ns_sal_host_take_data(host, held, packet);
    ns_sal_host_inject(host, &held->kept.inner, packet->transport, packet->transport_length);
    return NS_SAL_VERDICT_DATA;
}

/*
 * Tells whether the transport of a packet is sound. The kernel has verified UDP's checksum over all of it. Data of a
 * neighbour on a veth may have a checksum that a device was to complete, so those of messages alone are verified.
 */
static bool is_sound(const struct ns_sal_packet *packet) {
    struct ns_sal_segment segment;
    struct ns_sal_datagram datagram;

    if (packet->has_message && packet->transport_length == 0)
        return (packet->message.flags & NS_SAL_SYN) == 0;
    if (packet->protocol == NS_SAL_UDP)
        return ns_sal_datagram_read(&datagram, packet->transport, packet->transport_length) &&
               ns_sal_datagram_is_right(packet->transport, packet->transport_length, packet->pseudo);
    return ns_sal_segment_read(&segment, packet->transport, packet->transport_length) &&
           (!packet->has_message ||
            ns_sal_segment_is_right(packet->transport, packet->transport_length, packet->pseudo[0], packet->pseudo[1]));
}

static enum ns_sal_verdict datagram(struct ns_sal_host *host, const struct ns_sal_packet *packet,
                                    const struct ns_sal_address *from, const struct ns_sal_address *local) {
    struct ns_sal_address client = client_of(host, packet->way, from);
    enum ns_sal_verdict verdict = NS_SAL_VERDICT_SENDER;

    if (!ns_sal_is_for_many(&client))
        verdict = ns_sal_host_take_datagram(host, packet, &client, local);
    if (verdict == NS_SAL_VERDICT_NO_SOCKET)
        refuse(host, packet, &client, local);
    return verdict;
}

/*
 * Returns the address of the peer. The list of a SYN-ACK counts if the SYN went to its sender, which this host has
 * chosen as its router. Anybody else could lead the data to somebody who has not asked for them.
 */
static struct ns_sal_address peer_of(const struct ns_sal_held *held, const struct ns_sal_packet *packet,
                                     const struct ns_sal_address *from) {
    bool asked = held->kept.flow.state == NS_FLOW_REQUEST && ns_sal_is_socket_of(&held->kept.flow.mobility.peer, from);

    if (packet->message.flags != (NS_SAL_SYN | NS_SAL_ACK) || packet->way == NULL || !asked)
        return *from;
    return ns_sal_way_hop(packet->way, ns_sal_way_count(packet->way) - 1, from->port);
}

static enum ns_sal_verdict demultiplex(struct ns_sal_host *host, const struct ns_sal_packet *packet,
                                       const struct ns_sal_address *from, const struct ns_sal_address *local,
                                       uint32_t interface) {
    struct ns_sal_address peer;
    enum ns_sal_verdict verdict;
    struct ns_sal_held *held;

    if (ns_sal_is_for_many(from))
        return NS_SAL_VERDICT_SENDER;
    if (packet->protocol == NS_SAL_UDP && !packet->has_message && packet->message.destination == 0)
        return datagram(host, packet, from, local);
    if ((packet->protocol != 6 && packet->protocol != NS_SAL_UDP) ||
        (!packet->has_message && packet->message.destination == 0))
        return NS_SAL_VERDICT_PROTOCOL;
    if (!is_sound(packet))
        return NS_SAL_VERDICT_MALFORMED;
    if (packet->has_message && packet->message.flags == NS_SAL_SYN)
        return syn(host, packet, from, local, interface);
    held = ns_sal_host_by_id(host, packet->message.destination);
    if (held == NULL)
        return without_flow(host, packet, from, local, interface);
    if (held->kept.datagrams != (packet->protocol == NS_SAL_UDP))
        return NS_SAL_VERDICT_PROTOCOL;
    if (!packet->has_message)
        return data(host, held, packet);
    peer = peer_of(held, packet, from);
    if (ns_sal_is_for_many(&peer) || (ns_sal_is_loopback(&peer) && !ns_sal_is_loopback(from)))
        return NS_SAL_VERDICT_SENDER; /* the kernel's programs would send all data there */
    verdict = control(host, held, packet, &peer);
    if (verdict == NS_SAL_VERDICT_CONTROL && !ns_sal_same(&peer, from))
        ns_sal_host_note_return(host, from);
    return verdict;
}

/* Reads a packet. Counts and returns false if it is not sound. */
static bool read_packet(struct ns_sal_host *host, struct ns_sal_packet *packet, const uint8_t *bytes, size_t length,
                        uint64_t now) {
    enum ns_sal_error error = ns_sal_read(packet, bytes, length);

    host->now = now;
    if (error == NS_SAL_ERROR_OK)
        return true;
    host->errors[error]++;
    ns_sal_host_count(host, NS_SAL_VERDICT_MALFORMED);
    return false;
}

void ns_sal_host_datagram(struct ns_sal_host *host, const struct ns_sal_address *from,
                          const struct ns_sal_address *local, uint32_t interface, const uint8_t *bytes, size_t length,
                          uint64_t now) {
    struct ns_sal_packet packet;

    if (read_packet(host, &packet, bytes, length, now))
        ns_sal_host_count(host, demultiplex(host, &packet, from, local, interface));
}

void ns_sal_host_raw(struct ns_sal_host *host, const struct ns_sal_address *from, const struct ns_sal_address *to,
                     const struct ns_sal_address *local, uint32_t interface, const uint8_t *bytes, size_t length,
                     uint64_t now) {
    struct ns_sal_packet packet;

    if (!read_packet(host, &packet, bytes, length, now))
        return;
    ns_sal_pseudo(packet.pseudo, 0, 0, from, to);
    packet.for_many = !ns_sal_same(to, local);
    if (packet.for_many && (packet.has_message ? packet.message.flags != NS_SAL_SYN : packet.service == NULL))
        ns_sal_host_count(host, NS_SAL_VERDICT_GROUP);
    else
        ns_sal_host_count(host, demultiplex(host, &packet, from, local, interface));
}
