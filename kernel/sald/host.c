/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "host_answer.h"
#include "host_datagrams.h"
#include "host_send.h"
#include "native.h"
#include <arpa/inet.h>

#define NS_X(name, text) #name,
const char *const ns_sal_verdicts[] = {NS_SAL_VERDICTS(NS_X)};
#undef NS_X

bool ns_sal_host_open(struct ns_sal_host *host, const struct ns_sal_wire *wire, struct ns_sal_services *services,
                      struct ns_sal_names *names, size_t flows) {
    uint64_t seed;

    memset(host, 0, sizeof *host);
    host->wire = wire;
    host->services = services;
    host->names = names;
    host->port = NS_SAL_PORT;
    host->request_room = NS_SAL_REQUESTS;
    host->abilities = NS_SAL_ABILITY_EXTENSIONS | NS_SAL_ABILITY_HOPS;
    wire->random(wire->context, &seed, sizeof seed);
    wire->random(wire->context, host->cookies.key, sizeof host->cookies.key);
    return ns_sal_associations_open(&host->associations, seed) && ns_sal_flows_open(&host->flows, seed, flows);
}

void ns_sal_host_close(struct ns_sal_host *host) {
    ns_sal_flows_close(&host->flows);
    ns_sal_associations_close(&host->associations);
}

static void count(struct ns_sal_host *host, enum ns_sal_verdict verdict) {
    host->verdicts[verdict]++;
}

/* --- flows at work --- */

/* Finishes a call of a flow: it is over and goes, or it is saved and put to its place in time. */
static void done(struct ns_sal_host *host, struct ns_sal_held *held) {
    if (held->request && held->kept.flow.state != NS_FLOW_RESPOND) {
        held->request = false;
        host->requests--;
    }
    if (host->over == held) {
        host->over = NULL;
        ns_sal_flows_remove(&host->flows, held);
        return;
    }
    host->wire->save(host->wire->context, &held->kept);
    ns_sal_flows_schedule(&host->flows, held);
}

struct ns_sal_identity ns_sal_host_identity(struct ns_sal_host *host) {
    struct ns_sal_identity made = {.abilities = host->abilities};

    do {
        host->wire->random(host->wire->context, &made.id, sizeof made.id);
        if ((host->abilities & NS_SAL_ABILITY_NATIVE) != 0)
            made.id = ns_sal_native_id(made.id);
    } while (made.id == 0 || ns_sal_flows_by_id(&host->flows, made.id) != NULL);
    host->wire->random(host->wire->context, &made.verno, sizeof made.verno);
    host->wire->random(host->wire->context, &made.nonce, sizeof made.nonce);
    return made;
}

/* --- flows that the programs have set up --- */

static bool seek(struct ns_sal_host *host, const struct ns_sal_sought *sought) {
    return host->wire->seek != NULL && host->wire->seek(host->wire->context, sought);
}

static struct ns_sal_held *find_by_id(struct ns_sal_host *host, uint32_t id) {
    struct ns_sal_held *held = ns_sal_flows_by_id(&host->flows, id);

    if (held == NULL && id != 0 && seek(host, &(struct ns_sal_sought){.id = id}))
        held = ns_sal_flows_by_id(&host->flows, id);
    return held;
}

static struct ns_sal_held *find_by_tuple(struct ns_sal_host *host, const struct ns_sal_tuple *tuple) {
    struct ns_sal_held *held = ns_sal_flows_by_tuple(&host->flows, tuple);

    if (held == NULL && seek(host, &(struct ns_sal_sought){.tuple = tuple}))
        held = ns_sal_flows_by_tuple(&host->flows, tuple);
    return held;
}

static struct ns_sal_held *find_by_client(struct ns_sal_host *host, const struct ns_sal_client *client) {
    struct ns_sal_held *held = ns_sal_flows_by_client(&host->flows, client);

    if (held == NULL && seek(host, &(struct ns_sal_sought){.client = client}))
        held = ns_sal_flows_by_client(&host->flows, client);
    return held;
}

static void enter_names(struct ns_sal_host *host, const struct ns_sal_held *held) {
    if (host->wire->enter != NULL)
        host->wire->enter(host->wire->context, &held->kept);
}

bool ns_sal_host_adopt(struct ns_sal_host *host, const struct ns_sal_kept *kept, uint64_t now) {
    struct ns_sal_held *held;

    if (kept->flow.id == 0 || kept->flow.state == NS_FLOW_OVER || kept->flow.state >= NS_FLOW_STATE_COUNT ||
        kept->flow.channel.state >= NS_CHANNEL_STATE_COUNT || kept->flow.mobility.state >= NS_MOVE_STATE_COUNT ||
        ns_sal_flows_by_id(&host->flows, kept->flow.id) != NULL)
        return false;
    held = ns_sal_flows_make(&host->flows);
    if (held == NULL)
        return false;
    host->now = now;
    held->kept = *kept;
    if (kept->mtu_step > host->flows.mtu_step) /* it was told by the sald before, some time ago */
        host->flows.mtu_step = kept->mtu_step;
    host->flows.mtu_at = now;
    held->request = kept->flow.state == NS_FLOW_RESPOND;
    host->requests += held->request;
    ns_sal_flows_enter(&host->flows, held);
    return true;
}

/* Ends a flow without a word to its peer's program: a new connection has its names. */
static void replace(struct ns_sal_host *host, struct ns_sal_held *held) {
    struct ns_sal_port port = ns_sal_host_port(host, held);

    ns_sal_flow_abort(&held->kept.flow, &port, host->now);
    if (host->over != held) {
        ns_sal_host_forget(host, held); /* TIMEWAIT has nothing to break off */
        host->over = held;
    }
    done(host, held);
}

/* --- from the local stack --- */

static void refuse_local(struct ns_sal_host *host, const struct ns_sal_segment *segment) {
    bool has_ack = (segment->flags & NS_TCP_ACK) != 0;
    uint32_t behind = segment->seq + (uint32_t)(segment->length - segment->header) +
                      ((segment->flags & NS_TCP_SYN) != 0) + ((segment->flags & NS_TCP_FIN) != 0);
    uint8_t rst[NS_SAL_TCP_LEAST];

    if ((segment->flags & NS_TCP_RST) != 0)
        return;
    ns_sal_segment_rst(rst, has_ack ? segment->ack : 0, behind, !has_ack);
    ns_sal_host_inject(host, &segment->tuple, rst, sizeof rst);
}

/* Finds the target of a SYN and the way there. Each SYN is resolved anew. */
static bool resolve(struct ns_sal_host *host, struct ns_sal_kept *kept, enum ns_sal_verdict *why) {
    struct ns_sal_address own = {0};
    const struct ns_sal_rule *rule;
    uint32_t random;

    host->wire->random(host->wire->context, &random, sizeof random);
    rule = ns_sal_services_draw(host->services, kept->flow.service, NS_SAL_ELSEWHERE, host->now, random);
    *why = rule == NULL ? NS_SAL_VERDICT_NO_RULE : NS_SAL_VERDICT_NO_ROUTE;
    if (rule == NULL || !host->wire->route(host->wire->context, &rule->target, &own, &kept->interface))
        return false;
    own.port = ns_sal_is_raw(&rule->target) ? 0 : host->port;
    kept->flow.mobility.own = own;
    kept->flow.mobility.peer = rule->target;
    return true;
}

static void open_flow(struct ns_sal_host *host, const struct ns_sal_segment *segment) {
    int place = ns_sal_surrogate_find(host->names, segment->tuple.destination, segment->tuple.family, host->now);
    const struct ns_sal_address none = {0};
    enum ns_sal_verdict why = NS_SAL_VERDICT_NO_NAME;
    struct ns_sal_identity numbers = ns_sal_host_identity(host);
    struct ns_sal_held *held = place < 0 ? NULL : ns_sal_flows_make(&host->flows);
    struct ns_sal_port port;

    if (held != NULL) {
        ns_sal_flow_begin(&held->kept.flow, &numbers, true, &none, host->names->places[place].id);
        held->kept.inner = segment->tuple;
    }
    if (held == NULL || !resolve(host, &held->kept, &why)) {
        count(host, place >= 0 && held == NULL ? NS_SAL_VERDICT_FLOWS_FULL : why);
        if (held != NULL)
            ns_sal_flows_remove(&host->flows, held);
        if (why != NS_SAL_VERDICT_NO_ROUTE)
            refuse_local(host, segment);
        return;
    }
    ns_sal_flows_enter(&host->flows, held);
    enter_names(host, held);
    if (!ns_sal_host_returns(host, &held->kept.flow.mobility.peer)) /* the programs' SYNs ask for nothing */
        ns_sal_host_prepare(host, &held->kept);
    ns_sal_host_keep_segment(&held->kept, segment);
    port = ns_sal_host_port(host, held);
    count(host, NS_SAL_VERDICT_CONNECT);
    ns_sal_flow_connect(&held->kept.flow, &port, host->now);
    done(host, held);
}

static bool is_again(const struct ns_sal_kept *kept, const struct ns_sal_segment *segment) {
    struct ns_sal_segment last;

    return kept->flow.state == NS_FLOW_REQUEST && ns_sal_segment_read(&last, kept->segment, kept->segment_length) &&
           last.seq == segment->seq;
}

/*
 * Tells whether a SYN is of the connection that a flow has by now. sald reads a copy late if the programs have taken
 * the next one meanwhile.
 */
static bool is_late(const struct ns_sal_kept *kept, const struct ns_sal_segment *segment) {
    struct ns_sal_segment last; /* the SYN itself, or the acknowledgement behind it */

    return kept->flow.client && kept->flow.state != NS_FLOW_REQUEST &&
           ns_sal_segment_read(&last, kept->segment, kept->segment_length) &&
           (last.seq == segment->seq || last.seq == segment->seq + 1);
}

static void take_syn(struct ns_sal_host *host, struct ns_sal_held *held, const struct ns_sal_segment *segment) {
    struct ns_sal_port port;
    enum ns_sal_verdict why;

    if (held != NULL && is_late(&held->kept, segment))
        return;
    if (held == NULL || !is_again(&held->kept, segment)) {
        if (held != NULL)
            replace(host, held);
        open_flow(host, segment);
        return;
    }
    if (!resolve(host, &held->kept, &why)) {
        count(host, why);
        return;
    }
    port = ns_sal_host_port(host, held);
    ns_sal_flow_again(&held->kept.flow, &port, host->now);
    done(host, held);
}

/*
 * Sends a packet of the local stack once more, now that the kernel's programs have its flow. If they have it not, it
 * comes back, so a flow has few of them.
 */
static void send_again(struct ns_sal_host *host, struct ns_sal_held *held, uint8_t *packet, size_t length) {
    if (held->again_second != host->now / 1000) {
        held->again_second = host->now / 1000;
        held->again = 0;
    }
    if (held->again++ >= NS_SAL_AGAIN) {
        count(host, NS_SAL_VERDICT_NOT_TAKEN);
        return;
    }
    ns_sal_segment_finish(packet, length);
    host->wire->again(host->wire->context, packet, length);
}

/* Takes a segment for which a control message waits, or which has gone and comes again. */
static void take_set_up(struct ns_sal_host *host, struct ns_sal_held *held, const struct ns_sal_segment *segment,
                        uint8_t *packet, size_t length) {
    struct ns_sal_port port = ns_sal_host_port(host, held);

    ns_sal_host_keep_segment(&held->kept, segment);
    if (held->kept.has_message) {
        held->kept.has_message = false;
        ns_sal_host_send(host, held, &held->kept.message);
    } else {
        ns_sal_flow_again(&held->kept.flow, &port, host->now);
    }
    if (ns_sal_flow_is_open(&held->kept.flow)) {
        ns_sal_host_publish(host, held);
        if (segment->length > segment->header)
            send_again(host, held, packet, length); /* the message had its header alone */
    }
    done(host, held);
}

static void abort_flow(struct ns_sal_host *host, struct ns_sal_held *held) {
    struct ns_sal_port port = ns_sal_host_port(host, held);

    ns_sal_flow_abort(&held->kept.flow, &port, host->now);
    done(host, held);
}

/* Takes a packet of the local stack that is no TCP. */
static enum ns_sal_verdict take_other(struct ns_sal_host *host, const uint8_t *packet, size_t length) {
    struct ns_sal_datagram datagram;
    enum ns_sal_local_kind kind = ns_sal_datagram_local(&datagram, packet, length);

    if (kind == NS_SAL_LOCAL_DATAGRAM)
        return ns_sal_host_send_datagram(host, &datagram);
    return kind == NS_SAL_LOCAL_FRAGMENT ? NS_SAL_VERDICT_FRAGMENT : NS_SAL_VERDICT_LOCAL_OTHER;
}

void ns_sal_host_segment(struct ns_sal_host *host, uint8_t *packet, size_t length, uint64_t now) {
    struct ns_sal_segment segment;
    struct ns_sal_held *held;

    host->now = now;
    if (!ns_sal_segment_local(&segment, packet, length)) {
        count(host, take_other(host, packet, length));
        return;
    }
    held = find_by_tuple(host, &segment.tuple);
    if (held != NULL && held->kept.datagrams)
        held = NULL; /* the names are UDP's */
    if ((segment.flags & (NS_TCP_SYN | NS_TCP_ACK)) == NS_TCP_SYN) {
        take_syn(host, held, &segment);
    } else if (held == NULL) {
        if (ns_sal_host_answered(host, &segment))
            return;
        count(host, NS_SAL_VERDICT_NO_CONNECTION);
        refuse_local(host, &segment);
    } else if ((segment.flags & NS_TCP_RST) != 0 && !ns_sal_host_is_published(&held->kept)) {
        abort_flow(host, held);
    } else if (ns_sal_host_waits_for(&held->kept, &segment)) {
        take_set_up(host, held, &segment, packet, length);
    } else if (ns_sal_host_is_published(&held->kept) && (segment.flags & NS_TCP_SYN) == 0) {
        send_again(host, held, packet, length); /* a SYN-ACK would come back: the kernel's programs take none */
    }
}

/* --- from the network --- */

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
        count(host, NS_SAL_VERDICT_NOT_SENT);
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
    enter_names(host, held);
    held->request = true;
    host->requests++;
    port = ns_sal_host_port(host, held);
    ns_sal_flow_take(&held->kept.flow, &port, &packet->message, 0, &client->address, host->now);
    if (!udp)
        ns_sal_host_inject(host, &held->kept.inner, packet->transport, packet->transport_length);
    done(host, held);
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
    done(host, held);
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
    held = find_by_client(host, &client);
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
    enter_names(host, held);
    choose_interface(host, &held->kept, from, local, interface);
    port = ns_sal_host_port(host, held);
    ns_sal_flow_prove(&held->kept.flow, &port, &packet->message, packet->capability, from, host->now);
    ns_sal_host_inject(host, &held->kept.inner, packet->transport, packet->transport_length);
    done(host, held);
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
    held = find_by_id(host, packet->message.destination);
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
    count(host, NS_SAL_VERDICT_MALFORMED);
    return false;
}

void ns_sal_host_datagram(struct ns_sal_host *host, const struct ns_sal_address *from,
                          const struct ns_sal_address *local, uint32_t interface, const uint8_t *bytes, size_t length,
                          uint64_t now) {
    struct ns_sal_packet packet;

    if (read_packet(host, &packet, bytes, length, now))
        count(host, demultiplex(host, &packet, from, local, interface));
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
        count(host, NS_SAL_VERDICT_GROUP);
    else
        count(host, demultiplex(host, &packet, from, local, interface));
}

/* --- events, moves, time --- */

void ns_sal_host_event(struct ns_sal_host *host, const struct ns_sal_event *event, uint64_t now) {
    struct ns_sal_held *held;
    struct ns_sal_port port;

    host->now = now;
    held = find_by_id(host, ntohl(event->own));
    if (held == NULL)
        return;
    port = ns_sal_host_port(host, held);
    if (event->kind == NS_SAL_FIN_ACKED)
        ns_sal_flow_close(&held->kept.flow, &port, now);
    else
        ns_sal_flow_abort(&held->kept.flow, &port, now);
    done(host, held);
}

static bool move(struct ns_sal_host *host, struct ns_sal_held *held, const struct ns_sal_address *own) {
    struct ns_sal_port port = ns_sal_host_port(host, held);

    ns_sal_host_note_silence(host, held);
    ns_sal_flow_move(&held->kept.flow, &port, own, host->now);
    done(host, held);
    return true;
}

bool ns_sal_host_move(struct ns_sal_host *host, uint32_t id, const struct ns_sal_address *own, uint64_t now) {
    struct ns_sal_held *held;
    struct ns_sal_address to = *own;
    uint32_t interface;

    host->now = now;
    held = find_by_id(host, id);
    if (held == NULL)
        return false;
    to.port = held->kept.flow.mobility.own.port;
    if (!host->wire->route(host->wire->context, &held->kept.flow.mobility.peer, &to, &interface))
        return false;
    held->kept.ordered = true;
    return move(host, held, &to);
}

/*
 * Finds the address and the interface by which a flow should leave. A flow that an order has moved stays at its address
 * `now` as long as it has a way from there.
 */
static bool find_way(struct ns_sal_host *host, struct ns_sal_held *held, const struct ns_sal_address *now,
                     struct ns_sal_address *own, uint32_t *interface) {
    const struct ns_sal_address *peer = &held->kept.flow.mobility.peer;

    *own = *now;
    if (held->kept.ordered && host->wire->route(host->wire->context, peer, own, interface))
        return true;
    held->kept.ordered = false;
    memset(own, 0, sizeof *own);
    return host->wire->route(host->wire->context, peer, own, interface);
}

/*
 * Moves a flow if it should leave from elsewhere. The same address behind another interface is no move. After a time
 * without a route it is one, because both ends have to send at once then.
 */
static bool reroute(struct ns_sal_host *host, struct ns_sal_held *held) {
    const struct ns_sal_mobility *mobility = &held->kept.flow.mobility;
    const struct ns_sal_address *now = mobility->has_pending ? &mobility->pending : &mobility->own;
    struct ns_sal_address own;
    uint32_t interface;
    bool cut = held->cut;

    if (held->kept.flow.state < NS_FLOW_RESPOND)
        return false;
    held->cut = !find_way(host, held, now, &own, &interface);
    if (held->cut)
        return false;
    own.port = now->port;
    if (cut || !ns_sal_same(&own, now))
        return move(host, held, &own);
    if (interface != held->kept.interface && !mobility->has_pending && ns_sal_host_is_published(&held->kept)) {
        held->kept.interface = interface;
        ns_sal_host_publish(host, held);
    }
    return false;
}

unsigned ns_sal_host_reroute(struct ns_sal_host *host, uint64_t now) {
    unsigned moves = 0;

    host->now = now;
    for (struct ns_sal_held *next, *held = ns_sal_flows_after(&host->flows, NULL); held != NULL; held = next) {
        next = held->after; /* before the flow may go */
        moves += reroute(host, held);
    }
    return moves;
}

uint64_t ns_sal_host_due(struct ns_sal_host *host, uint64_t now) {
    struct ns_sal_held *held;

    host->now = now;
    while ((held = ns_sal_flows_first(&host->flows)) != NULL) {
        uint64_t at = ns_sal_held_due_at(held);
        struct ns_sal_port port;

        if (at > now)
            return at;
        if (held->kept.wake_at <= now)
            ns_sal_host_wake_again(host, held);
        if (held->kept.again_at <= now)
            ns_sal_host_acknowledge_again(host, held);
        port = ns_sal_host_port(host, held);
        ns_sal_flow_due(&held->kept.flow, &port, now);
        done(host, held);
    }
    return NS_SAL_NEVER;
}

/*
 * Notes when a flow was last used. sald itself does that for datagrams, which it carries. A flow that the programs do
 * not have is not used.
 */
static void note_use(struct ns_sal_host *host, struct ns_sal_kept *kept) {
    struct ns_sal_use use;
    uint64_t packets = kept->packets;

    if (kept->datagrams)
        return;
    if (host->wire->use(host->wire->context, kept->flow.id, &use))
        packets = use.packets_in + use.packets_out;
    if (packets == kept->packets && kept->active_ms != 0)
        return;
    kept->packets = packets;
    kept->active_ms = host->now;
}

void ns_sal_host_sweep(struct ns_sal_host *host, uint64_t now) {
    host->now = now;
    for (struct ns_sal_held *next, *held = ns_sal_flows_after(&host->flows, NULL); held != NULL; held = next) {
        next = held->after;
        if (held->kept.flow.client) /* its surrogate is in use as long as it lives */
            ns_sal_surrogate_find(host->names, held->kept.inner.destination, held->kept.inner.family, now);
        note_use(host, &held->kept);
        if (held->kept.active_ms != 0 && now - held->kept.active_ms > NS_SAL_IDLE_MS) {
            count(host, NS_SAL_VERDICT_IDLE);
            abort_flow(host, held);
        }
    }
}
