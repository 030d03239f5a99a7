/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the programs. Each packet runs through them by BPF_PROG_TEST_RUN, with maps filled by bpfd's own code. The
 * script has made the interfaces and routes: in0 and out0. out0 leads to 198.51.100.0/24 and 2001:db8:2::/64 (MTU
 * 1400).
 */
#include "flows.h"
#include "ns_libbpf.h"
#include "ns_test.h"
#include "ns_time.h"
#include "samples.h"
#include "wire.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

static struct ns_bpfd bpfd = {.offload_mark = NS_OFFLOAD_MARK, .turned_mark = 0x400000};
static struct ns_granted *granted;
static struct wire w4 = {4, 17, 64, 0x28, "192.0.2.10", "198.51.100.7", 5000, 53, 40, false};
static struct wire w6 = {6, 6, 64, 0x28, "2001:db8:1::a", "2001:db8:2::7", 5000, 443, 40, false};
static uint8_t in[WIRE_MAX], out[WIRE_MAX];
static size_t length;
static uint32_t mark, gso; /* bytes of data of each packet in the frame, 0 = the frame is one packet */

static void filter(const char *text, struct ns_way_filter *to) {
    char copy[256];
    struct ns_line line;
    const char *why;

    strcpy(copy, text);
    NS_CHECK(ns_line_parse(&line, copy, strlen(copy), false));
    NS_CHECK(ns_way_parse(to, &line, &why));
}

static void filters(unsigned count, const char *const *lines) {
    static struct ns_way_filters list;

    list.count = count;
    for (unsigned i = 0; i < count; i++)
        filter(lines[i], &list.filter[i]);
    ns_flows_filter(&bpfd, &list);
}

/* A container that owns everything, with rewrite rules to the prefixes behind out0. */
static void fresh(bool direct) {
    static const char *const all[] = {"container=c family=4 proto=0 do=queue", "container=c family=6 proto=0 do=queue"};
    static const char names[][NS_INTERFACE_MAX + 1] = {"in0", "out0"};
    int pair[2];

    if (granted != NULL)
        ns_flows_revoke(&bpfd, granted);
    ns_programs_attach(&bpfd.programs, 2, names, NS_XDP_NATIVE, direct);
    NS_EQUAL(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
    close(pair[0]);
    filters(2, all);
    granted = ns_flows_grant(&bpfd, "c", pair[1], -1, -1);
    NS_CHECK(granted != NULL);
    granted->quota = 1024;
    NS_CHECK(ns_rewrite_add(&granted->rewrite, "0.0.0.0/0->198.51.100.0/24"));
    NS_CHECK(ns_rewrite_add(&granted->rewrite, "::/0->2001:db8:2::/64"));
}

static void ask(const struct ns_offload *request) {
    uint64_t taken = granted->taken;

    ns_flows_ask(&bpfd, granted, request, sizeof *request);
    NS_EQUAL(taken + 1, granted->taken);
}

static void pass(const struct wire *w) {
    struct ns_offload r = wire_ask(w, NS_OFFLOAD_PASS);

    ask(&r);
}

/* Makes a frame to the link address of in0, so that it is for us. */
static void make(const struct wire *w) {
    uint32_t index = if_nametoindex("in0");
    struct ns_interface interface;

    length = wire_make(in, w);
    NS_EQUAL(0, bpf_map_lookup_elem(ns_programs_map(&bpfd.programs, "ns_interfaces"), &index, &interface));
    memcpy(in, interface.address, 6);
}

static int run_xdp(void) {
    struct xdp_md context = {.data_end = (uint32_t)length, .ingress_ifindex = if_nametoindex("in0")};
    LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = in, .data_size_in = (uint32_t)length, .data_out = out,
                .data_size_out = sizeof out, .ctx_in = &context, .ctx_size_in = sizeof context);

    NS_EQUAL(0, bpf_prog_test_run_opts(ns_programs_program(&bpfd.programs, "ns_xdp_entry"), &options));
    NS_EQUAL(length, options.data_size_out);
    return (int)options.retval;
}

static int run_tc(void) {
    struct __sk_buff context = {.ifindex = if_nametoindex("in0"), .mark = 0x10, .gso_size = gso}, after = {0};
    LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = in, .data_size_in = (uint32_t)length, .data_out = out,
                .data_size_out = sizeof out, .ctx_in = &context, .ctx_size_in = sizeof context, .ctx_out = &after,
                .ctx_size_out = sizeof after);

    NS_EQUAL(0, bpf_prog_test_run_opts(ns_programs_program(&bpfd.programs, "ns_tc_entry"), &options));
    NS_EQUAL(length, options.data_size_out);
    NS_EQUAL(0x10, after.mark & 0x10);
    mark = after.mark & ~0x10u;
    return (int)options.retval;
}

static bool untouched(void) {
    return memcmp(in, out, length) == 0;
}

static struct ns_ring_record *record(unsigned i) {
    return &granted->records[i];
}

static const uint8_t *ttl_of(const uint8_t *frame, const struct wire *w) {
    return frame + WIRE_L3 + (w->family == 4 ? 8 : 7);
}

NS_TEST(what_nobody_offloaded_passes_untouched) {
    fresh(true);
    for (int i = 0; i < 2; i++) {
        make(i == 0 ? &w4 : &w6);
        NS_EQUAL(XDP_PASS, run_xdp());
        NS_CHECK(untouched());
    }
}

NS_TEST(a_passed_flow_is_forwarded_with_ttl_less_one) {
    fresh(true);
    for (int i = 0; i < 2; i++) {
        const struct wire *w = i == 0 ? &w4 : &w6;

        pass(w);
        make(w);
        NS_EQUAL(XDP_REDIRECT, run_xdp());
        NS_CHECK(wire_right(out));
        NS_EQUAL(63, *ttl_of(out, w));
        NS_CHECK(memcmp(out, "\x02\0\0\0\xaa\x01", 6) == 0); /* the neighbour behind out0 */
        NS_EQUAL(1, record((unsigned)i)->packets);
        NS_EQUAL(length - WIRE_L3, record((unsigned)i)->bytes);
        NS_EQUAL(NS_RECORD_OFFLOADED, record((unsigned)i)->state);
        NS_EQUAL(7, record((unsigned)i)->seq);
        NS_EQUAL(0, record((unsigned)i)->version % 2);
    }
}

NS_TEST(a_dropped_flow_is_dropped) {
    struct ns_offload r = wire_ask(&w4, NS_OFFLOAD_DROP);

    fresh(true);
    ask(&r);
    make(&w4);
    NS_EQUAL(XDP_DROP, run_xdp());
    NS_EQUAL(1, record(0)->packets);
    fresh(false);
    ask(&r);
    NS_EQUAL(TC_ACT_SHOT, run_tc());
}

/*
 * Rewrites random flows, addresses, ports, DSCP and TTL, of both families and protocols, at odd lengths. Every
 * checksum is computed anew.
 */
static void rewrites(bool direct) {
    for (unsigned i = 0; i < 400; i++) {
        struct wire w = i % 2 == 0 ? w4 : w6;
        struct ns_offload r;
        char source[48], destination[48];

        w.protocol = i / 2 % 2 == 0 ? 17 : 6;
        w.payload = (uint32_t)rand() % 300;
        w.source_port = (uint16_t)rand();
        w.destination_port = (uint16_t)rand();
        w.tos = (uint8_t)rand();
        w.ttl = (uint8_t)(3 + rand() % 250);
        w.no_checksum = w.family == 4 && w.protocol == 17 && i % 5 == 0;
        snprintf(source, sizeof source, w.family == 4 ? "10.%u.2.3" : "2001:db8:%x::1", rand() % 256);
        snprintf(destination, sizeof destination, w.family == 4 ? "198.51.100.%u" : "2001:db8:2::%x", 7 + rand() % 2);
        r = wire_ask(&w, NS_OFFLOAD_REWRITE);
        wire_become(&r, source, destination, (uint16_t)rand(), (uint16_t)rand());
        r.set |= NS_SET_DSCP | NS_SET_TTL;
        r.dscp = (uint8_t)(rand() % 64);
        r.ttl = (uint8_t)(3 + rand() % 250);
        ask(&r);
        make(&w);
        if (direct)
            NS_EQUAL(XDP_REDIRECT, run_xdp());
        else
            NS_EQUAL(-1, run_tc());
        NS_CHECK(wire_right(out));
        {
            struct ns_ip ip;
            uint8_t tos = w.family == 4 ? out[WIRE_L3 + 1] : (uint8_t)(out[WIRE_L3] << 4 | out[WIRE_L3 + 1] >> 4);
            uint8_t ttl = r.ttl < w.ttl ? r.ttl : w.ttl;

            NS_EQUAL(NS_IP_OK, ns_ip_parse(&ip, out + WIRE_L3, length - WIRE_L3, length - WIRE_L3));
            NS_CHECK(memcmp(ip.source, r.new_source, 16) == 0 && memcmp(ip.destination, r.new_destination, 16) == 0);
            NS_EQUAL(r.new_source_port, ip.source_port);
            NS_EQUAL(r.new_destination_port, ip.destination_port);
            NS_EQUAL(r.dscp << 2 | (w.tos & 3), tos);
            NS_EQUAL(direct ? ttl - 1 : ttl, ip.hop_limit);
            if (w.no_checksum)
                NS_EQUAL(0, wire_get16(out + WIRE_L3 + 26));
            if (w.family == 6) /* a router leaves the flow label alone, and no checksum covers it */
                NS_CHECK((out[WIRE_L3 + 1] & 15) == 0xa && wire_get16(out + WIRE_L3 + 2) == 0x5c31);
        }
        if (!direct)
            NS_EQUAL(NS_OFFLOAD_MARK, mark);
    }
}

NS_TEST(rewrites_have_right_checksums_in_xdp) {
    fresh(true);
    rewrites(true);
}

NS_TEST(rewrites_have_right_checksums_in_tc) {
    fresh(false);
    rewrites(false);
}

/* Returns the source port with which the checksum comes out as zero: the checksum with source port 0. */
static uint16_t port_of_zero(const struct wire *w, const struct ns_offload *r) {
    size_t at = w->family == 4 ? 12 : 8, size = w->family == 4 ? 4 : 16;
    uint8_t frame[WIRE_MAX], *l3 = frame + WIRE_L3, *upper = l3 + at + 2 * size;

    memcpy(frame, in, length);
    memcpy(l3 + at, r->new_source, size);
    memcpy(l3 + at + size, r->new_destination, size);
    wire_put16(upper, 0);
    wire_put16(upper + 2, r->new_destination_port);
    wire_put16(upper + (w->protocol == 6 ? 16 : 6), 0);
    return wire_sum(l3);
}

/* One's complement has two zeros. UDP's 0 means that there is no checksum, so the other zero is written. */
NS_TEST(a_checksum_that_comes_out_as_zero_is_written_as_ones) {
    for (unsigned i = 0; i < 8; i++) {
        struct wire w = i % 2 == 0 ? w4 : w6;
        struct ns_offload r;

        w.protocol = i / 2 % 2 == 0 ? 17 : 6;
        fresh(i < 4);
        make(&w);
        r = wire_ask(&w, NS_OFFLOAD_REWRITE);
        wire_become(&r, w.family == 4 ? "10.1.2.3" : "2001:db8:9::1", w.family == 4 ? "198.51.100.8" : "2001:db8:2::8",
                    1, 2);
        r.new_source_port = port_of_zero(&w, &r);
        ask(&r);
        if (i < 4)
            NS_EQUAL(XDP_REDIRECT, run_xdp());
        else
            NS_EQUAL(-1, run_tc());
        NS_CHECK(wire_right(out));
        if (w.protocol == 17)
            NS_EQUAL(0xffff, wire_get16(out + WIRE_L3 + (w.family == 4 ? 26 : 46)));
    }
}

NS_TEST(a_turned_flow_begins_its_way_anew) {
    struct wire w = w4;
    struct ns_offload r;

    w.ttl = 3;
    r = wire_ask(&w, NS_OFFLOAD_REWRITE);
    wire_become(&r, w.destination, w.source, w.destination_port, w.source_port);
    fresh(false);
    ask(&r);
    make(&w);
    NS_EQUAL(-1, run_tc());
    NS_CHECK(wire_right(out));
    NS_EQUAL(64, *ttl_of(out, &w));
    NS_EQUAL(0x400000, mark);
}

static void turn(const struct wire *w) {
    struct ns_offload r = wire_ask(w, NS_OFFLOAD_REWRITE);

    wire_become(&r, w->destination, w->source, w->destination_port, w->source_port);
    ask(&r);
}

/* A turned flow goes past the stack only if our rules would accept it without asking the operator's. */
NS_TEST(a_turned_flow_leaves_by_the_interface_it_came_in_by) {
    fresh(true);
    for (int i = 0; i < 2; i++) {
        struct wire w = i == 0 ? w4 : w6;

        turn(&w);
        make(&w);
        NS_EQUAL(XDP_REDIRECT, run_xdp());
        NS_CHECK(wire_right(out));
        NS_CHECK(memcmp(out, "\x02\0\0\0\xbb\x01", 6) == 0); /* the neighbour behind in0 */
        NS_EQUAL(63, *ttl_of(out, &w));
        w.source = i == 0 ? "198.51.100.8" : "2001:db8:2::8"; /* a host behind out0 */
        turn(&w);
        make(&w);
        NS_EQUAL(XDP_PASS, run_xdp());
        NS_CHECK(untouched());
        w.source = i == 0 ? "192.0.2.1" : "2001:db8:1::1"; /* our own address */
        turn(&w);
        make(&w);
        NS_EQUAL(XDP_PASS, run_xdp());
        NS_CHECK(untouched());
    }
}

/* The stack checks the reverse path as its settings demand. */
NS_TEST(a_flow_from_elsewhere_goes_the_long_way) {
    fresh(true);
    for (int i = 0; i < 2; i++) {
        struct wire w = i == 0 ? w4 : w6;

        w.source = i == 0 ? "198.51.100.8" : "2001:db8:2::8";
        pass(&w);
        make(&w);
        NS_EQUAL(XDP_PASS, run_xdp());
        NS_CHECK(untouched());
    }
}

/* The way back is looked up again at least once in 1.1 s. */
NS_TEST(a_flow_whose_way_back_moves_goes_the_long_way) {
    fresh(true);
    pass(&w4);
    make(&w4);
    NS_EQUAL(XDP_REDIRECT, run_xdp());
    NS_EQUAL(0, system("ip route add 192.0.2.10/32 dev out0"));
    usleep(1200000);
    NS_EQUAL(XDP_PASS, run_xdp());
    NS_CHECK(untouched());
    NS_EQUAL(0, system("ip route del 192.0.2.10/32 dev out0"));
    NS_EQUAL(XDP_REDIRECT, run_xdp());
}

/* A wrong checksum stays wrong: a packet is not repaired by passing through. */
NS_TEST(a_wrong_checksum_stays_wrong) {
    struct ns_offload r = wire_ask(&w4, NS_OFFLOAD_REWRITE);

    wire_become(&r, "10.1.2.3", "198.51.100.7", 1, 2);
    fresh(true);
    ask(&r);
    make(&w4);
    in[length - 1] ^= 0x55;
    NS_EQUAL(XDP_REDIRECT, run_xdp());
    NS_CHECK(!wire_right(out));
}

static void expect_long_way(bool direct) {
    if (direct)
        NS_EQUAL(XDP_PASS, run_xdp());
    else
        NS_EQUAL(-1, run_tc());
    NS_CHECK(untouched());
    if (!direct)
        NS_EQUAL(0, mark);
}

NS_TEST(what_is_not_plain_goes_the_long_way) {
    for (int direct = 0; direct < 2; direct++) {
        fresh(direct != 0);
        pass(&w4);
        pass(&w6);
        make(&w4);
        in[WIRE_L3 + 6] = 0x20; /* more fragments */
        expect_long_way(direct);
        make(&w4);
        in[WIRE_L3 + 7] = 1; /* a later fragment */
        expect_long_way(direct);
        make(&w4);
        in[WIRE_L3] = 0x46; /* an option */
        expect_long_way(direct);
        make(&w4);
        in[WIRE_L3] = 0x44; /* a header shorter than a header */
        expect_long_way(direct);
        make(&w4);
        wire_put16(in + WIRE_L3 + 2, 19);
        expect_long_way(direct);
        make(&w6);
        in[WIRE_L3 + 6] = 44; /* a fragment header */
        expect_long_way(direct);
        make(&w6);
        wire_put16(in + WIRE_L3 + 4, 0); /* a jumbogram */
        expect_long_way(direct);
        make(&w4);
        memmove(in + 18, in + 14, length - 14); /* a VLAN's tag */
        memcpy(in + 12, "\x81\0\0\x05\x08", 6);
        length += 4;
        if (direct)
            expect_long_way(true);
        make(&w4);
        wire_put16(in + 12, 0x0806);
        expect_long_way(direct);
    }
}

NS_TEST(a_packet_cut_at_any_length_goes_the_long_way) {
    for (int i = 0; i < 4; i++) {
        struct wire w = i % 2 == 0 ? w4 : w6;

        w.protocol = i / 2 == 0 ? 6 : 17;
        fresh(true);
        pass(&w);
        make(&w);
        for (size_t whole = length; --length >= WIRE_L3;) {
            NS_EQUAL(XDP_PASS, run_xdp());
            NS_CHECK(untouched());
            NS_CHECK(length < whole);
        }
        fresh(false);
        pass(&w);
        make(&w);
        for (length--; length >= WIRE_L3 + (w.family == 4 ? 20 : 40); length--) /* the kernel makes no shorter ones */
            expect_long_way(false);
    }
}

NS_TEST(the_stack_gets_what_cannot_be_forwarded) {
    static const char *const ways[] = {"203.0.113.9", "198.51.100.9" /* no neighbour */, "192.0.2.1" /* our own */};
    struct wire w = w4;

    fresh(true);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        w.destination = ways[i];
        pass(&w);
        make(&w);
        expect_long_way(true);
    }
    w = w4;
    w.ttl = 1;
    pass(&w);
    make(&w);
    expect_long_way(true);
    w = w4;
    w.payload = 1390; /* longer than the MTU of its way */
    make(&w);
    expect_long_way(true);
    make(&w4);
    in[0] ^= 4; /* sent to another station */
    expect_long_way(true);
    make(&w4);
    NS_EQUAL(XDP_REDIRECT, run_xdp());
}

/* The interface's driver, or a veth's peer, need not accept packets that XDP redirects to it. */
NS_TEST(an_interface_without_our_entry_is_not_left_by) {
    static const char in_alone[][NS_INTERFACE_MAX + 1] = {"in0"};
    int interfaces = ns_programs_map(&bpfd.programs, "ns_interfaces");
    uint32_t out0 = if_nametoindex("out0");
    struct ns_interface interface;

    fresh(true);
    pass(&w4);
    make(&w4);
    NS_EQUAL(XDP_REDIRECT, run_xdp());
    NS_EQUAL(0, bpf_map_lookup_elem(interfaces, &out0, &interface));
    NS_EQUAL(1, interface.native);
    interface.native = 0; /* as if out0's driver had no XDP, and in0's had */
    NS_EQUAL(0, bpf_map_update_elem(interfaces, &out0, &interface, BPF_ANY));
    expect_long_way(true);
    ns_programs_attach(&bpfd.programs, 1, in_alone, NS_XDP_NATIVE, true);
    expect_long_way(true);
}

/* Changes the end of the flow in the map. */
static void end_in_map(void) {
    int map = ns_programs_map(&bpfd.programs, "ns_flows4");
    struct ns_key4 key;
    struct ns_flow flow;

    NS_EQUAL(0, bpf_map_get_next_key(map, NULL, &key));
    NS_EQUAL(0, bpf_map_lookup_elem(map, &key, &flow));
    flow.expires = ns_now_ns() - 100000000; /* the programs read a clock that ticks */
    NS_EQUAL(0, bpf_map_update_elem(map, &key, &flow, BPF_EXIST));
}

/* The programs see the end themselves, before bpfd does. */
NS_TEST(a_flow_ends_with_its_time) {
    fresh(true);
    pass(&w4);
    make(&w4);
    end_in_map();
    expect_long_way(true);
    granted->flow[0].expires = ns_now_ns() - 1;
    ns_flows_sweep(&bpfd);
    NS_EQUAL(NS_RECORD_ENDED_TIME, record(0)->state);
    NS_EQUAL(0, granted->used);
    NS_EQUAL(1, granted->ended_time);
}

/*
 * Waits until the machine is up for so long. The clock begins with the machine, and a guest may have been up for less
 * than the idle time.
 */
static void be_up_for(uint64_t nsec) {
    while (ns_now_ns() < nsec)
        usleep(100000);
}

NS_TEST(a_flow_ends_when_it_is_idle) {
    be_up_for((NS_FLOW_IDLE_SECONDS * 2 + 1) * 1000000000ull);
    fresh(true);
    pass(&w4);
    make(&w4);
    record(0)->last_usec -= NS_FLOW_IDLE_SECONDS * 1000000ull - 2000000;
    NS_EQUAL(XDP_REDIRECT, run_xdp());
    record(0)->last_usec -= NS_FLOW_IDLE_SECONDS * 1000000ull + 1;
    expect_long_way(true);
    ns_flows_sweep(&bpfd);
    NS_EQUAL(NS_RECORD_ENDED_IDLE, record(0)->state);
    NS_EQUAL(1, granted->packets);
}

NS_TEST(a_flow_ends_with_its_filter_and_with_its_container) {
    static const char *const other[] = {"container=d family=4 proto=17 do=queue",
                                        "container=c family=4 proto=0 do=queue"};

    fresh(true);
    pass(&w4);
    make(&w4);
    filters(2, other);
    expect_long_way(true);
    NS_EQUAL(NS_RECORD_ENDED_REVOKED, record(0)->state);
    fresh(true);
    pass(&w4);
    NS_EQUAL(XDP_REDIRECT, run_xdp());
    ns_flows_revoke(&bpfd, granted);
    granted = NULL;
    expect_long_way(true);
}

NS_TEST(the_quota_holds_and_a_flow_asked_for_again_is_the_same) {
    struct wire w = w4;

    fresh(true);
    granted->quota = 2;
    for (unsigned i = 0; i < 6; i++) {
        struct ns_offload r;

        w.source_port = (uint16_t)(5000 + i % 3);
        r = wire_ask(&w, NS_OFFLOAD_PASS);
        ns_flows_ask(&bpfd, granted, &r, sizeof r);
    }
    NS_EQUAL(2, granted->used);
    NS_EQUAL(4, granted->taken);
    NS_EQUAL(2, granted->refused[NS_REFUSED_quota]);
}

static const struct ns_ring_record *counted(uint8_t family, uint16_t port) {
    for (unsigned i = NS_RING_RECORD_FLOWS; i < NS_RECORDS; i++) {
        if (record(i)->state == NS_RECORD_COUNTED && record(i)->family == family && record(i)->destination_port == port)
            return record(i);
    }
    return NULL;
}

NS_TEST(packets_are_counted_by_the_key_of_their_filter) {
    static const char *const lines[] = {"container=c family=4 proto=17 dport=50-60 do=count count=src,dport",
                                        "container=c family=4 proto=0 do=count count=src",
                                        "container=c family=6 proto=6 dst=2001:db8:2::/64 do=count count=dport,ttl"};
    const struct ns_ring_record *found;
    struct wire w = w4;

    fresh(false);
    filters(3, lines);
    for (unsigned i = 0; i < 12; i++) {
        w.destination_port = (uint16_t)(53 + i % 3);
        w.source_port = (uint16_t)(1000 + i);
        make(&w);
        NS_EQUAL(-1, run_tc());
        NS_CHECK(untouched());
    }
    for (uint16_t port = 53; port < 56; port++) {
        found = counted(4, port);
        NS_CHECK(found != NULL);
        NS_EQUAL(4, found->packets);
        NS_EQUAL(4 * (length - WIRE_L3), found->bytes);
        NS_EQUAL(0, found->source_port);
        NS_EQUAL(192, found->source[0]);
        NS_EQUAL(0, found->destination[0]);
        NS_EQUAL(0, found->protocol);
    }
    NS_CHECK(counted(4, 0) == NULL); /* only the first filter that matches */
    w.protocol = 6;
    make(&w);
    run_tc();
    NS_EQUAL(1, counted(4, 0)->packets);
    make(&w6);
    run_tc();
    NS_EQUAL(1, counted(6, 443)->packets);
    NS_EQUAL(64, counted(6, 443)->ttl);
    w6.destination = "2001:db8:3::1";
    make(&w6);
    run_tc();
    NS_EQUAL(1, counted(6, 443)->packets);
    w6.destination = "2001:db8:2::7";
}

NS_TEST(what_finds_no_record_is_counted_as_other) {
    static const char *const lines[] = {"container=c family=4 proto=0 do=count count=sport"};
    uint32_t slot, used = NS_RING_RECORD_COUNTS - 3;
    struct wire w = w4;

    fresh(false);
    filters(1, lines);
    slot = granted->slot;
    NS_EQUAL(0, bpf_map_update_elem(ns_programs_map(&bpfd.programs, "ns_count_used"), &slot, &used, BPF_ANY));
    for (uint16_t i = 0; i < 5; i++) {
        w.source_port = (uint16_t)(100 + i);
        make(&w);
        run_tc();
    }
    NS_EQUAL(1, record(NS_RECORD_OTHER - 1)->packets);
    NS_EQUAL(3, record(NS_RECORD_OTHER)->packets);
    filters(0, NULL);
    NS_EQUAL(0, record(NS_RECORD_OTHER)->packets);
    make(&w);
    run_tc();
    NS_EQUAL(0, record(NS_RECORD_OTHER)->packets);
}

/* With direct forwarding tc does not see a packet that leaves at once, but the packet is counted all the same. */
NS_TEST(what_is_forwarded_directly_is_counted_too) {
    static const char *const lines[] = {"container=c family=4 proto=0 do=queue",
                                        "container=d family=4 proto=0 do=queue",
                                        "container=c family=4 proto=17 do=count count=dport"};

    fresh(true);
    filters(3, lines);
    pass(&w4);
    make(&w4);
    NS_EQUAL(XDP_REDIRECT, run_xdp());
    NS_EQUAL(1, counted(4, 53)->packets);
}

/* --- samples --- */

static struct {
    struct ns_sample head;
    size_t kept;
    uint8_t packet[WIRE_MAX];
} sample[1024];
static unsigned samples;

static int note(void *context, void *record, size_t size) {
    (void)context;
    NS_CHECK(size > sizeof sample->head && size <= sizeof sample->head + NS_RING_PACKET_MAX);
    NS_CHECK(samples < sizeof sample / sizeof sample[0]);
    memcpy(&sample[samples].head, record, sizeof sample->head);
    sample[samples].kept = size - sizeof sample->head;
    memcpy(sample[samples++].packet, (uint8_t *)record + sizeof sample->head, size - sizeof sample->head);
    return 0;
}

/* Reads the samples that have come for this container since the last time. Returns their number. */
static unsigned look_at(const struct ns_granted *whose) {
    struct ring_buffer *ring = ring_buffer__new(whose->samples_fd, note, NULL, NULL);

    samples = 0;
    NS_CHECK(ring != NULL);
    NS_CHECK(ring_buffer__consume(ring) >= 0);
    ring_buffer__free(ring);
    return samples;
}

static void send_some(const struct wire *w, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        make(w);
        NS_EQUAL(-1, run_tc());
        NS_CHECK(untouched());
        NS_EQUAL(0, mark);
    }
}

NS_TEST(one_packet_of_so_many_is_sampled) {
    static const char *const lines[] = {"container=c family=4 proto=17 dport=50-60 do=sample every=5",
                                        "container=c family=6 proto=0 do=sample every=1"};
    struct wire w = w4;

    fresh(false);
    filters(2, lines);
    for (uint16_t i = 0; i < 23; i++) {
        w.source_port = (uint16_t)(1000 + i);
        send_some(&w, 1);
    }
    NS_EQUAL(5, look_at(granted));
    for (unsigned i = 0; i < 5; i++) {
        w.source_port = (uint16_t)(1000 + 5 * i);
        make(&w);
        NS_EQUAL(length - WIRE_L3, sample[i].kept);
        NS_EQUAL(length - WIRE_L3, sample[i].head.length);
        NS_EQUAL(w.source_port, wire_get16(sample[i].packet + 20));
        NS_CHECK(memcmp(sample[i].packet + 12, in + WIRE_L3 + 12, 8) == 0);
        NS_EQUAL(4, sample[i].head.family);
        NS_EQUAL(if_nametoindex("in0"), sample[i].head.ifindex);
        NS_EQUAL(0x10, sample[i].head.mark);
        NS_EQUAL(0, sample[i].head.headers);
        NS_EQUAL(1, sample[i].head.segments);
        NS_EQUAL(0, sample[i].head.lost);
        NS_CHECK(sample[i].head.nsec <= ns_now_ns() && sample[i].head.nsec + 10000000000ull > ns_now_ns());
    }
    send_some(&w6, 3);
    NS_EQUAL(3, look_at(granted));
    NS_EQUAL(6, sample[0].head.family);
    NS_CHECK(memcmp(sample[2].packet, in + WIRE_L3, length - WIRE_L3) == 0);
    filters(2, lines); /* the same filters: their turns go on */
    send_some(&w4, 3);
    NS_EQUAL(1, look_at(granted));
    filters(0, NULL);
    send_some(&w4, 10);
    send_some(&w6, 10);
    NS_EQUAL(0, look_at(granted));
}

/* Tries a padded frame, and a frame of each length. No byte from behind a packet is taken. */
NS_TEST(a_sample_is_the_packet_and_at_most_so_much_of_it) {
    static const char *const lines[] = {"container=c family=4 proto=0 do=sample every=1"};
    struct wire w = w4;

    fresh(false);
    filters(1, lines);
    for (w.payload = 1700; w.payload <= 1900; w.payload += 20) {
        size_t whole = w.payload + 28;

        send_some(&w, 1);
        NS_EQUAL(1, look_at(granted));
        NS_EQUAL(whole, sample[0].head.length);
        NS_EQUAL(whole < NS_RING_PACKET_MAX ? whole : NS_RING_PACKET_MAX, sample[0].kept);
        NS_CHECK(memcmp(sample[0].packet, in + WIRE_L3, sample[0].kept) == 0);
    }
    w.payload = 3;
    make(&w);
    memset(in + length, 0xee, 20);
    length += 20;
    NS_EQUAL(-1, run_tc());
    NS_EQUAL(1, look_at(granted));
    NS_EQUAL(31, sample[0].kept);
    make(&w);
    while (--length >= WIRE_L3 + 20)
        NS_EQUAL(-1, run_tc());
    NS_EQUAL(0, look_at(granted)); /* shorter than its header claims */
}

static struct ns_granted *another(const char *name) {
    struct ns_granted *other;
    int pair[2];

    NS_EQUAL(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
    close(pair[0]);
    other = ns_flows_grant(&bpfd, name, pair[1], -1, -1);
    NS_CHECK(other != NULL);
    return other;
}

NS_TEST(nobody_sees_anothers_samples) {
    static const char *const lines[] = {"container=c family=4 proto=17 dst=198.51.100.7 dport=53 do=sample every=1",
                                        "container=d family=4 proto=17 dst=198.51.100.0/24 do=sample every=2",
                                        "container=e family=4 proto=0 do=sample", /* the firewall's */
                                        "container=c family=4 proto=0 do=queue"};
    struct ns_granted *d, *e;
    struct wire w = w4;

    fresh(false);
    d = another("d");
    e = another("e");
    filters(4, lines);
    send_some(&w, 4);
    NS_EQUAL(4, look_at(granted));
    NS_EQUAL(2, look_at(d));
    w.destination = "198.51.100.8";
    send_some(&w, 4);
    NS_EQUAL(0, look_at(granted));
    NS_EQUAL(2, look_at(d));
    w.destination = "198.51.101.7";
    send_some(&w, 4);
    w = w4;
    w.protocol = 6;
    send_some(&w, 4);
    send_some(&w6, 4);
    w = w4;
    w.destination_port = 270; /* signaling */
    send_some(&w, 4);
    NS_EQUAL(0, look_at(granted) + look_at(d));
    ns_flows_revoke(&bpfd, d);
    d = another("f"); /* in the place of d */
    send_some(&w4, 4);
    NS_EQUAL(0, look_at(d));
    NS_EQUAL(0, look_at(e));
    NS_EQUAL(4, look_at(granted));
    ns_flows_revoke(&bpfd, d);
    ns_flows_revoke(&bpfd, e);
}

/* Port unreachable errors are for sigio, which learns from them of a node that cannot be reached. */
NS_TEST(errors_that_are_signalings_are_not_sampled) {
    static const char *const lines[] = {"container=c family=4 proto=1 do=sample every=1"};

    fresh(false);
    filters(1, lines);
    for (uint8_t code = 2; code <= 4; code++) {
        make(&w4);
        in[WIRE_L3 + 9] = 1;
        in[WIRE_L3 + 20] = 3;
        in[WIRE_L3 + 21] = code;
        NS_EQUAL(-1, run_tc());
        NS_EQUAL(code != 3, look_at(granted));
    }
}

/*
 * Two filters of one container: a packet is copied once, and the second filter counts the packets that the first has
 * left.
 */
NS_TEST(a_packet_is_copied_once_for_a_container) {
    static const char *const lines[] = {"container=c family=4 proto=17 do=sample every=2",
                                        "container=c family=4 proto=0 do=sample every=2"};

    fresh(false);
    filters(2, lines);
    send_some(&w4, 8); /* 0 2 4 6 are the first's; 1 and 5 the second's */
    NS_EQUAL(6, look_at(granted));
}

NS_TEST(a_full_ring_buffer_loses_samples_and_says_so) {
    static const char *const lines[] = {"container=c family=4 proto=17 do=sample every=1"};
    unsigned sent = 2 * NS_SAMPLE_RING_BYTES / 1000, taken;
    struct wire w = w4;

    fresh(false);
    filters(1, lines);
    w.payload = 1000;
    send_some(&w, sent);
    taken = look_at(granted);
    NS_CHECK(taken > 0 && taken < sent);
    send_some(&w, 2);
    NS_EQUAL(2, look_at(granted));
    NS_EQUAL(sent - taken, sample[0].head.lost);
    NS_EQUAL(0, sample[1].head.lost);
}

/*
 * No sample goes through for more than a second, then every sample goes through. The limit is for one family and not
 * for the other.
 */
NS_TEST(what_is_beyond_the_limits_of_a_second_is_lost) {
    static const char *const lines[] = {"container=c family=4 proto=0 do=sample every=1",
                                        "container=c family=6 proto=0 do=sample every=1"};

    for (int bytes = 0; bytes < 2; bytes++) {
        struct ns_sample_limit limit = {.packets = bytes ? 0 : 1000, .bytes = bytes ? 1000000 : 0};
        int map = ns_programs_map(&bpfd.programs, "ns_sample_limits");
        uint32_t slot;

        fresh(false);
        filters(2, lines);
        slot = granted->slot;
        ns_samples_limit(&bpfd, granted, limit.packets, limit.bytes);
        send_some(&w4, 3);
        NS_EQUAL(3, look_at(granted));
        *(bytes ? limit.bytes_until : limit.packets_until) = ns_now_ns() + 3600000000000ull;
        NS_EQUAL(0, bpf_map_update_elem(map, &slot, &limit, BPF_ANY));
        send_some(&w4, 5);
        NS_EQUAL(0, look_at(granted));
        send_some(&w6, 1);
        NS_EQUAL(1, look_at(granted));
        NS_EQUAL(5, sample[0].head.lost);
        limit.packets = bytes ? 0 : 1;
        limit.bytes = bytes ? length - WIRE_L3 : 0;
        *(bytes ? limit.bytes_until : limit.packets_until) = 0;
        NS_EQUAL(0, bpf_map_update_elem(map, &slot, &limit, BPF_ANY));
        send_some(&w6, 1); /* just fits */
        NS_EQUAL(1, look_at(granted));
    }
}

/* 350 bytes in packets of 100: each packet is 1 of so many, with the headers of the aggregate. */
NS_TEST(packets_of_an_aggregate_are_sampled_one_by_one) {
    static const char *const every[] = {"container=c family=4 proto=0 do=sample every=1",
                                        "container=c family=6 proto=0 do=sample every=3"};
    struct wire w = w4;

    fresh(false);
    filters(2, every);
    w.payload = 350;
    gso = 100;
    send_some(&w, 1);
    NS_EQUAL(4, look_at(granted));
    for (unsigned i = 0; i < 4; i++) {
        size_t bytes = i < 3 ? 100 : 50;

        NS_EQUAL(28, sample[i].head.headers);
        NS_EQUAL(i, sample[i].head.segment);
        NS_EQUAL(4, sample[i].head.segments);
        NS_EQUAL(100, sample[i].head.segment_bytes);
        NS_EQUAL(28 + bytes, sample[i].head.length);
        NS_EQUAL(28 + bytes, sample[i].kept);
        NS_CHECK(memcmp(sample[i].packet, in + WIRE_L3, 28) == 0);
        NS_CHECK(memcmp(sample[i].packet + 28, in + WIRE_L3 + 28 + i * 100, bytes) == 0);
    }
    w = w6; /* TCP */
    w.payload = 400;
    send_some(&w, 2); /* 0 3, 6 */
    NS_EQUAL(3, look_at(granted));
    NS_EQUAL(60, sample[0].head.headers);
    NS_EQUAL(0, sample[0].head.segment);
    NS_EQUAL(3, sample[1].head.segment);
    NS_EQUAL(2, sample[2].head.segment);
    NS_CHECK(memcmp(sample[2].packet + 60, in + WIRE_L3 + 60 + 200, 100) == 0);
    gso = 10;
    w = w4;
    w.payload = 1000;
    send_some(&w, 1);
    NS_EQUAL(64, look_at(granted));
    send_some(&w, 1);
    NS_EQUAL(64, look_at(granted));
    NS_EQUAL(36, sample[0].head.lost);
    gso = 0;
}

/* Packets of a flow decided in the kernel are sampled and counted all the same. */
NS_TEST(an_offloaded_flow_is_sampled_and_counted) {
    static const char *const lines[] = {"container=c family=4 proto=17 do=sample every=2",
                                        "container=c family=4 proto=0 do=queue",
                                        "container=c family=4 proto=17 do=count count=dport"};

    fresh(false);
    filters(3, lines);
    pass(&w4);
    for (int i = 0; i < 4; i++) {
        make(&w4);
        NS_EQUAL(-1, run_tc());
        NS_EQUAL(NS_OFFLOAD_MARK, mark);
    }
    NS_EQUAL(2, look_at(granted));
    NS_EQUAL(4, counted(4, 53)->packets);
    NS_EQUAL(4, record(0)->packets);
}

int main(int argc, char **argv) {
    if (argc != 2 || ns_programs_open(&bpfd.programs, argv[1]) != 0)
        return 1;
    srand(5);
    NS_RUN(what_nobody_offloaded_passes_untouched);
    NS_RUN(a_passed_flow_is_forwarded_with_ttl_less_one);
    NS_RUN(a_dropped_flow_is_dropped);
    NS_RUN(rewrites_have_right_checksums_in_xdp);
    NS_RUN(rewrites_have_right_checksums_in_tc);
    NS_RUN(a_checksum_that_comes_out_as_zero_is_written_as_ones);
    NS_RUN(a_turned_flow_begins_its_way_anew);
    NS_RUN(a_turned_flow_leaves_by_the_interface_it_came_in_by);
    NS_RUN(a_flow_from_elsewhere_goes_the_long_way);
    NS_RUN(a_flow_whose_way_back_moves_goes_the_long_way);
    NS_RUN(a_wrong_checksum_stays_wrong);
    NS_RUN(what_is_not_plain_goes_the_long_way);
    NS_RUN(a_packet_cut_at_any_length_goes_the_long_way);
    NS_RUN(the_stack_gets_what_cannot_be_forwarded);
    NS_RUN(an_interface_without_our_entry_is_not_left_by);
    NS_RUN(a_flow_ends_with_its_time);
    NS_RUN(a_flow_ends_when_it_is_idle);
    NS_RUN(a_flow_ends_with_its_filter_and_with_its_container);
    NS_RUN(the_quota_holds_and_a_flow_asked_for_again_is_the_same);
    NS_RUN(packets_are_counted_by_the_key_of_their_filter);
    NS_RUN(what_finds_no_record_is_counted_as_other);
    NS_RUN(what_is_forwarded_directly_is_counted_too);
    NS_RUN(one_packet_of_so_many_is_sampled);
    NS_RUN(a_sample_is_the_packet_and_at_most_so_much_of_it);
    NS_RUN(nobody_sees_anothers_samples);
    NS_RUN(errors_that_are_signalings_are_not_sampled);
    NS_RUN(a_packet_is_copied_once_for_a_container);
    NS_RUN(a_full_ring_buffer_loses_samples_and_says_so);
    NS_RUN(what_is_beyond_the_limits_of_a_second_is_lost);
    NS_RUN(packets_of_an_aggregate_are_sampled_one_by_one);
    NS_RUN(an_offloaded_flow_is_sampled_and_counted);
    return ns_test_end();
}
