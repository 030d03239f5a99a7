/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests verdicts for the rest of a flow: requests to bpfd, and refusals. The test holds the other end of bpfd's
 * socket.
 */
#include "ns_log.h"
#include "offload.h"
#include "rig.h"
#include <fcntl.h>
#include <unistd.h>

#define CODE(verdict, seconds) ((uint32_t)(verdict) | NS_VERDICT_OFFLOAD | (uint32_t)(seconds) << NS_VERDICT_SECONDS)

static int bpfd;

static struct rig *open_rig(void) {
    struct rig *rig = rig_open();
    int pair[2];

    NS_EQUAL(0, socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair));
    NS_EQUAL(0, fcntl(pair[0], F_SETFL, O_NONBLOCK));
    bpfd = pair[0];
    rig->p.fastpath_fd = rig->fastpath_fd = pair[1];
    return rig;
}

static void close_rig(struct rig *rig) {
    if (rig->fastpath_fd >= 0)
        close(rig->fastpath_fd);
    close(bpfd);
    rig_close(rig);
}

/* Receives the next request. */
static bool asked(struct ns_offload *request) {
    memset(request, 0xee, sizeof *request);
    return recv(bpfd, request, sizeof *request, MSG_TRUNC) == (ssize_t)sizeof *request;
}

static void address(uint8_t out[16], const char *text) {
    memset(out, 0, 16);
    NS_EQUAL(1, inet_pton(strchr(text, ':') != NULL ? AF_INET6 : AF_INET, text, out));
}

static bool is(const uint8_t *bytes, const char *text) {
    uint8_t wanted[16];

    address(wanted, text);
    return memcmp(bytes, wanted, 16) == 0;
}

/* Returns the packet with this sequence number, as it lies in its slot. */
static uint8_t *packet_of(struct rig *rig, uint32_t seq) {
    return rig_slot(rig, seq) + rig_desc(rig, seq)->offset;
}

static void say_changed(struct rig *rig, uint32_t seq, uint32_t length) {
    rig_say(rig, seq, CODE(NS_VERDICT_CHANGED, 60), rig_desc(rig, seq)->offset, length);
    rig_turn(rig, 2);
}

/* Queues a packet and lets the container see it. Returns its sequence number. */
static uint32_t show(struct rig *rig, uint32_t id, const uint8_t *packet, size_t length) {
    uint32_t seq = (uint32_t)rig->p.produced;

    NS_CHECK(rig_packet(rig, id, false, packet, length, 0));
    rig_turn(rig, 1);
    rig_consume(rig);
    return seq;
}

NS_TEST(the_flow_is_that_of_the_packet_as_it_came) {
    struct rig *rig = open_rig();
    struct ns_offload request;

    for (uint32_t id = 1; id <= 3; id++)
        NS_CHECK(rig_udp(rig, id, 0));
    rig_turn(rig, 1);
    memset(packet_of(rig, 0), 0xff, 100); /* the slot's present content is not used */
    rig_say(rig, 0, CODE(NS_VERDICT_PASS, 1), 0, 0);
    rig_say(rig, 1, CODE(NS_VERDICT_DROP, 65535), 0, 0);
    rig_say(rig, 2, NS_VERDICT_PASS, 0, 0);
    rig_turn(rig, 2);
    NS_CHECK(rig_passed(rig, 1) && rig->fates[2].verdict == NF_DROP && rig_passed(rig, 3));
    NS_CHECK(asked(&request));
    NS_CHECK(request.action == NS_OFFLOAD_PASS && request.seconds == 1 && request.seq == 0 && request.set == 0);
    NS_CHECK(request.family == 4 && request.protocol == 17 && request.dscp == 0xff && request.ttl == 0xff);
    NS_CHECK(is(request.source, "192.0.2.1") && is(request.destination, "198.51.100.2"));
    NS_CHECK(request.source_port == 1000 && request.destination_port == 2000);
    NS_CHECK(asked(&request));
    NS_CHECK(request.action == NS_OFFLOAD_DROP && request.seconds == 65535 && request.seq == 1);
    NS_CHECK(!asked(&request));
    NS_CHECK(rig->counters.offload_requested == 2 && rig->counters.passed == 2 && rig->counters.dropped == 1);
    close_rig(rig);
}

/* Tries codes of 16 bits, with these seconds, and checks the effect of each. */
NS_TEST(every_code_is_one_or_passes_the_packet) {
    static const uint32_t seconds[] = {0, 1, 65535};
    struct rig *rig = open_rig();
    struct ns_offload request;
    uint32_t id = 1, good = 0, bad = 0, requests = 0;

    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t low = 0; low < 0x10000; low += low < 0x40 ? 1 : 0x3b) {
            uint32_t code = low | seconds[i] << NS_VERDICT_SECONDS;
            bool plain = low <= NS_VERDICT_STOLEN && seconds[i] == 0;
            bool offload = low >= 0x10 && low <= 0x12 && seconds[i] != 0;
            uint32_t seq = (uint32_t)rig->p.produced;

            NS_CHECK(rig_udp(rig, id, 0));
            rig_turn(rig, 1);
            rig_consume(rig);
            rig_say(rig, seq, code, rig_desc(rig, seq)->offset, rig_desc(rig, seq)->length);
            rig_turn(rig, 2);
            if (low == NS_VERDICT_STOLEN && plain) {
                rig_say(rig, seq, NS_VERDICT_PASS, 0, 0);
                rig_turn(rig, 2);
            }
            NS_EQUAL(1, rig->fates[id].answered);
            NS_EQUAL((code & 0xf) == NS_VERDICT_DROP && (plain || offload) ? NF_DROP : NF_ACCEPT,
                     rig->fates[id].verdict);
            NS_EQUAL(offload, asked(&request));
            requests += offload;
            good += plain || offload;
            bad += !plain && !offload;
            id++;
        }
    }
    NS_CHECK(good == 4 + 2 * 3 && rig->counters.bad_code == bad && rig->counters.offload_requested == requests);
    NS_EQUAL(0, rig->counters.offload_unfit);
    close_rig(rig);
}

NS_TEST(a_copy_asks_for_nothing) {
    struct rig *rig = open_rig();
    struct ns_offload request;
    uint8_t packet[256];

    NS_CHECK(rig_packet(rig, 1, true, packet, udp4(packet, "192.0.2.1", 1, "192.0.2.2", 2, 100), 0));
    rig_turn(rig, 1);
    rig_say(rig, 0, CODE(NS_VERDICT_PASS, 10), 0, 0);
    rig_turn(rig, 2);
    NS_CHECK(!asked(&request) && rig->counters.bad_code == 1 && rig->counters.offload_requested == 0);
    close_rig(rig);
}

NS_TEST(a_stolen_packet_may_ask_with_its_last_verdict) {
    struct rig *rig = open_rig();
    struct ns_offload request;

    NS_CHECK(rig_udp(rig, 1, 0));
    rig_turn(rig, 1);
    rig_say(rig, 0, NS_VERDICT_STOLEN, 0, 0);
    rig_turn(rig, 2);
    NS_CHECK(!asked(&request));
    rig_say(rig, 0, CODE(NS_VERDICT_PASS, 10), 0, 0);
    rig_say(rig, 0, CODE(NS_VERDICT_PASS, 10), 0, 0); /* no longer outstanding */
    rig_turn(rig, 3);
    NS_CHECK(asked(&request) && !asked(&request));
    NS_CHECK(rig_passed(rig, 1) && rig->counters.stale_verdict == 1);
    close_rig(rig);
}

NS_TEST(a_late_verdict_asks_for_nothing) {
    struct rig *rig = open_rig();
    struct ns_offload request;

    NS_CHECK(rig_udp(rig, 1, 0));
    rig_turn(rig, 1);
    rig_turn(rig, 300 * MS);
    rig_say(rig, 0, CODE(NS_VERDICT_DROP, 10), 0, 0);
    rig_turn(rig, 301 * MS);
    NS_CHECK(!asked(&request) && rig_passed(rig, 1) && rig->counters.stale_verdict == 1);
    close_rig(rig);
}

NS_TEST(a_rewrite_is_the_difference_of_the_headers) {
    struct rig *rig = open_rig();
    struct ns_offload request;
    uint8_t packet[256], *p;
    size_t n = udp4(packet, "192.0.2.1", 1000, "198.51.100.2", 2000, 100);
    uint32_t seq = show(rig, 1, packet, n);

    NS_CHECK(ns_rewrite_add(&rig->p.rewrite, "192.0.2.0/24->203.0.113.0/24"));
    NS_CHECK(ns_rewrite_add(&rig->p.rewrite, "2001:db8::/32->2001:db8::/32"));
    p = packet_of(rig, seq); /* TTL and DSCP; ECN as it came */
    p[1] = 46 << 2;
    p[8] = 40;
    say_changed(rig, seq, (uint32_t)n);
    NS_CHECK(asked(&request));
    NS_CHECK(request.action == NS_OFFLOAD_REWRITE && request.set == (NS_SET_DSCP | NS_SET_TTL));
    NS_CHECK(request.dscp == 46 && request.ttl == 40 && request.seconds == 60);
    NS_CHECK(is(request.new_source, "192.0.2.1") && request.new_destination_port == 2000);

    seq = show(rig, 2, packet, n); /* another destination */
    udp4(packet_of(rig, seq), "192.0.2.1", 1000, "203.0.113.9", 3000, 100);
    say_changed(rig, seq, (uint32_t)n);
    NS_CHECK(asked(&request));
    NS_CHECK(request.set == (NS_SET_ADDRESSES | NS_SET_PORTS) && is(request.destination, "198.51.100.2"));
    NS_CHECK(is(request.new_source, "192.0.2.1") && is(request.new_destination, "203.0.113.9"));
    NS_CHECK(request.new_source_port == 1000 && request.new_destination_port == 3000 && request.ttl == 0xff);

    seq = show(rig, 3, packet, n); /* turned: the request has the TTL that it leaves with */
    udp4(packet_of(rig, seq), "198.51.100.2", 2000, "192.0.2.1", 1000, 100);
    say_changed(rig, seq, (uint32_t)n);
    NS_CHECK(asked(&request));
    NS_CHECK(request.set == (NS_SET_ADDRESSES | NS_SET_PORTS | NS_SET_TTL) && request.ttl == 64);

    seq = show(rig, 4, packet, n); /* nothing changed after all */
    say_changed(rig, seq, (uint32_t)n);
    NS_CHECK(asked(&request) && request.action == NS_OFFLOAD_PASS && request.set == 0);

    n = udp6(packet, "2001:db8::1", 5, "2001:db8::2", 6, 60);
    seq = show(rig, 5, packet, n);
    p = packet_of(rig, seq);
    udp6(p, "2001:db8::1", 5, "2001:db8::3", 6, 60);
    p[0] = 0x60 | 2; /* DSCP 10 = 0b001010: traffic class 0x28 */
    p[1] = 0x80;
    say_changed(rig, seq, (uint32_t)n);
    NS_CHECK(asked(&request));
    NS_CHECK(request.family == 6 && request.set == (NS_SET_ADDRESSES | NS_SET_DSCP) && request.dscp == 10);
    NS_CHECK(is(request.new_destination, "2001:db8::3"));
    NS_CHECK(rig->counters.offload_requested == 5 && rig->counters.offload_unfit == 0);
    close_rig(rig);
}

/*
 * Shows a packet, changes one byte of it and asks for an offload. Returns true if the offload was found unfit and the
 * packet went on.
 */
static bool unfit(struct rig *rig, uint32_t id, const uint8_t *packet, size_t n, size_t at, uint8_t flip) {
    uint64_t before = rig->counters.offload_unfit;
    uint32_t seq = show(rig, id, packet, n);
    struct ns_offload request;

    packet_of(rig, seq)[at] ^= flip;
    say_changed(rig, seq, (uint32_t)n);
    return !asked(&request) && rig->counters.offload_unfit == before + 1 && rig->fates[id].answered == 1 &&
           rig->fates[id].verdict == NF_ACCEPT;
}

NS_TEST(what_the_kernel_cannot_repeat_is_unfit) {
    struct rig *rig = open_rig();
    struct ns_offload request;
    uint8_t packet[1024];
    size_t n = udp4(packet, "192.0.2.1", 1000, "198.51.100.2", 2000, 600);
    uint32_t seq;

    NS_CHECK(unfit(rig, 1, packet, n, 1, 1));    /* ECN */
    NS_CHECK(unfit(rig, 2, packet, n, 5, 1));    /* identification */
    NS_CHECK(unfit(rig, 3, packet, n, 6, 0x40)); /* DF */
    NS_CHECK(unfit(rig, 4, packet, n, 30, 1));   /* data that we have kept */
    NS_CHECK(unfit(rig, 5, packet, n, 26, 1));   /* the checksum itself */
    NS_CHECK(unfit(rig, 6, packet, n, 12, 1));   /* an address that egress refuses */
    seq = show(rig, 7, packet, n);               /* data beyond the kept bytes, and its checksum */
    packet_of(rig, seq)[500] ^= 1;
    ns_checksum_udp(packet_of(rig, seq), packet_of(rig, seq) + 20, n - 20);
    say_changed(rig, seq, (uint32_t)n);
    NS_CHECK(!asked(&request) && rig->counters.offload_unfit == 7);
    seq = show(rig, 8, packet, n); /* shorter */
    udp4(packet_of(rig, seq), "192.0.2.1", 1000, "198.51.100.2", 2000, 500);
    say_changed(rig, seq, (uint32_t)n - 100);
    NS_CHECK(!asked(&request) && rig->counters.offload_unfit == 8 && rig->fates[8].length == n - 100);
    seq = show(rig, 9, packet, n); /* outside its slot */
    say_changed(rig, seq, NS_RING_SLOT_SIZE);
    NS_CHECK(!asked(&request) && rig->counters.offload_unfit == 9 && rig->counters.bad_bounds == 1);

    ns_put16(packet + 6, 0x2000); /* a first fragment */
    ns_checksum_ipv4(packet, 20);
    seq = show(rig, 10, packet, n);
    rig_say(rig, seq, CODE(NS_VERDICT_DROP, 5), 0, 0);
    rig_turn(rig, 2);
    NS_CHECK(!asked(&request) && rig->counters.offload_unfit == 10 && rig->fates[10].verdict == NF_DROP);

    ns_put16(packet + 6, 0);
    packet[9] = 132; /* SCTP: we do not know its checksum. Its flow may pass, but not be rewritten. */
    ns_checksum_ipv4(packet, 20);
    seq = show(rig, 11, packet, n);
    rig_say(rig, seq, CODE(NS_VERDICT_PASS, 5), 0, 0);
    rig_turn(rig, 2);
    NS_CHECK(asked(&request) && request.protocol == 132 && request.destination_port == 2000);
    seq = show(rig, 12, packet, n);
    for (int i = 0; i < 4; i++) { /* turned */
        packet_of(rig, seq)[12 + i] = packet[16 + i];
        packet_of(rig, seq)[16 + i] = packet[12 + i];
        packet_of(rig, seq)[20 + i] = packet[20 + (i ^ 2)];
    }
    say_changed(rig, seq, (uint32_t)n);
    NS_CHECK(!asked(&request) && rig->counters.offload_unfit == 11 && rig->counters.turned == 1);
    close_rig(rig);
}

NS_TEST(without_a_fast_path_packets_go_as_ever) {
    struct rig *rig = open_rig();

    rig->p.fastpath_fd = -1;
    NS_CHECK(rig_udp(rig, 1, 0) && rig_udp(rig, 2, 0) && rig_udp(rig, 3, 0));
    rig_turn(rig, 1);
    rig_say(rig, 0, CODE(NS_VERDICT_DROP, 5), 0, 0);
    rig_turn(rig, 2);
    NS_CHECK(rig->fates[1].verdict == NF_DROP && rig->counters.offload_unavailable == 1);
    rig->p.fastpath_fd = rig->fastpath_fd;
    shutdown(bpfd, SHUT_RDWR); /* bpfd has gone */
    rig_say(rig, 1, CODE(NS_VERDICT_PASS, 5), 0, 0);
    rig_turn(rig, 3);
    NS_CHECK(rig_passed(rig, 2) && rig->counters.offload_unavailable == 2);
    rig_say(rig, 2, NS_VERDICT_PASS, 0, 0);
    rig_turn(rig, 3);
    close_rig(rig);
}

NS_TEST(a_full_socket_does_not_hold_us_up) {
    struct rig *rig = open_rig();
    uint32_t id = 1;

    while (rig->counters.offload_overflow == 0 && id < 60000) {
        uint32_t seq = (uint32_t)rig->p.produced;

        NS_CHECK(rig_udp(rig, id, 0));
        rig_turn(rig, 1);
        rig_consume(rig);
        rig_say(rig, seq, CODE(NS_VERDICT_PASS, 5), 0, 0);
        rig_turn(rig, 2);
        NS_CHECK(rig_passed(rig, id++));
    }
    NS_CHECK(rig->counters.offload_overflow == 1 && rig->counters.offload_requested == id - 2);
    close_rig(rig);
}

int main(void) {
    ns_log_open("offload_test");
    NS_RUN(the_flow_is_that_of_the_packet_as_it_came);
    NS_RUN(every_code_is_one_or_passes_the_packet);
    NS_RUN(a_copy_asks_for_nothing);
    NS_RUN(a_stolen_packet_may_ask_with_its_last_verdict);
    NS_RUN(a_late_verdict_asks_for_nothing);
    NS_RUN(a_rewrite_is_the_difference_of_the_headers);
    NS_RUN(what_the_kernel_cannot_repeat_is_unfit);
    NS_RUN(without_a_fast_path_packets_go_as_ever);
    NS_RUN(a_full_socket_does_not_hold_us_up);
    return ns_test_end();
}
