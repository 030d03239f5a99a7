/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of datagrams of programs: two hosts that are joined in memory, and a stand-in for each local stack that keeps
 * what it gets. Each input of a parser has memory of its own, so that ASan sees its end.
 */
#include "host_datagrams.h"
#include "local.h"
#include "ns_bytes.h"
#include "ns_checksum.h"
#include "ns_test.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define CLIENT 0
#define SERVER 1
#define FLIGHT 512u
#define LISTENER 69
#define PROGRAM 5000

struct end {
    struct ns_sal_host host;
    struct ns_sal_services services;
    struct ns_sal_names names;
    struct ns_sal_wire wire;
    struct ns_sal_address address;
    uint8_t last[1500]; /* the last packet for the local stack */
    size_t last_length;
    unsigned injected, resets;
    bool connected, routeless;
};

struct flying {
    struct ns_sal_address from, to;
    size_t length;
    uint8_t bytes[2500];
};

static struct end ends[2];
static struct flying flight[FLIGHT];
static unsigned flying;
static uint64_t now, seed;

static const uint8_t id[NS_SAL_ID] = {0x40, 9};
static const uint8_t stranger_id[NS_SAL_ID] = {0xaa, 1};

static bool on_route(void *context, const struct ns_sal_address *to, struct ns_sal_address *own, uint32_t *interface) {
    struct end *end = context;

    (void)to;
    *interface = 3;
    *own = end->address;
    return !end->routeless;
}

static bool on_datagram(void *context, const struct ns_sal_address *from, const struct ns_sal_address *to,
                        const uint8_t *bytes, size_t length) {
    struct flying *at = &flight[flying];

    ((struct end *)context)->resets += bytes[12] == NS_SAL_CONTROL << 4;
    if (flying == FLIGHT || length > sizeof at->bytes)
        return false;
    flying++;
    at->from = *from;
    at->to = *to;
    at->length = length;
    memcpy(at->bytes, bytes, length);
    return true;
}

static void on_inject(void *context, const uint8_t *packet, size_t length) {
    struct end *end = context;

    end->injected++;
    end->last_length = length < sizeof end->last ? length : sizeof end->last;
    memcpy(end->last, packet, end->last_length);
}

static void on_random(void *context, void *bytes, size_t length) {
    (void)context;
    for (size_t i = 0; i < length; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)ns_test_random(&seed);
}

static bool on_connected(void *context, const struct ns_sal_tuple *tuple, bool datagrams) {
    (void)tuple;
    (void)datagrams;
    return ((struct end *)context)->connected;
}

static void on_kept(void *context, const struct ns_sal_kept *kept) {
    (void)context;
    (void)kept;
}

static void open_end(unsigned i) {
    struct end *end = &ends[i];

    memset(end, 0, sizeof *end);
    end->wire = (struct ns_sal_wire){.route = on_route,
                                     .datagram = on_datagram,
                                     .inject = on_inject,
                                     .save = on_kept,
                                     .forget = on_kept,
                                     .random = on_random,
                                     .connected = on_connected,
                                     .context = end};
    ns_sal_host_open(&end->host, &end->wire, &end->services, &end->names, 16);
    end->host.inside4 = inet_addr("198.18.0.1");
    ns_sal_address_read(&end->address, i == CLIENT ? "192.0.2.1" : "192.0.2.2", NS_SAL_PORT);
}

static void forward(const char *to) {
    struct ns_sal_rule rule = {.action = NS_SAL_FORWARD, .until = UINT64_MAX, .bits = 256};

    memcpy(rule.id, id, sizeof rule.id);
    ns_sal_address_read(&rule.target, to, NS_SAL_PORT);
    NS_EQUAL(NS_SAL_RULE_OK, ns_sal_services_add(&ends[CLIENT].services, &rule, now));
}

static void fresh(uint64_t with) {
    struct ns_sal_rule rule = {
        .action = NS_SAL_DEMUX, .datagrams = true, .until = UINT64_MAX, .bits = 256, .target = {.port = LISTENER}};
    static bool opened;

    for (unsigned i = 0; opened && i < 2; i++)
        ns_sal_host_close(&ends[i].host);
    opened = true;
    seed = with * 0x9e3779b97f4a7c15u + 1;
    flying = 0;
    now = 1000000;
    open_end(CLIENT);
    open_end(SERVER);
    forward("192.0.2.2");
    memcpy(rule.id, id, sizeof rule.id);
    NS_EQUAL(NS_SAL_RULE_OK, ns_sal_services_add(&ends[SERVER].services, &rule, now));
    NS_EQUAL(0, ns_sal_surrogate_of(&ends[CLIENT].names, id, now));
}

/* Writes a packet of the local stack from a port of sal0. Returns its length. */
static size_t local(uint8_t *packet, const uint32_t *to, unsigned from_port, unsigned to_port, const char *text) {
    struct ns_sal_tuple tuple = {.family = 4};
    uint8_t *ports = (uint8_t *)&tuple.ports;

    tuple.destination[0] = inet_addr("198.18.0.1"); /* the other way round: it is written for the local stack */
    memcpy(tuple.source, to, 4);
    ns_put16(ports, to_port);
    ns_put16(ports + 2, from_port);
    return ns_sal_datagram_to_local(packet, &tuple, (const uint8_t *)text, strlen(text));
}

static void say(unsigned i, const uint32_t *to, unsigned from_port, unsigned to_port, const char *text) {
    static uint8_t packet[NS_SAL_PACKET_MAX];

    ns_sal_host_segment(&ends[i].host, packet, local(packet, to, from_port, to_port, text), now);
}

static void ask(const char *text) {
    uint32_t surrogate[4];

    ns_sal_surrogate_address(0, 4, surrogate);
    say(CLIENT, surrogate, PROGRAM, LISTENER, text);
}

static void deliver(void) {
    for (unsigned i = 0; i < flying; i++) {
        struct end *end = &ends[flight[i].to.ip[15] != 1];

        ns_sal_host_datagram(&end->host, &flight[i].from, &flight[i].to, 3, flight[i].bytes, flight[i].length, now);
    }
    flying = 0;
}

/* Reads the last packet that the local stack of an end got. */
static struct ns_sal_datagram heard(unsigned i) {
    struct ns_sal_datagram datagram;

    NS_EQUAL(NS_SAL_LOCAL_DATAGRAM, ns_sal_datagram_local(&datagram, ends[i].last, ends[i].last_length));
    return datagram;
}

static unsigned port_of(const struct ns_sal_datagram *datagram, unsigned which) {
    return ns_get16((const uint8_t *)&datagram->tuple.ports + 2 * which);
}

static bool is(const struct ns_sal_datagram *datagram, const char *text) {
    return datagram->length == strlen(text) && memcmp(datagram->payload, text, datagram->length) == 0;
}

/* Answers the last datagram of an end's local stack, from one of its ports. */
static void answer(unsigned i, unsigned from_port, const char *text) {
    struct ns_sal_datagram last = heard(i);

    say(i, last.tuple.source, from_port, port_of(&last, 0), text);
    deliver();
}

NS_TEST(an_answer_finds_the_socket_that_asked) {
    struct ns_sal_datagram got;

    fresh(1);
    ask("question");
    NS_EQUAL(1, flying);
    NS_EQUAL(21 * 4, flight[0].bytes[8] * 4);
    NS_CHECK(memcmp(flight[0].bytes + 16, id, NS_SAL_ID) == 0);
    deliver();
    got = heard(SERVER);
    NS_CHECK(is(&got, "question"));
    NS_EQUAL(LISTENER, port_of(&got, 1));
    NS_EQUAL(inet_addr("198.18.0.1"), got.tuple.destination[0]);
    NS_EQUAL(inet_addr("198.19.0.0"), got.tuple.source[0]);
    answer(SERVER, LISTENER, "answer");
    got = heard(CLIENT);
    NS_CHECK(is(&got, "answer"));
    NS_EQUAL(PROGRAM, port_of(&got, 1));
    NS_EQUAL(LISTENER, port_of(&got, 0));
    NS_EQUAL(inet_addr("198.18.1.0"), got.tuple.source[0]);
    for (unsigned i = 0; i < 5; i++)
        ask("again"), deliver();
    NS_EQUAL(1, ends[CLIENT].host.associations.count);
    NS_EQUAL(1, ends[SERVER].host.associations.count);
    NS_EQUAL(6, ends[SERVER].host.verdicts[NS_SAL_VERDICT_DATAGRAM_IN]);
}

/* As TFTP does it (RFC 1350): the server goes on at a new port, and the client, too. */
NS_TEST(both_ends_may_go_on_from_a_new_port) {
    struct ns_sal_datagram got;
    uint32_t surrogate[4];
    unsigned branch;

    fresh(2);
    ask("read");
    deliver();
    answer(SERVER, 40000, "data");
    got = heard(CLIENT);
    branch = port_of(&got, 0);
    NS_CHECK(is(&got, "data") && branch != LISTENER);
    NS_EQUAL(inet_addr("198.18.1.0"), got.tuple.source[0]);
    answer(CLIENT, PROGRAM, "ack");
    got = heard(SERVER);
    NS_CHECK(is(&got, "ack"));
    NS_EQUAL(40000, port_of(&got, 1));
    ns_sal_surrogate_address(0, 4, surrogate);
    say(CLIENT, surrogate, PROGRAM + 1, branch, "another socket");
    deliver();
    got = heard(SERVER);
    NS_CHECK(is(&got, "another socket"));
    NS_EQUAL(40000, port_of(&got, 1));
    answer(SERVER, 40000, "to that one");
    got = heard(CLIENT);
    NS_EQUAL(PROGRAM + 1, port_of(&got, 1));
    NS_EQUAL(branch, port_of(&got, 0));
    ask("the listener again");
    deliver();
    got = heard(SERVER);
    NS_EQUAL(LISTENER, port_of(&got, 1));
}

/* Two instances: an unconnected socket draws one for each datagram, a connected one stays while it gets answers. */
NS_TEST(a_connected_socket_stays_with_the_instance_that_answers) {
    for (unsigned connected = 0; connected < 2; connected++) {
        unsigned to[2] = {0};

        fresh(3);
        forward("192.0.2.3");
        ends[CLIENT].connected = connected;
        ask("question");
        deliver();
        answer(SERVER, LISTENER, "answer");
        for (unsigned i = 0; i < 100; i++, flying = 0) {
            ask("more");
            to[flight[0].to.ip[15] == 3]++;
        }
        NS_EQUAL(connected, to[0] == 0 || to[1] == 0);
        NS_EQUAL(100, to[0] + to[1]);
        now += 30000;
        for (unsigned i = 0; i < 100; i++, flying = 0) {
            ask("more");
            to[flight[0].to.ip[15] == 3]++;
        }
        NS_CHECK(to[0] > 0 && to[1] > 0);
    }
}

static void refused(enum ns_sal_verdict verdict, unsigned i) {
    NS_EQUAL(1, ends[i].host.verdicts[verdict]);
    ends[i].host.verdicts[verdict] = 0;
}

/* Puts a datagram of a stranger into `bytes`. Returns its length. */
static size_t strange(uint8_t *bytes, const uint8_t *to, uint32_t flow, const char *text) {
    struct ns_sal_header header = {
        .message = {.source = flow}, .protocol = NS_SAL_UDP, .service = to, .second = stranger_id};
    const uint32_t words[2] = {flow, 0};
    size_t length = ns_sal_write(bytes, &header);

    return length + ns_sal_datagram_to_wire(bytes + length, (const uint8_t *)text, strlen(text), words);
}

static void hand(const struct ns_sal_address *from, const uint8_t *bytes, size_t length) {
    uint8_t *copy = malloc(length == 0 ? 1 : length);

    memcpy(copy, bytes, length);
    ns_sal_host_datagram(&ends[SERVER].host, from, &ends[SERVER].address, 3, copy, length, now);
    free(copy);
}

NS_TEST(refusals_have_names) {
    uint8_t bytes[NS_SAL_HEADER_MAX], packet[200];
    const uint32_t nobody[4] = {inet_addr("198.18.9.9")};
    struct ns_sal_address group;
    size_t length;

    fresh(4);
    ask("");
    refused(NS_SAL_VERDICT_EMPTY, CLIENT);
    say(CLIENT, nobody, PROGRAM, LISTENER, "x");
    refused(NS_SAL_VERDICT_NO_NAME, CLIENT);
    NS_EQUAL(0x0303, ns_get16(ends[CLIENT].last + 20)); /* ICMP: port unreachable */
    NS_CHECK(memcmp(ends[CLIENT].last + 48, "\x13\x88\0\x45", 4) == 0);
    ends[CLIENT].routeless = true;
    ask("x");
    refused(NS_SAL_VERDICT_NO_ROUTE, CLIENT);
    ns_sal_services_withdraw(&ends[CLIENT].services, NS_SAL_ORIGIN_OPERATOR);
    ask("x");
    refused(NS_SAL_VERDICT_NO_RULE, CLIENT);
    NS_EQUAL(2, ends[CLIENT].injected);
    length = local(packet, nobody, PROGRAM, LISTENER, "fragment");
    packet[6] = 0x20;
    ns_sal_host_segment(&ends[CLIENT].host, packet, length, now);
    refused(NS_SAL_VERDICT_FRAGMENT, CLIENT);
    hand(&ends[CLIENT].address, bytes, strange(bytes, id, 5, ""));
    refused(NS_SAL_VERDICT_EMPTY, SERVER);
    length = strange(bytes, id, 5, "x");
    bytes[length - 1] ^= 1;
    hand(&ends[CLIENT].address, bytes, length);
    refused(NS_SAL_VERDICT_MALFORMED, SERVER);
    ns_sal_address_read(&group, "239.1.2.3", 9);
    hand(&group, bytes, strange(bytes, id, 5, "x"));
    refused(NS_SAL_VERDICT_SENDER, SERVER);
    NS_EQUAL(0, ends[SERVER].injected);
    ends[SERVER].host.mtu = 20 + 8 + 3;
    hand(&ends[CLIENT].address, bytes, strange(bytes, id, 5, "four"));
    refused(NS_SAL_VERDICT_TOO_LONG, SERVER);
    hand(&ends[CLIENT].address, bytes, strange(bytes, id, 5, "two"));
    NS_EQUAL(1, ends[SERVER].injected);
    for (unsigned i = 0; i < 1000; i++)
        hand(&ends[CLIENT].address, bytes, strange(bytes, stranger_id, 5, "x"));
    NS_EQUAL(1000, ends[SERVER].host.verdicts[NS_SAL_VERDICT_NO_SOCKET]);
    NS_EQUAL(NS_SAL_RESETS, ends[SERVER].resets);
}

/* The RST for a datagram that nobody wants is that of the published stack: capture "register", frame 2. */
NS_TEST(a_datagram_that_nobody_wants_is_answered_as_by_the_published_stack) {
    static const char captured[] = "\0\0\0\0\0\0\0\2\x08\x11\xbf\xd8\x10\x14\x28";
    uint8_t bytes[NS_SAL_HEADER_MAX];

    fresh(5);
    hand(&ends[CLIENT].address, bytes, strange(bytes, stranger_id, 2, "x"));
    NS_EQUAL(1, flying);
    NS_EQUAL(32, flight[0].length);
    NS_CHECK(memcmp(flight[0].bytes, captured, 15) == 0);
    for (unsigned i = 15; i < 32; i++)
        NS_EQUAL(0, flight[0].bytes[i]);
}

/* Capture "register", frame 7: a datagram to the service of the router, with the addresses in its checksum. */
NS_TEST(a_captured_datagram_of_raw_ip_reaches_its_program) {
    static const char captured[] = "\0\0\0\2\0\0\0\0\x15\x11\x76\x67\x20\x24\0\0\0\0\xd9\x03";
    uint8_t bytes[140] = {0};
    struct ns_sal_rule rule = {
        .action = NS_SAL_DEMUX, .datagrams = true, .until = UINT64_MAX, .bits = 32, .target = {.port = 7}};
    struct ns_sal_address from = ns_sal_address_of(4, "\x0a\x4d\0\3", 0), all, own;
    struct ns_sal_datagram got;

    memcpy(bytes, captured, 20);
    memcpy(bytes + 48, "\x20\x24\0\0\0\1\x5b\x38", 8);
    memcpy(bytes + 84, "\0\0\0\0\0\x38\x8d\x79\0\0\0\x30\1", 13);
    memcpy(bytes + 84 + 8 + 12 + 4, "\0\1\x5b\x38", 4);
    memcpy(rule.id, "\0\0\xd9\3", 4);
    all = ns_sal_address_of(4, "\x0a\x4d\0\xff", 0);
    own = ns_sal_address_of(4, "\x0a\x4d\0\2", 0);
    fresh(11);
    ns_sal_host_raw(&ends[SERVER].host, &from, &all, &own, 3, bytes, sizeof bytes, now);
    refused(NS_SAL_VERDICT_NO_SOCKET, SERVER);
    NS_EQUAL(0, flying); /* no RST answers a broadcast */
    NS_EQUAL(NS_SAL_RULE_OK, ns_sal_services_add(&ends[SERVER].services, &rule, now));
    for (size_t i = 0; i < sizeof bytes; i++)
        ns_sal_host_raw(&ends[SERVER].host, &from, &all, &own, 3, bytes, i, now);
    ns_sal_host_raw(&ends[SERVER].host, &from, &own, &own, 3, bytes, sizeof bytes, now); /* another destination */
    NS_EQUAL(0, ends[SERVER].injected);
    NS_EQUAL(sizeof bytes + 1, ends[SERVER].host.verdicts[NS_SAL_VERDICT_MALFORMED]);
    ns_sal_host_raw(&ends[SERVER].host, &from, &all, &own, 3, bytes, sizeof bytes, now);
    got = heard(SERVER);
    NS_EQUAL(48, got.length);
    answer(SERVER, 7, "answer");
    NS_EQUAL(0, flight[0].to.port);
    NS_EQUAL(0, flight[0].from.port);
    bytes[4] = 9; /* data of a flow, to the broadcast address */
    ns_put16(bytes + 10, 0);
    memset(bytes + 12, 0, 128);
    bytes[8] = 3;
    ns_put16(bytes + 10, ns_checksum_finish(ns_checksum_add(0, bytes, 12)));
    ns_sal_host_raw(&ends[SERVER].host, &from, &all, &own, 3, bytes, 32, now);
    refused(NS_SAL_VERDICT_GROUP, SERVER);
}

/* A router that sends from its own address is believed only if the host knows it. */
NS_TEST(the_list_of_a_stranger_names_no_client_of_datagrams) {
    uint8_t hops[44] = {0x60, 44, [6] = 0xd4, 0x31, [18] = 0xff, 0xff, 192, 0, 2, 1};
    struct ns_sal_header header = {.message = {.source = 5}, .protocol = NS_SAL_UDP, .service = id, .second = id};
    const uint32_t words[2] = {5, 0};
    uint8_t bytes[NS_SAL_HEADER_MAX];
    struct ns_sal_address router;
    size_t length;

    ns_sal_address_read(&router, "192.0.2.9", 7);
    ns_put16(hops + 26, 7);
    memcpy(hops + 28, router.ip, 16);
    header.way = hops;
    length = ns_sal_write(bytes, &header);
    length += ns_sal_datagram_to_wire(bytes + length, (const uint8_t *)"x", 1, words);
    for (unsigned known = 0; known < 2; known++) {
        fresh(6);
        ends[SERVER].host.router_count = known;
        ends[SERVER].host.routers[0] = router;
        hand(&router, bytes, length);
        say(SERVER, (const uint32_t[4]){inet_addr("198.19.0.0")}, LISTENER, 1024, "answer");
        NS_EQUAL(1, flying);
        NS_EQUAL(known ? 1 : 9, flight[0].to.ip[15]);
        NS_EQUAL(known ? 0xd431 : 7, flight[0].to.port);
    }
}

NS_TEST(a_flood_of_datagrams_takes_no_place_from_programs_that_answer) {
    uint8_t bytes[NS_SAL_HEADER_MAX];
    struct ns_sal_datagram got;

    fresh(7);
    ask("question");
    deliver();
    answer(SERVER, LISTENER, "answer");
    for (unsigned i = 0; i < 20000; i++) {
        struct ns_sal_address from = ends[CLIENT].address;
        size_t length = strange(bytes, id, 5, "x");

        ns_put32(from.ip + 12, 0x0a000000 + i);
        hand(&from, bytes, length);
        NS_CHECK(ends[SERVER].host.associations.count <= NS_SAL_ASSOCIATIONS);
    }
    NS_EQUAL(NS_SAL_ASSOCIATIONS, ends[SERVER].host.associations.count);
    answer(SERVER, LISTENER, "to the last one");
    ask("still here");
    deliver();
    got = heard(SERVER);
    NS_CHECK(is(&got, "still here"));
    NS_EQUAL(inet_addr("198.19.0.0"), got.tuple.source[0]);
    NS_EQUAL(1024, port_of(&got, 0));
    for (unsigned i = 0; i < 3; i++, now += NS_SAL_ASSOCIATION_MS / 2)
        ns_sal_associations_expire(&ends[SERVER].host.associations, now);
    NS_EQUAL(0, ends[SERVER].host.associations.count);
}

/* All places have answered lately: nothing is taken away, and new ones are refused by name. */
NS_TEST(associations_are_bounded) {
    uint32_t surrogate[4];
    unsigned before;

    fresh(8);
    ns_sal_surrogate_address(0, 4, surrogate);
    for (unsigned i = 0; i < NS_SAL_ASSOCIATIONS; i++) {
        say(CLIENT, surrogate, 1000 + i, LISTENER, "x");
        deliver();
        answer(SERVER, LISTENER, "y");
    }
    NS_EQUAL(NS_SAL_ASSOCIATIONS, ends[CLIENT].host.associations.count);
    before = ends[SERVER].injected;
    say(CLIENT, surrogate, 999, LISTENER, "x");
    NS_EQUAL(1, ends[CLIENT].host.verdicts[NS_SAL_VERDICT_ASSOCIATIONS_FULL]);
    NS_EQUAL(0, flying);
    say(CLIENT, surrogate, 1000, LISTENER, "x");
    deliver();
    NS_EQUAL(before + 1, ends[SERVER].injected);
    now += NS_SAL_ASSOCIATION_REST_MS;
    say(CLIENT, surrogate, 999, LISTENER, "x"); /* in the place of the one at rest for the longest time */
    deliver();
    NS_EQUAL(before + 2, ends[SERVER].injected);
    NS_EQUAL(NS_SAL_ASSOCIATIONS, ends[CLIENT].host.associations.count);
    now += NS_SAL_ASSOCIATION_MS;
    NS_EQUAL(UINT64_MAX, ns_sal_associations_expire(&ends[CLIENT].host.associations, now));
    NS_EQUAL(0, ends[CLIENT].host.associations.count);
    ask("x");
    NS_EQUAL(1, flying);
}

NS_TEST(a_datagram_cut_at_any_length_reaches_no_program) {
    uint8_t bytes[NS_SAL_HEADER_MAX], packet[200];
    const uint32_t nobody[4] = {inet_addr("198.18.9.9")};
    size_t length = strange(bytes, id, 5, "payload of a datagram");

    fresh(9);
    for (size_t i = 0; i < length; i++)
        hand(&ends[CLIENT].address, bytes, i);
    NS_EQUAL(0, ends[SERVER].injected);
    NS_EQUAL(0, ends[SERVER].host.associations.count);
    hand(&ends[CLIENT].address, bytes, length);
    NS_EQUAL(1, ends[SERVER].injected);
    length = local(packet, nobody, PROGRAM, LISTENER, "payload");
    for (size_t i = 0; i <= length; i++) {
        uint8_t *copy = malloc(i == 0 ? 1 : i);
        struct ns_sal_datagram datagram;

        memcpy(copy, packet, i);
        if (i >= 4)
            ns_put16(copy + 2, (uint32_t)i); /* IP says that it ends there */
        NS_EQUAL(i == length, ns_sal_datagram_local(&datagram, copy, i) == NS_SAL_LOCAL_DATAGRAM);
        free(copy);
    }
}

static unsigned listed(const struct ns_sal_associations *associations) {
    const struct ns_sal_association *at;
    unsigned count = 0;

    for (unsigned both = 0; both < 2; both++)
        TAILQ_FOREACH(at, &associations->ages[both], age)
    count += ns_sal_associations_by_tuple(associations, &at->inner) == at;
    return count;
}

/* Packets of both sides that are right but for some bytes. Each association is found by its names all the time. */
NS_TEST(any_datagram_leaves_a_sound_table) {
    static uint8_t packet[NS_SAL_PACKET_MAX];
    uint8_t bytes[NS_SAL_HEADER_MAX];

    fresh(10);
    for (unsigned i = 0; i < 20000; i++) {
        struct ns_sal_address from = ends[CLIENT].address;
        uint32_t to[4] = {htonl(0xc6130000 - ns_test_random(&seed) % 2)};
        size_t length = strange(bytes, i % 5 == 0 ? stranger_id : id, i % 7, "some payload");

        from.ip[15] = (uint8_t)ns_test_random(&seed);
        for (unsigned changes = ns_test_random(&seed) % 3; changes > 0; changes--)
            bytes[ns_test_random(&seed) % length] = (uint8_t)ns_test_random(&seed);
        if (i % 2 == 0 && bytes[8] == 21) {
            ns_put16(bytes + 10, 0);
            ns_put16(bytes + 10, ns_checksum_finish(ns_checksum_add(0, bytes, 84)));
        }
        hand(&from, bytes, ns_test_random(&seed) % 8 == 0 ? ns_test_random(&seed) % length : length);
        length = local(packet, to, 1 + (unsigned)ns_test_random(&seed) % 70,
                       1024 + (unsigned)ns_test_random(&seed) % 600, "x");
        if (i % 3 == 0)
            packet[ns_test_random(&seed) % length] = (uint8_t)ns_test_random(&seed);
        ns_sal_host_segment(&ends[SERVER].host, packet, length, now);
        now += ns_test_random(&seed) % 50;
        flying = 0;
        if (i % 1000 == 0) {
            ns_sal_associations_expire(&ends[SERVER].host.associations, now);
            NS_EQUAL(ends[SERVER].host.associations.count, listed(&ends[SERVER].host.associations));
        }
    }
    NS_CHECK(ends[SERVER].host.verdicts[NS_SAL_VERDICT_DATAGRAM_IN] > 2000);
    NS_CHECK(ends[SERVER].host.verdicts[NS_SAL_VERDICT_DATAGRAM_OUT] > 20);
}

/* --- flows of UDP, which a peer opens --- */

#define PEER_FLOW 7u
#define PEER_NONCE 0x0123456789abcdefu

/* Hands a message of the peer with an empty UDP header, or without one. */
static void message(unsigned flags, uint32_t to, uint32_t verno, uint32_t ackno, bool empty) {
    struct ns_sal_header header = {.protocol = NS_SAL_UDP, .service = flags == NS_SAL_SYN ? id : NULL};
    uint8_t bytes[NS_SAL_HEADER_MAX] = {0};
    size_t length;

    header.message = (struct ns_sal_message){.source = PEER_FLOW,
                                             .destination = to,
                                             .flags = (uint8_t)flags,
                                             .verno = verno,
                                             .ackno = ackno,
                                             .nonce = PEER_NONCE};
    length = ns_sal_write(bytes, &header);
    if (empty) {
        memset(bytes + length, 0, NS_SAL_UDP_HEADER);
        bytes[length + 5] = NS_SAL_UDP_HEADER;
        length += NS_SAL_UDP_HEADER;
    }
    hand(&ends[CLIENT].address, bytes, length);
}

static struct ns_sal_packet sent(unsigned i) {
    struct ns_sal_packet packet;

    NS_EQUAL(NS_SAL_ERROR_OK, ns_sal_read(&packet, flight[i].bytes, flight[i].length));
    return packet;
}

/* Opens a flow. Returns the server's SYN-ACK. */
static struct ns_sal_message open_flow(void) {
    struct ns_sal_packet answer;

    message(NS_SAL_SYN, 0, 100, 0, true);
    NS_EQUAL(1, flying);
    answer = sent(0);
    NS_EQUAL(NS_SAL_SYN | NS_SAL_ACK, answer.message.flags);
    NS_EQUAL(101, answer.message.ackno);
    NS_EQUAL(NS_SAL_UDP, answer.protocol);
    NS_EQUAL(NS_SAL_UDP_HEADER, answer.transport_length);
    flying = 0;
    message(NS_SAL_ACK, answer.message.source, 101, answer.message.verno + 1, true);
    NS_EQUAL(0, flying);
    NS_EQUAL(0, ends[SERVER].host.requests);
    return answer.message;
}

/* Puts data of the flow into `bytes`. Returns their length. */
static size_t data_of(uint8_t *bytes, uint32_t from, uint32_t to, const char *text) {
    struct ns_sal_header header = {.message = {.source = from, .destination = to}, .protocol = NS_SAL_UDP};
    const uint32_t words[2] = {from, to};
    size_t length = ns_sal_write(bytes, &header);

    return length + ns_sal_datagram_to_wire(bytes + length, (const uint8_t *)text, strlen(text), words);
}

/* Hands a message of a stranger, who knows the flowIDs. */
static void forge_message(uint32_t to) {
    struct ns_sal_header header = {.protocol = NS_SAL_UDP};
    uint8_t bytes[NS_SAL_HEADER_MAX];

    header.message = (struct ns_sal_message){.source = PEER_FLOW,
                                             .destination = to,
                                             .flags = (uint8_t)(ns_test_random(&seed) & 0xfc),
                                             .verno = 101,
                                             .nonce = ns_test_random(&seed)};
    if (header.message.flags != 0)
        hand(&ends[CLIENT].address, bytes, ns_sal_write(bytes, &header));
}

NS_TEST(a_flow_of_datagrams_opens_and_closes) {
    uint8_t bytes[NS_SAL_HEADER_MAX];
    struct ns_sal_message server;
    struct ns_sal_datagram got;
    struct ns_sal_packet packet;

    fresh(12);
    server = open_flow();
    hand(&ends[CLIENT].address, bytes, data_of(bytes, PEER_FLOW, server.source, "hello"));
    got = heard(SERVER);
    NS_CHECK(is(&got, "hello"));
    NS_EQUAL(LISTENER, port_of(&got, 1));
    say(SERVER, got.tuple.source, LISTENER, port_of(&got, 0), "HELLO");
    NS_EQUAL(1, flying);
    packet = sent(0);
    NS_CHECK(!packet.has_message && packet.message.destination == PEER_FLOW);
    NS_EQUAL(server.source, packet.message.source);
    NS_CHECK(ns_sal_datagram_is_right(packet.transport, packet.transport_length, packet.pseudo));
    NS_CHECK(memcmp(packet.transport + 8, "HELLO", 5) == 0);
    hand(&ends[CLIENT].address, bytes, data_of(bytes, PEER_FLOW + 1, server.source, "x"));
    refused(NS_SAL_VERDICT_WRONG_FLOW, SERVER);
    hand(&ends[CLIENT].address, bytes, data_of(bytes, PEER_FLOW, server.source, ""));
    refused(NS_SAL_VERDICT_EMPTY, SERVER);
    flying = 0;
    message(NS_SAL_FIN, server.source, 101, server.verno + 1, false);
    NS_EQUAL(2, flying);
    NS_EQUAL(NS_SAL_ACK, sent(0).message.flags);
    NS_EQUAL(NS_SAL_FIN, sent(1).message.flags);
    NS_EQUAL(server.verno + 1, sent(1).message.verno);
    NS_EQUAL(1, ends[SERVER].host.flows.count);
    message(NS_SAL_ACK, server.source, 102, server.verno + 2, false);
    NS_EQUAL(0, ends[SERVER].host.flows.count);
    say(SERVER, got.tuple.source, LISTENER, port_of(&got, 0), "late");
    refused(NS_SAL_VERDICT_NO_NAME, SERVER);
}

/* A segment of TCP for the flow, or TCP of a program to its stand-in, is another conversation. */
NS_TEST(tcp_does_not_enter_a_flow_of_datagrams) {
    struct ns_sal_header header = {.protocol = 6};
    uint8_t bytes[NS_SAL_HEADER_MAX] = {0}, packet[100];
    struct ns_sal_message server;
    struct ns_sal_segment segment;
    size_t length;

    fresh(13);
    server = open_flow();
    header.message = (struct ns_sal_message){.source = PEER_FLOW, .destination = server.source};
    length = ns_sal_write(bytes, &header);
    bytes[length + 12] = 0x50;
    hand(&ends[CLIENT].address, bytes, length + 20);
    refused(NS_SAL_VERDICT_PROTOCOL, SERVER);
    header.message = (struct ns_sal_message){.source = PEER_FLOW, .flags = NS_SAL_SYN, .nonce = PEER_NONCE};
    header.service = id;
    memset(bytes, 0, sizeof bytes);
    length = ns_sal_write(bytes, &header);
    ns_sal_segment_rst(packet, 1, 0, false);
    packet[13] = NS_TCP_SYN;
    NS_CHECK(ns_sal_segment_read(&segment, packet, 20));
    ns_sal_segment_to_wire(bytes + length, &segment, PEER_FLOW, 0);
    hand(&ends[CLIENT].address, bytes, length + 20);
    refused(NS_SAL_VERDICT_PROTOCOL, SERVER);
    NS_EQUAL(0, ends[SERVER].injected);
}

NS_TEST(no_bytes_end_a_flow_of_datagrams_by_chance) {
    uint8_t bytes[NS_SAL_HEADER_MAX];
    struct ns_sal_message server;
    size_t whole;

    fresh(14);
    server = open_flow();
    whole = data_of(bytes, PEER_FLOW, server.source, "payload");
    for (size_t i = 0; i < whole; i++)
        hand(&ends[CLIENT].address, bytes, i);
    NS_EQUAL(0, ends[SERVER].injected);
    for (unsigned i = 0; i < 20000; i++, flying = 0) {
        size_t length = data_of(bytes, PEER_FLOW, server.source, "payload");

        for (unsigned changes = 1 + ns_test_random(&seed) % 3; changes > 0; changes--)
            bytes[ns_test_random(&seed) % length] = (uint8_t)ns_test_random(&seed);
        if (i % 2 == 0 && bytes[8] == 3) {
            ns_put16(bytes + 10, 0);
            ns_put16(bytes + 10, ns_checksum_finish(ns_checksum_add(0, bytes, 12)));
        }
        hand(&ends[CLIENT].address, bytes, length);
        if (i % 3 == 0) /* a message whose nonce is a guess */
            forge_message(server.source);
    }
    NS_EQUAL(1, ends[SERVER].host.flows.count);
    NS_EQUAL(NS_FLOW_CONNECTED, ns_sal_flows_by_id(&ends[SERVER].host.flows, server.source)->kept.flow.state);
    now += NS_SAL_IDLE_MS - 1000;
    ns_sal_host_sweep(&ends[SERVER].host, now);
    NS_EQUAL(1, ends[SERVER].host.flows.count);
    now += 2000;
    ns_sal_host_sweep(&ends[SERVER].host, now);
    NS_EQUAL(0, ends[SERVER].host.flows.count);
    refused(NS_SAL_VERDICT_IDLE, SERVER);
}

int main(void) {
    NS_RUN(an_answer_finds_the_socket_that_asked);
    NS_RUN(both_ends_may_go_on_from_a_new_port);
    NS_RUN(a_connected_socket_stays_with_the_instance_that_answers);
    NS_RUN(refusals_have_names);
    NS_RUN(a_datagram_that_nobody_wants_is_answered_as_by_the_published_stack);
    NS_RUN(a_captured_datagram_of_raw_ip_reaches_its_program);
    NS_RUN(the_list_of_a_stranger_names_no_client_of_datagrams);
    NS_RUN(a_flood_of_datagrams_takes_no_place_from_programs_that_answer);
    NS_RUN(associations_are_bounded);
    NS_RUN(a_datagram_cut_at_any_length_reaches_no_program);
    NS_RUN(any_datagram_leaves_a_sound_table);
    NS_RUN(a_flow_of_datagrams_opens_and_closes);
    NS_RUN(tcp_does_not_enter_a_flow_of_datagrams);
    NS_RUN(no_bytes_end_a_flow_of_datagrams_by_chance);
    for (unsigned i = 0; i < 2; i++)
        ns_sal_host_close(&ends[i].host);
    return ns_test_end();
}
