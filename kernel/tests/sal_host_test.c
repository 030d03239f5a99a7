/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of two hosts that are joined in memory, with time that the test moves and a stand-in for each local stack: it
 * answers SYN and SYN-ACK, and sends SYN and SYN-ACK again each second, as TCP does.
 */
#include "host.h"
#include "ns_bytes.h"
#include "ns_test.h"
#include "registrar.h"
#include "wake.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define CLIENT 0
#define SERVER 1
#define FLIGHT 4096u
#define SECOND 1000u

struct end {
    struct ns_sal_host host;
    struct ns_sal_services services;
    struct ns_sal_names names;
    struct ns_sal_wire wire;
    struct ns_sal_address address;
    struct ns_sal_way way; /* the last one published */
    struct ns_sal_kept saved;
    unsigned published, forgotten, injected, wakes, again, unblocked;
    uint8_t last[128]; /* the last packet for the local stack */
    size_t last_length;
    bool syn, established, silent;
    uint64_t syn_at;
    uint8_t flags_sent;   /* of the last message with CONTROL */
    bool routeless, dead; /* nothing comes from the peer */
    bool behind_nat;      /* the peer's port is another one here */
    bool all_acked;
    bool unused; /* the programs do not have its flows */
    bool reads;  /* the program of its flow has its socket */
    uint64_t sent;
    struct ns_sal_address gone; /* nothing leaves from here */
};

struct datagram {
    unsigned to;
    struct ns_sal_address from, target;
    size_t length;
    uint8_t bytes[1200];
};

static struct end ends[2];
static struct datagram *flight;
static unsigned flying;
static unsigned loss; /* a third of these percent of datagrams are lost, a third doubled; above 0 all are reordered */
static uint64_t now, seed;

static const uint8_t id[NS_SAL_ID] = {0x40, 1};

/* A NAT before the client, and a router outside of it. */
#define AT_ROUTER 1111u /* ports of the client outside of the NAT, */
#define AT_SERVER 2222u /* another one for each destination */

static struct {
    bool there, gives, opened; /* the NAT; the router gives tickets; the client has sent to the server */
    unsigned filtered, returned;
} nat;

static unsigned number_of(void *context) {
    return context == &ends[SERVER] ? SERVER : CLIENT;
}

static bool on_route(void *context, const struct ns_sal_address *to, struct ns_sal_address *own, uint32_t *interface) {
    struct end *end = context;

    (void)to;
    *interface = 3;
    if (ns_sal_is_none(own))
        *own = end->address;
    return !end->routeless && !ns_sal_same(own, &end->gone);
}

static bool on_datagram(void *context, const struct ns_sal_address *from, const struct ns_sal_address *to,
                        const uint8_t *bytes, size_t length) {
    unsigned copies = ns_test_random(&seed) % 100 < loss ? ns_test_random(&seed) % 3 : 1;

    ((struct end *)context)->flags_sent = bytes[12] == NS_SAL_CONTROL << 4 ? bytes[14] : 0;
    for (; copies > 0 && flying < FLIGHT; copies--) {
        struct datagram *at = &flight[flying++];

        *at = (struct datagram){.to = !number_of(context), .from = *from, .target = *to, .length = length};
        memcpy(at->bytes, bytes, length);
    }
    return true;
}

/* The local stack: answers a set-up segment. */
static void on_inject(void *context, const uint8_t *packet, size_t length) {
    struct end *end = context;

    end->injected++;
    end->last_length = length < sizeof end->last ? length : sizeof end->last;
    memcpy(end->last, packet, end->last_length);
}

static void on_again(void *context, const uint8_t *packet, size_t length) {
    (void)packet;
    (void)length;
    ((struct end *)context)->again++;
}

static void on_publish(void *context, const struct ns_sal_way *way) {
    struct end *end = context;

    end->published++;
    end->way = *way;
}

static void on_save(void *context, const struct ns_sal_kept *kept) {
    ((struct end *)context)->saved = *kept;
}

static void on_forget(void *context, const struct ns_sal_kept *kept) {
    (void)kept;
    ((struct end *)context)->forgotten++;
}

static bool on_use(void *context, uint32_t flow, struct ns_sal_use *use) {
    const struct end *end = context;

    (void)flow;
    *use = (struct ns_sal_use){
        .acks_seen = 5, .sent = !end->all_acked, .bytes_out = end->sent, .last_in = end->dead ? 0 : now * 1000000};
    return !end->unused;
}

static void on_unblock(void *context, const struct ns_sal_address *peer, uint32_t interface) {
    (void)peer;
    (void)interface;
    ((struct end *)context)->unblocked++;
}

static void on_wake(void *context, const struct ns_sal_kept *kept) {
    (void)kept;
    ((struct end *)context)->wakes++;
}

static void on_random(void *context, void *bytes, size_t length) {
    (void)context;
    for (size_t i = 0; i < length; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)ns_test_random(&seed);
}

static bool on_connected(void *context, const struct ns_sal_tuple *tuple, bool datagrams) {
    (void)tuple;
    return !datagrams && ((struct end *)context)->reads;
}

static void open_end(unsigned i) {
    struct end *end = &ends[i];

    memset(end, 0, sizeof *end);
    end->wire = (struct ns_sal_wire){on_route,  on_datagram, on_inject,  on_again, on_publish, on_save,
                                     on_forget, on_use,      on_unblock, on_wake,  on_random,  on_connected,
                                     NULL,      NULL,        NULL,       NULL,     end};
    ns_sal_host_open(&end->host, &end->wire, &end->services, &end->names, 4096);
    end->host.inside4 = inet_addr("198.18.0.1");
    ns_sal_address_read(&end->address, i == CLIENT ? "192.0.2.1" : "192.0.2.2", NS_SAL_PORT);
}

static void fresh(uint64_t with, unsigned lossy) {
    struct ns_sal_rule rule = {.action = NS_SAL_FORWARD, .until = UINT64_MAX, .bits = 256};
    static bool opened;

    for (unsigned i = 0; opened && i < 2; i++)
        ns_sal_host_close(&ends[i].host);
    opened = true;
    if (flight == NULL)
        flight = calloc(FLIGHT, sizeof *flight);
    seed = with * 0x9e3779b97f4a7c15u + 1;
    flying = 0;
    loss = lossy;
    memset(&nat, 0, sizeof nat);
    now = 1000000;
    open_end(CLIENT);
    open_end(SERVER);
    memcpy(rule.id, id, sizeof rule.id);
    rule.target = ends[SERVER].address;
    NS_EQUAL(NS_SAL_RULE_OK, ns_sal_services_add(&ends[CLIENT].services, &rule, now));
    rule.action = NS_SAL_DEMUX;
    rule.target = (struct ns_sal_address){.port = 80};
    NS_EQUAL(NS_SAL_RULE_OK, ns_sal_services_add(&ends[SERVER].services, &rule, now));
    NS_EQUAL(0, ns_sal_surrogate_of(&ends[CLIENT].names, id, now));
}

/* Sends a segment of the local stack at this end. */
static void segment(unsigned i, const struct ns_sal_tuple *tuple, unsigned flags, uint32_t seq, uint32_t ack) {
    static uint8_t packet[NS_SAL_PACKET_MAX];
    struct ns_sal_tuple swapped = {.ports = tuple->ports << 16 | tuple->ports >> 16, .family = tuple->family};
    uint8_t tcp[NS_SAL_TCP_LEAST];
    size_t length;

    memcpy(swapped.source, tuple->destination, 16);
    memcpy(swapped.destination, tuple->source, 16);
    ns_sal_segment_rst(tcp, seq, 0, false);
    ns_put32(tcp + 8, ack);
    tcp[13] = (uint8_t)flags;
    length = ns_sal_segment_to_local(packet, &swapped, tcp, sizeof tcp);
    ns_sal_host_segment(&ends[i].host, packet, length, now);
}

static struct ns_sal_tuple client_tuple(void) {
    struct ns_sal_tuple tuple = {.family = 4};

    tuple.source[0] = inet_addr("198.18.0.1");
    ns_sal_surrogate_address(0, 4, tuple.destination);
    memcpy(&tuple.ports, "\x9c\x40\0\x50", 4);
    return tuple;
}

/* Has the local stack of an end answer what it was handed last. */
static void answer(unsigned i) {
    struct end *end = &ends[i];
    struct ns_sal_segment taken;
    struct ns_sal_tuple tuple;

    if (end->last_length == 0 || !ns_sal_segment_local(&taken, end->last, end->last_length))
        return;
    end->last_length = 0;
    tuple = (struct ns_sal_tuple){.family = 4, .ports = taken.tuple.ports << 16 | taken.tuple.ports >> 16};
    memcpy(tuple.source, taken.tuple.destination, 16);
    memcpy(tuple.destination, taken.tuple.source, 16);
    if ((taken.flags & NS_TCP_RST) != 0) {
        end->established = false;
    } else if (taken.flags == NS_TCP_SYN && !end->silent) {
        end->syn_at = now;
        segment(i, &tuple, NS_TCP_SYN | NS_TCP_ACK, 500, taken.seq + 1);
    } else if (taken.flags == (NS_TCP_SYN | NS_TCP_ACK)) {
        end->established = true;
        segment(i, &tuple, NS_TCP_ACK, taken.ack, taken.seq + 1);
    } else if ((taken.flags & NS_TCP_ACK) != 0) {
        end->established = true;
    }
}

/* --- a client behind a NAT, and a router outside --- */

static const uint8_t one_ticket[12] = {NS_SAL_TICKETS << 4, 12, 0, 0, 't', 'i', 'c', 'k', 'e', 't', '-', '1'};

static struct ns_sal_address router_address(void) {
    struct ns_sal_address router;

    ns_sal_address_read(&router, "192.0.2.3", NS_SAL_PORT);
    return router;
}

static void put_hop(uint8_t way[NS_SAL_WAY_MAX], const struct ns_sal_address *hop) {
    if (way[1] == 0) {
        way[0] = NS_SAL_HOPS << 4;
        way[1] = 4;
    }
    ns_put16(way + way[1] + 2, hop->port);
    memcpy(way + way[1] + 4, hop->ip, 16);
    way[1] = (uint8_t)(way[1] + 20);
}

/* Writes a packet anew with these lists. */
static void rewrite(struct datagram *datagram, const struct ns_sal_packet *packet, const uint8_t *way,
                    const uint8_t *tickets) {
    struct ns_sal_header header = {.message = packet->message,
                                   .protocol = packet->protocol,
                                   .service = packet->service,
                                   .way = way,
                                   .tickets = tickets};
    uint8_t bytes[sizeof datagram->bytes];
    size_t length = ns_sal_write(bytes, &header);

    memcpy(bytes + length, packet->transport, packet->transport_length);
    datagram->length = length + packet->transport_length;
    memcpy(datagram->bytes, bytes, datagram->length);
    datagram->from = router_address();
}

/* The router: a SYN gets its hops and a ticket, a SYN-ACK with that ticket goes back. */
static bool route(struct datagram *datagram) {
    struct ns_sal_address client = ends[CLIENT].address, router = router_address();
    uint8_t way[NS_SAL_WAY_MAX] = {0};
    struct ns_sal_packet packet;

    NS_EQUAL(NS_SAL_ERROR_OK, ns_sal_read(&packet, datagram->bytes, datagram->length));
    if (packet.message.flags == NS_SAL_SYN) {
        client.port = AT_ROUTER;
        put_hop(way, &client);
        put_hop(way, &router);
        datagram->target = ends[SERVER].address;
        rewrite(datagram, &packet, way, packet.tickets != NULL && nat.gives ? one_ticket : packet.tickets);
        return true;
    }
    if (packet.tickets == NULL || packet.tickets[1] != 12)
        return false;
    NS_CHECK(memcmp(one_ticket, packet.tickets, sizeof one_ticket) == 0);
    put_hop(way, &ends[SERVER].address);
    nat.returned++;
    datagram->target = client;
    rewrite(datagram, &packet, way, NULL);
    return true;
}

/* Tells whether a datagram comes through. The NAT lets in answers of the address and port asked. */
static bool passes(struct datagram *datagram) {
    struct ns_sal_address router = router_address();

    if (!nat.there)
        return true;
    if (ns_sal_same(&datagram->target, &router))
        return route(datagram);
    if (datagram->to == SERVER) {
        nat.opened = true;
        datagram->from.port = AT_SERVER;
        return true;
    }
    if (!nat.opened || datagram->target.port != AT_SERVER) {
        nat.filtered++;
        return false;
    }
    datagram->target = ends[CLIENT].address;
    return true;
}

static void deliver(void) {
    while (flying > 0) {
        unsigned at = loss == 0 ? 0 : (unsigned)(ns_test_random(&seed) % flying);
        struct datagram datagram = flight[at];
        struct end *end = &ends[datagram.to];

        memmove(flight + at, flight + at + 1, (--flying - at) * sizeof *flight);
        if (!passes(&datagram))
            continue;
        datagram.from.port = (uint16_t)(datagram.from.port + end->behind_nat);
        ns_sal_host_datagram(&end->host, &datagram.from, &datagram.target, 3, datagram.bytes, datagram.length, now);
        answer(datagram.to);
    }
}

static void pass(uint64_t milliseconds) {
    for (uint64_t end = now + milliseconds; now < end; now += 100) {
        deliver();
        ns_sal_host_due(&ends[CLIENT].host, now);
        ns_sal_host_due(&ends[SERVER].host, now);
    }
    deliver();
}

/* Opens a connection of the client's program. TCP sends its SYN again each second, and so its SYN-ACK. */
static void connect_by(uint32_t ports) {
    struct ns_sal_tuple tuple = client_tuple();

    tuple.ports = ports;
    for (unsigned i = 0; i < 2; i++)
        ends[i].published = ends[i].established = false;
    for (unsigned second = 0; second < 60 && !(ends[CLIENT].published && ends[SERVER].published); second++) {
        if (!ends[CLIENT].established)
            segment(CLIENT, &tuple, NS_TCP_SYN, 100, 0);
        if (second > 0 && !ends[SERVER].published && ends[SERVER].saved.flow.state == NS_FLOW_RESPOND)
            segment(SERVER, &ends[SERVER].saved.inner, NS_TCP_SYN | NS_TCP_ACK, 500, 101);
        pass(SECOND);
    }
}

static void connect_once(void) {
    connect_by(client_tuple().ports);
}

static unsigned state_of(unsigned i) {
    struct ns_sal_held *held = ns_sal_flows_first(&ends[i].host.flows);

    return held == NULL ? NS_FLOW_OVER : held->kept.flow.state;
}

static void event(unsigned i, unsigned kind) {
    struct ns_sal_event told = {ends[i].way.own, kind};

    ns_sal_host_event(&ends[i].host, &told, now);
}

NS_TEST(a_connection_opens_and_closes_on_both_sides) {
    fresh(1, 0);
    connect_once();
    NS_EQUAL(NS_FLOW_CONNECTED, state_of(CLIENT));
    NS_EQUAL(NS_FLOW_CONNECTED, state_of(SERVER));
    NS_EQUAL(ends[CLIENT].way.own, ends[SERVER].way.peer);
    NS_EQUAL(ends[CLIENT].way.peer, ends[SERVER].way.own);
    NS_EQUAL(inet_addr("192.0.2.1"), ends[CLIENT].way.own_address[0]);
    NS_EQUAL(inet_addr("192.0.2.2"), ends[CLIENT].way.peer_address[0]);
    NS_EQUAL(3, ends[CLIENT].way.interface);
    NS_CHECK(ends[CLIENT].established && ends[SERVER].established);
    NS_EQUAL(5, ends[SERVER].saved.flow.peer_abilities);
    event(CLIENT, NS_SAL_FIN_ACKED);
    pass(SECOND);
    NS_EQUAL(NS_FLOW_FINWAIT2, state_of(CLIENT));
    NS_EQUAL(NS_FLOW_CLOSEWAIT, state_of(SERVER));
    event(SERVER, NS_SAL_FIN_ACKED);
    pass(SECOND);
    NS_EQUAL(NS_FLOW_TIMEWAIT, state_of(CLIENT));
    NS_EQUAL(0, ends[SERVER].host.flows.count);
    pass(61 * SECOND);
    NS_EQUAL(0, ends[CLIENT].host.flows.count);
    NS_EQUAL(1, ends[CLIENT].forgotten);
    NS_EQUAL(0, ends[SERVER].host.requests);
}

NS_TEST(a_program_that_has_sent_its_fin_reads_as_long_as_it_has_its_socket) {
    fresh(1, 0);
    connect_once();
    ends[CLIENT].reads = true;
    event(CLIENT, NS_SAL_FIN_ACKED);
    pass(10 * 61 * SECOND);
    NS_EQUAL(NS_FLOW_FINWAIT2, state_of(CLIENT));
    NS_EQUAL(NS_FLOW_CLOSEWAIT, state_of(SERVER));
    NS_EQUAL(0, ends[CLIENT].forgotten);
    ends[CLIENT].reads = false;
    pass(61 * SECOND);
    NS_EQUAL(0, ends[CLIENT].host.flows.count);
    NS_EQUAL(1, ends[CLIENT].forgotten);
}

/* Puts a NAT before the client, whose SYNs go to a router. */
static void fresh_nat(bool gives, bool known) {
    struct ns_sal_rule rule = {.action = NS_SAL_FORWARD, .until = UINT64_MAX, .bits = 256};

    fresh(3, 0);
    nat.there = true;
    nat.gives = gives;
    memset(&ends[CLIENT].services, 0, sizeof ends[CLIENT].services);
    memcpy(rule.id, id, sizeof rule.id);
    rule.target = router_address();
    NS_EQUAL(NS_SAL_RULE_OK, ns_sal_services_add(&ends[CLIENT].services, &rule, now));
    ends[SERVER].host.routers[0] = rule.target;
    ends[SERVER].host.router_count = known;
}

static void connects_by_the_router(void) {
    connect_once();
    NS_EQUAL(NS_FLOW_CONNECTED, state_of(CLIENT));
    NS_EQUAL(NS_FLOW_CONNECTED, state_of(SERVER));
    NS_EQUAL(htons(AT_SERVER), ends[SERVER].way.peer_port);
    NS_EQUAL(inet_addr("192.0.2.2"), ends[CLIENT].way.peer_address[0]);
    NS_CHECK(ends[CLIENT].established && ends[SERVER].established);
    NS_CHECK(nat.returned > 0);
}

NS_TEST(a_syn_ack_comes_back_by_the_router_through_a_nat) {
    unsigned filtered, returned;

    fresh_nat(true, true);
    connects_by_the_router();
    NS_CHECK(nat.filtered > 0); /* the answer to the first SYN */
    NS_EQUAL(2, ends[CLIENT].saved.syns);
    filtered = nat.filtered;
    returned = nat.returned;
    connect_by(client_tuple().ports + 256); /* the next one asks at once */
    NS_EQUAL(1, ends[CLIENT].saved.syns);
    NS_EQUAL(filtered, nat.filtered);
    NS_EQUAL(returned + 1, nat.returned);
    NS_EQUAL(2, ends[CLIENT].host.flows.count);
}

NS_TEST(a_server_that_does_not_know_the_router_answers_it_too) {
    fresh_nat(true, false);
    connects_by_the_router();
}

NS_TEST(an_answer_without_state_comes_back_by_the_router) {
    fresh_nat(true, true);
    ends[SERVER].host.request_room = 0;
    connects_by_the_router();
    NS_CHECK(ends[SERVER].host.verdicts[NS_SAL_VERDICT_PROVEN] == 1);
}

NS_TEST(without_tickets_a_syn_ack_goes_to_the_client) {
    fresh_nat(false, true);
    connect_once();
    NS_EQUAL(NS_FLOW_REQUEST, state_of(CLIENT));
    NS_EQUAL(0, nat.returned);
    NS_CHECK(nat.filtered > 2);
}

/* A sald that is killed while it ends a flow leaves one that the programs have not. */
NS_TEST(a_flow_that_the_programs_do_not_have_ends_as_an_idle_one) {
    fresh(1, 0);
    connect_once();
    ends[SERVER].unused = true;
    ns_sal_host_sweep(&ends[SERVER].host, now);
    NS_EQUAL(1, ends[SERVER].host.flows.count);
    now += NS_SAL_IDLE_MS + 1;
    ns_sal_host_sweep(&ends[SERVER].host, now);
    NS_EQUAL(0, ends[SERVER].host.flows.count);
    NS_EQUAL(1, ends[SERVER].host.verdicts[NS_SAL_VERDICT_IDLE]);
}

/* Connects two hosts with the native form. A NAT shows the server another port of the client. */
static void connect_natively(bool nat) {
    fresh(7, 0);
    for (unsigned i = 0; i < 2; i++)
        ends[i].host.abilities |= NS_SAL_ABILITY_NATIVE;
    ends[SERVER].behind_nat = nat;
    connect_once();
    NS_EQUAL(NS_FLOW_CONNECTED, state_of(CLIENT));
    NS_EQUAL(NS_FLOW_CONNECTED, state_of(SERVER));
}

NS_TEST(data_are_native_where_both_ends_see_the_same_addresses) {
    struct ns_sal_tuple names = {.family = 4};

    connect_natively(false);
    NS_EQUAL(NS_SAL_NATIVE_ANSWERS, ends[CLIENT].way.native);
    NS_EQUAL(NS_SAL_NATIVE_BEGINS, ends[SERVER].way.native);
    NS_CHECK((ntohl(ends[CLIENT].way.own) & 0xffff) >= NS_SAL_NATIVE_FIRST);
    NS_CHECK((ntohl(ends[SERVER].way.own) & 0xffff) >= NS_SAL_NATIVE_FIRST);
    names.source[0] = inet_addr("192.0.2.1");
    names.destination[0] = inet_addr("192.0.2.2");
    names.ports = htonl(ntohl(ends[CLIENT].way.own) << 16 | (ntohl(ends[SERVER].way.own) & 0xffff));
    NS_CHECK(memcmp(&names, &ends[SERVER].saved.native, sizeof names) == 0);
}

NS_TEST(a_flow_that_has_moved_is_native_no_more) {
    struct ns_sal_address other;

    connect_natively(false);
    ns_sal_address_read(&other, "198.51.100.1", 0);
    NS_CHECK(ns_sal_host_move(&ends[CLIENT].host, ntohl(ends[CLIENT].way.own), &other, now));
    pass(SECOND);
    NS_EQUAL(NS_SAL_NATIVE_NEVER, ends[CLIENT].way.native);
    NS_EQUAL(NS_SAL_NATIVE_NEVER, ends[SERVER].way.native);
    NS_EQUAL(4, ends[SERVER].saved.native.family); /* packets under way still find their flow */
}

NS_TEST(behind_a_nat_data_are_not_native) {
    connect_natively(true);
    NS_EQUAL(NS_SAL_NATIVE_NEVER, ends[SERVER].way.native); /* and so the client never sees it begin */
}

NS_TEST(one_end_alone_makes_nothing_native) {
    for (unsigned i = 0; i < 2; i++) {
        fresh(8 + i, 0);
        ends[i].host.abilities |= NS_SAL_ABILITY_NATIVE;
        connect_once();
        NS_EQUAL(NS_FLOW_CONNECTED, state_of(SERVER));
        NS_EQUAL(NS_SAL_NATIVE_NEVER, ends[CLIENT].way.native);
        NS_EQUAL(NS_SAL_NATIVE_NEVER, ends[SERVER].way.native);
    }
}

NS_TEST(a_route_that_comes_back_wakes_both_ends) {
    fresh(1, 0);
    connect_once();
    NS_EQUAL(0, ns_sal_host_reroute(&ends[CLIENT].host, now)); /* nothing has changed */
    ends[CLIENT].routeless = true;
    NS_EQUAL(0, ns_sal_host_reroute(&ends[CLIENT].host, now));
    NS_EQUAL(0, ns_sal_host_reroute(&ends[CLIENT].host, now));
    NS_EQUAL(0, ends[CLIENT].wakes + ends[SERVER].wakes);
    ends[CLIENT].routeless = false;
    NS_EQUAL(1, ns_sal_host_reroute(&ends[CLIENT].host, now));
    pass(SECOND);
    NS_EQUAL(1, ends[CLIENT].wakes);
    NS_EQUAL(1, ends[SERVER].wakes);
    NS_EQUAL(inet_addr("192.0.2.1"), ends[CLIENT].way.own_address[0]);
    NS_EQUAL(inet_addr("192.0.2.1"), ends[SERVER].way.peer_address[0]);
    NS_EQUAL(0, ns_sal_host_reroute(&ends[CLIENT].host, now));
    NS_EQUAL(NS_FLOW_CONNECTED, state_of(CLIENT));
    NS_EQUAL(NS_FLOW_CONNECTED, state_of(SERVER));
}

NS_TEST(all_flows_move_at_once) {
    fresh(1, 0);
    for (uint32_t i = 0; i < 9; i++) {
        connect_by(client_tuple().ports ^ htonl(i << 16));
        NS_CHECK(ends[CLIENT].published && ends[SERVER].published);
    }
    NS_EQUAL(9, ends[CLIENT].host.flows.count);
    ns_sal_address_read(&ends[CLIENT].address, "198.51.100.1", NS_SAL_PORT);
    NS_EQUAL(9, ns_sal_host_reroute(&ends[CLIENT].host, now));
    NS_EQUAL(0, ns_sal_host_reroute(&ends[CLIENT].host, now));
    pass(SECOND);
    NS_EQUAL(9, ends[SERVER].wakes);
}

/* A move puts a flow to another place in time, so no flow may be passed over on the way through all of them. */
NS_TEST(flows_with_a_move_under_way_move_at_once) {
    struct ns_sal_address lost;

    fresh(1, 0);
    ns_sal_address_read(&lost, "203.0.113.1", NS_SAL_PORT);
    for (uint32_t i = 0; i < 9; i++)
        connect_by(client_tuple().ports ^ htonl(i << 16));
    for (unsigned i = 0; i < 9; i++, now += 20) { /* each is due at another time */
        const struct ns_sal_held *held = ends[CLIENT].host.flows.heap[8];

        NS_CHECK(ns_sal_host_move(&ends[CLIENT].host, held->kept.flow.id, &lost, now));
    }
    flying = 0;
    ns_sal_address_read(&ends[CLIENT].address, "198.51.100.1", NS_SAL_PORT);
    ends[CLIENT].gone = lost;
    NS_EQUAL(9, ns_sal_host_reroute(&ends[CLIENT].host, now));
    NS_EQUAL(0, ns_sal_host_reroute(&ends[CLIENT].host, now));
    pass(SECOND);
    NS_EQUAL(9, ends[SERVER].wakes);
}

/* A set-up that had to send its SYN twice has measured no round trip, and the time for an answer is 3 s then. */
NS_TEST(a_lost_rsyn_comes_again_soon_after_a_slow_set_up) {
    struct ns_sal_tuple tuple = client_tuple();

    fresh(1, 0);
    segment(CLIENT, &tuple, NS_TCP_SYN, 100, 0);
    flying = 0;
    now += SECOND;
    connect_once();
    NS_EQUAL(3 * SECOND, ends[CLIENT].saved.flow.channel.round_trip.estimate);
    ns_sal_address_read(&ends[CLIENT].address, "198.51.100.1", NS_SAL_PORT);
    NS_EQUAL(1, ns_sal_host_reroute(&ends[CLIENT].host, now));
    flying = 0;
    NS_EQUAL(0, ends[CLIENT].unblocked);
    pass(NS_SAL_MOVE_MS + 100);
    NS_EQUAL(1, ends[CLIENT].unblocked); /* the kernel looks for the next hop anew */
    NS_EQUAL(1, ends[SERVER].wakes);
    NS_EQUAL(inet_addr("198.51.100.1"), ends[SERVER].way.peer_address[0]);
}

NS_TEST(tcp_is_woken_once_more_if_it_sends_nothing_after_a_dead_way) {
    for (unsigned quiet = 0; quiet < 3; quiet++) { /* TCP sends nothing, sends, or has nothing to send */
        fresh(1, 0);
        connect_once();
        ends[SERVER].dead = true;
        ends[SERVER].all_acked = quiet == 2;
        ns_sal_address_read(&ends[CLIENT].address, "198.51.100.1", NS_SAL_PORT);
        NS_EQUAL(1, ns_sal_host_reroute(&ends[CLIENT].host, now));
        deliver();
        NS_EQUAL(1, ends[SERVER].wakes);
        NS_CHECK(ends[SERVER].saved.silent && !ends[CLIENT].saved.silent);
        NS_EQUAL(now + NS_SAL_WAKE_MS, ns_sal_host_due(&ends[SERVER].host, now));
        ends[SERVER].sent += quiet == 1 ? 1440 : 0;
        pass(SECOND);
        NS_EQUAL(quiet == 0 ? 2 : 1, ends[SERVER].wakes);
        NS_EQUAL(1, ends[CLIENT].wakes);
        NS_EQUAL(ends[SERVER].wakes, ends[SERVER].saved.wakes);
    }
}

NS_TEST(a_flow_stays_where_an_order_has_moved_it_as_long_as_it_can) {
    struct end *client = &ends[CLIENT];
    struct ns_sal_address other;

    fresh(1, 0);
    connect_once();
    ns_sal_address_read(&other, "198.51.100.1", NS_SAL_PORT);
    NS_CHECK(ns_sal_host_move(&client->host, client->host.flows.heap[0]->kept.flow.id, &other, now));
    pass(SECOND);
    NS_EQUAL(inet_addr("198.51.100.1"), client->way.own_address[0]);
    NS_CHECK(client->saved.ordered);                      /* the next sald knows it, too */
    NS_EQUAL(0, ns_sal_host_reroute(&client->host, now)); /* the default route has another source */
    client->gone = other;
    NS_EQUAL(1, ns_sal_host_reroute(&client->host, now));
    pass(SECOND);
    NS_EQUAL(inet_addr("192.0.2.1"), client->way.own_address[0]);
    memset(&client->gone, 0, sizeof client->gone);
    NS_EQUAL(0, ns_sal_host_reroute(&client->host, now));
    NS_CHECK(!client->saved.ordered);
}

/* Moves the client over a way that was dead. Returns the MTU's step that the server's last woken TCP was told. */
static unsigned move_over_dead_way(const char *to) {
    ends[SERVER].dead = true;
    ns_sal_address_read(&ends[CLIENT].address, to, NS_SAL_PORT);
    ns_sal_host_reroute(&ends[CLIENT].host, now);
    deliver();
    return ends[SERVER].saved.mtu_step;
}

NS_TEST(each_tcp_is_told_a_smaller_mtu_than_it_can_know) {
    fresh(1, 0);
    ends[SERVER].all_acked = true; /* wakes each flow once */
    connect_by(client_tuple().ports);
    NS_EQUAL(1, move_over_dead_way("198.51.100.1"));
    NS_EQUAL(2, move_over_dead_way("198.51.100.2"));
    connect_by(client_tuple().ports ^ htonl(1 << 16)); /* begins with the second MTU */
    NS_EQUAL(3, move_over_dead_way("198.51.100.3"));
    NS_EQUAL(3, ends[SERVER].host.flows.mtu_step); /* one is enough for both */
    now += NS_SAL_MTU_MS + 1;
    NS_EQUAL(2, move_over_dead_way("198.51.100.4")); /* the kernel has forgotten it */
    for (unsigned i = 0; i < 2 * NS_SAL_MTU_STEPS; i++)
        NS_CHECK(move_over_dead_way(i % 2 == 0 ? "198.51.100.1" : "198.51.100.2") <= NS_SAL_MTU_STEPS);
}

/* Loses 30 % of all datagrams, doubles 30 %, and reorders all. */
NS_TEST(set_up_move_and_close_get_through_a_lossy_network) {
    for (uint64_t run = 1; run <= 200; run++) {
        struct ns_sal_address elsewhere;

        fresh(run, 90);
        connect_once();
        NS_EQUAL(NS_FLOW_CONNECTED, state_of(CLIENT));
        NS_EQUAL(NS_FLOW_CONNECTED, state_of(SERVER));
        NS_EQUAL(ends[CLIENT].way.own, ends[SERVER].way.peer);
        ns_sal_address_read(&elsewhere, "198.51.100.1", NS_SAL_PORT);
        NS_CHECK(ns_sal_host_move(&ends[CLIENT].host, ntohl(ends[CLIENT].way.own), &elsewhere, now));
        pass(400 * SECOND);
        NS_EQUAL(inet_addr("198.51.100.1"), ends[CLIENT].way.own_address[0]);
        NS_EQUAL(inet_addr("198.51.100.1"), ends[SERVER].way.peer_address[0]);
        NS_CHECK(ends[SERVER].wakes > 0 && ends[CLIENT].wakes > 0);
        NS_CHECK(ends[SERVER].unblocked > 0); /* the client has left its first address */
        event(CLIENT, NS_SAL_FIN_ACKED);
        event(SERVER, NS_SAL_FIN_ACKED);
        pass(3000 * SECOND);
        NS_EQUAL(0, ends[CLIENT].host.flows.count);
        NS_EQUAL(0, ends[SERVER].host.flows.count);
        NS_EQUAL(0, ends[SERVER].host.requests);
    }
}

/* Hands a message of a stranger to the server: the right flowIDs, and another nonce unless `right`. */
static void forge(unsigned flags, bool right) {
    const struct ns_sal_kept *kept = &ends[SERVER].saved;
    struct ns_sal_header header = {.protocol = 6};
    struct ns_sal_address elsewhere;
    uint8_t bytes[NS_SAL_HEADER_MAX];

    header.message = (struct ns_sal_message){.source = kept->flow.remote.flow,
                                             .destination = kept->flow.id,
                                             .flags = (uint8_t)flags,
                                             .verno = kept->flow.remote.expected,
                                             .ackno = kept->flow.channel.next,
                                             .nonce = kept->flow.remote.nonce + (right ? 0 : 1)};
    ns_sal_address_read(&elsewhere, "203.0.113.9", 9);
    ns_sal_host_datagram(&ends[SERVER].host, &elsewhere, &ends[SERVER].address, 3, bytes, ns_sal_write(bytes, &header),
                         now);
}

NS_TEST(a_wrong_nonce_changes_nothing) {
    static const unsigned flags[] = {NS_SAL_RST,
                                     NS_SAL_RST | NS_SAL_ACK,
                                     NS_SAL_FIN,
                                     NS_SAL_ACK,
                                     NS_SAL_RSYN,
                                     NS_SAL_RSYN | NS_SAL_ACK,
                                     NS_SAL_SYN | NS_SAL_ACK};
    struct ns_sal_kept before;

    fresh(3, 0);
    connect_once();
    before = ends[SERVER].saved;
    for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        ends[SERVER].flags_sent = 0;
        forge(flags[i], false);
        NS_CHECK(memcmp(&before, &ends[SERVER].saved, sizeof before) == 0);
        NS_EQUAL(0, ends[SERVER].flags_sent);
    }
    NS_EQUAL(6, ends[SERVER].host.refusals[NS_SAL_REFUSED_WRONG_NONCE]);
    NS_EQUAL(1, ends[SERVER].host.verdicts[NS_SAL_VERDICT_MALFORMED]); /* a SYN-ACK without a segment */
    forge(NS_SAL_RST, true);
    NS_EQUAL(0, ends[SERVER].host.flows.count);
    NS_EQUAL(1, ends[SERVER].forgotten);
    answer(SERVER);
    NS_CHECK(!ends[SERVER].established); /* its program has got a RST */
}

NS_TEST(the_next_sald_takes_the_flows_over) {
    struct ns_sal_kept kept[2];

    fresh(4, 0);
    connect_once();
    for (unsigned i = 0; i < 2; i++) {
        struct ns_sal_way way = ends[i].way;

        kept[i] = ends[i].saved;
        ns_sal_host_close(&ends[i].host);
        open_end(i);
        ends[i].way = way;
        NS_CHECK(ns_sal_host_adopt(&ends[i].host, &kept[i], now));
        NS_CHECK(!ns_sal_host_adopt(&ends[i].host, &kept[i], now));
    }
    event(SERVER, NS_SAL_FIN_ACKED);
    pass(SECOND);
    NS_EQUAL(NS_FLOW_CLOSEWAIT, state_of(CLIENT));
    NS_EQUAL(NS_FLOW_FINWAIT2, state_of(SERVER));
    kept[0].flow.state = 77; /* a map of another sald */
    NS_CHECK(!ns_sal_host_adopt(&ends[SERVER].host, &kept[0], now));
}

NS_TEST(packets_without_a_flow_get_a_bounded_number_of_resets) {
    struct ns_sal_header header = {.message = {.source = 7, .destination = 9, .flags = NS_SAL_FIN}, .protocol = 6};
    uint8_t bytes[NS_SAL_HEADER_MAX];
    size_t length = ns_sal_write(bytes, &header);

    fresh(5, 0);
    for (unsigned i = 0; i < 1000; i++)
        ns_sal_host_datagram(&ends[SERVER].host, &ends[CLIENT].address, &ends[SERVER].address, 3, bytes, length, now);
    NS_EQUAL(1000, ends[SERVER].host.verdicts[NS_SAL_VERDICT_NO_FLOW]);
    NS_EQUAL(NS_SAL_RESETS, flying);
    NS_EQUAL(NS_SAL_RST | NS_SAL_ACK, ends[SERVER].flags_sent);
}

/* A forged source would get more than its sender has sent. */
NS_TEST(no_reset_is_longer_than_its_packet) {
    struct ns_sal_header header = {.message = {.source = 7, .destination = 9}, .protocol = 17 /* UDP */};
    uint8_t bytes[NS_SAL_HEADER_MAX + 64] = {0};
    const size_t rst = 32, head = ns_sal_write(bytes, &header);

    fresh(7, 0);
    for (size_t length = head + 8; length < head + 64; length++) {
        memset(bytes + head, 0, 8);
        bytes[head + 5] = (uint8_t)(length - head); /* of UDP, whose checksum is left out */
        flying = 0;
        ns_sal_host_datagram(&ends[SERVER].host, &ends[CLIENT].address, &ends[SERVER].address, 3, bytes, length, now);
        NS_EQUAL(length >= rst, flying);
    }
    NS_EQUAL(56, ends[SERVER].host.verdicts[NS_SAL_VERDICT_NO_FLOW]);
}

/* Sends SYNs with flowIDs of this range from an address of nobody. The local stack of the server does not answer. */
static void flood(uint32_t first, uint32_t last) {
    struct ns_sal_header header = {.message = {.flags = NS_SAL_SYN}, .protocol = 6, .service = id};
    uint8_t bytes[NS_SAL_HEADER_MAX + 20], tcp[NS_SAL_TCP_LEAST];
    struct ns_sal_address nobody;
    struct ns_sal_segment syn;

    ns_sal_address_read(&nobody, "203.0.113.7", 7);
    ns_sal_segment_rst(tcp, 1, 0, false);
    tcp[13] = NS_TCP_SYN;
    NS_CHECK(ns_sal_segment_read(&syn, tcp, sizeof tcp));
    for (uint32_t i = first; i <= last; i++) {
        size_t length;

        header.message.source = i;
        length = ns_sal_write(bytes, &header);
        ns_sal_segment_to_wire(bytes + length, &syn, i, 0);
        ns_sal_host_datagram(&ends[SERVER].host, &nobody, &ends[SERVER].address, 3, bytes, length + 20, now);
    }
    ends[SERVER].last_length = 0;
}

NS_TEST(a_flood_of_syns_leaves_no_state_and_honest_clients_connect) {
    const uint64_t *verdicts = ends[SERVER].host.verdicts;

    fresh(6, 0);
    flood(1, 100000);
    NS_EQUAL(NS_SAL_REQUESTS, ends[SERVER].host.requests);
    NS_EQUAL(NS_SAL_REQUESTS, ends[SERVER].host.flows.count);
    NS_EQUAL(100000 - NS_SAL_REQUESTS, verdicts[NS_SAL_VERDICT_ANSWERED]);
    NS_EQUAL(0, flying);
    connect_once();
    NS_EQUAL(1, verdicts[NS_SAL_VERDICT_PROVEN]);
    NS_EQUAL(NS_FLOW_CONNECTED, state_of(CLIENT));
    NS_EQUAL(ends[CLIENT].way.own, ends[SERVER].way.peer);
    NS_EQUAL(ends[CLIENT].way.peer, ends[SERVER].way.own);
    NS_CHECK(ends[CLIENT].established && ends[SERVER].established);
    NS_EQUAL(5, ends[SERVER].saved.flow.peer_abilities);
    NS_EQUAL(NS_SAL_REQUESTS + 1, ends[SERVER].host.flows.count);
    event(CLIENT, NS_SAL_FIN_ACKED);
    event(SERVER, NS_SAL_FIN_ACKED);
    pass(NS_SAL_WAIT_MS + 2 * SECOND);
    NS_EQUAL(0, ends[SERVER].host.flows.count);
    NS_EQUAL(0, ends[SERVER].host.requests);
    NS_EQUAL(0, ends[CLIENT].host.flows.count);
    ends[CLIENT].established = ends[SERVER].established = false;
    ends[CLIENT].published = ends[SERVER].published = 0;
    connect_once();
    NS_EQUAL(1, verdicts[NS_SAL_VERDICT_PROVEN]); /* with a request again */
    NS_EQUAL(NS_FLOW_CONNECTED, state_of(SERVER));
}

/* Loses 30 % of all datagrams, doubles 30 %, and reorders all, while the server has no room for requests. */
NS_TEST(answers_without_state_get_through_a_lossy_network) {
    unsigned connected = 0;

    for (uint64_t run = 1; run <= 200; run++) {
        struct ns_sal_host *server = &ends[SERVER].host;

        fresh(run, 90);
        for (unsigned second = 0; second < 60 && !ends[SERVER].published; second++) {
            struct ns_sal_tuple tuple = client_tuple();

            flood(second * 1000 + 1, second * 1000 + 300);
            if (!ends[CLIENT].established)
                segment(CLIENT, &tuple, NS_TCP_SYN, 100, 0);
            pass(SECOND);
        }
        NS_CHECK(server->flows.count <= NS_SAL_REQUESTS + 1);
        NS_CHECK(server->verdicts[NS_SAL_VERDICT_PROVEN] <= 1);
        connected += ends[SERVER].published != 0;
    }
    NS_CHECK(connected > 120); /* nothing repairs an acknowledgement that is lost */
    NS_CHECK(connected < 200);
}

/* Lets the client's handshake ACK be the only packet under way, and returns it. */
static struct datagram handshake_ack(void) {
    struct ns_sal_tuple tuple = client_tuple();
    struct datagram syn_ack;

    flood(1, 2000);
    segment(CLIENT, &tuple, NS_TCP_SYN, 100, 0);
    ns_sal_host_datagram(&ends[SERVER].host, &flight[0].from, &flight[0].target, 3, flight[0].bytes, flight[0].length,
                         now);
    flying = 0;
    answer(SERVER);
    NS_EQUAL(1, flying);
    syn_ack = flight[0];
    flying = 0;
    ns_sal_host_datagram(&ends[CLIENT].host, &syn_ack.from, &syn_ack.target, 3, syn_ack.bytes, syn_ack.length, now);
    answer(CLIENT);
    NS_EQUAL(1, flying);
    flying = 0;
    return flight[0];
}

NS_TEST(a_lost_acknowledgement_of_an_answer_without_state_comes_again) {
    uint64_t begin;

    fresh(26, 0);
    ends[CLIENT].dead = true; /* nothing comes from the server, which has no flow */
    handshake_ack();
    begin = now;
    NS_EQUAL(now + NS_SAL_AGAIN_MS, ns_sal_host_due(&ends[CLIENT].host, now));
    now += NS_SAL_AGAIN_MS;
    ns_sal_host_due(&ends[CLIENT].host, now);
    NS_EQUAL(1, flying);
    deliver();
    NS_EQUAL(1, ends[SERVER].host.verdicts[NS_SAL_VERDICT_PROVEN]);
    for (; now < begin + 60 * SECOND; now += NS_SAL_AGAIN_MS) /* the server stays silent */
        ns_sal_host_due(&ends[CLIENT].host, now);
    NS_EQUAL(NS_SAL_AGAINS - 1, flying);
    flying = 0;
}

NS_TEST(an_acknowledgement_does_not_come_again_when_the_server_sends) {
    fresh(27, 0);
    connect_once();
    for (uint64_t end = now + 60 * SECOND; now < end; now += NS_SAL_AGAIN_MS)
        ns_sal_host_due(&ends[CLIENT].host, now);
    NS_EQUAL(0, flying);
}

static void hand(const struct datagram *datagram, const struct ns_sal_address *from) {
    ns_sal_host_datagram(&ends[SERVER].host, from, &datagram->target, 3, datagram->bytes, datagram->length, now);
}

NS_TEST(only_the_client_that_was_answered_makes_a_flow) {
    const uint64_t *verdicts = ends[SERVER].host.verdicts;
    struct ns_sal_address elsewhere;
    struct datagram ack;

    for (unsigned what = 0; what < 4; what++) {
        fresh(20 + what, 0);
        ack = handshake_ack();
        elsewhere = ack.from;
        if (what == 0)
            elsewhere.ip[15]++;
        else if (what == 1)
            ack.bytes[20]++; /* ackno, and no right checksum any more */
        else if (what == 2)
            now += 2 * NS_SAL_COOKIE_MS;
        else
            elsewhere.port++; /* a NAT may do so */
        hand(&ack, &elsewhere);
        NS_EQUAL(what == 3, verdicts[NS_SAL_VERDICT_PROVEN]);
        NS_EQUAL(what == 1, verdicts[NS_SAL_VERDICT_MALFORMED]);
        NS_EQUAL(what == 0 || what == 2, verdicts[NS_SAL_VERDICT_NO_FLOW]);
        NS_EQUAL(what == 0 || what == 2, flying); /* a RST */
    }
}

NS_TEST(a_replayed_acknowledgement_makes_no_second_flow) {
    const uint64_t *verdicts = ends[SERVER].host.verdicts;
    struct datagram ack;

    fresh(24, 0);
    ack = handshake_ack();
    hand(&ack, &ack.from);
    hand(&ack, &ack.from);
    NS_EQUAL(1, verdicts[NS_SAL_VERDICT_PROVEN]);
    NS_EQUAL(1, verdicts[NS_SAL_VERDICT_CONTROL]); /* the copy is the flow's */
    event(SERVER, NS_SAL_RST_SENT);
    NS_EQUAL(NS_SAL_REQUESTS, ends[SERVER].host.flows.count);
    for (unsigned i = 0; i < 130; i++, now += SECOND)
        hand(&ack, &ack.from);
    NS_EQUAL(1, verdicts[NS_SAL_VERDICT_PROVEN]);
    NS_EQUAL(130, verdicts[NS_SAL_VERDICT_NO_FLOW]);
}

/* The client's RST ends the connection of a server whose TCP has sent nothing yet. */
NS_TEST(a_proven_flow_can_be_reset_at_once) {
    struct ns_sal_segment taken;
    struct datagram ack;

    fresh(25, 0);
    ack = handshake_ack();
    hand(&ack, &ack.from);
    answer(SERVER);
    NS_CHECK(ends[SERVER].established);
    forge(NS_SAL_RST, true);
    NS_CHECK(ns_sal_segment_local(&taken, ends[SERVER].last, ends[SERVER].last_length));
    NS_EQUAL(NS_TCP_RST, taken.flags);
    NS_EQUAL(101, taken.seq);
}

/* The local stack repeats its SYN-ACK. For an answer without state nobody knows where to send it any more. */
NS_TEST(a_repeated_syn_ack_of_the_local_stack_goes_nowhere) {
    struct datagram ack;
    uint64_t injected;

    fresh(26, 0);
    ack = handshake_ack();
    hand(&ack, &ack.from);
    injected = ends[SERVER].injected;
    segment(SERVER, &(struct ns_sal_tuple){.family = 4}, NS_TCP_SYN | NS_TCP_ACK, 500, 101);
    NS_EQUAL(1, ends[SERVER].host.verdicts[NS_SAL_VERDICT_UNPROVEN]);
    segment(SERVER, &ends[SERVER].saved.inner, NS_TCP_SYN | NS_TCP_ACK, 500, 101);
    NS_EQUAL(0, ends[SERVER].again); /* of an open flow: it would come back from the kernel's programs for ever */
    NS_EQUAL(injected, ends[SERVER].injected);
    NS_EQUAL(0, flying);
}

/* Vectors of the authors: the key is 00 to 0f, and the text 00, 01, 02 and so on. */
NS_TEST(siphash_is_that_of_its_authors) {
    const uint64_t key[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
    uint8_t text[15];

    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)i;
    NS_CHECK(ns_sal_siphash(key, text, 0) == 0x726fdb47dd0e0e31u);
    NS_CHECK(ns_sal_siphash(key, text, 15) == 0xa129ca6149be45e5u);
}

NS_TEST(a_program_learns_that_nobody_is_there) {
    struct ns_sal_tuple tuple = client_tuple();
    struct ns_sal_segment taken;

    fresh(7, 0);
    ns_sal_services_withdraw(&ends[CLIENT].services, NS_SAL_ORIGIN_OPERATOR);
    segment(CLIENT, &tuple, NS_TCP_SYN, 100, 0);
    NS_CHECK(ns_sal_segment_local(&taken, ends[CLIENT].last, ends[CLIENT].last_length));
    NS_EQUAL(NS_TCP_RST | NS_TCP_ACK, taken.flags);
    NS_EQUAL(101, taken.ack);
    NS_EQUAL(1, ends[CLIENT].host.verdicts[NS_SAL_VERDICT_NO_RULE]);
    segment(CLIENT, &tuple, NS_TCP_ACK, 100, 77); /* a connection from before a restart */
    NS_CHECK(ns_sal_segment_local(&taken, ends[CLIENT].last, ends[CLIENT].last_length));
    NS_EQUAL(NS_TCP_RST, taken.flags);
    NS_EQUAL(77, taken.seq);
    ns_sal_surrogate_address(9, 4, tuple.destination);
    segment(CLIENT, &tuple, NS_TCP_SYN, 100, 0);
    NS_EQUAL(1, ends[CLIENT].host.verdicts[NS_SAL_VERDICT_NO_NAME]);
    NS_EQUAL(0, ends[CLIENT].host.flows.count);
}

NS_TEST(the_same_names_again_begin_a_new_flow) {
    struct ns_sal_tuple tuple = client_tuple();
    uint32_t first;

    fresh(8, 0);
    connect_once();
    first = ends[CLIENT].way.own;
    ends[CLIENT].established = false;
    ends[CLIENT].published = ends[SERVER].published = 0;
    segment(CLIENT, &tuple, NS_TCP_SYN, 9999, 0);
    pass(SECOND);
    NS_CHECK(ends[CLIENT].way.own != first);
    NS_EQUAL(1, ends[CLIENT].host.flows.count);
    NS_EQUAL(1, ends[SERVER].host.flows.count);
}

/* A router that sends from its own address is believed only if the host knows it. */
NS_TEST(the_list_of_a_stranger_names_no_client) {
    static uint8_t hops[44] = {0x60, 44, 0, 0,    0,    0,   0xd4, 0x31, 0,    0,    0,   0, 0, 0, 0,
                               0,    0,  0, 0xff, 0xff, 192, 0,    2,    1,    0,    0,   0, 7, 0, 0,
                               0,    0,  0, 0,    0,    0,   0,    0,    0xff, 0xff, 192, 0, 2, 9};
    struct ns_sal_header header = {
        .message = {.source = 5, .flags = NS_SAL_SYN, .nonce = 1}, .protocol = 6, .service = id, .way = hops};
    uint8_t bytes[NS_SAL_HEADER_MAX + 20], tcp[NS_SAL_TCP_LEAST];
    struct ns_sal_segment syn;
    struct ns_sal_address router;
    size_t length = ns_sal_write(bytes, &header);

    ns_sal_segment_rst(tcp, 1, 0, false);
    tcp[13] = NS_TCP_SYN;
    ns_sal_segment_read(&syn, tcp, sizeof tcp);
    ns_sal_segment_to_wire(bytes + length, &syn, 5, 0);
    ns_sal_address_read(&router, "192.0.2.9", 7);
    for (unsigned known = 0; known < 2; known++) {
        fresh(9, 0);
        ends[SERVER].host.router_count = known;
        ends[SERVER].host.routers[0] = router;
        ns_sal_host_datagram(&ends[SERVER].host, &router, &ends[SERVER].address, 3, bytes, length + 20, now);
        answer(SERVER);
        NS_EQUAL(1, flying);
        NS_EQUAL(known ? 1 : 9, flight[0].target.ip[15]);
        NS_EQUAL(known ? 0xd431 : 7, flight[0].target.port);
    }
}

/* Hands the client a SYN-ACK from this address, whose list ends at `last`. */
static void answer_by_way(const struct ns_sal_address *from, const struct ns_sal_address *last) {
    uint8_t hops[24] = {0x60, 24}, bytes[NS_SAL_HEADER_MAX + 20], tcp[NS_SAL_TCP_LEAST];
    const struct ns_sal_flow *flow = &ends[CLIENT].saved.flow;
    struct ns_sal_header header = {.protocol = 6, .service = id, .way = hops};
    struct ns_sal_tuple tuple = client_tuple();
    struct ns_sal_segment answered;
    size_t length;

    ns_put16(hops + 6, last->port);
    memcpy(hops + 8, last->ip, 16);
    ns_sal_segment_rst(tcp, 500, 101, true);
    tcp[13] = NS_TCP_SYN | NS_TCP_ACK;
    NS_CHECK(ns_sal_segment_read(&answered, tcp, sizeof tcp));
    segment(CLIENT, &tuple, NS_TCP_SYN, 100, 0);
    header.message = (struct ns_sal_message){
        .source = 9, .destination = flow->id, .flags = NS_SAL_SYN | NS_SAL_ACK, .ackno = flow->channel.next};
    length = ns_sal_write(bytes, &header);
    ns_sal_segment_to_wire(bytes + length, &answered, 9, flow->id);
    ns_sal_host_datagram(&ends[CLIENT].host, from, &ends[CLIENT].address, 3, bytes, length + 20, now);
}

/* The last hop of a SYN-ACK is where the data go, if the router says so that the client has asked. */
NS_TEST(a_syn_ack_leads_where_the_router_of_this_host_says) {
    static const struct {
        const char *from, *last, *peer; /* peer "" = refused */
    } cases[] = {
        {"192.0.2.2", "192.0.2.7", "192.0.2.7"},
        {"192.0.2.2", "239.1.2.3", ""},
        {"192.0.2.2", "127.0.0.1", ""},
        {"192.0.2.2", "::1", ""},
        {"192.0.2.2:9", "192.0.2.7", "192.0.2.2:9"},    /* another port */
        {"203.0.113.9", "192.0.2.7", "203.0.113.9"},    /* a stranger names a victim */
        {"203.0.113.9", "203.0.113.9", "203.0.113.9"},  /* an instance that answers itself */
        {"203.0.113.9:9", "10.0.0.1", "203.0.113.9:9"}, /* behind a NAT */
        {"203.0.113.9", "127.0.0.1", "203.0.113.9"},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ns_sal_address from, last, peer;
        bool refused = *cases[i].peer == '\0';

        fresh(11, 0);
        NS_CHECK(ns_sal_address_read(&from, cases[i].from, NS_SAL_PORT));
        NS_CHECK(ns_sal_address_read(&last, cases[i].last, NS_SAL_PORT));
        answer_by_way(&from, &last);
        NS_EQUAL(refused ? NS_FLOW_REQUEST : NS_FLOW_CONNECTED, state_of(CLIENT));
        NS_EQUAL(refused, ends[CLIENT].host.verdicts[NS_SAL_VERDICT_SENDER]);
        if (refused)
            continue;
        NS_CHECK(ns_sal_address_read(&peer, cases[i].peer, NS_SAL_PORT));
        NS_CHECK(ns_sal_same(&peer, &ends[CLIENT].saved.flow.mobility.peer));
    }
}

NS_TEST(any_datagram_leaves_sound_state) {
    uint8_t bytes[200];

    fresh(10, 0);
    connect_once();
    for (unsigned i = 0; i < 100000; i++) {
        size_t length = 32 + ns_test_random(&seed) % (sizeof bytes - 32);
        struct ns_sal_header header = {.protocol = 6, .service = i % 3 == 0 ? id : NULL};

        for (size_t at = 0; at < length; at++)
            bytes[at] = (uint8_t)ns_test_random(&seed);
        header.message = (struct ns_sal_message){.source = (uint32_t)ns_test_random(&seed) % 3,
                                                 .destination = i % 2 == 0 ? ntohl(ends[SERVER].way.own) : 0,
                                                 .flags = (uint8_t)(ns_test_random(&seed) & 0xfc)};
        if (i % 4 != 0)
            length = ns_sal_write(bytes, &header);
        ns_sal_host_datagram(&ends[SERVER].host, &ends[CLIENT].address, &ends[SERVER].address, 3, bytes, length, now);
        flying = 0;
    }
    NS_EQUAL(NS_FLOW_CONNECTED,
             ns_sal_flows_by_id(&ends[SERVER].host.flows, ntohl(ends[SERVER].way.own))->kept.flow.state);
}

/* Counts the messages to the router, and checks the last one. */
static unsigned registered(struct ns_sal_registrar *registrar, uint64_t milliseconds, unsigned type) {
    unsigned count = 0;

    for (uint64_t end = now + milliseconds; now < end; now += 100) {
        ns_sal_registrar_due(registrar, &ends[SERVER].host, now);
        count += flying;
        for (; flying > 0; flying--) {
            const struct datagram *at = &flight[flying - 1];
            struct ns_sal_packet packet;

            NS_EQUAL(NS_SAL_ERROR_OK, ns_sal_read(&packet, at->bytes, at->length));
            NS_EQUAL(17, packet.protocol);
            NS_EQUAL(0, packet.message.destination);
            NS_EQUAL(0x00015b38, ns_get32(packet.service));
            NS_CHECK(memcmp(packet.second, id, NS_SAL_ID) == 0);
            NS_EQUAL(8 + NS_SAL_REGISTER_BYTES, packet.transport_length);
            NS_EQUAL(type, packet.transport[8]);
            NS_CHECK(memcmp(packet.transport + 8 + 16, id, NS_SAL_ID) == 0);
        }
    }
    return count;
}

/* At 0, 0.5, 1.5, 3.5 and 7.5 s, and every 20 s from then on; a withdrawal three times. */
NS_TEST(listeners_are_registered_until_they_end) {
    static struct ns_sal_registrar registrar;
    struct end *end = &ends[SERVER];

    fresh(11, 0);
    memset(&registrar, 0, sizeof registrar);
    ns_sal_address_read(&end->host.routers[0], "192.0.2.9", NS_SAL_PORT);
    end->host.router_count = 1;
    ns_sal_registrar_follow(&registrar, &end->host, now);
    NS_EQUAL(5, registered(&registrar, 10 * SECOND, 0));
    NS_EQUAL(3, registered(&registrar, 60 * SECOND, 0));
    ns_sal_registrar_follow(&registrar, &end->host, now);
    NS_EQUAL(3, registered(&registrar, 60 * SECOND, 0));
    ns_sal_registrar_moved(&registrar, &end->host, now);
    NS_EQUAL(0, registered(&registrar, 10 * SECOND, 0)); /* the address is the same */
    ns_sal_address_read(&end->address, "192.0.2.3", NS_SAL_PORT);
    ns_sal_registrar_moved(&registrar, &end->host, now);
    NS_EQUAL(5, registered(&registrar, 10 * SECOND, 0));
    ns_sal_services_withdraw(&end->services, NS_SAL_ORIGIN_OPERATOR);
    ns_sal_registrar_follow(&registrar, &end->host, now);
    NS_EQUAL(3, registered(&registrar, 100 * SECOND, 1));
    NS_EQUAL(NS_SAL_NEVER, ns_sal_registrar_due(&registrar, &end->host, now));
}

/* A packet that was on its way when the router heard of it gets in. */
NS_TEST(a_drained_service_is_withdrawn_and_takes_what_comes) {
    static struct ns_sal_registrar registrar;
    struct end *end = &ends[SERVER];
    struct ns_sal_rule again;

    fresh(12, 0);
    memset(&registrar, 0, sizeof registrar);
    ns_sal_address_read(&end->host.routers[0], "192.0.2.9", NS_SAL_PORT);
    end->host.router_count = 1;
    again = end->services.rules[0];
    ns_sal_registrar_follow(&registrar, &end->host, now);
    NS_EQUAL(5, registered(&registrar, 10 * SECOND, 0));
    NS_EQUAL(0, ns_sal_services_drain(&end->services, id, 16, true)); /* another prefix */
    NS_EQUAL(1, ns_sal_services_drain(&end->services, id, 256, true));
    NS_EQUAL(NS_SAL_RULE_OK, ns_sal_services_add(&end->services, &again, now));
    ns_sal_registrar_follow(&registrar, &end->host, now);
    NS_EQUAL(3, registered(&registrar, 100 * SECOND, 1));
    connect_once();
    NS_EQUAL(NS_FLOW_CONNECTED, state_of(SERVER));
    NS_EQUAL(1, ns_sal_services_drain(&end->services, id, 256, false));
    ns_sal_registrar_follow(&registrar, &end->host, now);
    NS_EQUAL(5, registered(&registrar, 10 * SECOND, 0));
}

NS_TEST(the_packet_that_wakes_tcp_quotes_its_oldest_segment) {
    struct ns_sal_tuple tuple = client_tuple();
    uint8_t packet[NS_SAL_WAKE_MAX];

    NS_EQUAL(56, ns_sal_wake_make(packet, &tuple, 0x01020304));
    NS_EQUAL(0x0301, ns_get16(packet + 20));
    NS_CHECK(memcmp(packet + 16, tuple.source, 4) == 0 && memcmp(packet + 40, tuple.source, 4) == 0);
    NS_CHECK(memcmp(packet + 48, "\x9c\x40\0\x50\1\2\3\4", 8) == 0);
    NS_EQUAL(41, ns_sal_wake_ask(packet, &tuple, 0x01020304));
    NS_CHECK(memcmp(packet + 16, tuple.source, 4) == 0 && memcmp(packet + 20, "\0\x50\x9c\x40\1\2\3\2", 8) == 0);
    NS_EQUAL(NS_TCP_ACK, packet[33]);
    tuple.family = 6;
    NS_EQUAL(96, ns_sal_wake_make(packet, &tuple, 1));
    NS_EQUAL(96, ns_sal_wake_lost(packet, &tuple, 1, 1460, 1));
    NS_EQUAL(0x0200, ns_get16(packet + 40));
    NS_EQUAL(1456, ns_get32(packet + 44));
    tuple.family = 4;
    NS_EQUAL(56, ns_sal_wake_lost(packet, &tuple, 0x01020304, 1460, 2));
    NS_EQUAL(0x0304, ns_get16(packet + 20));
    NS_EQUAL(1452, ns_get32(packet + 24));
    NS_CHECK(memcmp(packet + 48, "\x9c\x40\0\x50\1\2\3\4", 8) == 0);
}

int main(void) {
    NS_RUN(a_connection_opens_and_closes_on_both_sides);
    NS_RUN(a_program_that_has_sent_its_fin_reads_as_long_as_it_has_its_socket);
    NS_RUN(a_syn_ack_comes_back_by_the_router_through_a_nat);
    NS_RUN(a_server_that_does_not_know_the_router_answers_it_too);
    NS_RUN(an_answer_without_state_comes_back_by_the_router);
    NS_RUN(without_tickets_a_syn_ack_goes_to_the_client);
    NS_RUN(a_flow_that_the_programs_do_not_have_ends_as_an_idle_one);
    NS_RUN(data_are_native_where_both_ends_see_the_same_addresses);
    NS_RUN(a_flow_that_has_moved_is_native_no_more);
    NS_RUN(behind_a_nat_data_are_not_native);
    NS_RUN(one_end_alone_makes_nothing_native);
    NS_RUN(a_route_that_comes_back_wakes_both_ends);
    NS_RUN(all_flows_move_at_once);
    NS_RUN(flows_with_a_move_under_way_move_at_once);
    NS_RUN(a_lost_rsyn_comes_again_soon_after_a_slow_set_up);
    NS_RUN(tcp_is_woken_once_more_if_it_sends_nothing_after_a_dead_way);
    NS_RUN(a_flow_stays_where_an_order_has_moved_it_as_long_as_it_can);
    NS_RUN(each_tcp_is_told_a_smaller_mtu_than_it_can_know);
    NS_RUN(set_up_move_and_close_get_through_a_lossy_network);
    NS_RUN(a_wrong_nonce_changes_nothing);
    NS_RUN(the_next_sald_takes_the_flows_over);
    NS_RUN(packets_without_a_flow_get_a_bounded_number_of_resets);
    NS_RUN(no_reset_is_longer_than_its_packet);
    NS_RUN(a_flood_of_syns_leaves_no_state_and_honest_clients_connect);
    NS_RUN(answers_without_state_get_through_a_lossy_network);
    NS_RUN(a_lost_acknowledgement_of_an_answer_without_state_comes_again);
    NS_RUN(an_acknowledgement_does_not_come_again_when_the_server_sends);
    NS_RUN(only_the_client_that_was_answered_makes_a_flow);
    NS_RUN(a_replayed_acknowledgement_makes_no_second_flow);
    NS_RUN(a_proven_flow_can_be_reset_at_once);
    NS_RUN(a_repeated_syn_ack_of_the_local_stack_goes_nowhere);
    NS_RUN(siphash_is_that_of_its_authors);
    NS_RUN(a_program_learns_that_nobody_is_there);
    NS_RUN(the_same_names_again_begin_a_new_flow);
    NS_RUN(the_list_of_a_stranger_names_no_client);
    NS_RUN(a_syn_ack_leads_where_the_router_of_this_host_says);
    NS_RUN(any_datagram_leaves_sound_state);
    NS_RUN(listeners_are_registered_until_they_end);
    NS_RUN(a_drained_service_is_withdrawn_and_takes_what_comes);
    NS_RUN(the_packet_that_wakes_tcp_quotes_its_oldest_segment);
    for (unsigned i = 0; i < 2; i++)
        ns_sal_host_close(&ends[i].host);
    free(flight);
    return ns_test_end();
}
