/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests pktio's side of the AF_XDP plane, with rings that are only arrays: received frames of every length, and the
 * frames that leave.
 */
#include "rig.h"
#include "xdp.h"

#include <sys/socket.h>
#include <unistd.h>

#define FRAMES 64u

struct wire {
    struct rig *rig;
    struct ns_xdp xdp;
    uint32_t cursor[2][8]; /* producer and consumer of each port's four rings */
    uint64_t fill[2][64], completion[2][64];
    struct xdp_desc rx[2][64], transmit[2][64];
};

static const struct ns_steer_meta routes = {
    .forward = {2, NS_STEER_MAGIC, 1500, {2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 0, 1}},
    .back = {1, NS_STEER_MAGIC, 1500, {4, 0, 0, 0, 0, 2}, {4, 0, 0, 0, 0, 1}},
};

static struct ns_xring ring(uint32_t *cursors, void *entries) {
    return (struct ns_xring){.producer = cursors, .consumer = cursors + 1, .entries = entries, .size = 64};
}

static void answer(void *context, const struct ns_answer *answer) {
    ns_xdp_answer(&((struct wire *)context)->xdp, answer);
}

static void flush(void *context) {
    (void)context;
}

/*
 * Opens two ports that are never kicked: fd 0 stands for open. There are no raw sockets, so packets for them are
 * counted as unsent.
 */
static struct wire *wire_open(void) {
    struct wire *wire = calloc(1, sizeof *wire);

    NS_CHECK(wire != NULL);
    wire->rig = rig_open();
    wire->xdp = (struct ns_xdp){.pktio = &wire->rig->p, .ports = 2, .raw4 = -1, .raw6 = -1, .bpfd = -1};
    NS_EQUAL(0, ns_umem_open(&wire->xdp.umem, FRAMES));
    wire->xdp.packet = calloc(FRAMES, sizeof *wire->xdp.packet);
    NS_CHECK(wire->xdp.packet != NULL);
    for (uint8_t i = 0; i < 2; i++)
        wire->xdp.port[i] = (struct ns_port){
            .index = (uint8_t)(i + 1),
            .ifindex = 3u + i,
            .fill = ring(&wire->cursor[i][0], wire->fill[i]),
            .completion = ring(&wire->cursor[i][2], wire->completion[i]),
            .rx = ring(&wire->cursor[i][4], wire->rx[i]),
            .transmit = ring(&wire->cursor[i][6], wire->transmit[i]),
        };
    wire->rig->p.kernel = (struct ns_kernel){wire, answer, NULL, flush};
    return wire;
}

static void wire_close(struct wire *wire) {
    free(wire->xdp.packet);
    ns_umem_close(&wire->xdp.umem);
    rig_close(wire->rig);
    free(wire);
}

/* Has a frame of `length` bytes come in by port 1, and takes it. Returns the frame. */
static uint32_t come(struct wire *wire, const uint8_t *frame, uint32_t length, const struct ns_steer_meta *meta) {
    struct ns_port *port = &wire->xdp.port[0];
    uint32_t at = ns_frames_fill(&wire->xdp.umem.frames, 1);
    uint64_t address = (uint64_t)at * NS_FRAME_SIZE + 256;

    NS_CHECK(at != NS_FRAME_NONE);
    port->filled++;
    memcpy(wire->xdp.umem.area + address - sizeof *meta, meta, sizeof *meta);
    memcpy(wire->xdp.umem.area + address, frame, length);
    wire->rx[0][wire->cursor[0][4]++ & 63] = (struct xdp_desc){.addr = address, .len = length};
    ns_ring_look(&wire->rig->p);
    NS_EQUAL(1, ns_xdp_receive(&wire->xdp, 1000));
    return at;
}

static uint32_t frame4(uint8_t *frame, size_t data) {
    memset(frame, 0x55, NS_XDP_LINK);
    return (uint32_t)(NS_XDP_LINK + udp4(frame + NS_XDP_LINK, "192.0.2.1", 1000, "198.51.100.2", 2000, data));
}

static uint32_t frame6(uint8_t *frame, size_t data) {
    memset(frame, 0x55, NS_XDP_LINK);
    return (uint32_t)(NS_XDP_LINK + udp6(frame + NS_XDP_LINK, "2001:db8::1", 1000, "2001:db8:1::2", 2000, data));
}

/* Returns the packet that port `port` has been given last; NULL if it was not given number `count`. */
static const uint8_t *sent(const struct wire *wire, unsigned port, uint32_t count) {
    const struct ns_port *of = &wire->xdp.port[port - 1];

    if (of->transmit.own != count)
        return NULL;
    return wire->xdp.umem.area + wire->transmit[port - 1][(count - 1) & 63].addr;
}

static void say(struct wire *wire, uint32_t frame, uint32_t verdict, const uint8_t *payload, uint32_t length) {
    struct ns_answer it = {.xdp = true, .id = frame, .verdict = verdict, .payload = payload, .length = length};

    ns_xdp_answer(&wire->xdp, &it);
}

static bool right_checksum(const uint8_t *ip) {
    uint8_t copy[20];

    memcpy(copy, ip, 20);
    ns_checksum_ipv4(copy, 20);
    return memcmp(copy, ip, 20) == 0;
}

NS_TEST(a_passed_packet_leaves_forward) {
    struct wire *wire = wire_open();
    uint8_t frame[2048];
    uint32_t at = come(wire, frame, frame4(frame, 500), &routes);
    const uint8_t *out;

    NS_EQUAL(1, wire->rig->counters.delivered);
    say(wire, at, NF_ACCEPT, NULL, 0);
    out = sent(wire, 2, 1);
    NS_CHECK(out != NULL);
    NS_EQUAL(0, memcmp(out, routes.forward.destination, 6));
    NS_EQUAL(0, memcmp(out + 6, routes.forward.source, 6));
    NS_CHECK(out[12] == 8 && out[13] == 0);
    NS_EQUAL(56, out[NS_XDP_LINK + 8]);
    NS_CHECK(right_checksum(out + NS_XDP_LINK));
    NS_EQUAL(0, memcmp(out + NS_XDP_LINK + 20, frame + NS_XDP_LINK + 20, 508));
    NS_EQUAL(NS_FRAME_TX, wire->xdp.umem.frames.frame[at].place);
    say(wire, at, NF_ACCEPT, NULL, 0); /* the frame is no longer ours to send */
    NS_EQUAL(1, wire->rig->counters.xdp_bad_frame);
    NS_EQUAL(1, wire->xdp.port[1].transmit.own);
    wire_close(wire);
}

NS_TEST(a_turned_packet_leaves_back) {
    struct wire *wire = wire_open();
    uint8_t frame[2048], turned[2048];
    uint32_t at = come(wire, frame, frame6(frame, 100), &routes);
    uint32_t length = (uint32_t)udp6(turned, "2001:db8:1::2", 2000, "2001:db8::1", 1000, 300);
    const uint8_t *out;

    turned[7] = 64;
    say(wire, at, NF_REPEAT, turned, length);
    out = sent(wire, 1, 1);
    NS_CHECK(out != NULL && out[12] == 0x86 && out[13] == 0xdd);
    NS_EQUAL(0, memcmp(out, routes.back.destination, 6));
    NS_EQUAL(63, out[NS_XDP_LINK + 7]);
    NS_EQUAL(length + NS_XDP_LINK, wire->transmit[0][0].len);
    NS_EQUAL(0, memcmp(out + NS_XDP_LINK + 8, turned + 8, length - 8));
    wire_close(wire);
}

/* Source and destination are one address, so swapped and not swapped look the same. */
NS_TEST(a_turned_packet_to_itself_leaves_back) {
    struct wire *wire = wire_open();
    uint8_t frame[2048] = {0}, turned[2048];
    uint32_t length = (uint32_t)udp4(turned, "192.0.2.1", 2000, "192.0.2.1", 1000, 100), at;

    at = come(wire, frame, NS_XDP_LINK + (uint32_t)udp4(frame + NS_XDP_LINK, "192.0.2.1", 1000, "192.0.2.1", 2000, 100),
              &routes);
    say(wire, at, NF_REPEAT, turned, length);
    NS_CHECK(sent(wire, 1, 1) != NULL);
    NS_EQUAL(0, wire->xdp.port[1].transmit.own);
    wire_close(wire);
}

/* Without metadata nobody has checked that the packet's source is where the packet came from. */
NS_TEST(without_metadata_a_packet_is_not_turned) {
    const struct ns_steer_meta none = {{0, 0, 0, {0}, {0}}, {0, 0, 0, {0}, {0}}};
    struct wire *wire = wire_open();
    uint8_t frame[2048], turned[2048];
    uint32_t at = come(wire, frame, frame4(frame, 100), &none);
    uint32_t length = (uint32_t)udp4(turned, "198.51.100.2", 2000, "192.0.2.1", 1000, 100);

    say(wire, at, NF_REPEAT, turned, length);
    NS_EQUAL(1, wire->rig->counters.egress_way);
    NS_EQUAL(1, wire->rig->counters.xdp_unsent); /* the original; there is no raw socket here */
    NS_EQUAL(0, memcmp(wire->xdp.umem.area + wire->xdp.packet[at].at + 12, frame + NS_XDP_LINK + 12, 8));
    NS_EQUAL(0, wire->xdp.port[0].transmit.own + wire->xdp.port[1].transmit.own);
    wire_close(wire);
}

NS_TEST(a_rewritten_packet_is_the_kernels) {
    struct wire *wire = wire_open();
    uint8_t frame[2048], other[2048];
    uint32_t at = come(wire, frame, frame4(frame, 100), &routes);

    say(wire, at, NF_ACCEPT, other, (uint32_t)udp4(other, "192.0.2.1", 1000, "203.0.113.9", 2000, 100));
    NS_EQUAL(1, wire->rig->counters.xdp_unsent); /* there is no raw socket here */
    NS_EQUAL(NS_FRAME_FREE, wire->xdp.umem.frames.frame[at].place);
    NS_CHECK(sent(wire, 1, 0) != NULL && sent(wire, 2, 0) != NULL);
    wire_close(wire);
}

NS_TEST(a_packet_that_has_outgrown_its_route_leaves_as_it_came) {
    struct wire *wire = wire_open();
    uint8_t frame[2048], longer[2048];
    uint32_t length = frame4(frame, 100), at = come(wire, frame, length, &routes);

    say(wire, at, NF_ACCEPT, longer, (uint32_t)udp4(longer, "192.0.2.1", 1000, "198.51.100.2", 2000, 1473));
    NS_EQUAL(1, wire->rig->counters.egress_too_long);
    NS_EQUAL(length, wire->transmit[1][0].len);
    at = come(wire, frame, length, &routes);
    say(wire, at, NF_ACCEPT, longer, (uint32_t)udp4(longer, "192.0.2.1", 1000, "198.51.100.2", 2000, 1472));
    NS_EQUAL(1500 + NS_XDP_LINK, wire->transmit[1][1].len);
    wire_close(wire);
}

NS_TEST(without_a_hop_it_goes_nowhere) {
    struct wire *wire = wire_open();
    uint8_t frame[2048], changed[2048];
    uint32_t at = come(wire, frame, frame4(frame, 100), &routes);
    uint32_t length = (uint32_t)udp4(changed, "192.0.2.1", 1000, "198.51.100.2", 2000, 100);

    changed[8] = 1;
    say(wire, at, NF_ACCEPT, changed, length);
    NS_EQUAL(1, wire->rig->counters.xdp_ttl);
    NS_EQUAL(0, wire->xdp.port[1].transmit.own);
    NS_EQUAL(NS_FRAME_FREE, wire->xdp.umem.frames.frame[at].place);
    wire_close(wire);
}

/* No metadata at all, ports that the metadata cannot mean, and an unknown neighbour. */
NS_TEST(routes_that_lead_nowhere_are_not_taken) {
    const struct ns_steer_meta none = {{0, 0, 0, {0}, {0}}, {0, 0, 0, {0}, {0}}};
    struct ns_steer_meta foreign = routes, nowhere = routes, unknown = routes;
    struct wire *wire = wire_open();
    uint8_t frame[2048];
    uint32_t length = frame4(frame, 100);

    foreign.forward.port = 3;
    nowhere.back.port = 0;
    memset(unknown.forward.destination, 0, 6);
    say(wire, come(wire, frame, length, &none), NF_ACCEPT, NULL, 0);
    say(wire, come(wire, frame, length, &foreign), NF_ACCEPT, NULL, 0);
    say(wire, come(wire, frame, length, &nowhere), NF_ACCEPT, NULL, 0);
    NS_EQUAL(3, wire->rig->counters.xdp_bad_meta);
    say(wire, come(wire, frame, length, &unknown), NF_ACCEPT, NULL, 0);
    NS_EQUAL(3, wire->rig->counters.xdp_bad_meta);
    NS_EQUAL(4, wire->rig->counters.xdp_unsent);
    NS_EQUAL(0, wire->xdp.port[0].transmit.own + wire->xdp.port[1].transmit.own);
    wire_close(wire);
}

NS_TEST(a_dropped_packet_is_gone) {
    struct wire *wire = wire_open();
    uint8_t frame[2048];
    uint32_t at = come(wire, frame, frame4(frame, 100), &routes);

    say(wire, at, NF_DROP, NULL, 0);
    NS_EQUAL(NS_FRAME_FREE, wire->xdp.umem.frames.frame[at].place);
    wire_close(wire);
}

/*
 * Tries every length. Each frame is held for the container or has been answered. The padding of a short frame is not
 * taken for the packet.
 */
static void every_length(uint32_t (*make)(uint8_t *frame, size_t data)) {
    struct wire *wire = wire_open();
    uint8_t frame[2048];
    uint32_t whole = make(frame, 60);

    for (uint32_t length = 0; length <= whole + 20; length++) {
        struct ns_counters before = wire->rig->counters;
        uint32_t at = come(wire, frame, length, &routes);
        enum ns_frame_place place = wire->xdp.umem.frames.frame[at].place;

        if (length < whole) {
            NS_EQUAL(before.delivered, wire->rig->counters.delivered);
            NS_CHECK(place == NS_FRAME_TX || place == NS_FRAME_FREE);
        } else {
            NS_EQUAL(before.delivered + 1, wire->rig->counters.delivered);
            NS_EQUAL(whole - NS_XDP_LINK, wire->xdp.packet[at].length);
            NS_EQUAL(NS_FRAME_HELD, place);
            say(wire, at, NF_DROP, NULL, 0);
        }
        for (unsigned i = 0; i < 2; i++) { /* the kernel sends */
            for (; wire->cursor[i][7] != wire->xdp.port[i].transmit.own; wire->cursor[i][7]++) {
                NS_CHECK(ns_frames_completed(&wire->xdp.umem.frames, (uint8_t)(i + 1),
                                             wire->transmit[i][wire->cursor[i][7] & 63].addr));
            }
        }
        NS_EQUAL(FRAMES, wire->xdp.umem.frames.in[NS_FRAME_FREE]);
    }
    wire_close(wire);
}

NS_TEST(every_truncation_of_ipv4) {
    every_length(frame4);
}

NS_TEST(every_truncation_of_ipv6) {
    every_length(frame6);
}

/*
 * Returns the number of calls for AF_XDP. A call takes a message off the socket that stands in for AF_XDP's, which
 * has two messages at first.
 */
static int calls(int fd) {
    char byte;
    int left = 0;

    while (recv(fd, &byte, 1, MSG_DONTWAIT) == 1)
        left++;
    return 2 - left;
}

static int calls_of_fill(bool zero_copy, uint32_t flags) {
    struct wire *wire = wire_open();
    struct ns_port *port = &wire->xdp.port[0];
    int pair[2], seen;

    NS_EQUAL(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    NS_CHECK(send(pair[1], "a", 1, 0) == 1 && send(pair[1], "b", 1, 0) == 1);
    port->fd = pair[0];
    port->zero_copy = zero_copy;
    port->fill.flags = &flags;
    ns_port_fill(port, &wire->xdp.umem);
    NS_EQUAL(FRAMES, port->filled);
    seen = calls(pair[0]);
    close(pair[0]);
    close(pair[1]);
    wire_close(wire);
    return seen;
}

NS_TEST(a_driver_that_waits_for_frames_is_told) {
    NS_EQUAL(1, calls_of_fill(true, XDP_RING_NEED_WAKEUP));
    NS_EQUAL(0, calls_of_fill(true, 0));
    NS_EQUAL(0, calls_of_fill(false, XDP_RING_NEED_WAKEUP));
}

int main(void) {
    NS_RUN(a_passed_packet_leaves_forward);
    NS_RUN(a_turned_packet_leaves_back);
    NS_RUN(a_turned_packet_to_itself_leaves_back);
    NS_RUN(without_metadata_a_packet_is_not_turned);
    NS_RUN(a_rewritten_packet_is_the_kernels);
    NS_RUN(a_packet_that_has_outgrown_its_route_leaves_as_it_came);
    NS_RUN(without_a_hop_it_goes_nowhere);
    NS_RUN(routes_that_lead_nowhere_are_not_taken);
    NS_RUN(a_dropped_packet_is_gone);
    NS_RUN(a_driver_that_waits_for_frames_is_told);
    NS_RUN(every_truncation_of_ipv4);
    NS_RUN(every_truncation_of_ipv6);
    return ns_test_end();
}
