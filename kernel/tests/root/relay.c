/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the programs that relay channels of a TURN server. Each packet runs through them by BPF_PROG_TEST_RUN, with
 * maps filled by bpfd's own code. The script has made the interfaces and routes of `programs`: clients are behind in0,
 * peers behind out0 (MTU 1400).
 */
#include "kept.h"
#include "ns_libbpf.h"
#include "ns_test.h"
#include "ns_time.h"
#include "relays.h"
#include "way_filters.h"
#include "wire.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHANNEL 0x4001
#define DATA 160

static struct ns_bpfd bpfd = {.offload_mark = NS_OFFLOAD_MARK, .turned_mark = 0x400000, .secret = 7};
static struct ns_granted *granted;
static uint8_t in[WIRE_MAX], out[WIRE_MAX];
static size_t length, left; /* of the frame in, and of the frame as it left */
static uint32_t mark, gso;
static uint32_t number;

/* A pair of families: of the client's side, and of the peer's. */
static const struct family { uint8_t client, peer; } families[] = {{4, 4}, {4, 6}, {6, 4}, {6, 6}};

static const struct {
    const char *client, *server, *relayed, *peer;
} at4 = {"192.0.2.10", "192.0.2.1", "198.51.100.1", "198.51.100.7"},
  at6 = {"2001:db8:1::a", "2001:db8:1::1", "2001:db8:2::1", "2001:db8:2::7"};

/* --- bpfd --- */

static void reach(struct ns_reach *list, const char *text) {
    list->count = 0;
    NS_CHECK(ns_value_list(text, ns_reach_add, list));
}

static void node(const char *own, const char *others) {
    bpfd.node.owns = bpfd.node.others = 0;
    NS_CHECK(ns_value_list(own, ns_node_add_own, &bpfd.node));
    NS_CHECK(ns_value_list(others, ns_node_add_other, &bpfd.node));
    ns_relays_check_again(&bpfd);
}

#define OWN "192.0.2.1,198.51.100.1,2001:db8:1::1,2001:db8:2::1"

#define LISTEN "udp/0.0.0.0/0/3478,udp/0.0.0.0/0/49152-65535,udp/::/0/3478,udp/::/0/49152-65535"
#define CONNECT "udp/198.51.100.0/24/1-65535,udp/2001:db8:2::/64/1-65535,tcp/0.0.0.0/0/80"

/* Grants a container as the order `grant` does. */
static struct ns_granted *grant(const char *name, const char *listen, const char *connect) {
    static struct ns_reach listens, connects;
    struct ns_granted *made;
    int pair[2];

    reach(&listens, listen);
    reach(&connects, connect);
    NS_EQUAL(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
    close(pair[0]);
    ns_kept_meet(&bpfd, name, &listens, &connects);
    made = ns_flows_grant(&bpfd, name, pair[1], -1, -1);
    NS_CHECK(made != NULL);
    made->quota = 2;
    made->relays.listen = listens;
    made->relays.connect = connects;
    return made;
}

/* A container that may serve TURN at port 3478, and reach all peers behind out0. Clients are in no connect grant. */
static void fresh(bool direct) {
    static const char names[][NS_INTERFACE_MAX + 1] = {"in0", "out0"};

    if (granted != NULL)
        ns_flows_revoke(&bpfd, granted);
    ns_kept_forget(&bpfd, "c");
    memset(bpfd.kept_count, 0, sizeof bpfd.kept_count);
    bpfd.kept_counts = 0;
    ns_programs_attach(&bpfd.programs, 2, names, NS_XDP_NATIVE, direct);
    ns_programs_local(&bpfd.programs, "in0");
    ns_programs_local(&bpfd.programs, "out0");
    filter_ways(&bpfd, 0, NULL);
    granted = grant("c", LISTEN, CONNECT);
    node(OWN, "192.0.2.255,100.64.0.0/18");
    gso = 0;
}

static void put_address(uint8_t to[16], uint8_t family, const char *v4, const char *v6) {
    memset(to, 0, 16);
    inet_pton(family == 4 ? AF_INET : AF_INET6, family == 4 ? v4 : v6, to);
}

static struct ns_ring_ask question(const struct family *f) {
    struct ns_ring_ask ask = {.magic = NS_RELAY_MAGIC,
                              .number = ++number,
                              .place = 5,
                              .seconds = 600,
                              .what = NS_RELAY_BIND,
                              .client = f->client,
                              .peer = f->peer,
                              .client_port = 4000,
                              .server_port = 3478,
                              .relayed_port = 49160,
                              .peer_port = 7000,
                              .channel = CHANNEL};

    put_address(ask.client_address, f->client, at4.client, at6.client);
    put_address(ask.server_address, f->client, at4.server, at6.server);
    put_address(ask.relayed_address, f->peer, at4.relayed, at6.relayed);
    put_address(ask.peer_address, f->peer, at4.peer, at6.peer);
    return ask;
}

static struct ns_ring_relay *record(unsigned place) {
    return (struct ns_ring_relay *)&granted->records[NS_RECORD_RELAYS + place];
}

static void expect(const struct ns_ring_ask *ask, enum ns_relay_state state, enum ns_relay_refused refused) {
    NS_EQUAL(ns_ring_relay_answer(ask->number, (uint8_t)state, (uint8_t)refused), record(ask->place)->answer);
}

static void ask_for(const struct ns_ring_ask *ask, enum ns_relay_refused refused) {
    ns_relays_ask(&bpfd, granted, ask);
    expect(ask, refused == NS_RELAY_REFUSED_NOT ? NS_RELAY_ACTIVE : NS_RELAY_REFUSED, refused);
}

static void bind_one(const struct family *f) {
    struct ns_ring_ask ask = question(f);

    ask_for(&ask, NS_RELAY_REFUSED_NOT);
}

static uint64_t counted(enum ns_relay_reason reason) {
    uint32_t at = granted->slot * (uint32_t)NS_RELAY_COUNTS + reason;
    uint64_t value = 0;

    bpf_map_lookup_elem(ns_programs_map(&bpfd.programs, "ns_relay_counts"), &at, &value);
    return value;
}

/* --- packets --- */

static void to_interface(const char *name) {
    uint32_t index = if_nametoindex(name);
    struct ns_interface interface;

    NS_EQUAL(0, bpf_map_lookup_elem(ns_programs_map(&bpfd.programs, "ns_interfaces"), &index, &interface));
    memcpy(in, interface.address, 6);
}

static uint8_t *l3(uint8_t *frame) {
    return frame + WIRE_L3;
}

static uint8_t *udp(uint8_t *frame) {
    return l3(frame) + (l3(frame)[0] >> 4 == 4 ? 20 : 40);
}

/* Computes the checksums anew after a change. */
static void sum_up(void) {
    uint16_t sum;

    wire_put16(udp(in) + 6, 0);
    sum = wire_sum(l3(in));
    wire_put16(udp(in) + 6, sum == 0 ? 0xffff : sum);
    if (l3(in)[0] >> 4 == 4) {
        wire_put16(l3(in) + 10, 0);
        ns_checksum_ipv4(l3(in), 20);
    }
}

/* Makes ChannelData of the client, with `pad` bytes behind the data. */
static void from_client_padded(const struct family *f, uint32_t data, uint32_t pad) {
    bool v4 = f->client == 4;
    struct wire w = {
        f->client,      17,   64, 0xb9, v4 ? at4.client : at6.client, v4 ? at4.server : at6.server, 4000, 3478,
        4 + data + pad, false};

    length = wire_make(in, &w);
    wire_put16(udp(in) + 8, CHANNEL);
    wire_put16(udp(in) + 10, data);
    if (v4)
        wire_put16(l3(in) + 6, 0x4000); /* do not fragment */
    sum_up();
    to_interface("in0");
}

static void from_client(const struct family *f, uint32_t data) {
    from_client_padded(f, data, 0);
}

static void from_peer(const struct family *f, uint32_t data) {
    bool v4 = f->peer == 4;
    struct wire w = {f->peer, 17,    64,   0xb9, v4 ? at4.peer : at6.peer, v4 ? at4.relayed : at6.relayed,
                     7000,    49160, data, false};

    length = wire_make(in, &w);
    if (v4)
        wire_put16(l3(in) + 6, 0x4000);
    sum_up();
    to_interface("out0");
}

static bool direct;
static const char *arrives_at;

/* Runs the packet. Returns true if it was relayed, and not merely let go. */
static bool run(void) {
    uint32_t index = if_nametoindex(arrives_at);
    struct xdp_md xdp = {.data_end = (uint32_t)length, .ingress_ifindex = index};
    struct __sk_buff skb = {.ifindex = index, .mark = 0x10, .gso_size = gso}, after = {0};
    LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = in, .data_size_in = (uint32_t)length, .data_out = out,
                .data_size_out = sizeof out);

    if (direct) {
        options.ctx_in = &xdp;
        options.ctx_size_in = sizeof xdp;
    } else {
        options.ctx_in = &skb;
        options.ctx_size_in = sizeof skb;
        options.ctx_out = &after;
        options.ctx_size_out = sizeof after;
    }
    NS_EQUAL(0, bpf_prog_test_run_opts(ns_programs_program(&bpfd.programs, direct ? "ns_xdp_entry" : "ns_tc_entry"),
                                       &options));
    left = options.data_size_out;
    mark = after.mark & ~0x10u;
    if (direct)
        return options.retval == XDP_REDIRECT;
    NS_EQUAL(TC_ACT_UNSPEC, (int)options.retval);
    return mark != 0;
}

static bool run_from(const char *interface) {
    arrives_at = interface;
    return run();
}

/* The packet went the long way, untouched, for this reason. */
static void long_way(const char *interface, enum ns_relay_reason reason) {
    uint64_t before = counted(reason);

    NS_CHECK(!run_from(interface));
    NS_EQUAL(length, left);
    NS_CHECK(memcmp(in, out, length) == 0);
    NS_EQUAL(before + 1, counted(reason));
}

static void is_address(const uint8_t *at, uint8_t family, const char *v4, const char *v6) {
    uint8_t wanted[16];

    put_address(wanted, family, v4, v6);
    NS_CHECK(memcmp(at, wanted, family == 4 ? 4 : 16) == 0);
}

/* Checks the headers of IP that a packet has left with. */
static void right_ip(uint8_t family, uint32_t payload) {
    bool v4 = family == 4;
    uint8_t *ip = l3(out);
    uint32_t bytes = (v4 ? 20 : 40) + 8 + payload;

    NS_EQUAL(WIRE_L3 + bytes, left);
    NS_EQUAL(v4 ? 0x0800 : 0x86dd, wire_get16(out + 12));
    NS_EQUAL(family, ip[0] >> 4);
    NS_EQUAL(bytes - (v4 ? 0 : 40), wire_get16(ip + (v4 ? 2 : 4)));
    NS_EQUAL(0xb9, v4 ? ip[1] : wire_get16(ip) >> 4 & 0xff); /* DSCP and ECN as they came */
    NS_EQUAL(direct ? 63 : 64, ip[v4 ? 8 : 7]);
    NS_EQUAL(17, ip[v4 ? 9 : 6]);
    NS_EQUAL(8 + payload, wire_get16(udp(out) + 4));
    NS_CHECK(wire_right(out));
    NS_CHECK(wire_get16(udp(out) + 6) != 0);
    if (!direct)
        NS_EQUAL(0x400000 | NS_OFFLOAD_MARK, mark);
}

static void right_at_peer(const struct family *f, uint32_t data) {
    bool v4 = f->peer == 4;

    right_ip(f->peer, data);
    is_address(l3(out) + (v4 ? 12 : 8), f->peer, at4.relayed, at6.relayed);
    is_address(l3(out) + (v4 ? 16 : 24), f->peer, at4.peer, at6.peer);
    NS_EQUAL(49160, wire_get16(udp(out)));
    NS_EQUAL(7000, wire_get16(udp(out) + 2));
    NS_CHECK(memcmp(udp(out) + 8, udp(in) + 12, data) == 0);
}

static void right_at_client(const struct family *f, uint32_t data) {
    bool v4 = f->client == 4;

    right_ip(f->client, data + 4);
    is_address(l3(out) + (v4 ? 12 : 8), f->client, at4.server, at6.server);
    is_address(l3(out) + (v4 ? 16 : 24), f->client, at4.client, at6.client);
    NS_EQUAL(3478, wire_get16(udp(out)));
    NS_EQUAL(4000, wire_get16(udp(out) + 2));
    NS_EQUAL(CHANNEL, wire_get16(udp(out) + 8));
    NS_EQUAL(data, wire_get16(udp(out) + 10));
    NS_CHECK(memcmp(udp(out) + 12, udp(in) + 8, data) == 0);
}

/* --- tests --- */

static void each(void (*test)(const struct family *f)) {
    for (int way = 0; way < 2; way++) {
        direct = way == 0;
        for (unsigned i = 0; i < 4; i++) {
            fresh(direct);
            bind_one(&families[i]);
            test(&families[i]);
        }
    }
}

static void both_directions(const struct family *f) {
    uint64_t bytes = 0;

    for (uint32_t data = 0; data < 300; data++) {
        from_client(f, data);
        NS_CHECK(run_from("in0"));
        right_at_peer(f, data);
        from_peer(f, data);
        NS_CHECK(run_from("out0"));
        right_at_client(f, data);
        bytes += data;
    }
    NS_EQUAL(300, record(5)->to_peer.packets);
    NS_EQUAL(300, record(5)->to_client.packets);
    NS_EQUAL(bytes, record(5)->to_peer.bytes);
    NS_EQUAL(bytes, record(5)->to_client.bytes);
    NS_CHECK(ns_now_ns() / 1000 - record(5)->to_client.last_usec < 5000000);
}

NS_TEST(each_pair_of_families_is_relayed_both_ways) {
    each(both_directions);
}

static void padded(const struct family *f) {
    for (uint32_t data = 157; data < 165; data++) {
        uint32_t pad = (4 - data % 4) % 4;

        from_client_padded(f, data, pad);
        NS_CHECK(run_from("in0"));
        left -= pad; /* bytes behind the IP packet are the link's padding */
        right_at_peer(f, data);
    }
    from_client_padded(f, 160, 4);
    long_way("in0", NS_RELAY_LENGTH);
    from_client_padded(f, 159, 2);
    long_way("in0", NS_RELAY_LENGTH);
}

/* A client of RFC 5766 has chosen the number. */
static void legacy(const struct family *f) {
    struct ns_ring_ask ask = question(f);

    ask.channel = 0x7fff;
    ask_for(&ask, NS_RELAY_REFUSED_NOT);
    from_client(f, DATA);
    wire_put16(udp(in) + 8, 0x7fff);
    sum_up();
    NS_CHECK(run_from("in0"));
    right_at_peer(f, DATA);
    from_peer(f, DATA);
    NS_CHECK(run_from("out0"));
    NS_EQUAL(0x7fff, wire_get16(udp(out) + 8));
}

NS_TEST(channel_numbers_of_older_clients_are_relayed) {
    each(legacy);
}

/* The stack would drop it: it has an address of the node as its source. IPv6 does not mind. */
static void martian(const struct family *f) {
    static const char names[][NS_INTERFACE_MAX + 1] = {"in0", "out0"};

    ns_programs_attach(&bpfd.programs, 2, names, NS_XDP_NATIVE, direct);
    from_client(f, DATA);
    if (direct || f->peer == 6)
        NS_CHECK(run_from("in0"));
    else
        long_way("in0", NS_RELAY_LOCAL);
    ns_programs_local(&bpfd.programs, "in0");
    from_client(f, DATA);
    NS_CHECK(run_from("in0"));
}

NS_TEST(what_the_stack_would_drop_goes_the_long_way) {
    each(martian);
}

/* The sums go on over the end of a relay, and over a refresh that takes the record's numbers with it. */
static void sums(const struct family *f) {
    struct ns_granted_relays *relays = &granted->relays;
    struct ns_ring_ask ask = question(f);

    from_client(f, DATA);
    NS_CHECK(run_from("in0"));
    NS_EQUAL(0, relays->to_peer);
    node("192.0.2.99", "192.0.2.255");
    NS_EQUAL(0, relays->used);
    NS_EQUAL(1, relays->to_peer);
    node(OWN, "192.0.2.255,100.64.0.0/18");
    ask.what = NS_RELAY_REFRESH;
    ask_for(&ask, NS_RELAY_REFUSED_NOT);
    NS_EQUAL(0, relays->to_peer);
    from_client(f, DATA);
    NS_CHECK(run_from("in0"));
    NS_EQUAL(2, record(5)->to_peer.packets);
    ask = question(f);
    ask_for(&ask, NS_RELAY_REFUSED_NOT);
    NS_EQUAL(2, relays->to_peer);
    NS_EQUAL(2 * DATA, relays->bytes);
    NS_EQUAL(0, record(5)->to_peer.packets);
}

NS_TEST(packets_are_summed_up_over_the_ends_of_relays) {
    each(sums);
}

NS_TEST(padding_over_udp_is_taken_off) {
    each(padded);
}

static void not_in_doubt(const struct family *f) {
    from_client(f, DATA);
    wire_put16(udp(in) + 8, CHANNEL + 1); /* another channel: no relay */
    sum_up();
    NS_CHECK(!run_from("in0") && left == length && memcmp(in, out, length) == 0);
    from_client(f, DATA);
    wire_put16(udp(in), 4001); /* another client */
    sum_up();
    NS_CHECK(!run_from("in0") && left == length && memcmp(in, out, length) == 0);
    from_client(f, DATA);
    wire_put16(udp(in) + 8, 1); /* a Binding request */
    sum_up();
    NS_CHECK(!run_from("in0") && left == length && memcmp(in, out, length) == 0);
    for (uint32_t says = 0; says < 2; says++) {
        from_client(f, DATA);
        wire_put16(udp(in) + 10, says == 0 ? DATA + 1 : 0xffff);
        sum_up();
        long_way("in0", NS_RELAY_LENGTH);
    }
    from_client(f, DATA);
    wire_put16(udp(in) + 4, 8 + DATA); /* UDP says less than IP */
    long_way("in0", NS_RELAY_LENGTH);
    from_client(f, DATA);
    l3(in)[f->client == 4 ? 8 : 7] = 1;
    sum_up();
    long_way("in0", NS_RELAY_TTL);
}

NS_TEST(what_is_in_doubt_goes_the_long_way) {
    each(not_in_doubt);
}

static void cut(const struct family *f) {
    size_t whole;

    from_client(f, 40);
    whole = length;
    for (size_t bytes = 14; bytes < whole; bytes++) {
        uint32_t index = if_nametoindex("in0");
        struct xdp_md xdp = {.data_end = (uint32_t)bytes, .ingress_ifindex = index};
        LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = in, .data_size_in = (uint32_t)bytes, .data_out = out,
                    .data_size_out = sizeof out, .ctx_in = &xdp, .ctx_size_in = sizeof xdp);

        if (bpf_prog_test_run_opts(ns_programs_program(&bpfd.programs, "ns_xdp_entry"), &options) != 0)
            continue; /* the kernel makes no frame so short */
        NS_EQUAL(XDP_PASS, options.retval);
        NS_EQUAL(bytes, options.data_size_out);
        NS_CHECK(memcmp(in, out, bytes) == 0);
    }
}

NS_TEST(a_packet_cut_at_any_length_goes_the_long_way) {
    direct = true;
    for (unsigned i = 0; i < 4; i++) {
        fresh(true);
        bind_one(&families[i]);
        cut(&families[i]);
    }
}

/* Data of a peer may begin as ChannelData does. */
static void looks_like_a_channel(const struct family *f) {
    from_client(f, DATA);
    NS_CHECK(run_from("in0"));
    from_peer(f, DATA);
    wire_put16(udp(in) + 8, CHANNEL);
    sum_up();
    NS_CHECK(run_from("out0"));
    right_at_client(f, DATA);
}

NS_TEST(data_of_a_peer_may_look_like_a_channel) {
    each(looks_like_a_channel);
}

static void checksums(const struct family *f) {
    uint32_t half;

    from_client(f, DATA);
    udp(in)[40] ^= 0x5a;
    NS_CHECK(run_from("in0")); /* a wrong checksum stays wrong */
    NS_CHECK(!wire_right(out));
    from_client(f, DATA);
    wire_put16(udp(in) + 6, 0);
    if (f->client == 4 && f->peer == 4) {
        NS_CHECK(run_from("in0"));
        NS_EQUAL(0, wire_get16(udp(out) + 6));
    } else {
        long_way("in0", NS_RELAY_CHECKSUM);
    }
    from_client(f, DATA); /* the sum of the pseudo header alone, as a card completes it */
    half = ns_checksum_add(17 + 12 + DATA, l3(in) + (f->client == 4 ? 12 : 8), f->client == 4 ? 8 : 32);
    wire_put16(udp(in) + 6, (uint16_t)~ns_checksum_finish(half));
    long_way("in0", NS_RELAY_CHECKSUM);
}

NS_TEST(a_checksum_is_never_made_right) {
    each(checksums);
}

static void mtu(const struct family *f) {
    uint32_t head = f->peer == 4 ? 28 : 48;

    from_client(f, 1400 - head);
    NS_CHECK(run_from("in0"));
    right_at_peer(f, 1400 - head);
    from_client(f, 1400 - head + 1);
    long_way("in0", NS_RELAY_ROUTE);
}

NS_TEST(what_the_way_does_not_take_goes_the_long_way) {
    each(mtu);
}

NS_TEST(fragmentation_follows_the_translation_of_the_rfc) {
    for (int way = 0; way < 2; way++) {
        direct = way == 0;
        fresh(direct);
        bind_one(&families[1]); /* 4 to 6 */
        from_client(&families[1], 1232);
        wire_put16(l3(in) + 6, 0);
        sum_up();
        NS_CHECK(run_from("in0"));
        right_at_peer(&families[1], 1232);
        from_client(&families[1], 1233);
        wire_put16(l3(in) + 6, 0);
        sum_up();
        long_way("in0", NS_RELAY_FRAGMENT);
        fresh(direct);
        bind_one(&families[2]); /* 6 to 4: DF above 1260 bytes, RFC 7915, section 5.1 */
        from_client(&families[2], 1232);
        NS_CHECK(run_from("in0"));
        NS_EQUAL(0, wire_get16(l3(out) + 6));
        from_client(&families[2], 1233);
        NS_CHECK(run_from("in0"));
        NS_EQUAL(0x4000, wire_get16(l3(out) + 6));
        fresh(direct);
        bind_one(&families[0]); /* 4 to 4: as it came */
        for (uint32_t df = 0; df <= 0x4000; df += 0x4000) {
            from_client(&families[0], DATA);
            wire_put16(l3(in) + 6, df);
            sum_up();
            NS_CHECK(run_from("in0"));
            NS_EQUAL(df, wire_get16(l3(out) + 6));
        }
        from_client(&families[0], DATA);
        wire_put16(l3(in) + 6, 0x2000); /* a fragment */
        sum_up();
        NS_CHECK(!run_from("in0") && memcmp(in, out, length) == 0);
    }
}

NS_TEST(a_train_goes_the_long_way) {
    direct = false;
    fresh(false);
    bind_one(&families[0]);
    from_client(&families[0], DATA);
    gso = 80;
    long_way("in0", NS_RELAY_TRAIN);
}

static void heard(const struct family *f) {
    struct ns_ring_ask ask = question(f);

    from_peer(f, DATA);
    long_way("out0", NS_RELAY_UNHEARD);
    from_client(f, DATA);
    NS_CHECK(run_from("in0"));
    from_peer(f, DATA);
    NS_CHECK(run_from("out0"));
    record(5)->to_peer.last_usec -= 121000000;
    long_way("out0", NS_RELAY_UNHEARD);
    reach(&granted->relays.connect, "udp/0.0.0.0/0/1-65535,udp/::/0/1-65535"); /* the container may reach everybody */
    ask_for(&ask, NS_RELAY_REFUSED_NOT);
    NS_CHECK(run_from("out0"));
}

NS_TEST(a_client_gets_nothing_that_the_firewall_would_not_let_out) {
    each(heard);
}

/* Moves a relay's time of the last packet for the firewall back by so many seconds. */
static void let_go_before(const struct ns_ring_ask *ask, unsigned seconds) {
    const struct ns_relay_asker who = {
        .listen = &granted->relays.listen, .connect = &granted->relays.connect, .node = &bpfd.node};
    struct ns_relay_accepted ways;
    struct ns_relay relay;
    int map;

    ns_relay_compile(&ways, &who, ask);
    map = ns_programs_map(&bpfd.programs, ways.to_peer.family == 4 ? "ns_relays4" : "ns_relays6");
    NS_EQUAL(0, bpf_map_lookup_elem(map, &ways.to_peer.key, &relay));
    relay.let_go -= seconds * 1000000000ull;
    NS_EQUAL(0, bpf_map_update_elem(map, &ways.to_peer.key, &relay, BPF_EXIST));
}

static void one_in_fifteen_seconds(const struct family *f) {
    struct ns_ring_ask ask = question(f);

    let_go_before(&ask, 16);
    from_client(f, DATA);
    long_way("in0", NS_RELAY_LET_GO);
    NS_CHECK(run_from("in0"));
}

NS_TEST(one_packet_in_fifteen_seconds_is_let_go) {
    each(one_in_fifteen_seconds);
}

NS_TEST(a_relay_ends_with_its_seconds) {
    for (int way = 0; way < 2; way++) {
        struct ns_ring_ask ask = question(&families[0]);

        direct = way == 0;
        fresh(direct);
        ask.seconds = 1;
        ask_for(&ask, NS_RELAY_REFUSED_NOT);
        from_client(&families[0], DATA);
        NS_CHECK(run_from("in0"));
        usleep(1100000);
        NS_CHECK(!run_from("in0")); /* before bpfd has looked */
        ns_flows_sweep(&bpfd);
        expect(&ask, NS_RELAY_ENDED, NS_RELAY_REFUSED_NOT);
        NS_EQUAL(1, granted->relays.ended_time);
        NS_EQUAL(0, granted->relays.used);
        ask.what = NS_RELAY_REFRESH;
        ask.seconds = 600;
        ask_for(&ask, NS_RELAY_REFUSED_NOT);
        NS_CHECK(run_from("in0"));
        NS_EQUAL(2, record(5)->to_peer.packets); /* the numbers go on */
        ask.what = NS_RELAY_BIND;
        ask_for(&ask, NS_RELAY_REFUSED_NOT);
        NS_EQUAL(0, record(5)->to_peer.packets);
    }
}

NS_TEST(a_relay_ends_when_it_is_unbound_and_with_its_container) {
    for (int way = 0; way < 2; way++) {
        struct ns_ring_ask ask = question(&families[3]);
        struct ns_ring_ask none = {.magic = NS_RELAY_MAGIC, .number = 99, .place = 5, .what = NS_RELAY_UNBIND};

        direct = way == 0;
        fresh(direct);
        ask_for(&ask, NS_RELAY_REFUSED_NOT);
        from_client(&families[3], DATA);
        NS_CHECK(run_from("in0"));
        ns_relays_ask(&bpfd, granted, &none);
        expect(&none, NS_RELAY_FREE, NS_RELAY_REFUSED_NOT);
        NS_CHECK(!run_from("in0"));
        ask_for(&ask, NS_RELAY_REFUSED_NOT);
        NS_CHECK(run_from("in0"));
        ns_flows_revoke(&bpfd, granted);
        granted = NULL;
        NS_CHECK(!run_from("in0"));
        NS_EQUAL(0, bpfd.relays);
    }
}

static void ended_by_changes(const struct family *f) {
    static const char *const takes[] = {"container=d family=4 proto=17 dport=3478 do=queue",
                                        "container=d family=6 proto=17 dport=3478 do=queue"};
    static const char *const samples[] = {"container=d family=4 proto=17 sport=7000 do=sample every=10",
                                          "container=d family=6 proto=17 sport=7000 do=sample every=10"};
    struct ns_ring_ask ask = question(f);

    ask_for(&ask, NS_RELAY_REFUSED_NOT);
    filter_ways(&bpfd, 2, takes);
    expect(&ask, NS_RELAY_ENDED, NS_RELAY_REFUSED_NOT);
    ask_for(&ask, NS_RELAY_REFUSED_filter);
    filter_ways(&bpfd, 0, NULL);
    ask_for(&ask, NS_RELAY_REFUSED_NOT);
    filter_ways(&bpfd, 2, samples);
    expect(&ask, NS_RELAY_ENDED, NS_RELAY_REFUSED_NOT);
    ask_for(&ask, NS_RELAY_REFUSED_sampled);
    filter_ways(&bpfd, 0, NULL);
    ask_for(&ask, NS_RELAY_REFUSED_NOT);
    node("203.0.113.1", "");
    expect(&ask, NS_RELAY_ENDED, NS_RELAY_REFUSED_NOT);
    ask_for(&ask, NS_RELAY_REFUSED_server);
    node(OWN, "");
    ask_for(&ask, NS_RELAY_REFUSED_NOT);
    node(OWN ",198.51.100.7,2001:db8:2::7", "");
    expect(&ask, NS_RELAY_ENDED, NS_RELAY_REFUSED_NOT);
    ask_for(&ask, NS_RELAY_REFUSED_node);
    NS_EQUAL(0, granted->relays.used);
}

NS_TEST(a_relay_ends_with_changes_of_filters_and_addresses) {
    each(ended_by_changes);
}

NS_TEST(places_quota_and_keys_are_kept_apart) {
    struct ns_ring_ask ask, other;

    direct = true;
    fresh(true);
    ask = question(&families[0]);
    ask_for(&ask, NS_RELAY_REFUSED_NOT);
    other = question(&families[0]);
    other.place = 6;
    ask_for(&other, NS_RELAY_REFUSED_taken); /* the same channel of the same client */
    other.channel++;
    ask_for(&other, NS_RELAY_REFUSED_taken); /* the same pair of peer and relayed address */
    other.peer_port++;
    ask_for(&other, NS_RELAY_REFUSED_NOT);
    for (uint16_t place = 7; place < 13; place++) {
        other.place = place;
        other.channel++;
        other.peer_port++;
        ask_for(&other, NS_RELAY_REFUSED_NOT);
    }
    other.place = 13;
    other.channel++;
    other.peer_port++;
    ask_for(&other, NS_RELAY_REFUSED_quota); /* 4 for each of the 2 flows */
    other.place = 12;
    ask_for(&other, NS_RELAY_REFUSED_NOT); /* takes the place of another */
    NS_EQUAL(8, granted->relays.used);
    ask_for(&ask, NS_RELAY_REFUSED_NOT);
    NS_EQUAL(8, granted->relays.used);
    NS_EQUAL(2, granted->relays.refused[NS_RELAY_REFUSED_taken]);
    ns_flows_revoke(&bpfd, granted);
    granted = NULL;
    NS_EQUAL(0, bpfd.relays);
}

NS_TEST(slots_are_filled_while_there_are_relays) {
    for (int way = 0; way < 2; way++) {
        const char *slots = way == 0 ? "ns_xdp_slots" : "ns_tc_slots";
        uint32_t first = way == 0 ? NS_XDP_OFFLOAD : NS_TC_OFFLOAD, behind = way == 0 ? NS_XDP_FLOWS : NS_TC_FLOWS;
        struct ns_ring_ask none = {.magic = NS_RELAY_MAGIC, .number = 9, .place = 5, .what = NS_RELAY_UNBIND};
        int map = ns_programs_map(&bpfd.programs, slots);
        uint32_t program, relay;

        direct = way == 0;
        fresh(direct);
        ns_flows_sweep(&bpfd);
        NS_CHECK(bpf_map_lookup_elem(map, &first, &program) != 0);
        bind_one(&families[0]);
        NS_EQUAL(0, bpf_map_lookup_elem(map, &first, &relay));
        NS_CHECK(bpf_map_lookup_elem(map, &behind, &program) != 0);
        ns_programs_need(&bpfd.programs, true, false); /* a flow comes */
        NS_EQUAL(0, bpf_map_lookup_elem(map, &first, &program));
        NS_EQUAL(relay, program);
        NS_EQUAL(0, bpf_map_lookup_elem(map, &behind, &program));
        ns_relays_ask(&bpfd, granted, &none);
        ns_programs_relays(&bpfd.programs, false);
        NS_EQUAL(0, bpf_map_lookup_elem(map, &first, &relay));
        NS_EQUAL(program, relay); /* the flows have the slot again */
        NS_CHECK(bpf_map_lookup_elem(map, &behind, &program) != 0);
    }
}

/* --- relays that outlive their container, the table of kept.h --- */

#define GRACE_MS 800u /* short, but longer than the steps of a test */

static const struct ns_kept_count *kept(void) {
    return &bpfd.kept_count[0];
}

/* The container dies. Its relays are kept for so many milliseconds. */
static unsigned die(unsigned msec) {
    unsigned count = ns_kept_begin(&bpfd, granted, ns_now_ns() + msec * 1000000ull);

    granted = NULL;
    return count;
}

/* The container dies with one relay, and comes back without having asked for anything yet. */
static void die_and_return(const struct family *f) {
    from_client(f, DATA);
    NS_CHECK(run_from("in0"));
    NS_EQUAL(1, die(60000));
    granted = grant("c", LISTEN, CONNECT);
}

static void taken_over(const struct family *f) {
    struct ns_ring_ask ask = question(f);

    die_and_return(f);
    NS_EQUAL(0, granted->relays.used);
    from_client(f, DATA);
    NS_CHECK(run_from("in0")); /* nobody has it, and it goes on */
    right_at_peer(f, DATA);
    from_peer(f, DATA + 1);
    NS_CHECK(run_from("out0")); /* the client was heard before its container died */
    right_at_client(f, DATA + 1);
    ask.place = 9;
    ask_for(&ask, NS_RELAY_REFUSED_NOT);
    NS_EQUAL(1, record(9)->to_peer.packets); /* the packet since the container's end */
    NS_EQUAL(DATA, record(9)->to_peer.bytes);
    NS_EQUAL(1, record(9)->to_client.packets);
    NS_EQUAL(DATA + 1, record(9)->to_client.bytes);
    NS_CHECK(run_from("out0")); /* ... and is heard, without a packet since */
    NS_EQUAL(2, record(9)->to_client.packets);
    NS_EQUAL(1, granted->relays.used);
    NS_EQUAL(1, bpfd.relays);
    NS_EQUAL(1, kept()->kept);
    NS_EQUAL(1, kept()->taken_over);
    NS_EQUAL(0, kept()->ended);
    NS_EQUAL(0, ns_kept_used(&bpfd, "c"));
}

NS_TEST(the_next_container_takes_a_kept_relay_over) {
    each(taken_over);
}

/* The programs know the end, also if bpfd does not look. The slot goes with the last relay. */
static void never_back(const struct family *f) {
    unsigned slot = granted->slot;

    from_client(f, DATA);
    NS_CHECK(run_from("in0"));
    NS_EQUAL(1, die(GRACE_MS));
    NS_CHECK(run_from("in0"));
    usleep(GRACE_MS * 1000);
    NS_CHECK(!run_from("in0"));
    NS_EQUAL(1, bpfd.relays);
    ns_flows_sweep(&bpfd);
    NS_EQUAL(0, bpfd.relays);
    NS_CHECK(bpfd.granted[slot] == NULL);
    NS_EQUAL(1, kept()->kept);
    NS_EQUAL(0, kept()->taken_over);
    NS_EQUAL(1, kept()->ended);
}

NS_TEST(kept_relays_end_with_the_grace) {
    each(never_back);
}

/* A relay keeps its own end, if that comes before the end of the grace. */
NS_TEST(a_kept_relay_does_not_outlive_its_seconds) {
    for (int way = 0; way < 2; way++) {
        struct ns_ring_ask ask = question(&families[0]);

        direct = way == 0;
        fresh(direct);
        ask.seconds = 1;
        ask_for(&ask, NS_RELAY_REFUSED_NOT);
        NS_EQUAL(1, die(60000));
        from_client(&families[0], DATA);
        NS_CHECK(run_from("in0"));
        usleep(1100000);
        NS_CHECK(!run_from("in0"));
        ns_flows_sweep(&bpfd);
        NS_EQUAL(0, bpfd.relays);
        NS_EQUAL(1, kept()->ended);
    }
}

static void forgotten(const struct family *f) {
    die_and_return(f);
    NS_CHECK(run_from("in0"));
    ns_kept_forget(&bpfd, "d");
    NS_CHECK(run_from("in0"));
    ns_kept_forget(&bpfd, "c");
    NS_CHECK(!run_from("in0"));
    NS_EQUAL(0, bpfd.relays);
    NS_EQUAL(1, kept()->ended);
    granted = (ns_flows_revoke(&bpfd, granted), grant("c", LISTEN, CONNECT));
    bind_one(f);
    NS_EQUAL(0, record(5)->to_peer.packets); /* a relay like any other */
    NS_CHECK(run_from("in0"));
}

NS_TEST(kept_relays_are_forgotten_at_once) {
    each(forgotten);
}

/* A container that never ran ends; what was kept before goes on, and so does its time. */
static void revoked(const struct family *f) {
    die_and_return(f);
    ns_flows_revoke(&bpfd, granted);
    granted = NULL;
    NS_CHECK(run_from("in0"));
    NS_EQUAL(1, ns_kept_used(&bpfd, "c"));
}

NS_TEST(a_failed_start_leaves_kept_relays_alone) {
    each(revoked);
}

/* The next container dies, too: with a relay of its own, and before it has asked for the kept one. */
NS_TEST(a_second_death_does_not_prolong_the_grace) {
    for (int way = 0; way < 2; way++) {
        struct ns_ring_ask other = question(&families[3]);

        direct = way == 0;
        fresh(direct);
        bind_one(&families[0]);
        NS_EQUAL(1, die(GRACE_MS));
        granted = grant("c", LISTEN, CONNECT);
        ask_for(&other, NS_RELAY_REFUSED_NOT);
        NS_EQUAL(1, die(60000));
        NS_EQUAL(2, ns_kept_used(&bpfd, "c"));
        from_client(&families[0], DATA);
        NS_CHECK(run_from("in0"));
        usleep(GRACE_MS * 1000);
        NS_CHECK(!run_from("in0"));
        from_client(&families[3], DATA);
        NS_CHECK(run_from("in0"));
        ns_flows_sweep(&bpfd);
        NS_EQUAL(1, ns_kept_used(&bpfd, "c"));
        granted = grant("c", LISTEN, CONNECT);
        ask_for(&other, NS_RELAY_REFUSED_NOT);
        NS_EQUAL(2, kept()->kept);
        NS_EQUAL(1, kept()->taken_over);
        NS_EQUAL(1, kept()->ended);
        NS_EQUAL(1, bpfd.relays);
    }
}

/* Another publisher asks for the same channel, and gets it by no means while it is kept. */
static void not_anothers(const struct family *f) {
    struct ns_ring_ask ask = question(f);
    struct ns_granted *other;

    die_and_return(f);
    other = grant("d", "udp/192.0.2.1/32/5000", CONNECT);
    NS_CHECK(run_from("in0")); /* another port: no matter */
    reach(&other->relays.listen, LISTEN);
    ns_relays_ask(&bpfd, other, &ask);
    NS_EQUAL(1, other->relays.refused[NS_RELAY_REFUSED_taken]);
    NS_EQUAL(0, other->relays.used);
    NS_CHECK(run_from("in0"));
    ns_flows_revoke(&bpfd, other);
    NS_CHECK(run_from("in0"));
    other = grant("d", LISTEN, CONNECT); /* may listen there from now on */
    NS_CHECK(!run_from("in0"));
    NS_EQUAL(0, bpfd.relays);
    NS_EQUAL(0, kept()->taken_over);
    NS_EQUAL(1, kept()->ended);
    ns_flows_revoke(&bpfd, other);
}

NS_TEST(another_publisher_neither_takes_nor_keeps_them) {
    each(not_anothers);
}

/* The lists of the next container, new filters and new addresses hold for kept relays, too. */
static void held_to_lists(const struct family *f) {
    static const char *const takes[] = {"container=d family=4 proto=17 dport=3478 do=queue",
                                        "container=d family=6 proto=17 dport=3478 do=queue"};

    NS_EQUAL(1, die(60000));
    granted = grant("c", LISTEN, "udp/203.0.113.0/24/1-65535");
    from_client(f, DATA);
    NS_CHECK(!run_from("in0"));
    NS_EQUAL(0, bpfd.relays);
    granted = (ns_flows_revoke(&bpfd, granted), grant("c", LISTEN, CONNECT));
    bind_one(f);
    NS_EQUAL(1, die(60000));
    filter_ways(&bpfd, 2, takes);
    NS_EQUAL(0, bpfd.relays);
    filter_ways(&bpfd, 0, NULL);
    granted = grant("c", LISTEN, CONNECT);
    bind_one(f);
    NS_EQUAL(1, die(60000));
    node("203.0.113.1", "");
    NS_EQUAL(0, bpfd.relays);
    node(OWN, "");
}

NS_TEST(kept_relays_are_held_to_lists_filters_and_addresses) {
    each(held_to_lists);
}

/* A client that the next container may no longer reach unasked is answered only while it sends. */
static void not_unasked(const struct family *f) {
    struct ns_ring_ask ask = question(f);

    reach(&granted->relays.connect, "udp/0.0.0.0/0/1-65535,udp/::/0/1-65535");
    ask_for(&ask, NS_RELAY_REFUSED_NOT);
    NS_EQUAL(1, die(60000));
    from_peer(f, DATA);
    NS_CHECK(run_from("out0"));
    granted = grant("c", LISTEN, CONNECT);
    NS_CHECK(!run_from("out0"));
}

NS_TEST(the_next_connect_list_decides_about_unasked_data) {
    each(not_unasked);
}

/* Nobody is there to see a packet that is let go. */
static void not_let_go(const struct family *f) {
    struct ns_ring_ask ask = question(f);

    let_go_before(&ask, 16);
    NS_EQUAL(1, die(60000));
    from_client(f, DATA);
    NS_CHECK(run_from("in0"));
}

NS_TEST(no_packet_of_a_kept_relay_is_let_go) {
    each(not_let_go);
}

NS_TEST(kept_relays_count_against_the_quota) {
    struct ns_ring_ask ask;

    direct = true;
    fresh(true);
    for (uint16_t place = 0; place < 8; place++) {
        ask = question(&families[0]);
        ask.place = place;
        ask.channel = (uint16_t)(CHANNEL + place);
        ask.peer_port = (uint16_t)(7000 + place);
        ask_for(&ask, NS_RELAY_REFUSED_NOT);
    }
    NS_EQUAL(8, die(60000));
    granted = grant("c", LISTEN, CONNECT);
    ask.number++;
    ask.channel++;
    ask.peer_port++;
    ask_for(&ask, NS_RELAY_REFUSED_quota); /* a further one */
    ask.channel--;
    ask.peer_port--;
    ask_for(&ask, NS_RELAY_REFUSED_NOT); /* one of the eight */
    NS_EQUAL(8, bpfd.relays);
    ask = question(&families[0]);
    ask.peer_port = 7100; /* the client has moved the first channel to another peer */
    ask_for(&ask, NS_RELAY_REFUSED_quota);
    granted->quota = 3;
    ask_for(&ask, NS_RELAY_REFUSED_NOT);
    NS_EQUAL(8, bpfd.relays);
    NS_EQUAL(6, ns_kept_used(&bpfd, "c"));
}

/* A living container gets the slot of a dead one, if there is no other. */
NS_TEST(a_dead_container_makes_room) {
    static struct ns_granted stand_in = {.name = "x", .socket = -1};
    unsigned slot;

    direct = true;
    fresh(true);
    bind_one(&families[0]);
    slot = granted->slot;
    NS_EQUAL(1, die(60000));
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++)
        bpfd.granted[i] = bpfd.granted[i] == NULL ? &stand_in : bpfd.granted[i];
    granted = grant("c", LISTEN, CONNECT);
    NS_EQUAL(slot, granted->slot);
    NS_EQUAL(0, bpfd.relays);
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++)
        bpfd.granted[i] = bpfd.granted[i] == &stand_in ? NULL : bpfd.granted[i];
}

NS_TEST(nothing_is_kept_of_a_container_without_relays) {
    direct = true;
    fresh(true);
    NS_EQUAL(0, die(60000));
    NS_CHECK(ns_flows_find(&bpfd, "c") == NULL);
    NS_EQUAL(0, kept()->kept);
}

/* Prints the time that the programs need for a packet, without a bound: machines differ. */
static void time_of(const char *what, const char *interface) {
    uint32_t index = if_nametoindex(interface);
    struct xdp_md xdp = {.data_end = (uint32_t)length, .ingress_ifindex = index};
    struct __sk_buff skb = {.ifindex = index};
    LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = in, .data_size_in = (uint32_t)length, .repeat = 1,
                .data_out = out, .data_size_out = sizeof out);
    uint64_t sum = 0;

    options.ctx_in = direct ? (void *)&xdp : (void *)&skb;
    options.ctx_size_in = direct ? sizeof xdp : sizeof skb;
    for (int i = 0; i < 200; i++) {
        options.data_size_out = sizeof out;
        NS_EQUAL(0, bpf_prog_test_run_opts(ns_programs_program(&bpfd.programs, direct ? "ns_xdp_entry" : "ns_tc_entry"),
                                           &options));
        sum += options.duration;
    }
    printf("# %s, %s: %llu ns\n", what, direct ? "xdp" : "tc", (unsigned long long)(sum / 200));
}

static void timed(const struct family *f) {
    char what[32];

    from_client(f, DATA);
    snprintf(what, sizeof what, "%u to %u", f->client, f->peer);
    time_of(what, "in0");
    from_peer(f, DATA);
    snprintf(what, sizeof what, "%u back to %u", f->peer, f->client);
    time_of(what, "out0");
}

NS_TEST(the_time_of_a_packet_is_told) {
    each(timed);
}

int main(int argc, char **argv) {
    if (argc != 2 || ns_programs_open(&bpfd.programs, argv[1]) != 0)
        return 1;
    srand(5);
    NS_RUN(each_pair_of_families_is_relayed_both_ways);
    NS_RUN(channel_numbers_of_older_clients_are_relayed);
    NS_RUN(what_the_stack_would_drop_goes_the_long_way);
    NS_RUN(packets_are_summed_up_over_the_ends_of_relays);
    NS_RUN(padding_over_udp_is_taken_off);
    NS_RUN(what_is_in_doubt_goes_the_long_way);
    NS_RUN(a_packet_cut_at_any_length_goes_the_long_way);
    NS_RUN(data_of_a_peer_may_look_like_a_channel);
    NS_RUN(a_checksum_is_never_made_right);
    NS_RUN(what_the_way_does_not_take_goes_the_long_way);
    NS_RUN(fragmentation_follows_the_translation_of_the_rfc);
    NS_RUN(a_train_goes_the_long_way);
    NS_RUN(a_client_gets_nothing_that_the_firewall_would_not_let_out);
    NS_RUN(one_packet_in_fifteen_seconds_is_let_go);
    NS_RUN(a_relay_ends_with_its_seconds);
    NS_RUN(a_relay_ends_when_it_is_unbound_and_with_its_container);
    NS_RUN(a_relay_ends_with_changes_of_filters_and_addresses);
    NS_RUN(places_quota_and_keys_are_kept_apart);
    NS_RUN(slots_are_filled_while_there_are_relays);
    NS_RUN(the_next_container_takes_a_kept_relay_over);
    NS_RUN(kept_relays_end_with_the_grace);
    NS_RUN(a_kept_relay_does_not_outlive_its_seconds);
    NS_RUN(kept_relays_are_forgotten_at_once);
    NS_RUN(a_failed_start_leaves_kept_relays_alone);
    NS_RUN(a_second_death_does_not_prolong_the_grace);
    NS_RUN(another_publisher_neither_takes_nor_keeps_them);
    NS_RUN(kept_relays_are_held_to_lists_filters_and_addresses);
    NS_RUN(the_next_connect_list_decides_about_unasked_data);
    NS_RUN(no_packet_of_a_kept_relay_is_let_go);
    NS_RUN(kept_relays_count_against_the_quota);
    NS_RUN(a_dead_container_makes_room);
    NS_RUN(nothing_is_kept_of_a_container_without_relays);
    NS_RUN(the_time_of_a_packet_is_told);
    return ns_test_end();
}
