/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of sal_flow.bpf.c. Each packet runs through a program by BPF_PROG_TEST_RUN. sald's own parsers read what comes
 * out, and every checksum is computed anew from the bytes.
 */
#include "ns_libbpf.h"
#include "ns_sal.h"
#include "ns_test.h"
#include "packet.h"
#include "segment.h"
#include "wire.h"

#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#define REDIRECT 7
#define ACK 0x10
#define LINK "\x02\0\0\0\0\x77"
#define RAW 2 /* of the ways outside: raw IP, beside UDP in both families */
#define PROTOCOL 144

static struct bpf_object *object;
static uint64_t seed = 0x5e77a1;
static uint8_t in[WIRE_MAX], out[WIRE_MAX];
static size_t length, out_length;
static struct ns_sal_event told;
static unsigned events;
static struct ring_buffer *ring;

static int map(const char *name) {
    return bpf_object__find_map_fd_by_name(object, name);
}

static int take_event(void *context, void *data, size_t size) {
    (void)context;
    NS_EQUAL(sizeof told, size);
    memcpy(&told, data, sizeof told);
    events++;
    return 0;
}

static bool open_object(const char *path) {
    object = bpf_object__open_file(path, NULL);
    if (object == NULL || bpf_object__load(object) != 0)
        return false;
    ring = ring_buffer__new(map("ns_sal_events"), take_event, NULL, NULL);
    return ring != NULL;
}

static int run(const char *name, unsigned gso) {
    struct __sk_buff context = {.gso_size = gso, .ifindex = 1};
    LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = in, .data_size_in = (uint32_t)length, .data_out = out,
                .data_size_out = sizeof out, .ctx_in = &context, .ctx_size_in = sizeof context);

    NS_EQUAL(0, bpf_prog_test_run_opts(bpf_program__fd(bpf_object__find_program_by_name(object, name)), &options));
    out_length = options.data_size_out;
    return (int)options.retval;
}

static bool untouched(int verdict) {
    return verdict == TC_ACT_UNSPEC && out_length == length && memcmp(in, out, length) == 0;
}

/* The flow of a client, and that of its server with the same names the other way round. */
static const char *const outer[3][2] = {
    {"192.0.2.1", "192.0.2.2"}, {"2001:db8::1", "2001:db8:1::2"}, {"192.0.2.1", "192.0.2.2"}};
static const char *const inner[2][2] = {{"198.18.0.1", "198.18.1.0"}, {"fd73:616c::1", "fd73:616c::1:0:5"}};

static void words(const char *text, uint32_t to[4]) {
    memset(to, 0, 16);
    NS_EQUAL(1, inet_pton(strchr(text, ':') == NULL ? AF_INET : AF_INET6, text, to));
}

static struct ns_sal_way way_of(unsigned outside, unsigned inside, bool client) {
    struct ns_sal_way way = {.open = 1, .interface = 1, .family = outside == 1 ? 6 : 4};

    way.own = htonl(client ? 0x11223344 : 0x99aabbcc);
    way.peer = htonl(client ? 0x99aabbcc : 0x11223344);
    words(outer[outside][!client], way.own_address);
    words(outer[outside][client], way.peer_address);
    way.own_port = htons(client ? 54325 : 4000);
    way.peer_port = htons(client ? 4000 : 54325);
    if (outside == RAW)
        way.own_port = way.peer_port = 0;
    way.inner.family = inside == 0 ? 4 : 6;
    words(inner[inside][!client], way.inner.source);
    words(inner[inside][client], way.inner.destination);
    memcpy(&way.inner.ports, client ? "\x9c\x40\0\x50" : "\0\x50\x9c\x40", 4);
    return way;
}

static void put(const struct ns_sal_way *way) {
    struct ns_sal_use none = {0};

    NS_EQUAL(0, bpf_map_update_elem(map("ns_sal_flows"), &way->own, way, BPF_ANY));
    NS_EQUAL(0, bpf_map_update_elem(map("ns_sal_tuples"), &way->inner, &way->own, BPF_ANY));
    NS_EQUAL(0, bpf_map_update_elem(map("ns_sal_uses"), &way->own, &none, BPF_ANY));
}

static void port(uint16_t number) {
    struct ns_sal_settings settings = {.inside = 1, .port = htons(number), .raw = PROTOCOL};
    const uint32_t only = 0;

    memcpy(settings.link, LINK, 6);
    NS_EQUAL(0, bpf_map_update_elem(map("ns_sal_settings"), &only, &settings, BPF_ANY));
}

/* Makes a packet of the client's local stack. */
static void make(unsigned inside, unsigned flags, uint32_t payload) {
    struct wire wire = {inside == 0 ? 4 : 6, 6, 64, 0, inner[inside][0], inner[inside][1], 40000, 80, payload, false};
    uint8_t *tcp = in + WIRE_L3 + (inside == 0 ? 20 : 40);
    uint32_t before, sum;

    length = wire_make(in, &wire);
    memset(in, 0, 6); /* the address of the loopback interface, by which the test runs */
    before = wire_get16(tcp + 12);
    tcp[13] = (uint8_t)flags;
    sum = wire_get16(tcp + 16) + before + (~wire_get16(tcp + 12) & 0xffff); /* RFC 1624, the other way round */
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    wire_put16(tcp + 16, sum);
}

/* Reads what left by the interface. */
static void check_out(const struct ns_sal_way *way, uint32_t payload, struct ns_sal_packet *packet) {
    size_t header = way->family == 4 ? 20 : 40;
    const uint8_t *l3 = out + WIRE_L3, *udp = l3 + header;
    struct ns_sal_address from = ns_sal_address_of(way->family, way->own_address, ntohs(way->own_port));
    struct ns_sal_address to = ns_sal_address_of(way->family, way->peer_address, ntohs(way->peer_port));
    size_t between = way->peer_port == 0 ? 0 : 8;
    uint32_t pseudo[2];

    NS_EQUAL(WIRE_L3 + header + between + 12 + 20 + payload, out_length);
    NS_EQUAL(between == 0 ? PROTOCOL : 17, l3[way->family == 4 ? 9 : 6]);
    NS_CHECK(between == 0 ? ns_checksum_finish(ns_checksum_add(0, l3, 20)) == 0 : wire_right(out));
    NS_CHECK(between == 0 || udp[6] != 0 || udp[7] != 0);
    NS_CHECK(memcmp(l3 + (way->family == 4 ? 12 : 8), way->own_address, way->family == 4 ? 4 : 16) == 0);
    NS_CHECK(memcmp(l3 + (way->family == 4 ? 16 : 24), way->peer_address, way->family == 4 ? 4 : 16) == 0);
    if (between != 0) {
        NS_EQUAL(ntohs(way->own_port), wire_get16(udp));
        NS_EQUAL(ntohs(way->peer_port), wire_get16(udp + 2));
    }
    NS_EQUAL(NS_SAL_ERROR_OK, ns_sal_read(packet, udp + between, out_length - WIRE_L3 - header - between));
    NS_EQUAL(ntohl(way->own), packet->message.source);
    NS_EQUAL(ntohl(way->peer), packet->message.destination);
    NS_EQUAL(6, packet->protocol);
    NS_CHECK(!packet->has_message && memcmp(packet->transport, "\0\0\0\0", 4) == 0);
    ns_sal_pseudo(pseudo, packet->message.source, packet->message.destination, &from, &to);
    NS_CHECK(ns_sal_segment_is_right(packet->transport, packet->transport_length, pseudo[0], pseudo[1]));
}

/* From a program through the network to its peer, by each way outside, each family inside, and many lengths. */
NS_TEST(data_come_out_as_they_went_in) {
    for (unsigned i = 0; i < 800; i++) {
        unsigned outside = i % 3, inside = i & 1;
        struct ns_sal_way client = way_of(outside, inside, true), server = way_of(outside, inside, false);
        uint32_t payload = (uint32_t)(ns_test_random(&seed) % 1300);
        size_t header = inside == 0 ? 20 : 40;
        struct ns_sal_packet packet;
        uint8_t sent[WIRE_MAX];
        size_t sent_length;

        put(&client);
        make(inside, ACK, payload);
        memcpy(sent, in, length);
        sent_length = length;
        NS_EQUAL(REDIRECT, run("ns_sal_out", 0));
        check_out(&client, payload, &packet);

        bpf_map_delete_elem(map("ns_sal_tuples"), &client.inner);
        put(&server);
        port(4000);
        memcpy(in, out, out_length);
        length = out_length;
        wire_put16(in + 12, outside == 1 ? 0x86dd : 0x0800); /* as the way to the neighbour writes it */
        NS_EQUAL(REDIRECT, run("ns_sal_in", 0));
        NS_EQUAL(sent_length, out_length);
        NS_CHECK(wire_right(out) && memcmp(out, LINK, 6) == 0 && memcmp(out + 12, sent + 12, 2) == 0);
        NS_CHECK(memcmp(out + WIRE_L3 + (inside == 0 ? 12 : 8), server.inner.destination, inside == 0 ? 4 : 16) == 0);
        NS_CHECK(memcmp(out + WIRE_L3 + (inside == 0 ? 16 : 24), server.inner.source, inside == 0 ? 4 : 16) == 0);
        NS_CHECK(memcmp(out + WIRE_L3 + header, "\x9c\x40\0\x50", 4) == 0);
        NS_CHECK(memcmp(out + WIRE_L3 + header + 4, sent + WIRE_L3 + header + 4, 12) == 0);
        NS_CHECK(memcmp(out + WIRE_L3 + header + 20, sent + WIRE_L3 + header + 20, payload) == 0);
    }
}

NS_TEST(what_has_no_open_flow_is_salds) {
    struct ns_sal_way way = way_of(0, 0, true);

    make(0, ACK, 10);
    bpf_map_delete_elem(map("ns_sal_tuples"), &way.inner);
    NS_CHECK(untouched(run("ns_sal_out", 0)));
    way.open = 0;
    put(&way);
    NS_CHECK(untouched(run("ns_sal_out", 0)));
    way.open = 1;
    put(&way);
    make(0, 2 /* SYN */, 0);
    NS_CHECK(untouched(run("ns_sal_out", 0)));
    make(0, ACK, 10);
    in[WIRE_L3 + 9] = 17; /* UDP */
    NS_CHECK(untouched(run("ns_sal_out", 0)));
    make(0, ACK, 1000);
    NS_EQUAL(TC_ACT_SHOT, run("ns_sal_out", 500)); /* merged packets */
}

/* Makes a datagram of data to the server's flow. */
static void arrive_by(unsigned outside) {
    struct ns_sal_way client = way_of(outside, 0, true), server = way_of(outside, 0, false);

    put(&client);
    make(0, ACK, 100);
    NS_EQUAL(REDIRECT, run("ns_sal_out", 0));
    put(&server);
    memcpy(in, out, out_length);
    length = out_length;
}

static void arrive(void) {
    arrive_by(0);
}

static uint8_t *sal(void) {
    return in + WIRE_L3 + 20 + 8;
}

static void finish_sal(void) {
    wire_put16(sal() + 10, 0);
    wire_put16(sal() + 10, ns_checksum_finish(ns_checksum_add(0, sal(), sal()[8] * 4u)));
}

NS_TEST(what_is_no_data_of_an_open_flow_goes_to_the_stack) {
    struct ns_sal_way server = way_of(0, 0, false);

    arrive();
    NS_EQUAL(REDIRECT, run("ns_sal_in", 0));
    port(4001);
    NS_CHECK(untouched(run("ns_sal_in", 0))); /* another's port */
    port(4000);
    server.open = 0;
    put(&server);
    NS_CHECK(untouched(run("ns_sal_in", 0)));
    arrive();
    sal()[11] ^= 1; /* checksum */
    NS_CHECK(untouched(run("ns_sal_in", 0)));
    for (unsigned at = 0; at < 10; at++) { /* flowIDs, words, protocol */
        arrive();
        sal()[at] ^= 2;
        finish_sal();
        NS_CHECK(untouched(run("ns_sal_in", 0)));
    }
    arrive();
    wire_put16(in + WIRE_L3 + 24, 100); /* UDP is shorter than IP says */
    NS_CHECK(untouched(run("ns_sal_in", 0)));
    arrive();
    wire_put16(in + WIRE_L3 + 2, 20 + 8 + 12 + 10); /* half of TCP's header, and bytes behind the packet */
    wire_put16(in + WIRE_L3 + 24, 8 + 12 + 10);
    NS_CHECK(untouched(run("ns_sal_in", 0)));
    arrive();
    in[WIRE_L3 + 6] = 0x20; /* a fragment */
    NS_CHECK(untouched(run("ns_sal_in", 0)));
}

NS_TEST(a_packet_cut_at_any_length_goes_to_the_stack) {
    for (unsigned outside = 0; outside <= RAW; outside += RAW) {
        arrive_by(outside);
        for (size_t whole = length; length > WIRE_L3 + 20; length--) {
            if (length < whole)
                NS_CHECK(untouched(run("ns_sal_in", 0)));
        }
    }
}

/* A flow has one form: its flowIDs alone do not open the other one. Another's protocol number is no SAL. */
NS_TEST(raw_ip_and_udp_are_not_the_same_flow) {
    struct ns_sal_way server = way_of(0, 0, false);

    arrive_by(RAW);
    NS_EQUAL(REDIRECT, run("ns_sal_in", 0));
    in[WIRE_L3 + 9] = PROTOCOL + 1;
    NS_CHECK(untouched(run("ns_sal_in", 0)));
    in[WIRE_L3 + 9] = PROTOCOL;
    put(&server);
    NS_CHECK(untouched(run("ns_sal_in", 0)));
    arrive();
    server = way_of(RAW, 0, false);
    put(&server);
    NS_CHECK(untouched(run("ns_sal_in", 0)));
}

static struct ns_sal_use use_of(uint32_t own) {
    struct ns_sal_use use;

    NS_EQUAL(0, bpf_map_lookup_elem(map("ns_sal_uses"), &own, &use));
    return use;
}

/* Sets the numbers of the local packet that was made; its checksum stays wrong, which no program looks at. */
static void numbers(uint32_t seq, uint32_t ack) {
    for (unsigned i = 0; i < 4; i++) {
        in[WIRE_L3 + 24 + i] = (uint8_t)(seq >> (24 - 8 * i));
        in[WIRE_L3 + 28 + i] = (uint8_t)(ack >> (24 - 8 * i));
    }
}

/* Gives the client a segment of its peer. Returns the verdict. */
static int answer(unsigned flags, uint32_t seq, uint32_t ack) {
    struct ns_sal_way client = way_of(0, 0, true), server = way_of(0, 0, false);
    int verdict;

    make(0, flags, 0);
    numbers(seq, ack);
    bpf_map_update_elem(map("ns_sal_tuples"), &client.inner, &server.own, BPF_ANY);
    server.inner = client.inner; /* the server's packet, under the names that the test makes */
    bpf_map_update_elem(map("ns_sal_flows"), &server.own, &server, BPF_ANY);
    NS_EQUAL(REDIRECT, run("ns_sal_out", 0));
    memcpy(in, out, out_length);
    length = out_length;
    bpf_map_update_elem(map("ns_sal_flows"), &client.own, &client, BPF_ANY);
    port(54325);
    ring_buffer__consume(ring); /* the end that the server has told */
    events = 0;
    verdict = run("ns_sal_in", 0);
    port(4000);
    return verdict;
}

NS_TEST(packets_are_counted_and_ends_are_told) {
    struct ns_sal_way client = way_of(0, 0, true), server = way_of(0, 0, false);
    struct ns_sal_use use;

    ring_buffer__consume(ring);
    events = 0;
    put(&server);
    put(&client);
    make(0, ACK | 1 /* FIN */, 7);
    numbers(1000, 2000);
    NS_EQUAL(REDIRECT, run("ns_sal_out", 0));
    use = use_of(client.own);
    NS_EQUAL(1, use.packets_out);
    NS_EQUAL(27, use.bytes_out);
    NS_EQUAL(2000, use.taken);
    NS_EQUAL(1008, use.fin);
    NS_EQUAL(1008, use.sent);
    for (unsigned i = 0; i < 4; i++) { /* nobody sent 1009, and the last one was overtaken */
        uint32_t acked = (const uint32_t[]){1007, 1009, 1008, 1006}[i];

        NS_EQUAL(REDIRECT, answer(ACK, 2000, acked));
        ring_buffer__consume(ring);
        NS_EQUAL(i == 2, events); /* once */
    }
    NS_EQUAL(NS_SAL_FIN_ACKED, told.kind);
    NS_EQUAL(client.own, told.own);
    NS_EQUAL(4, use_of(client.own).packets_in);
    NS_EQUAL(1008, use_of(client.own).acked);
    NS_EQUAL(1008, use_of(client.own).sent);
    put(&client);
    events = 0;
    make(0, 4 /* RST */, 0);
    NS_EQUAL(REDIRECT, run("ns_sal_out", 0));
    ring_buffer__consume(ring);
    NS_EQUAL(1, events);
    NS_EQUAL(NS_SAL_RST_SENT, told.kind);
}

/* Each packet shows the flowIDs, and a RST with these alone is a stranger's. TCP gets it, and ignores it. */
NS_TEST(a_reset_counts_near_the_last_acknowledgement_alone) {
    static const uint32_t numbers_of[] = {1999, 2000 + NS_SAL_RST_WINDOW, 2000u + (1u << 31), 2000, 2100};
    struct ns_sal_way client = way_of(0, 0, true), server = way_of(0, 0, false);

    put(&server);
    put(&client);
    make(0, ACK, 7);
    numbers(1000, 2000);
    NS_EQUAL(REDIRECT, run("ns_sal_out", 0));
    for (unsigned i = 0; i < sizeof numbers_of / sizeof *numbers_of; i++) {
        NS_EQUAL(REDIRECT, answer(4 | ACK, numbers_of[i], 1007));
        ring_buffer__consume(ring);
        NS_EQUAL(i >= 3, events);
        NS_CHECK(i < 3 || (told.kind == NS_SAL_RST_TAKEN && told.own == client.own));
    }
}

/* Sets whether the local stack takes packets of a family on the link of the test. */
static void stay(bool four, bool six) {
    struct ns_sal_link link = {.interface = 1, .stays4 = four, .stays6 = six};
    const uint32_t place = 1;

    NS_EQUAL(0, bpf_map_update_elem(map("ns_set_links"), &place, &link, BPF_ANY));
}

/* The packet is the same as by sal0, but for its link addresses. */
NS_TEST(a_packet_stays_on_a_link_that_has_its_family) {
    for (unsigned i = 0; i < 24; i++) {
        unsigned outside = i % 3, inside = i & 1, allowed = i >> 2 & 3;
        struct ns_sal_way client = way_of(outside, inside, true), server = way_of(outside, inside, false);
        bool stays = (allowed >> inside & 1) != 0;
        uint8_t by_inside[WIRE_MAX];

        put(&client);
        make(inside, ACK, 500);
        NS_EQUAL(REDIRECT, run("ns_sal_out", 0));
        put(&server);
        memcpy(in, out, out_length);
        length = out_length;
        wire_put16(in + 12, outside == 1 ? 0x86dd : 0x0800);
        stay(false, false);
        NS_EQUAL(REDIRECT, run("ns_sal_in", 0));
        memcpy(by_inside, out, out_length);
        stay(allowed & 1, allowed & 2);
        NS_EQUAL(stays ? TC_ACT_OK : REDIRECT, run("ns_sal_in", 0));
        NS_CHECK(wire_right(out) && memcmp(out + 12, by_inside + 12, out_length - 12) == 0);
        in[0] = 2; /* another host's */
        NS_CHECK(untouched(run("ns_sal_in", 0)));
    }
    stay(false, false);
}

/* Lets a flow have the native form at both its ends. */
static void put_native(struct ns_sal_way *way) {
    struct ns_sal_tuple names = {.family = way->family};
    struct ns_sal_settings settings = {.inside = 1, .port = htons(4000), .native = 1};
    const uint32_t only = 0;

    way->native = NS_SAL_NATIVE_BEGINS;
    put(way);
    memcpy(names.source, way->peer_address, 16);
    memcpy(names.destination, way->own_address, 16);
    names.ports = htonl(ntohl(way->peer) << 16 | (ntohl(way->own) & 0xffff));
    NS_EQUAL(0, bpf_map_update_elem(map("ns_sal_natives"), &names, &way->own, BPF_ANY));
    memcpy(settings.link, LINK, 6);
    NS_EQUAL(0, bpf_map_update_elem(map("ns_sal_settings"), &only, &settings, BPF_ANY));
}

/* Reads a segment of TCP: its addresses, its ports and its checksums. */
static void check_native(const uint32_t *from, const uint32_t *to, unsigned family, const char *ports) {
    const uint8_t *l3 = out + WIRE_L3;
    size_t bytes = family == 4 ? 4 : 16;

    NS_CHECK(wire_right(out) && l3[0] >> 4 == (int)family && l3[family == 4 ? 9 : 6] == 6);
    NS_CHECK(memcmp(l3 + (family == 4 ? 12 : 8), from, bytes) == 0);
    NS_CHECK(memcmp(l3 + (family == 4 ? 16 : 24), to, bytes) == 0);
    NS_CHECK(memcmp(l3 + (family == 4 ? 20 : 40), ports, 4) == 0);
}

/* The native form, by both families outside and inside, with and without the short way in. */
NS_TEST(native_data_come_out_as_they_went_in) {
    for (unsigned i = 0; i < 400; i++) {
        unsigned outside = i & 1, inside = i >> 1 & 1, short_way = i >> 2 & 1;
        struct ns_sal_way client = way_of(outside, inside, true), server = way_of(outside, inside, false);
        uint32_t payload = (uint32_t)(ns_test_random(&seed) % 1300);
        size_t header = inside == 0 ? 20 : 40;
        uint8_t sent[WIRE_MAX];
        size_t sent_length;

        put_native(&client);
        make(inside, ACK, payload);
        memcpy(sent, in, length);
        sent_length = length;
        NS_EQUAL(REDIRECT, run("ns_sal_first_out", 0));
        check_native(client.own_address, client.peer_address, client.family, "\x33\x44\xbb\xcc");
        NS_EQUAL(sent[WIRE_L3 + (inside == 0 ? 8 : 7)], out[WIRE_L3 + (outside == 0 ? 8 : 7)]);

        bpf_map_delete_elem(map("ns_sal_tuples"), &client.inner);
        put_native(&server);
        memcpy(in, out, out_length);
        length = out_length;
        wire_put16(in + 12, outside == 1 ? 0x86dd : 0x0800);
        stay(short_way, short_way);
        NS_EQUAL(short_way ? TC_ACT_OK : REDIRECT, run("ns_sal_in", 0));
        NS_EQUAL(sent_length, out_length);
        check_native(server.inner.destination, server.inner.source, server.inner.family, "\x9c\x40\0\x50");
        NS_CHECK((short_way && outside == inside) || memcmp(out, LINK, 6) == 0);
        NS_CHECK(memcmp(out + 12, sent + 12, 2) == 0);
        NS_CHECK(memcmp(out + WIRE_L3 + header + 4, sent + WIRE_L3 + header + 4, 12) == 0);
        NS_CHECK(memcmp(out + WIRE_L3 + header + 20, sent + WIRE_L3 + header + 20, payload) == 0);
        NS_EQUAL(1, use_of(server.own).packets_in);
        NS_CHECK(use_of(server.own).last_in != 0 && use_of(server.own).native_in);
        in[WIRE_L3 + (outside == 0 ? 20 : 40)] ^= 1; /* the port of no flow */
        NS_CHECK(untouched(run("ns_sal_in", 0)));
    }
    stay(false, false);
    port(4000);
}

/* At sal0 a segment leaves only if no train of its flow can wait behind sal0. */
NS_TEST(a_segment_overtakes_no_train) {
    struct ns_sal_way client = way_of(0, 0, true);
    static const struct {
        unsigned flags;
        uint32_t data, seq;
        unsigned gso;
        bool leaves;
    } segments[] = {
        {ACK, 0, 5000, 0, true},                                     /* an acknowledgement */
        {ACK, 100, 1000, 0, true},                                   /* all before is acknowledged */
        {ACK, 100, 1100, 0, false},                                  /* 1000 is on its way */
        {ACK | 1, 0, 1100, 0, false},                                /* FIN */
        {ACK | 1, 0, 1000, 0, true},   {ACK | 4, 0, 1100, 0, false}, /* RST */
        {ACK, 1200, 1000, 500, false},                               /* a train */
    };

    for (unsigned i = 0; i < sizeof segments / sizeof *segments; i++) {
        struct ns_sal_use use = {.acked = 1000, .acks_seen = 1};

        put(&client);
        NS_EQUAL(0, bpf_map_update_elem(map("ns_sal_uses"), &client.own, &use, BPF_ANY));
        make(0, segments[i].flags, segments[i].data);
        numbers(segments[i].seq, 1);
        if (segments[i].leaves)
            NS_EQUAL(REDIRECT, run("ns_sal_first_out", segments[i].gso));
        else
            NS_CHECK(untouched(run("ns_sal_first_out", segments[i].gso)));
        NS_EQUAL(segments[i].leaves, use_of(client.own).packets_out);
    }
    bpf_map_delete_elem(map("ns_sal_uses"), &client.own); /* nobody knows what is on its way */
    make(0, ACK, 100);
    NS_CHECK(untouched(run("ns_sal_first_out", 0)));
}

int main(int argc, char **argv) {
    if (argc != 2 || !ns_test_quiet() || !open_object(argv[1])) {
        printf("not ok the_programs_load: %s\nend\n", argc == 2 ? argv[1] : "usage");
        return 1;
    }
    port(4000);
    NS_RUN(data_come_out_as_they_went_in);
    NS_RUN(what_has_no_open_flow_is_salds);
    NS_RUN(what_is_no_data_of_an_open_flow_goes_to_the_stack);
    NS_RUN(a_packet_cut_at_any_length_goes_to_the_stack);
    NS_RUN(raw_ip_and_udp_are_not_the_same_flow);
    NS_RUN(packets_are_counted_and_ends_are_told);
    NS_RUN(a_reset_counts_near_the_last_acknowledgement_alone);
    NS_RUN(a_packet_stays_on_a_link_that_has_its_family);
    NS_RUN(native_data_come_out_as_they_went_in);
    NS_RUN(a_segment_overtakes_no_train);
    return ns_test_end();
}
