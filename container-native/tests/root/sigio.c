/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests sigio with a real queue and real wires. sigio.sh runs it in the router's namespace: sigio <sigio> <netns a>
 * <netns b> <directory>
 */
#include "sigio_rig.h"

#include <sys/stat.h>

static const struct shape transit4 = {"10.9.1.2", "10.9.2.2", 40000, true, false, false, 80};
static const struct shape transit6 = {"fd00:9:1::2", "fd00:9:2::2", 40000, true, false, false, 80};
static const struct shape *const transits[] = {&transit4, &transit6};

/* Removes the client and sigio that a failed test may have left, and starts anew. */
static void fresh(const char *deadline) {
    leave();
    end_sigio(SIGKILL);
    forget(&rig.a);
    forget(&rig.b);
    start_sigio(deadline);
}

static void expect_nothing_at_b(void) {
    uint8_t got[4096];

    NS_EQUAL(0, seen(&rig.b, 17, got, sizeof got, 100));
}

/* Checks that the next frame is this packet, held. */
static void expect_packet(struct frame *frame, const struct shape *shape) {
    bool v4 = strchr(shape->source, ':') == NULL;
    uint8_t address[16], payload[2048];

    NS_CHECK(next_frame(frame, 2));
    NS_EQUAL(64 + 12 + shape->data, frame->length);
    NS_CHECK(u32(frame->body) != 0 || u32(frame->body + 4) != 0);
    NS_EQUAL(if_nametoindex("r0"), u32(frame->body + 8));
    NS_EQUAL(v4 ? 4 : 6, frame->body[12]);
    NS_EQUAL(57, frame->body[13]);
    NS_EQUAL(v4 ? 0xb8 : 0x02, frame->body[14]);
    NS_EQUAL(shape->rao ? 1 : 0, frame->body[15] & 1);
    NS_EQUAL(shape->rao ? 0xffdf : 0, u16(frame->body + 16));
    NS_EQUAL(1500, u16(frame->body + 18));
    NS_EQUAL(shape->source_port, u16(frame->body + 20));
    NS_EQUAL(270, u16(frame->body + 22));
    NS_EQUAL(v4 ? 0 : 0xabcde, u32(frame->body + 24));
    address_of(address, shape->source);
    NS_EQUAL(0, memcmp(address, frame->body + 32, 16));
    address_of(address, shape->destination);
    NS_EQUAL(0, memcmp(address, frame->body + 48, 16));
    fill(payload, shape);
    NS_EQUAL(0, memcmp(payload, frame->body + 64, 12 + shape->data));
}

static struct frame frame;

/* --- the queue --- */

NS_TEST(a_query_in_transit_is_held_and_goes_on_unchanged) {
    uint8_t packet[4096];

    fresh("10000");
    connect_client();
    for (int i = 0; i < 4; i++) {
        struct shape shape = *transits[i % 2];
        size_t length;

        shape.rao = i < 2;
        length = build(packet, &shape);
        inject(&rig.a, packet, length);
        expect_packet(&frame, &shape);
        NS_EQUAL(0, frame.body[15] & 6);
        expect_nothing_at_b();
        say_verdict(frame.body, 0, NULL, 0);
        expect_at_b(packet, length);
    }
    WAIT_FOR(rig.counters->held == 0);
}

NS_TEST(a_taken_packet_is_gone) {
    uint8_t packet[4096];
    uint64_t taken = rig.counters->taken;

    fresh("10000");
    connect_client();
    for (int i = 0; i < 2; i++) {
        inject(&rig.a, packet, build(packet, transits[i]));
        expect_packet(&frame, transits[i]);
        say_verdict(frame.body, 1, NULL, 0);
        WAIT_FOR(rig.counters->taken == taken + 1 + (unsigned)i);
        expect_nothing_at_b();
    }
}

NS_TEST(another_payload_arrives_with_right_lengths_and_checksums) {
    static const size_t lengths[] = {12, 91, 300, 1400};
    uint8_t packet[4096], got[4096], payload[2048];

    fresh("10000");
    connect_client();
    memset(payload, 'n', sizeof payload);
    for (int i = 0; i < 8; i++) {
        const struct shape *shape = transits[i % 2];
        size_t header, length = lengths[i / 2], whole;
        uint8_t protocol;

        inject(&rig.a, packet, build(packet, shape));
        expect_packet(&frame, shape);
        say_verdict(frame.body, 2, payload, length);
        whole = seen(&rig.b, 17, got, sizeof got, WAIT_MSEC);
        header = upper(packet, &protocol) + 8;
        NS_EQUAL(header + length, whole);
        NS_CHECK(udp_right(got, whole));
        NS_EQUAL(0, memcmp(payload, got + header, length));
        forwarded(packet);
        if (packet[0] >> 4 == 4) { /* all but length and checksum is unchanged, options included */
            NS_EQUAL(whole, u16(got + 2));
            NS_EQUAL(0, memcmp(packet + 4, got + 4, 6));
            NS_EQUAL(0, memcmp(packet + 12, got + 12, header - 12 - 4));
        } else {
            NS_EQUAL(whole - 40, u16(got + 4));
            NS_EQUAL(0, memcmp(packet + 6, got + 6, header - 6 - 4));
        }
    }
}

NS_TEST(a_payload_that_does_not_fit_lets_the_original_go) {
    static uint8_t payload[60000];
    uint8_t packet[4096];
    uint64_t before = rig.counters->too_long;

    fresh("10000");
    connect_client();
    for (int i = 0; i < 4; i++) {
        size_t length = build(packet, transits[i % 2]);

        inject(&rig.a, packet, length);
        expect_packet(&frame, transits[i % 2]);
        say_verdict(frame.body, 2, payload, i < 2 ? 1490 : sizeof payload);
        expect_at_b(packet, length);
    }
    NS_EQUAL(before + 4, rig.counters->too_long);
}

/* Checks that a packet goes on at once, unchanged, and that gist does not see it. */
static void expect_untouched(uint8_t *packet, size_t length, volatile uint64_t *reason) {
    uint64_t before = *reason;

    inject(&rig.a, packet, length);
    expect_at_b(packet, length);
    WAIT_FOR(*reason == before + 1);
    NS_EQUAL(0, rig.counters->held);
}

NS_TEST(what_is_not_a_query_goes_on_untouched) {
    uint64_t forwarded_before = rig.counters->forwarded;
    uint8_t packet[4096], protocol;

    fresh("10000");
    connect_client();
    for (int i = 0; i < 2; i++) {
        struct shape shape = *transits[i];
        size_t length;

        shape.d_mode = true;
        length = build(packet, &shape);
        expect_untouched(packet, length, &rig.counters->not_gist);
        shape.d_mode = false;
        shape.not_gist = true;
        length = build(packet, &shape);
        expect_untouched(packet, length, &rig.counters->not_gist);
        shape.not_gist = false;
        length = build(packet, &shape);
        packet[upper(packet, &protocol) + 6] ^= 1;
        expect_untouched(packet, length, &rig.counters->bad_checksum);
    }
    NS_EQUAL(forwarded_before, rig.counters->forwarded);
}

/* Makes a packet of this protocol from a to b with these bytes in it. Returns its length. */
static size_t wrap(uint8_t *packet, bool v4, uint8_t protocol, const uint8_t *body, size_t length) {
    size_t header = v4 ? 20 : 40;

    if (v4) {
        udp4(packet, transit4.source, 0, transit4.destination, 0, 0);
        ns_put16(packet + 2, (unsigned)(header + length));
        ns_put16(packet + 4, 0x1234);
        packet[9] = protocol;
        ns_checksum_ipv4(packet, header);
    } else {
        udp6(packet, transit6.source, 0, transit6.destination, 0, 0);
        ns_put16(packet + 4, (unsigned)length);
        packet[6] = protocol;
    }
    memcpy(packet + header, body, length);
    return header + length;
}

/* The bytes that a tunnel puts between the outer and the inner header. */
struct tunnel {
    uint8_t protocol; /* 0: the inner packet's protocol, 4 or 41 */
    size_t head_length;
    uint8_t head[24];
    bool transport; /* the inner packet has lost its IP header */
};

/* Makes a Query inside a tunnel. Returns its length; `protocol` gets the outer packet's protocol. */
static size_t tunnelled(uint8_t *packet, const struct tunnel *tunnel, bool v4, bool inner_v4, uint8_t *protocol) {
    struct shape shape = *transits[inner_v4 ? 0 : 1];
    uint8_t query[2048], body[2048], upper_protocol;
    size_t length, from;

    shape.rao = false;
    length = build(query, &shape);
    from = tunnel->transport ? upper(query, &upper_protocol) : 0;
    *protocol = tunnel->protocol != 0 ? tunnel->protocol : inner_v4 ? 4 : 41;
    memcpy(body, tunnel->head, tunnel->head_length);
    if (*protocol == 47)
        ns_put16(body + 2, inner_v4 ? 0x0800 : 0x86dd);
    else if (*protocol == 51)
        body[0] = tunnel->transport ? 17 : inner_v4 ? 4 : 41;
    memcpy(body + tunnel->head_length, query + from, length - from);
    return wrap(packet, v4, *protocol, body, tunnel->head_length + length - from);
}

/* RFC 5971 section 5.3.2.3: a Query in a tunnel does not count as a Query until it leaves the tunnel. */
NS_TEST(a_tunnelled_query_goes_on_untouched) {
    static const struct tunnel tunnels[] = {
        {0, 0, {0}, false},                            /* IP in IP */
        {47, 4, {0}, false},                           /* GRE */
        {50, 8, {0, 0, 0, 1, 0, 0, 0, 1}, false},      /* ESP that hides nothing */
        {51, 24, {[1] = 4, [7] = 1, [11] = 1}, false}, /* AH, tunnel mode */
        {51, 24, {[1] = 4, [7] = 1, [11] = 1}, true},  /* AH, transport mode */
    };
    uint64_t told = rig.counters->forwarded;
    uint8_t packet[4096], got[4096], protocol;

    fresh("10000");
    connect_client();
    for (size_t i = 0; i < 4 * (sizeof tunnels / sizeof tunnels[0]); i++) {
        const struct tunnel *tunnel = &tunnels[i / 4];
        bool v4 = i & 1, inner_v4 = tunnel->transport ? v4 : (i & 2) != 0;
        size_t length = tunnelled(packet, tunnel, v4, inner_v4, &protocol);

        inject(&rig.a, packet, length);
        forwarded(packet);
        NS_EQUAL(length, seen(&rig.b, protocol, got, sizeof got, WAIT_MSEC));
        NS_EQUAL(0, memcmp(packet, got, length));
    }
    NS_EQUAL(0, rig.counters->held);
    NS_EQUAL(told, rig.counters->forwarded);
}

NS_TEST(a_query_to_this_host_is_told_as_local) {
    static const struct shape to[] = {{"10.9.1.2", "10.9.2.1", 40000, true, false, false, 20},
                                      {"fd00:9:1::2", "fd00:9:2::1", 40000, true, false, false, 20}};
    uint64_t again = rig.counters->second_look;
    uint8_t packet[4096];

    fresh("10000");
    connect_client();
    for (unsigned i = 0; i < 2; i++) {
        inject(&rig.a, packet, build(packet, &to[i]));
        expect_packet(&frame, &to[i]);
        NS_EQUAL(2, frame.body[15] & 6);
        say_verdict(frame.body, 0, NULL, 0); /* it goes on to our own socket, and gist does not get it twice */
        WAIT_FOR(rig.counters->second_look == again + 1 + i);
    }
}

/* --- nothing is lost --- */

static void pass_some(volatile uint64_t *reason, int count) {
    uint8_t packet[4096];
    uint64_t before = *reason;

    for (int i = 0; i < count; i++) {
        size_t length = build(packet, transits[i % 2]);

        inject(&rig.a, packet, length);
        expect_at_b(packet, length);
    }
    NS_EQUAL(before + (unsigned)count, *reason);
}

NS_TEST(without_a_client_all_goes_on) {
    fresh("10000");
    pass_some(&rig.counters->no_client, 20);
    rig.client = connect_as(GIST_UID); /* but never says hello */
    pass_some(&rig.counters->no_client, 20);
}

NS_TEST(without_a_verdict_all_goes_on) {
    fresh("50");
    connect_client();
    pass_some(&rig.counters->timed_out, 20);
}

NS_TEST(a_client_that_leaves_holds_nothing_up) {
    uint8_t packet[4096], second[4096];
    size_t length;
    int old;

    fresh("10000");
    for (int i = 0; i < 2; i++) {
        connect_client();
        length = build(packet, transits[i]);
        inject(&rig.a, packet, length);
        expect_packet(&frame, transits[i]);
        leave();
        expect_at_b(packet, length);
    }
    connect_client();
    length = build(second, &transit4);
    inject(&rig.a, second, length);
    expect_packet(&frame, &transit4);
    old = rig.client;
    connect_client(); /* the newest one is served */
    expect_at_b(second, length);
    while (read(old, packet, sizeof packet) > 0)
        continue;
    close(old);
}

NS_TEST(a_client_that_does_not_read_holds_up_no_more_than_its_share) {
    uint8_t packet[4096], got[4096];
    struct shape shape = transit4;
    unsigned arrived = 0;
    size_t length;

    fresh("300");
    connect_client();
    shape.data = 1300;
    length = build(packet, &shape);
    for (int i = 0; i < 1500; i++) { /* 2 MB; its buffers take about half */
        inject(&rig.a, packet, length);
        while (seen(&rig.b, 17, got, sizeof got, 0) == length)
            arrived++;
    }
    while (arrived < 1500 && seen(&rig.b, 17, got, sizeof got, WAIT_MSEC) == length)
        arrived++;
    NS_EQUAL(1500, arrived);
    NS_CHECK(rig.counters->over_share > 0); /* all packets of one source */
}

NS_TEST(sigterm_lets_go_what_is_held) {
    uint8_t packet[4096];
    size_t length;

    fresh("10000");
    connect_client();
    for (int i = 0; i < 2; i++) {
        length = build(packet, transits[i]);
        inject(&rig.a, packet, length);
        expect_packet(&frame, transits[i]);
        NS_EQUAL(0, end_sigio(SIGTERM));
        expect_at_b(packet, length);
        leave();
        length = build(packet, transits[i]); /* without sigio all packets bypass */
        inject(&rig.a, packet, length);
        expect_at_b(packet, length);
        start_sigio("10000");
        connect_client();
    }
}

/* --- the sockets --- */

NS_TEST(datagrams_to_this_host_come_up) {
    static const struct shape to[] = {{"10.9.1.2", "10.9.1.1", 270, false, false, true, 30},
                                      {"fd00:9:1::2", "fd00:9:1::1", 270, false, false, true, 30}};
    uint8_t packet[4096];

    fresh("10000");
    connect_client();
    for (int i = 0; i < 2; i++) {
        struct shape other = to[i];

        other.not_gist = true;
        inject(&rig.a, packet, build(packet, &other));
        inject(&rig.a, packet, build(packet, &to[i]));
        NS_CHECK(next_frame(&frame, 2));
        NS_EQUAL(64 + 42, frame.length);
        NS_EQUAL(0, u32(frame.body));
        NS_EQUAL(0, u32(frame.body + 4));
        NS_EQUAL(if_nametoindex("r0"), u32(frame.body + 8));
        NS_EQUAL(57, frame.body[13]);
        NS_EQUAL(i == 0 ? 0xb8 : 2, frame.body[14]);
        NS_EQUAL(6, frame.body[15]);
        NS_EQUAL(1500, u16(frame.body + 18));
        NS_EQUAL(270, u16(frame.body + 20));
        NS_EQUAL(270, u16(frame.body + 22));
        NS_EQUAL(i == 0 ? 0 : 0xabcde, u32(frame.body + 24));
        NS_EQUAL(0, memcmp(packet + (i == 0 ? 12 : 8), frame.body + 32, i == 0 ? 4 : 16));
        NS_EQUAL(0, memcmp(packet + (i == 0 ? 16 : 24), frame.body + 48, i == 0 ? 4 : 16));
        fill(packet, &to[i]);
        NS_EQUAL(0, memcmp(packet, frame.body + 64, 42));
    }
}

static size_t endpoints(uint8_t *body, uint8_t token, const char *source, const char *destination, const char *fields) {
    memset(body, 0, 64);
    body[7] = token;
    body[12] = strchr(destination, ':') == NULL ? 4 : 6;
    memcpy(body + 13, fields, 3); /* TTL, class, flags */
    ns_put16(body + 16, 0xffdf);
    ns_put16(body + 22, 270);
    if (source != NULL)
        address_of(body + 32, source);
    address_of(body + 48, destination);
    return 64;
}

static void send_from(const char *source, const char *destination, uint8_t flags, size_t length) {
    uint8_t body[4096];
    const char fields[3] = {33, 0x24, (char)flags};
    size_t at = endpoints(body, 9, source, destination, fields);
    struct shape shape = {.data = length - 12};

    ns_put32(body + 24, 0x12345);
    fill(body + at, &shape);
    put_frame(4, body, at + length);
}

static void expect_on_the_wire(const char *source, const char *destination, bool rao, size_t payload) {
    bool v4 = strchr(destination, ':') == NULL;
    uint8_t got[4096], address[16], protocol;
    size_t length = seen(&rig.b, 17, got, sizeof got, WAIT_MSEC), udp = upper(got, &protocol);

    NS_EQUAL((v4 ? 20 : 40) + (rao ? v4 ? 4 : 8 : 0), udp);
    NS_EQUAL(udp + 8 + payload, length);
    NS_CHECK(udp_right(got, length));
    NS_EQUAL(270, u16(got + udp));
    address_of(address, source);
    NS_EQUAL(0, memcmp(address, got + (v4 ? 12 : 8), v4 ? 4 : 16));
    address_of(address, destination);
    NS_EQUAL(0, memcmp(address, got + (v4 ? 16 : 24), v4 ? 4 : 16));
    if (v4) {
        NS_EQUAL(0x24, got[1]);
        NS_EQUAL(0x40, got[6]); /* DF */
        NS_EQUAL(33, got[8]);
        NS_CHECK(!rao || memcmp(got + 20, "\x94\x04\xff\xdf", 4) == 0);
    } else {
        NS_EQUAL(0x62412345, u32(got));
        NS_EQUAL(33, got[7]);
        NS_CHECK(!rao || memcmp(got + 40, "\x11\x00\x05\x02\xff\xdf\x01\x00", 8) == 0);
    }
}

NS_TEST(datagrams_leave_as_they_were_told_to) {
    static const char *const cases[][3] = {
        {"10.9.1.2", "10.9.2.2", "10.9.1.2"},
        {"192.0.2.77", "10.9.2.2", "192.0.2.77"},
        {NULL, "10.9.2.2", "10.9.2.1"},
        {"10.9.1.1", "10.9.2.2", "10.9.1.1"},
        {"fd00:9:1::2", "fd00:9:2::2", "fd00:9:1::2"},
        {"2001:db8::77", "fd00:9:2::2", "2001:db8::77"},
        {NULL, "fd00:9:2::2", "fd00:9:2::1"},
        {"fd00:9:1::1", "fd00:9:2::2", "fd00:9:1::1"},
    };

    fresh("10000");
    connect_client();
    for (unsigned i = 0; i < 16; i++) {
        const char *const *c = cases[i / 2];

        send_from(c[0], c[1], i & 1, 100 + i);
        expect_on_the_wire(c[2], c[1], i & 1, 100 + i);
    }
}

static void expect_failed(uint32_t error, uint32_t mtu) {
    NS_CHECK(next_frame(&frame, 5));
    NS_EQUAL(16, frame.length);
    NS_EQUAL(9, frame.body[7]);
    NS_EQUAL(error, u32(frame.body + 8));
    NS_EQUAL(mtu, u32(frame.body + 12));
}

NS_TEST(what_cannot_leave_comes_back) {
    uint64_t before;

    fresh("10000");
    connect_client();
    before = rig.counters->send_failed;
    send_from(NULL, "10.9.2.2", 0, 1500 - 27);
    expect_failed(EMSGSIZE, 1500);
    send_from("2001:db8::77", "fd00:9:2::2", 1, 1500 - 55);
    expect_failed(EMSGSIZE, 1500);
    send_from(NULL, "203.0.113.1", 0, 100);
    expect_failed(ENETUNREACH, 0);
    send_from(NULL, "2001:db8::1", 0, 100);
    expect_failed(ENETUNREACH, 0);
    NS_EQUAL(before + 4, rig.counters->send_failed);
}

/* Sends a D-mode message. The caller has written the other fields of the endpoints. */
static void send_d_mode(uint8_t *body, uint16_t source_port, uint16_t destination_port) {
    struct shape shape = {.d_mode = true, .data = 20};

    ns_put16(body + 20, source_port);
    ns_put16(body + 22, destination_port);
    fill(body + 64, &shape);
    put_frame(4, body, 64 + 32);
}

/* Tries datagrams that gist may not send, on anybody's orders. */
NS_TEST(only_gist_leaves_and_with_our_own_source_unless_it_is_a_query) {
    static const char fields[3] = {33, 0, 0}, alert[3] = {33, 0, 1};
    uint64_t refused, sent;
    uint8_t body[128];

    fresh("10000");
    connect_client();
    refused = rig.counters->refused;
    sent = rig.counters->sent;
    endpoints(body, 9, "10.9.2.1", "10.9.2.2", fields);
    send_d_mode(body, 270, 5000); /* an answer */
    endpoints(body, 9, "fd00:9:2::1", "fd00:9:2::2", fields);
    send_d_mode(body, 0, 270);
    WAIT_FOR(rig.counters->sent == sent + 2);

    send_from(NULL, "10.9.2.255", 0, 100);
    expect_failed(EACCES, 0);
    send_from(NULL, "127.0.0.1", 0, 100);
    expect_failed(EACCES, 0);
    send_from(NULL, "ff02::1", 0, 100);
    expect_failed(EACCES, 0);
    endpoints(body, 9, NULL, "10.9.2.2", fields);
    memset(body + 64, 'x', 32);
    put_frame(4, body, 96); /* no magic number */
    expect_failed(EACCES, 0);
    endpoints(body, 9, "10.9.1.2", "10.9.2.2", fields);
    send_d_mode(body, 270, 270); /* with another host's source */
    expect_failed(EACCES, 0);
    endpoints(body, 9, "2001:db8::77", "fd00:9:2::2", fields);
    send_d_mode(body, 0, 53);
    expect_failed(EACCES, 0);
    endpoints(body, 9, NULL, "10.9.2.2", fields);
    send_d_mode(body, 53, 270);
    expect_failed(EACCES, 0);
    endpoints(body, 9, NULL, "10.9.2.2", alert);
    send_d_mode(body, 0, 270);
    expect_failed(EACCES, 0);
    NS_EQUAL(refused + 8, rig.counters->refused);
    NS_EQUAL(sent + 2, rig.counters->sent);
}

NS_TEST(no_more_leave_in_a_second_than_may) {
    uint64_t failed, sent;

    rig.sends = "1";
    fresh("10000");
    rig.sends = NULL;
    connect_client(); /* the connection has used it up */
    failed = rig.counters->send_failed;
    sent = rig.counters->sent;
    for (int i = 0; i < 50; i++)
        send_from(NULL, "10.9.2.2", 0, 32);
    WAIT_FOR(rig.counters->send_failed + rig.counters->sent == failed + sent + 50);
    expect_failed(EAGAIN, 0);
    NS_CHECK(rig.counters->send_failed > failed);
    leave();
}

/* --- ICMP --- */

static void expect_icmp(const char *source, const char *destination, const char *offender, int type, int code) {
    uint8_t address[16], payload[64];
    struct shape shape = {.data = 20};

    NS_CHECK(next_frame(&frame, 6));
    NS_EQUAL(64 + 24 + 32, frame.length);
    NS_EQUAL(strchr(source, ':') == NULL ? 4 : 6, frame.body[12]);
    NS_EQUAL(270, u16(frame.body + 20));
    NS_EQUAL(270, u16(frame.body + 22));
    address_of(address, source);
    NS_EQUAL(0, memcmp(address, frame.body + 32, 16));
    address_of(address, destination);
    NS_EQUAL(0, memcmp(address, frame.body + 48, 16));
    NS_EQUAL(type, frame.body[64]);
    NS_EQUAL(code, frame.body[65]);
    address_of(address, offender);
    NS_EQUAL(0, memcmp(address, frame.body + 72, 16));
    fill(payload, &shape);
    NS_EQUAL(0, memcmp(payload, frame.body + 88, 32));
}

NS_TEST(port_unreachable_is_reported_once_for_ours_and_for_transit) {
    uint64_t before = rig.counters->icmp;
    uint8_t got[4096];

    fresh("10000");
    connect_client();
    for (int rao = 0; rao < 2; rao++) {
        send_from(NULL, "10.9.2.2", (uint8_t)rao, 32);
        expect_icmp("10.9.2.1", "10.9.2.2", "10.9.2.2", 3, 3);
        send_from(NULL, "fd00:9:2::2", (uint8_t)rao, 32);
        expect_icmp("fd00:9:2::1", "fd00:9:2::2", "fd00:9:2::2", 1, 4);
        forget(&rig.a);
        send_from("10.9.1.2", "10.9.2.2", (uint8_t)rao, 32);
        expect_icmp("10.9.1.2", "10.9.2.2", "10.9.2.2", 3, 3);
        NS_CHECK(seen(&rig.a, 1, got, sizeof got, WAIT_MSEC) > 0); /* and has gone on to the source */
        send_from("fd00:9:1::2", "fd00:9:2::2", (uint8_t)rao, 32);
        expect_icmp("fd00:9:1::2", "fd00:9:2::2", "fd00:9:2::2", 1, 4);
        NS_CHECK(seen(&rig.a, 58, got, sizeof got, WAIT_MSEC) > 0);
    }
    NS_EQUAL(before + 8, rig.counters->icmp);
}

NS_TEST(other_errors_come_from_the_error_queue) {
    fresh("10000");
    connect_client();
    send_from(NULL, "10.9.3.1", 0, 32);
    expect_icmp("10.9.2.1", "10.9.3.1", "10.9.3.1", 3, 13);
    send_from(NULL, "fd00:9:3::1", 0, 32);
    expect_icmp("fd00:9:2::1", "fd00:9:3::1", "fd00:9:3::1", 1, 1);
}

/* Has b send an ICMP error about the datagram that it got. `rest` is the word behind the checksum. */
static void complain(uint8_t type, uint8_t code, uint32_t rest) {
    uint8_t quote[4096], packet[128] = {0x45, [5] = 1, [8] = 64, [9] = 1};
    size_t length = seen(&rig.b, 17, quote, sizeof quote, WAIT_MSEC);

    NS_EQUAL(60, length);
    ns_put16(packet + 2, 28 + 60);
    address_of(packet + 12, "10.9.2.2");
    address_of(packet + 16, "10.9.2.1");
    packet[20] = type;
    packet[21] = code;
    packet[22] = packet[23] = 0;
    ns_put32(packet + 24, rest);
    memcpy(packet + 28, quote, 60);
    ns_put16(packet + 22, ns_checksum_finish(ns_checksum_add(0, packet + 20, 8 + 60)));
    inject(&rig.b, packet, 28 + 60);
}

NS_TEST(an_mtu_is_told_where_there_is_one) {
    fresh("10000");
    connect_client();
    send_from(NULL, "10.9.2.2", 0, 32);
    complain(12, 0, 20u << 24); /* the byte at 20 is wrong */
    do
        NS_CHECK(next_frame(&frame, 6));
    while (frame.body[64] != 12); /* b also reports that it has no socket at port 270 */
    NS_EQUAL(0, u32(frame.body + 68));
    forget(&rig.b);
    send_from(NULL, "10.9.2.2", 0, 32);
    complain(3, 4, 1400);
    do
        NS_CHECK(next_frame(&frame, 6));
    while (frame.body[65] != 4);
    NS_EQUAL(1400, u32(frame.body + 68));
}

/* --- the client's socket --- */

NS_TEST(strangers_may_not_connect) {
    uint8_t byte;
    int fd;

    fresh("10000");
    connect_client();
    fd = connect_as(12345);
    NS_EQUAL(0, read(fd, &byte, 1));
    close(fd);
    NS_CHECK(next_frame(&frame, 7)); /* the client is still served */
}

NS_TEST(frames_that_make_no_sense_end_the_connection) {
    static const struct {
        size_t length;
        uint8_t bytes[20];
    } bad[] = {
        {12, {0, 0, 0, 8, 1, 0, 0, 0, 0, 2}}, /* another major */
        {8, {0, 0, 0, 3, 1}},                 /* shorter than a header */
        {8, {0, 1, 0, 65, 4}},                /* 65,601 bytes */
        {8, {0xff, 0xff, 0xff, 0xff, 4}},     /* 4 GiB */
        {10, {0, 0, 0, 6, 1, 0, 0, 0, 0, 1}}, /* half a hello */
        {20, {0, 0, 0, 16, 3}},               /* a verdict before hello */
        {20, {0, 0, 0, 16, 4}},               /* a datagram without endpoints */
    };

    fresh("10000");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int fd = connect_as(GIST_UID);
        struct pollfd hangup = {.fd = fd, .events = 0};

        NS_EQUAL(bad[i].length, write(fd, bad[i].bytes, bad[i].length));
        NS_EQUAL(1, poll(&hangup, 1, WAIT_MSEC));
        close(fd);
    }
    connect_client();
}

NS_TEST(counters_come_every_second) {
    fresh("10000");
    connect_client();
    for (int i = 0; i < 2; i++) {
        NS_CHECK(next_frame(&frame, 7));
        NS_EQUAL(NS_SIGIO_COUNTER_COUNT, u16(frame.body));
        NS_EQUAL(4 + NS_SIGIO_COUNTER_COUNT * 8, frame.length);
        NS_EQUAL(rig.counters->intercepted, u32(frame.body + 8));
    }
}

NS_TEST(it_keeps_one_capability_and_few_calls) {
    char path[64], line[256];
    unsigned long long effective = 0;
    unsigned seccomp = 0;
    FILE *file;

    fresh("10000");
    snprintf(path, sizeof path, "/proc/%d/status", (int)rig.sigio);
    file = fopen(path, "re");
    NS_CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "CapEff:", 7) == 0 || strncmp(line, "CapPrm:", 7) == 0 || strncmp(line, "CapAmb:", 7) == 0)
            effective |= strtoull(line + 7, NULL, 16);
        sscanf(line, "Seccomp: %u", &seccomp);
    }
    fclose(file);
    NS_EQUAL(NS_CAP(CAP_NET_ADMIN), effective);
    NS_EQUAL(2, seccomp); /* a filter */
}

static void open_listener(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    snprintf(address.sun_path, sizeof address.sun_path, "%s/sigio.sock", rig.directory);
    rig.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    need(bind(rig.listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(rig.listener, 4) == 0 &&
             chmod(rig.directory, 0711) == 0 && chmod(address.sun_path, 0666) == 0,
         address.sun_path);
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    if (!ns_test_quiet())
        return 2;
    signal(SIGPIPE, SIG_IGN);
    rig.program = argv[1];
    rig.directory = argv[4];
    rig.client = -1;
    rig.router = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    rig.a = open_wire(argv[2], "a0");
    rig.b = open_wire(argv[3], "b0");
    open_listener();
    need(ns_memfd_create("counters", sizeof *rig.counters, &rig.stats_fd, NULL) == 0, "memfd");
    rig.counters = mmap(NULL, sizeof *rig.counters, PROT_READ, MAP_SHARED, rig.stats_fd, 0);
    NS_RUN(a_query_in_transit_is_held_and_goes_on_unchanged);
    NS_RUN(a_taken_packet_is_gone);
    NS_RUN(another_payload_arrives_with_right_lengths_and_checksums);
    NS_RUN(a_payload_that_does_not_fit_lets_the_original_go);
    NS_RUN(what_is_not_a_query_goes_on_untouched);
    NS_RUN(a_tunnelled_query_goes_on_untouched);
    NS_RUN(a_query_to_this_host_is_told_as_local);
    NS_RUN(without_a_client_all_goes_on);
    NS_RUN(without_a_verdict_all_goes_on);
    NS_RUN(a_client_that_leaves_holds_nothing_up);
    NS_RUN(a_client_that_does_not_read_holds_up_no_more_than_its_share);
    NS_RUN(sigterm_lets_go_what_is_held);
    NS_RUN(datagrams_to_this_host_come_up);
    NS_RUN(datagrams_leave_as_they_were_told_to);
    NS_RUN(what_cannot_leave_comes_back);
    NS_RUN(only_gist_leaves_and_with_our_own_source_unless_it_is_a_query);
    NS_RUN(no_more_leave_in_a_second_than_may);
    NS_RUN(port_unreachable_is_reported_once_for_ours_and_for_transit);
    NS_RUN(other_errors_come_from_the_error_queue);
    NS_RUN(strangers_may_not_connect);
    NS_RUN(frames_that_make_no_sense_end_the_connection);
    NS_RUN(counters_come_every_second);
    NS_RUN(it_keeps_one_capability_and_few_calls);
    NS_RUN(an_mtu_is_told_where_there_is_one); /* last, because this host remembers the MTU */
    leave();
    end_sigio(SIGTERM);
    return ns_test_end();
}
