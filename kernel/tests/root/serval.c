/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the program that routes serviceIDs. Each packet runs through it by BPF_PROG_TEST_RUN, with maps filled by
 * bpfd's own code. The script has made the interfaces and routes of `programs`: clients are behind in0, instances
 * behind out0 (MTU 1400). The module service-router has written the vectors, and its own test compares them with what
 * it does.
 */
#include "serval.h"
#include "ns_libbpf.h"
#include "ns_test.h"
#include "ns_time.h"
#include "way_filters.h"
#include "wire.h"

#include <errno.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROUTER "192.0.2.1"
#define PORT 54325
#define FIELDS 7

/* The addresses of one family, and the file of its vectors. */
struct side {
    uint8_t family;
    uint32_t header;
    const char *client, *router, *seven, *eight, *vectors;
};

static const struct side sides[] = {
    {4, 20, "192.0.2.10", ROUTER, "198.51.100.7", "198.51.100.8", "serval-router.txt"},
    {6, 40, "2001:db8:1::a", "2001:db8:1::1", "2001:db8:2::7", "2001:db8:2::8", "serval-router-v6.txt"},
};
static const struct side *side = &sides[0];

static struct ns_bpfd bpfd = {.offload_mark = NS_OFFLOAD_MARK, .turned_mark = 0x400000};
static struct ns_granted *granted;
static uint8_t in[WIRE_MAX], out[WIRE_MAX];
static size_t length, left; /* of the frame in, and of the frame as it left */
static uint32_t number;

/* --- bpfd --- */

static void node(const char *own, const char *others) {
    bpfd.node.owns = bpfd.node.others = 0;
    NS_CHECK(ns_value_list(own, ns_node_add_own, &bpfd.node));
    NS_CHECK(ns_value_list(others, ns_node_add_other, &bpfd.node));
    ns_serval_check_again(&bpfd);
}

static void attach(bool direct) {
    static const char names[][NS_INTERFACE_MAX + 1] = {"in0", "out0"};

    ns_programs_attach(&bpfd.programs, 2, names, NS_XDP_NATIVE, direct);
    ns_serval_check_again(&bpfd);
}

static struct ns_granted *grant(const char *name, const char *services) {
    struct ns_granted *made;
    int pair[2];

    NS_EQUAL(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
    close(pair[0]);
    made = ns_flows_grant(&bpfd, name, pair[1], -1, -1);
    NS_CHECK(made != NULL);
    made->quota = 2;
    NS_CHECK(ns_value_list("udp/" ROUTER "/32/54325", ns_reach_add, &made->relays.listen));
    NS_CHECK(ns_value_list("udp/2001:db8:1::1/128/54325", ns_reach_add, &made->relays.listen));
    NS_CHECK(ns_value_list("udp/198.51.100.0/24/1024-65535", ns_reach_add, &made->relays.connect));
    NS_CHECK(ns_value_list("udp/2001:db8:2::/64/1024-65535", ns_reach_add, &made->relays.connect));
    NS_CHECK(ns_value_list(services, ns_service_grants_add, &made->serval.grants));
    return made;
}

static void fresh(void) {
    if (granted != NULL)
        ns_flows_revoke(&bpfd, granted);
    attach(true);
    filter_ways(&bpfd, 0, NULL);
    granted = grant("c", "0000/16,5/4");
    node(ROUTER ",198.51.100.1,2001:db8:1::1", "192.0.2.255,100.64.0.0/18");
}

static struct ns_serval_ask question(unsigned place, enum ns_serval_what what, const char *prefix, const char *target,
                                     uint16_t port) {
    struct ns_serval_ask ask = {.magic = NS_SERVAL_MAGIC,
                                .number = ++number,
                                .place = (uint16_t)place,
                                .seconds = 600,
                                .what = (uint8_t)what,
                                .family = side->family,
                                .router_port = PORT,
                                .target_port = port,
                                .weight = what == NS_SERVAL_ASK_TARGET};
    int family = side->family == 4 ? AF_INET : AF_INET6;
    struct ns_service_prefix id;

    NS_CHECK(ns_value_service(prefix, &id));
    ask.bits = id.bits;
    memcpy(ask.id, id.id, sizeof ask.id);
    NS_EQUAL(1, inet_pton(family, side->router, ask.router));
    if (target != NULL)
        NS_EQUAL(1, inet_pton(family, target, ask.target));
    return ask;
}

static void expect(const struct ns_serval_ask *ask, enum ns_relay_state state, enum ns_serval_refused refused) {
    const struct ns_ring_rules *record = (struct ns_ring_rules *)&granted->records[NS_RECORD_RELAYS + ask->place];

    NS_EQUAL(state == NS_RELAY_ACTIVE, record->active >> ask->rule & 1);
    NS_EQUAL(refused, record->refused[ask->rule / 16] >> 4 * (ask->rule % 16) & 15);
    NS_EQUAL(ns_ring_relay_answer(ask->number, (uint8_t)state, (uint8_t)refused), record->answer);
}

static void put(const struct ns_serval_ask *ask, enum ns_serval_refused refused) {
    ns_serval_ask(&bpfd, granted, ask);
    expect(ask, refused == NS_SERVAL_REFUSED_NOT ? NS_RELAY_ACTIVE : NS_RELAY_REFUSED, refused);
}

static void target(unsigned place, const char *prefix, const char *address, uint16_t port) {
    struct ns_serval_ask ask = question(place, NS_SERVAL_ASK_TARGET, prefix, address, port);

    put(&ask, NS_SERVAL_REFUSED_NOT);
}

static void module(unsigned place, const char *prefix) {
    struct ns_serval_ask ask = question(place, NS_SERVAL_ASK_MODULE, prefix, NULL, 0);

    put(&ask, NS_SERVAL_REFUSED_NOT);
}

static void take_away(unsigned place) {
    struct ns_serval_ask ask = {.magic = NS_SERVAL_MAGIC, .number = ++number, .place = (uint16_t)place, .what = 4};

    ns_serval_ask(&bpfd, granted, &ask);
    expect(&ask, NS_RELAY_FREE, NS_SERVAL_REFUSED_NOT);
}

static uint64_t counted(enum ns_serval_reason reason) {
    uint32_t at = granted->slot * (uint32_t)NS_SERVAL_COUNTS + reason;
    uint64_t value = 0;

    bpf_map_lookup_elem(ns_programs_map(&bpfd.programs, "ns_serval_counts"), &at, &value);
    return value;
}

/* --- packets --- */

static uint32_t sal_at(void) {
    return WIRE_L3 + side->header + 8;
}

/* Returns the place of UDP's checksum. */
static uint8_t *udp_sum(uint8_t *frame) {
    return frame + WIRE_L3 + side->header + 6;
}

/* Computes the checksums anew after a change. */
static void sum_up(uint8_t *frame) {
    uint8_t *l3 = frame + WIRE_L3;
    uint16_t sum;

    wire_put16(udp_sum(frame), 0);
    sum = wire_sum(l3);
    wire_put16(udp_sum(frame), sum == 0 ? 0xffff : sum);
    if (side->family == 6)
        return;
    wire_put16(l3 + 10, 0);
    ns_checksum_ipv4(l3, 20);
}

/* Makes the frame of a client with this SAL packet. */
static void packet(const uint8_t *sal, uint32_t bytes, uint16_t port, uint8_t ttl) {
    struct wire w = {side->family, 17, ttl, 0xb9, side->client, side->router, port, PORT, bytes, false};
    uint32_t index = if_nametoindex("in0");
    struct ns_interface interface;

    length = wire_make(in, &w);
    memcpy(in + sal_at(), sal, bytes);
    if (side->family == 4)
        wire_put16(in + WIRE_L3 + 6, 0x4000);
    sum_up(in);
    NS_EQUAL(0, bpf_map_lookup_elem(ns_programs_map(&bpfd.programs, "ns_interfaces"), &index, &interface));
    memcpy(in, interface.address, 6);
}

/* Runs the packet. Returns true if it was routed. */
static bool run(void) {
    struct xdp_md xdp = {.data_end = (uint32_t)length, .ingress_ifindex = if_nametoindex("in0")};
    LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = in, .data_size_in = (uint32_t)length, .data_out = out,
                .data_size_out = sizeof out, .ctx_in = &xdp, .ctx_size_in = sizeof xdp);

    NS_EQUAL(0, bpf_prog_test_run_opts(ns_programs_program(&bpfd.programs, "ns_xdp_entry"), &options));
    left = options.data_size_out;
    return options.retval == XDP_REDIRECT;
}

static void long_way(enum ns_serval_reason reason) {
    uint64_t before = counted(reason);

    NS_CHECK(!run());
    NS_EQUAL(length, left);
    NS_CHECK(memcmp(in, out, length) == 0);
    NS_EQUAL(before + 1, counted(reason));
}

/* Checks the header of IP, and that it leads to the address. */
static void right_ip(const char *address, uint8_t ttl) {
    bool v4 = side->family == 4;
    uint8_t *ip = out + WIRE_L3, wanted[16];
    int family = v4 ? AF_INET : AF_INET6, bytes = v4 ? 4 : 16;

    NS_EQUAL(v4 ? 0x0800 : 0x86dd, wire_get16(out + 12));
    if (v4) {
        NS_EQUAL(left - WIRE_L3, wire_get16(ip + 2));
        NS_EQUAL(0x45b9, wire_get16(ip));
        NS_EQUAL(0x4000, wire_get16(ip + 6));
    } else {
        NS_EQUAL(left - WIRE_L3 - 40, wire_get16(ip + 4));
        NS_CHECK(memcmp(ip, in + WIRE_L3, 4) == 0); /* DSCP, ECN, flow label */
    }
    NS_EQUAL(ttl, ip[v4 ? 8 : 7]);
    NS_EQUAL(17, ip[v4 ? 9 : 6]);
    inet_pton(family, side->router, wanted);
    NS_CHECK(memcmp(ip + (v4 ? 12 : 8), wanted, (size_t)bytes) == 0);
    inet_pton(family, address, wanted);
    NS_CHECK(memcmp(ip + (v4 ? 16 : 24), wanted, (size_t)bytes) == 0);
}

/* Checks the headers of a packet that was routed to "address:port", "[address]:port" over IPv6. */
static void right_outside(const char *to, uint8_t ttl) {
    uint8_t *udp = out + WIRE_L3 + side->header;
    char address[64];
    unsigned port;

    NS_EQUAL(2, sscanf(to, side->family == 4 ? "%31[0-9.]:%u" : "[%40[0-9a-f:]]:%u", address, &port));
    right_ip(address, ttl);
    NS_EQUAL(PORT, wire_get16(udp));
    NS_EQUAL(port, wire_get16(udp + 2));
    NS_EQUAL(left - WIRE_L3 - side->header, wire_get16(udp + 4));
    NS_CHECK(wire_right(out));
}

/* --- vectors --- */

struct vector {
    char *field[FIELDS]; /* name, kernel or module, port, TTL, packet, target or outcome, packet */
    uint8_t sal[WIRE_MAX], routed[WIRE_MAX];
    uint32_t bytes, routed_bytes;
};

static uint32_t read_hex(const char *text, uint8_t *bytes) {
    uint32_t count = 0;
    unsigned byte;

    for (; sscanf(text, "%2x", &byte) == 1 && count < WIRE_MAX; text += 2)
        bytes[count++] = (uint8_t)byte;
    return count;
}

static unsigned each_vector(void (*test)(const struct vector *vector)) {
    static char line[3 * WIRE_MAX * 2];
    static struct vector vector;
    unsigned count = 0;
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", getenv("NS_VECTORS"), side->vectors);
    file = fopen(path, "r");
    NS_CHECK(file != NULL);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *save, *word = strtok_r(line, " \n", &save);
        unsigned fields = 0;

        memset(vector.field, 0, sizeof vector.field);
        for (; word != NULL && fields < FIELDS; word = strtok_r(NULL, " \n", &save))
            vector.field[fields++] = word;
        NS_CHECK(fields >= FIELDS - 1);
        vector.bytes = read_hex(vector.field[4], vector.sal);
        vector.routed_bytes = fields == FIELDS ? read_hex(vector.field[6], vector.routed) : 0;
        test(&vector);
        count++;
    }
    if (file != NULL)
        fclose(file);
    return count;
}

/* The rules of the vectors, as the module's test has them. */
static void vector_rules(void) {
    struct ns_serval_ask peer = question(9, NS_SERVAL_ASK_PEER, "default", side->client, PORT);
    char whole[80] = "0000f00d";

    for (int i = 0; i < 28; i++)
        strcat(whole, "ab");
    strcat(whole, "/256");
    fresh();
    target(0, "00004001/32", side->seven, 6000);
    target(1, "000040010002/48", side->eight, 6001);
    target(2, "5/4", side->seven, 6002);
    target(3, whole, side->eight, 6003);
    module(4, "00004002/32");
    put(&peer, NS_SERVAL_REFUSED_NOT);
}

static void routed_as_by_the_module(const struct vector *v) {
    packet(v->sal, v->bytes, (uint16_t)atoi(v->field[2]), (uint8_t)atoi(v->field[3]));
    for (int again = 0; again < 2; again++) { /* by the hash, then by the recent look-up */
        bool is_routed = run();

        if (strcmp(v->field[1], "kernel") != 0) {
            NS_CHECK(!is_routed && left == length && memcmp(in, out, length) == 0);
            continue;
        }
        if (!is_routed)
            printf("# %s is not routed\n", v->field[0]);
        NS_CHECK(is_routed);
        right_outside(v->field[5], (uint8_t)(atoi(v->field[3]) - 1));
        NS_EQUAL(sal_at() + v->routed_bytes, left);
        NS_CHECK(memcmp(out + sal_at(), v->routed, v->routed_bytes) == 0);
    }
}

/* Runs all vectors of IPv4, and then of IPv6. */
static void each_side(void (*test)(const struct vector *vector)) {
    for (side = sides; side < sides + 2; side++) {
        vector_rules();
        NS_CHECK(each_vector(test) > 30);
        NS_EQUAL(0, counted(NS_SERVAL_FAILED));
    }
    side = sides;
}

static void leaves_as_there(const struct vector *v) {
    routed_as_by_the_module(v);
    if (strcmp(v->field[0], "cut") != 0) /* the last one */
        return;
    NS_CHECK(counted(NS_SERVAL_FOUND) > 5);
    NS_CHECK(counted(NS_SERVAL_NO_RULE) != 0 && counted(NS_SERVAL_MODULE) != 0 && counted(NS_SERVAL_LOOP) != 0);
    NS_CHECK(counted(NS_SERVAL_LIST) != 0 && counted(NS_SERVAL_SHAPE) != 0 && counted(NS_SERVAL_TTL) != 0);
}

NS_TEST(each_vector_of_the_module_leaves_as_it_does_there) {
    each_side(leaves_as_there);
}

/* Cut anywhere, with the IP length as it was or as it is: never routed, never changed. */
static void cut(const struct vector *v) {
    for (uint32_t bytes = 0; bytes < v->bytes && bytes < 200; bytes++) {
        packet(v->sal, bytes, (uint16_t)atoi(v->field[2]), 60);
        if (run())
            NS_CHECK(bytes >= v->sal[8] * 4u); /* the header was whole, and a payload is anything */
        packet(v->sal, v->bytes, (uint16_t)atoi(v->field[2]), 60);
        length = sal_at() + bytes;
        NS_CHECK(!run() && left == length && memcmp(in, out, length) == 0);
    }
}

NS_TEST(a_packet_cut_at_any_length_goes_the_long_way) {
    each_side(cut);
}

/* Any byte may be any other: what is routed has right checksums, and one hop more. */
static void mutate(const struct vector *v) {
    static uint8_t sal[WIRE_MAX];

    if (strcmp(v->field[1], "kernel") != 0)
        return;
    for (int i = 0; i < 2000; i++) {
        memcpy(sal, v->sal, v->bytes);
        for (int changes = 1 + rand() % 3; changes > 0; changes--)
            sal[(unsigned)rand() % (v->bytes < 160 ? v->bytes : 160)] = (uint8_t)rand();
        packet(sal, v->bytes, (uint16_t)atoi(v->field[2]), 60);
        if (!run()) {
            NS_CHECK(left == length && memcmp(in, out, length) == 0);
            continue;
        }
        NS_CHECK(wire_right(out));
        NS_CHECK(left == length + 44 || left == length + 20);
        NS_EQUAL(sal[8] * 4u + (left - length), out[sal_at() + 8] * 4u);
    }
}

NS_TEST(mutants_are_routed_soundly_or_not_at_all) {
    each_side(mutate);
}

/* --- one packet: the SYN of the vectors --- */

static uint8_t syn[WIRE_MAX];
static uint32_t syn_bytes;

static void keep_syn(const struct vector *v) {
    if (strcmp(v->field[0], "syn") != 0)
        return;
    memcpy(syn, v->sal, v->bytes);
    syn_bytes = v->bytes;
}

static void send_syn(void) {
    packet(syn, syn_bytes, 4000, 60);
}

static bool goes_to(const char *to) {
    send_syn();
    if (!run())
        return false;
    right_outside(to, 59);
    return true;
}

NS_TEST(a_wrong_checksum_stays_wrong) {
    fresh();
    target(0, "00004001/32", "198.51.100.7", 6000);
    send_syn();
    wire_put16(udp_sum(in), wire_get16(udp_sum(in)) ^ 0x10);
    NS_CHECK(run());
    NS_CHECK(!wire_right(out));
    send_syn();
    wire_put16(udp_sum(in), 0);
    NS_CHECK(run());
    NS_EQUAL(0, wire_get16(udp_sum(out)));
    send_syn(); /* a card has the checksum to compute yet */
    wire_put16(udp_sum(in), 0);
    {
        uint8_t last[4] = {0, 17};
        uint32_t sum = ns_checksum_add(0, in + WIRE_L3 + 12, 8);

        wire_put16(last + 2, wire_get16(in + WIRE_L3 + 24));
        wire_put16(udp_sum(in), (uint16_t)~ns_checksum_finish(ns_checksum_add(sum, last, 4)));
    }
    long_way(NS_SERVAL_CHECKSUM);
    send_syn(); /* SAL's own */
    wire_put16(in + sal_at() + 10, wire_get16(in + sal_at() + 10) ^ 0x10);
    sum_up(in);
    NS_CHECK(run());
    NS_CHECK(ns_checksum_finish(ns_checksum_add(0, out + sal_at(), out[sal_at() + 8] * 4u)) != 0);
}

static bool goes_over_ipv6(void) {
    send_syn();
    if (!run())
        return false;
    right_outside("[2001:db8:2::7]:6000", 59);
    return true;
}

NS_TEST(ipv6_has_rules_of_its_own) {
    struct ns_serval_ask ask;

    side = &sides[1];
    fresh();
    target(0, "00004001/32", side->seven, 6000);
    NS_CHECK(goes_over_ipv6());
    side = &sides[0];
    send_syn();
    NS_CHECK(!run());
    target(1, "00004001/32", "198.51.100.8", 6001);
    NS_CHECK(goes_to("198.51.100.8:6001"));
    side = &sides[1];
    NS_CHECK(goes_over_ipv6());
    send_syn(); /* no checksum, which IPv6 does not allow */
    wire_put16(udp_sum(in), 0);
    long_way(NS_SERVAL_CHECKSUM);
    send_syn(); /* from another interface */
    inet_pton(AF_INET6, "2001:db8:2::8", in + WIRE_L3 + 8);
    sum_up(in);
    long_way(NS_SERVAL_BACK);
    packet(syn, 1400 - 48 - 44, 4000, 60); /* as long as the way allows */
    NS_CHECK(run());
    packet(syn, 1400 - 48 - 43, 4000, 60);
    long_way(NS_SERVAL_ROUTE);
    ask = question(2, NS_SERVAL_ASK_TARGET, "0000/16", "2001:db8:9::7", 6000);
    put(&ask, NS_SERVAL_REFUSED_target);
    ask = question(2, NS_SERVAL_ASK_TARGET, "0000/16", "2001:db8:1::1", 6000);
    put(&ask, NS_SERVAL_REFUSED_node);
    ask = question(2, NS_SERVAL_ASK_TARGET, "0000/16", "fe80::1", 6000);
    put(&ask, NS_SERVAL_REFUSED_martian);
    ask = question(2, NS_SERVAL_ASK_TARGET, "0000/16", "::ffff:198.51.100.7", 6000);
    put(&ask, NS_SERVAL_REFUSED_family);
    take_away(0);
    send_syn();
    NS_CHECK(!run());
    side = &sides[0];
    NS_CHECK(goes_to("198.51.100.8:6001"));
}

NS_TEST(what_the_way_does_not_take_goes_the_long_way) {
    static uint8_t sal[WIRE_MAX];
    struct ns_serval_ask ask;

    fresh();
    target(0, "00004001/32", "198.51.100.9", 6000); /* no neighbour */
    send_syn();
    long_way(NS_SERVAL_ROUTE);
    take_away(0);
    target(0, "00004001/32", "198.51.100.7", 6000);
    memcpy(sal, syn, syn_bytes);
    packet(sal, 1400 - 28 - 44, 4000, 60); /* as long as the way allows */
    NS_CHECK(run());
    packet(sal, 1400 - 28 - 43, 4000, 60);
    long_way(NS_SERVAL_ROUTE);
    send_syn();
    in[0] ^= 4;
    long_way(NS_SERVAL_BACK);
    send_syn();
    inet_pton(AF_INET, "203.0.113.9", in + WIRE_L3 + 12);
    sum_up(in);
    long_way(NS_SERVAL_BACK);
    ask = question(0, NS_SERVAL_ASK_TARGET, "00004001/32", "198.51.100.7", 6000);
    ask.what = NS_SERVAL_ASK_MODULE; /* malformed with a target; the rule stays */
    ns_serval_ask(&bpfd, granted, &ask);
    NS_CHECK(goes_to("198.51.100.7:6000"));
    NS_EQUAL(1, granted->serval.refused[NS_SERVAL_REFUSED_malformed]);
}

NS_TEST(targets_are_drawn_by_their_weights) {
    struct ns_serval_ask heavy = question(1, NS_SERVAL_ASK_TARGET, "00004001/32", "198.51.100.8", 6001);
    unsigned to_heavy = 0;

    heavy.weight = 3;
    fresh();
    target(0, "00004001/32", "198.51.100.7", 6000);
    put(&heavy, NS_SERVAL_REFUSED_NOT);
    for (int i = 0; i < 4000; i++) {
        send_syn();
        NS_CHECK(run());
        to_heavy += out[WIRE_L3 + 19] == 8;
    }
    NS_CHECK(to_heavy > 2850 && to_heavy < 3150); /* over five standard deviations */
    take_away(1);
    for (int i = 0; i < 20; i++)
        NS_CHECK(goes_to("198.51.100.7:6000"));
}

/* A prefix with one target lies in one map, one with more in another. */
NS_TEST(the_weight_of_a_first_target_is_kept) {
    struct ns_serval_ask heavy = question(0, NS_SERVAL_ASK_TARGET, "00004001/32", "198.51.100.7", 6000);
    unsigned to_heavy = 0;
    struct ns_serval_key key;

    heavy.weight = 7;
    fresh();
    put(&heavy, NS_SERVAL_REFUSED_NOT);
    target(1, "00004001/32", "198.51.100.8", 6001);
    for (int i = 0; i < 4000; i++) {
        send_syn();
        NS_CHECK(run());
        to_heavy += out[WIRE_L3 + 19] == 7;
    }
    NS_CHECK(to_heavy > 3390 && to_heavy < 3610);
    module(2, "00004001/32");
    send_syn();
    long_way(NS_SERVAL_MODULE);
    take_away(2);
    take_away(0);
    NS_CHECK(goes_to("198.51.100.8:6001"));
    NS_CHECK(bpf_map_get_next_key(ns_programs_map(&bpfd.programs, "ns_serval_sets"), NULL, &key) != 0);
}

NS_TEST(a_change_of_rules_counts_at_once) {
    fresh();
    target(0, "0000/16", "198.51.100.7", 6000);
    NS_CHECK(goes_to("198.51.100.7:6000") && goes_to("198.51.100.7:6000"));
    target(1, "00004001/32", "198.51.100.8", 6001); /* the recent look-up is older */
    NS_CHECK(goes_to("198.51.100.8:6001"));
    module(2, "000040/20");
    NS_CHECK(goes_to("198.51.100.8:6001"));
    take_away(1);
    send_syn();
    long_way(NS_SERVAL_MODULE);
    take_away(2);
    NS_CHECK(goes_to("198.51.100.7:6000"));
    take_away(0);
    NS_EQUAL(0, bpfd.serval.rules);
    send_syn();
    NS_CHECK(!run());
}

NS_TEST(a_rule_ends_with_its_seconds) {
    struct ns_serval_ask ask = question(0, NS_SERVAL_ASK_TARGET, "00004001/32", "198.51.100.7", 6000);

    fresh();
    ask.seconds = 1;
    put(&ask, NS_SERVAL_REFUSED_NOT);
    NS_CHECK(goes_to("198.51.100.7:6000"));
    usleep(1050000);
    send_syn(); /* before bpfd looks */
    long_way(NS_SERVAL_NO_RULE);
    ns_flows_sweep(&bpfd);
    expect(&ask, NS_RELAY_ENDED, NS_SERVAL_REFUSED_NOT);
    NS_EQUAL(1, granted->serval.ended_time);
    NS_EQUAL(0, bpfd.serval.rules);
    put(&ask, NS_SERVAL_REFUSED_NOT); /* refreshed in time it stays */
    usleep(600000);
    put(&ask, NS_SERVAL_REFUSED_NOT);
    usleep(600000);
    NS_CHECK(goes_to("198.51.100.7:6000"));
    NS_EQUAL(1, granted->serval.used);
}

/* A look-up from the time in between, which the map of recent ones has, must not outlive the renewal. */
NS_TEST(a_rule_that_is_renewed_too_late_counts_at_once) {
    struct ns_serval_ask ask = question(1, NS_SERVAL_ASK_MODULE, "00004001/32", NULL, 0);

    fresh();
    target(0, "00004001/32", "198.51.100.7", 6000);
    ask.seconds = 1;
    put(&ask, NS_SERVAL_REFUSED_NOT);
    send_syn();
    long_way(NS_SERVAL_MODULE);
    usleep(1050000);
    NS_CHECK(goes_to("198.51.100.7:6000") && goes_to("198.51.100.7:6000"));
    put(&ask, NS_SERVAL_REFUSED_NOT); /* before bpfd has looked */
    send_syn();
    long_way(NS_SERVAL_MODULE);
    NS_EQUAL(2, granted->serval.used);
}

NS_TEST(a_dead_container_has_no_rules) {
    struct ns_serval_ask ask = question(0, NS_SERVAL_ASK_TARGET, "00004001/32", "198.51.100.7", 6000);

    fresh();
    put(&ask, NS_SERVAL_REFUSED_NOT);
    target(1, "00004001/32", "198.51.100.8", 6000); /* a set of several */
    target(2, "0000/16", "198.51.100.8", 6000);
    ns_flows_revoke(&bpfd, granted);
    granted = NULL;
    NS_EQUAL(0, bpfd.serval.rules);
    for (unsigned i = 0; i < 2; i++) {
        const char *name = i == 0 ? "ns_serval_rules" : "ns_serval_sets";
        struct ns_serval_key key;

        NS_CHECK(bpf_map_get_next_key(ns_programs_map(&bpfd.programs, name), NULL, &key) != 0);
    }
    send_syn();
    NS_CHECK(!run());
    granted = grant("d", "default"); /* the address is free for another */
    put(&ask, NS_SERVAL_REFUSED_NOT);
    NS_CHECK(goes_to("198.51.100.7:6000"));
}

NS_TEST(another_container_does_not_get_the_address) {
    struct ns_serval_ask ask = question(0, NS_SERVAL_ASK_TARGET, "00004001/32", "198.51.100.7", 6000);
    struct ns_granted *first;

    fresh();
    put(&ask, NS_SERVAL_REFUSED_NOT);
    first = granted;
    granted = grant("other", "default");
    put(&ask, NS_SERVAL_REFUSED_taken);
    ns_flows_revoke(&bpfd, granted);
    granted = first;
    NS_CHECK(goes_to("198.51.100.7:6000"));
}

/* No container takes the numbers of the others. */
NS_TEST(the_routers_of_a_container_are_bounded) {
    struct ns_serval_ask ask = question(0, NS_SERVAL_ASK_TARGET, "00004001/32", "198.51.100.7", 6000), first = ask;
    struct ns_granted *greedy;

    fresh();
    NS_CHECK(ns_value_list("udp/" ROUTER "/32/1024-65535", ns_reach_add, &granted->relays.listen));
    for (unsigned i = 0; i < NS_SERVAL_ROUTERS_EACH; i++) {
        ask.place = (uint16_t)i;
        ask.router_port = (uint16_t)(2000 + i);
        put(&ask, NS_SERVAL_REFUSED_NOT);
    }
    ask.place = 9;
    ask.router_port = 3000;
    put(&ask, NS_SERVAL_REFUSED_routers);
    NS_EQUAL(1, granted->serval.refused[NS_SERVAL_REFUSED_routers]);
    NS_EQUAL(NS_SERVAL_ROUTERS_EACH, bpfd.serval.rules);
    greedy = granted;
    granted = grant("other", "default");
    put(&first, NS_SERVAL_REFUSED_NOT);
    ns_flows_revoke(&bpfd, granted);
    granted = greedy;
    take_away(2);
    put(&ask, NS_SERVAL_REFUSED_NOT);
}

NS_TEST(rules_are_held_to_the_lists) {
    static const char *const queue[] = {"container=x family=4 proto=17 dst=192.0.2.0/24 do=queue claim=1"};
    static const char *const sample[] = {"container=c family=4 proto=0 do=sample claim=1"};
    struct ns_serval_ask ask = question(0, NS_SERVAL_ASK_TARGET, "00004001/32", "198.51.100.7", 6000), bad;

    fresh();
    bad = question(1, NS_SERVAL_ASK_TARGET, "01/8", "198.51.100.7", 6000);
    put(&bad, NS_SERVAL_REFUSED_prefix);
    bad = question(1, NS_SERVAL_ASK_TARGET, "default", "198.51.100.7", 6000);
    put(&bad, NS_SERVAL_REFUSED_prefix);
    bad = question(1, NS_SERVAL_ASK_MODULE, "4/3", NULL, 0);
    put(&bad, NS_SERVAL_REFUSED_prefix);
    bad = question(1, NS_SERVAL_ASK_TARGET, "0000/16", "203.0.113.7", 6000);
    put(&bad, NS_SERVAL_REFUSED_target);
    bad = question(1, NS_SERVAL_ASK_TARGET, "0000/16", "198.51.100.7", 1023);
    put(&bad, NS_SERVAL_REFUSED_target);
    bad = question(1, NS_SERVAL_ASK_TARGET, "0000/16", "198.51.100.1", 6000);
    put(&bad, NS_SERVAL_REFUSED_node);
    bad = question(1, NS_SERVAL_ASK_TARGET, "0000/16", "100.64.0.2", 6000);
    put(&bad, NS_SERVAL_REFUSED_node);
    bad = question(1, NS_SERVAL_ASK_TARGET, "0000/16", "127.0.0.1", 6000);
    put(&bad, NS_SERVAL_REFUSED_martian);
    bad = ask;
    bad.router_port = 7;
    put(&bad, NS_SERVAL_REFUSED_router);
    bad = ask;
    inet_pton(AF_INET, "198.51.100.1", bad.router);
    put(&bad, NS_SERVAL_REFUSED_router);
    NS_EQUAL(0, bpfd.serval.rules);
    put(&ask, NS_SERVAL_REFUSED_NOT);
    bad = ask;
    bad.place = 1;
    put(&bad, NS_SERVAL_REFUSED_taken);
    filter_ways(&bpfd, 1, queue);
    expect(&ask, NS_RELAY_ENDED, NS_SERVAL_REFUSED_NOT);
    put(&ask, NS_SERVAL_REFUSED_filter);
    filter_ways(&bpfd, 1, sample);
    put(&ask, NS_SERVAL_REFUSED_filter);
    filter_ways(&bpfd, 0, NULL);
    put(&ask, NS_SERVAL_REFUSED_NOT);
    node("192.0.2.1,198.51.100.1", "198.51.100.0/24");
    expect(&ask, NS_RELAY_ENDED, NS_SERVAL_REFUSED_NOT);
    node("192.0.2.1,198.51.100.1", "");
    put(&ask, NS_SERVAL_REFUSED_NOT);
    attach(false);
    expect(&ask, NS_RELAY_ENDED, NS_SERVAL_REFUSED_NOT);
    put(&ask, NS_SERVAL_REFUSED_direct);
    NS_EQUAL(0, bpfd.serval.rules);
}

NS_TEST(rules_targets_and_lengths_are_bounded) {
    struct ns_serval_ask ask;
    char prefix[80];

    fresh();
    for (unsigned i = 0; i < NS_SERVAL_TARGETS; i++)
        target(i, "00004001/32", "198.51.100.7", (uint16_t)(6000 + i));
    ask = question(30, NS_SERVAL_ASK_TARGET, "00004001/32", "198.51.100.7", 7000);
    put(&ask, NS_SERVAL_REFUSED_targets);
    for (unsigned i = 1; i < NS_SERVAL_LENGTHS; i++) {
        snprintf(prefix, sizeof prefix, "0000/%u", 16 + (i < 16 ? i : i + 1));
        module(i + NS_SERVAL_TARGETS, prefix);
    }
    ask = question(30, NS_SERVAL_ASK_MODULE, "0000/99", NULL, 0);
    put(&ask, NS_SERVAL_REFUSED_lengths);
    take_away(NS_SERVAL_TARGETS + 1);
    put(&ask, NS_SERVAL_REFUSED_NOT);
    fresh();
    for (unsigned i = 0; i < 2 * NS_SERVAL_PER_FLOW; i++) {
        snprintf(prefix, sizeof prefix, "0000%04x/32", i);
        target(i, prefix, "198.51.100.7", 6000);
    }
    ask = question(4000, NS_SERVAL_ASK_MODULE, "0000f/20", NULL, 0);
    put(&ask, NS_SERVAL_REFUSED_quota);
    take_away(3);
    put(&ask, NS_SERVAL_REFUSED_NOT);
}

static struct ns_serval_ask one_of_many(unsigned i) {
    struct ns_serval_ask ask = question(i / NS_SERVAL_PLACE, NS_SERVAL_ASK_TARGET, "0000/64", side->seven, 6000);

    ask.rule = (uint16_t)(i % NS_SERVAL_PLACE);
    ask.id[4] = (uint8_t)(i >> 16);
    ask.id[5] = (uint8_t)(i >> 8);
    ask.id[6] = (uint8_t)i;
    return ask;
}

static void remove_one_of_many(unsigned i) {
    struct ns_serval_ask ask = {.magic = NS_SERVAL_MAGIC,
                                .number = ++number,
                                .place = (uint16_t)(i / NS_SERVAL_PLACE),
                                .what = NS_SERVAL_ASK_REMOVE,
                                .rule = (uint16_t)(i % NS_SERVAL_PLACE)};

    ns_serval_ask(&bpfd, granted, &ask);
    expect(&ask, NS_RELAY_FREE, NS_SERVAL_REFUSED_NOT);
}

/* Each rule of a place has its own answer, whatever becomes of the others. */
NS_TEST(a_place_has_many_rules) {
    struct ns_serval_ask first, bad, short_lived;

    fresh();
    first = one_of_many(5);
    put(&first, NS_SERVAL_REFUSED_NOT);
    bad = one_of_many(6);
    inet_pton(AF_INET, "203.0.113.7", bad.target);
    put(&bad, NS_SERVAL_REFUSED_target);
    bad.rule = 17;
    bad.number = ++number;
    inet_pton(AF_INET, "127.0.0.1", bad.target);
    put(&bad, NS_SERVAL_REFUSED_martian);
    short_lived = one_of_many(63);
    short_lived.seconds = 1;
    put(&short_lived, NS_SERVAL_REFUSED_NOT);
    {
        const struct ns_ring_rules *record = (struct ns_ring_rules *)&granted->records[NS_RECORD_RELAYS];

        NS_EQUAL(1ull << 5 | 1ull << 63, record->active);
        NS_EQUAL((uint64_t)NS_SERVAL_REFUSED_target << 24, record->refused[0]);
        NS_EQUAL((uint64_t)NS_SERVAL_REFUSED_martian << 4, record->refused[1]);
        usleep(1050000);
        ns_flows_sweep(&bpfd);
        NS_EQUAL(1ull << 5, record->active);
        NS_EQUAL((uint32_t)record->answer, number); /* never an older one */
    }
    NS_EQUAL(1, bpfd.serval.rules);
    remove_one_of_many(5);
    NS_EQUAL(0, bpfd.serval.rules);
    NS_CHECK(granted->serval.place[0] == NULL);
}

/* Two places of different users of the record: what a relay has counted there is no rule. */
NS_TEST(the_record_of_a_relay_becomes_that_of_rules) {
    struct ns_ring_relay *relay;
    struct ns_serval_ask ask;

    fresh();
    ask = one_of_many(3);
    relay = (struct ns_ring_relay *)&granted->records[NS_RECORD_RELAYS];
    memset(relay, 0x5a, sizeof *relay);
    put(&ask, NS_SERVAL_REFUSED_NOT);
    NS_EQUAL(1ull << 3, ((struct ns_ring_rules *)relay)->active);
    NS_EQUAL(0, ((struct ns_ring_rules *)relay)->refused[3]);
}

/* The next bpfd gets the records of the one before, whose rules are gone. */
NS_TEST(an_earlier_bpfd_leaves_no_rule) {
    struct ns_serval_ask ask;
    struct ns_granted *next;
    int pair[2];

    fresh();
    ask = one_of_many(3);
    put(&ask, NS_SERVAL_REFUSED_NOT);
    NS_EQUAL(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
    next = ns_flows_grant(&bpfd, "next", pair[1], dup(granted->records_fd), -1);
    close(pair[0]);
    NS_CHECK(next != NULL);
    expect(&ask, NS_RELAY_ENDED, NS_SERVAL_REFUSED_NOT);
    ns_flows_revoke(&bpfd, next);
}

#define MANY 100000u

static bool routed_to_many(unsigned i) {
    struct ns_serval_ask ask = one_of_many(i);

    send_syn();
    memcpy(in + sal_at() + 36, ask.id, sizeof ask.id);
    sum_up(in);
    return run();
}

/* A policy with `flows: 1024` has room for 131,072 rules. */
NS_TEST(a_container_has_100000_prefixes) {
    uint64_t begun, put_ns;
    struct ns_serval_ask ask;

    fresh();
    granted->quota = 1024;
    begun = ns_now_ns();
    for (unsigned i = 0; i < MANY; i++) {
        ask = one_of_many(i);
        ns_serval_ask(&bpfd, granted, &ask);
    }
    put_ns = (ns_now_ns() - begun) / MANY;
    NS_EQUAL(MANY, granted->serval.taken);
    NS_EQUAL(MANY, bpfd.serval.rules);
    for (unsigned i = 0; i < MANY; i += 997)
        NS_CHECK(routed_to_many(i));
    NS_CHECK(!routed_to_many(MANY));
    for (unsigned i = MANY; i < 1024 * NS_SERVAL_PER_FLOW; i++) {
        ask = one_of_many(i);
        put(&ask, NS_SERVAL_REFUSED_NOT);
    }
    ask = one_of_many(1024 * NS_SERVAL_PER_FLOW);
    put(&ask, NS_SERVAL_REFUSED_quota);
    begun = ns_now_ns();
    node(ROUTER ",198.51.100.1", "192.0.2.255"); /* checks all of them again */
    printf("# %u rules: put %llu ns each, all checked again in %llu ms, %zu bytes each in bpfd\n", bpfd.serval.rules,
           (unsigned long long)put_ns, (unsigned long long)(ns_now_ns() - begun) / 1000000,
           sizeof(struct ns_granted_rule));
    NS_EQUAL(1024 * NS_SERVAL_PER_FLOW, bpfd.serval.rules);
    remove_one_of_many(77);
    NS_CHECK(!routed_to_many(77) && routed_to_many(78));
    begun = ns_now_ns();
    ns_serval_revoke(&bpfd, granted);
    printf("# all of them revoked in %llu ms\n", (unsigned long long)(ns_now_ns() - begun) / 1000000);
    NS_EQUAL(0, bpfd.serval.rules);
    {
        struct ns_serval_key key;

        NS_CHECK(bpf_map_get_next_key(ns_programs_map(&bpfd.programs, "ns_serval_rules"), NULL, &key) != 0);
    }
}

/* Every single change of a field of the question gets an answer, and the maps stay as small as the rules. */
NS_TEST(questions_may_be_anything) {
    struct ns_serval_ask ask;

    fresh();
    for (int i = 0; i < 100000; i++) {
        uint8_t *bytes = (uint8_t *)&ask;

        ask = question((unsigned)rand() % 8, 1 + rand() % 4, "00004001/32", "198.51.100.7", 6000);
        for (int changes = rand() % 3; changes > 0; changes--)
            bytes[(unsigned)rand() % sizeof ask] = (uint8_t)rand();
        ns_serval_ask(&bpfd, granted, &ask);
    }
    NS_EQUAL(100000, granted->serval.asked);
    NS_EQUAL(granted->serval.used, bpfd.serval.rules);
    ns_serval_revoke(&bpfd, granted);
    NS_EQUAL(0, bpfd.serval.rules);
    {
        struct ns_serval_key key;

        NS_CHECK(bpf_map_get_next_key(ns_programs_map(&bpfd.programs, "ns_serval_rules"), NULL, &key) != 0);
    }
}

/* --- time --- */

/* Prints the time that the program needs for a packet, without a bound: machines differ. */
static void time_of(const char *what) {
    struct xdp_md xdp = {.data_end = (uint32_t)length, .ingress_ifindex = if_nametoindex("in0")};
    LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = in, .data_size_in = (uint32_t)length, .repeat = 1,
                .data_out = out, .data_size_out = sizeof out, .ctx_in = &xdp, .ctx_size_in = sizeof xdp);
    uint64_t sum = 0;

    for (int i = 0; i < 500; i++) {
        options.data_size_out = sizeof out;
        NS_EQUAL(0, bpf_prog_test_run_opts(ns_programs_program(&bpfd.programs, "ns_xdp_entry"), &options));
        sum += options.duration;
    }
    printf("# %s: %llu ns\n", what, (unsigned long long)(sum / 500));
}

NS_TEST(the_time_of_a_packet_is_told) {
    fresh();
    target(0, "00004001/32", "198.51.100.7", 6000);
    send_syn();
    time_of("a SYN, looked up of late");
}

int main(int argc, char **argv) {
    if (argc != 2 || ns_programs_open(&bpfd.programs, argv[1]) != 0)
        return 1;
    srand(7);
    each_vector(keep_syn);
    NS_RUN(each_vector_of_the_module_leaves_as_it_does_there);
    NS_RUN(a_packet_cut_at_any_length_goes_the_long_way);
    NS_RUN(mutants_are_routed_soundly_or_not_at_all);
    NS_RUN(a_wrong_checksum_stays_wrong);
    NS_RUN(ipv6_has_rules_of_its_own);
    NS_RUN(what_the_way_does_not_take_goes_the_long_way);
    NS_RUN(targets_are_drawn_by_their_weights);
    NS_RUN(the_weight_of_a_first_target_is_kept);
    NS_RUN(a_change_of_rules_counts_at_once);
    NS_RUN(a_rule_ends_with_its_seconds);
    NS_RUN(a_rule_that_is_renewed_too_late_counts_at_once);
    NS_RUN(a_dead_container_has_no_rules);
    NS_RUN(another_container_does_not_get_the_address);
    NS_RUN(the_routers_of_a_container_are_bounded);
    NS_RUN(rules_are_held_to_the_lists);
    NS_RUN(rules_targets_and_lengths_are_bounded);
    NS_RUN(a_place_has_many_rules);
    NS_RUN(the_record_of_a_relay_becomes_that_of_rules);
    NS_RUN(an_earlier_bpfd_leaves_no_rule);
    NS_RUN(a_container_has_100000_prefixes);
    NS_RUN(questions_may_be_anything);
    NS_RUN(the_time_of_a_packet_is_told);
    return ns_test_end();
}
