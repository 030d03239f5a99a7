/* SPDX-License-Identifier: Apache-2.0 */
#include "host_send.h"

#include "datagram.h"
#include "native.h"
#include "wake.h"
#include <arpa/inet.h>

/* A flow at work. Calls do not nest, so one is enough. */
static struct {
    struct ns_sal_host *host;
    struct ns_sal_held *held;
} work;

/* Tells whether a message carries the transport's header: SYN, SYN-ACK and handshake ACK do. */
static bool carries(const struct ns_sal_outgoing *outgoing) {
    return (outgoing->message.flags & NS_SAL_SYN) != 0 || outgoing->service;
}

/* Returns the flags of TCP that go with the message. */
static unsigned wanted_flags(const struct ns_sal_outgoing *outgoing) {
    if (outgoing->message.flags == NS_SAL_SYN)
        return NS_TCP_SYN;
    return outgoing->message.flags == (NS_SAL_SYN | NS_SAL_ACK) ? NS_TCP_SYN | NS_TCP_ACK : NS_TCP_ACK;
}

/* Writes the empty UDP header of a handshake. Like the published stack it has no checksum. */
static size_t put_empty(uint8_t *at) {
    memset(at, 0, NS_SAL_UDP_HEADER);
    at[5] = NS_SAL_UDP_HEADER;
    return NS_SAL_UDP_HEADER;
}

static unsigned kind_of(const struct ns_sal_segment *segment) {
    return segment->flags & (NS_TCP_SYN | NS_TCP_ACK | NS_TCP_RST);
}

bool ns_sal_host_is_published(const struct ns_sal_kept *kept) {
    return ns_sal_flow_is_open(&kept->flow) && !kept->has_message;
}

bool ns_sal_host_waits_for(const struct ns_sal_kept *kept, const struct ns_sal_segment *segment) {
    if (kept->has_message)
        return kind_of(segment) == wanted_flags(&kept->message);
    return kept->flow.state == NS_FLOW_RESPOND && kind_of(segment) == (NS_TCP_SYN | NS_TCP_ACK);
}

void ns_sal_host_keep_segment(struct ns_sal_kept *kept, const struct ns_sal_segment *segment) {
    memcpy(kept->segment, segment->tcp, segment->header);
    kept->segment_length = (uint8_t)segment->header;
}

void ns_sal_host_inject(struct ns_sal_host *host, const struct ns_sal_tuple *inner, const uint8_t *tcp, size_t length) {
    static uint8_t packet[NS_SAL_PACKET_MAX];
    size_t total = ns_sal_segment_to_local(packet, inner, tcp, length);

    if (total != 0)
        host->wire->inject(host->wire->context, packet, total);
}

static const uint8_t *way_of(const struct ns_sal_kept *kept, const struct ns_sal_outgoing *outgoing) {
    return outgoing->message.flags == (NS_SAL_SYN | NS_SAL_ACK) && kept->way[1] != 0 ? kept->way : NULL;
}

void ns_sal_host_note_return(struct ns_sal_host *host, const struct ns_sal_address *router) {
    unsigned place = host->returning_next;

    for (unsigned i = 0; i < NS_SAL_ROUTERS; i++) {
        if (ns_sal_same(&host->returning[i].router, router))
            place = i;
    }
    if (place == host->returning_next)
        host->returning_next = (place + 1) % NS_SAL_ROUTERS;
    host->returning[place] = (struct ns_sal_returning){*router, host->now + NS_SAL_RETURNING_MS};
}

bool ns_sal_host_returns(const struct ns_sal_host *host, const struct ns_sal_address *router) {
    for (unsigned i = 0; i < NS_SAL_ROUTERS; i++) {
        if (host->now < host->returning[i].until && ns_sal_same(&host->returning[i].router, router))
            return true;
    }
    return false;
}

/*
 * Tells whether a SYN asks for its answer by the routers. Every second one does, because the published stack drops such
 * a SYN. The first one does if the router has brought an answer before.
 */
static bool asks(const struct ns_sal_host *host, struct ns_sal_kept *kept, const struct ns_sal_address *to) {
    bool second = ++kept->syns % 2 == 0;

    return (host->abilities & NS_SAL_ABILITY_HOPS) != 0 && !ns_sal_is_raw(to) &&
           second != ns_sal_host_returns(host, to);
}

/* Returns the address to which a message goes. */
static const struct ns_sal_address *receiver(const struct ns_sal_kept *kept, const struct ns_sal_outgoing *outgoing) {
    if (outgoing->message.flags == (NS_SAL_SYN | NS_SAL_ACK) && !ns_sal_is_none(&kept->back))
        return &kept->back;
    return ns_sal_is_none(&outgoing->to) ? &kept->flow.mobility.peer : &outgoing->to;
}

/* Keeps a client's acknowledgement of the SYN-ACK. A server that answered without state cannot ask for it again. */
static void await_server(const struct ns_sal_host *host, struct ns_sal_held *held,
                         const struct ns_sal_outgoing *acknowledgement) {
    if (acknowledgement != &held->kept.message)
        held->kept.message = *acknowledgement;
    held->kept.again_at = host->now + NS_SAL_AGAIN_MS;
}

void ns_sal_host_send(struct ns_sal_host *host, struct ns_sal_held *held, const struct ns_sal_outgoing *outgoing) {
    const struct ns_sal_kept *kept = &held->kept;
    struct ns_sal_header header = {
        .message = outgoing->message, .protocol = kept->datagrams ? NS_SAL_UDP : 6, .capability = outgoing->capability};
    const struct ns_sal_address *to = receiver(kept, outgoing);
    uint8_t bytes[NS_SAL_HEADER_MAX + NS_SAL_TCP_MOST];
    struct ns_sal_segment segment;
    struct ns_sal_seen seen;
    uint32_t words[2];
    size_t length;

    header.service = outgoing->service ? kept->flow.service : NULL;
    header.way = way_of(kept, outgoing);
    if (header.way != NULL)
        header.tickets = ns_sal_way_tickets(kept->way);
    if (outgoing->message.flags == NS_SAL_SYN && asks(host, &held->kept, to))
        header.tickets = ns_sal_asks;
    if (outgoing->capability != 0 && ns_sal_native_is_shared(&kept->flow)) {
        seen = (struct ns_sal_seen){outgoing->from, *to};
        header.seen = &seen;
    }
    length = ns_sal_write(bytes, &header);
    if (carries(outgoing) && kept->datagrams) {
        length += put_empty(bytes + length);
    } else if (carries(outgoing) && ns_sal_segment_read(&segment, kept->segment, kept->segment_length)) {
        ns_sal_pseudo(words, outgoing->message.source, outgoing->message.destination, &outgoing->from, to);
        ns_sal_segment_to_wire(bytes + length, &segment, words[0], words[1]);
        length += segment.length;
    }
    if (!host->wire->datagram(host->wire->context, &outgoing->from, to, bytes, length))
        host->verdicts[NS_SAL_VERDICT_NOT_SENT]++;
    if (outgoing->service && outgoing->message.flags == NS_SAL_ACK && !kept->datagrams && kept->agains == 0)
        await_server(host, held, outgoing);
}

void ns_sal_host_acknowledge_again(struct ns_sal_host *host, struct ns_sal_held *held) {
    struct ns_sal_kept *kept = &held->kept;
    struct ns_sal_use use = {0};

    kept->again_at = NS_SAL_NEVER;
    if (kept->flow.state != NS_FLOW_CONNECTED || kept->agains == NS_SAL_AGAINS ||
        (host->wire->use(host->wire->context, kept->flow.id, &use) && use.last_in != 0))
        return;
    kept->again_at = host->now + (NS_SAL_AGAIN_MS << ++kept->agains);
    ns_sal_host_send(host, held, &kept->message);
}

/* Has the kernel look for the next hop anew: on a link that has just come up the first question is often lost. */
static void seek_again(struct ns_sal_host *host, const struct ns_sal_outgoing *rsyn) {
    struct ns_sal_address own = rsyn->from;
    uint32_t interface;

    if (host->wire->route(host->wire->context, &rsyn->to, &own, &interface))
        host->wire->unblock(host->wire->context, &rsyn->to, interface);
}

/* Sends a message, or lets it wait for its segment. */
static void on_send(void *context, const struct ns_sal_flow *flow, const struct ns_sal_outgoing *outgoing) {
    struct ns_sal_kept *kept = &work.held->kept;
    struct ns_sal_segment segment;

    (void)context;
    (void)flow;
    if (carries(outgoing) && !kept->datagrams &&
        (!ns_sal_segment_read(&segment, kept->segment, kept->segment_length) ||
         kind_of(&segment) != wanted_flags(outgoing))) {
        kept->has_message = true;
        kept->message = *outgoing;
        return;
    }
    if ((outgoing->message.flags & (NS_SAL_RSYN | NS_SAL_ACK)) == NS_SAL_RSYN && kept->flow.channel.tries > 1)
        seek_again(work.host, outgoing);
    ns_sal_host_send(work.host, work.held, outgoing);
}

void ns_sal_host_publish(struct ns_sal_host *host, struct ns_sal_held *held) {
    struct ns_sal_kept *kept = &held->kept;
    const struct ns_sal_mobility *mobility = &kept->flow.mobility;
    struct ns_sal_way way = {.inner = kept->inner, .open = 1, .interface = kept->interface};

    way.own = htonl(kept->flow.id);
    way.peer = htonl(kept->flow.remote.flow);
    way.family = ns_sal_is_ipv4(&mobility->peer) ? 4 : 6;
    ns_sal_address_words(&mobility->own, way.own_address);
    ns_sal_address_words(&mobility->peer, way.peer_address);
    way.own_port = htons(mobility->own.port);
    way.peer_port = htons(mobility->peer.port);
    kept->told_peer = mobility->peer;
    kept->told_interface = kept->interface;
    if (kept->datagrams)
        return;
    ns_sal_native_publish(kept, &way);
    host->wire->publish(host->wire->context, &way);
}

/* Breaks the program's connection off. Its TCP takes a RST with the number that it expects next. */
static void break_off(struct ns_sal_host *host, const struct ns_sal_kept *kept) {
    uint8_t rst[NS_SAL_TCP_LEAST];
    struct ns_sal_segment last;
    struct ns_sal_use use;

    if (kept->datagrams)
        return; /* UDP knows no end */
    if (host->wire->use(host->wire->context, kept->flow.id, &use) && (use.acks_seen & 2) != 0)
        ns_sal_segment_rst(rst, use.taken, 0, false);
    else if (ns_sal_segment_read(&last, kept->segment, kept->segment_length))
        ns_sal_segment_rst(rst, last.ack, last.seq + ((last.flags & NS_TCP_SYN) != 0), (last.flags & NS_TCP_ACK) == 0);
    else
        return;
    ns_sal_host_inject(host, &kept->inner, rst, sizeof rst);
}

void ns_sal_host_forget(struct ns_sal_host *host, struct ns_sal_held *held) {
    host->wire->forget(host->wire->context, &held->kept);
}

/*
 * Publishes the way after a move. Data leave by the interface of the own address if this end has moved. If the peer has
 * moved, they leave by the kernel's route, with the own address as before.
 */
static void moved(struct ns_sal_host *host, struct ns_sal_held *held, bool itself) {
    struct ns_sal_mobility *mobility = &held->kept.flow.mobility;
    struct ns_sal_address own = {0};
    const struct ns_sal_address before = held->kept.told_peer;
    uint32_t interface, by = held->kept.told_interface;

    if (itself)
        own = mobility->own;
    if (host->wire->route(host->wire->context, &mobility->peer, &own, &interface))
        held->kept.interface = interface;
    held->kept.moved = true;
    ns_sal_host_publish(host, held);
    if (by != 0 && (by != held->kept.interface || !ns_sal_same(&before, &mobility->peer)))
        host->wire->unblock(host->wire->context, &before, by);
}

void ns_sal_host_note_silence(struct ns_sal_host *host, struct ns_sal_held *held) {
    struct ns_sal_use use;

    held->kept.silent = host->wire->use(host->wire->context, held->kept.flow.id, &use) &&
                        host->now > use.last_in / 1000000 + NS_SAL_SILENCE_MS;
}

/*
 * Takes the next MTU for a TCP that has to send all again. Flows share surrogates, and the kernel keeps an MTU for each
 * surrogate, so a new connection begins with the MTU that another was told. Only a smaller one has an effect.
 */
static void lower_mtu(struct ns_sal_host *host, struct ns_sal_kept *kept) {
    struct ns_sal_flows *flows = &host->flows;

    if (host->now > flows->mtu_at + NS_SAL_MTU_MS)
        flows->mtu_step = 0;
    if (kept->mtu_step >= flows->mtu_step && flows->mtu_step < NS_SAL_MTU_STEPS)
        flows->mtu_step++;
    kept->mtu_step = flows->mtu_step;
    flows->mtu_at = host->now;
}

static void wake_now(struct ns_sal_host *host, struct ns_sal_kept *kept) {
    if (kept->silent)
        lower_mtu(host, kept);
    host->wire->wake(host->wire->context, kept);
    kept->wakes++;
}

static void wake(struct ns_sal_host *host, struct ns_sal_kept *kept) {
    struct ns_sal_use use = {0};

    host->wire->use(host->wire->context, kept->flow.id, &use);
    kept->woken = use.bytes_out;
    kept->wake_at = host->now + NS_SAL_WAKE_MS;
    wake_now(host, kept);
}

/*
 * A last acknowledgement from before the move may come with its end. TCP then takes its timeouts for false ones, counts
 * nothing as lost any longer, and has measured a round trip as long as the old way was dead.
 */
void ns_sal_host_wake_again(struct ns_sal_host *host, struct ns_sal_held *held) {
    struct ns_sal_kept *kept = &held->kept;
    struct ns_sal_use use;

    kept->wake_at = NS_SAL_NEVER;
    if (!kept->silent || !host->wire->use(host->wire->context, kept->flow.id, &use) || !ns_sal_wake_has_lost(&use) ||
        use.bytes_out - kept->woken > NS_SAL_WAKE_BYTES)
        return;
    wake_now(host, kept);
}

void ns_sal_host_prepare(struct ns_sal_host *host, const struct ns_sal_kept *kept) {
    enum ns_sal_receiver receiver = kept->flow.client ? NS_SAL_ELSEWHERE : NS_SAL_LISTENER;
    const struct ns_sal_rule *rule;

    if (host->wire->prepare == NULL || kept->datagrams || kept->elsewhere)
        return;
    rule = ns_sal_services_sole(host->services, kept->flow.service, receiver, host->now);
    if (rule != NULL)
        host->wire->prepare(host->wire->context, kept, rule);
}

static void on_tell(void *context, const struct ns_sal_flow *flow, enum ns_sal_told what) {
    (void)context;
    switch (what) {
    case NS_SAL_TOLD_CONNECTED:
        if (!work.held->kept.has_message)
            ns_sal_host_publish(work.host, work.held);
        if (!flow->client) /* its client has shown that it is there */
            ns_sal_host_prepare(work.host, &work.held->kept);
        break;
    case NS_SAL_TOLD_RESET:
    case NS_SAL_TOLD_SILENT:
        break_off(work.host, &work.held->kept);
        break;
    case NS_SAL_TOLD_OWN_MOVED:
        moved(work.host, work.held, true);
        wake(work.host, &work.held->kept);
        break;
    case NS_SAL_TOLD_PEER_MOVED:
        moved(work.host, work.held, false);
        break;
    case NS_SAL_TOLD_THAW:
        wake(work.host, &work.held->kept);
        break;
    case NS_SAL_TOLD_FORGET:
        ns_sal_host_forget(work.host, work.held);
        work.host->over = work.held;
        break;
    case NS_SAL_TOLD_FREEZE: /* TCP's own timer goes on: its retransmissions are harmless */
        ns_sal_host_note_silence(work.host, work.held);
        break;
    case NS_SAL_TOLD_PEER_CLOSED: /* TCP's FIN has told the program */
        break;
    }
}

struct ns_sal_port ns_sal_host_port(struct ns_sal_host *host, struct ns_sal_held *held) {
    work.host = host;
    work.held = held;
    return (struct ns_sal_port){.send = on_send, .tell = on_tell};
}
