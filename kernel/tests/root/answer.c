/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the programs that answer by template. Each packet runs through them by BPF_PROG_TEST_RUN, with maps filled
 * by bpfd's own code from the pieces of a question. The script has made the interfaces and routes of `programs`. Agents
 * are behind in0.
 */
#include "answer_example.h"
#include "answers.h"
#include "kept.h"
#include "ns_libbpf.h"
#include "ns_time.h"
#include "way_filters.h"
#include "wire.h"

#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#define PLACE 5

static struct ns_bpfd bpfd = {.offload_mark = NS_OFFLOAD_MARK, .turned_mark = 0x400000};
static struct ns_granted *granted;
static struct ns_answer_text text;
static uint8_t in[WIRE_MAX], out[WIRE_MAX];
static size_t length, left; /* of the frame in, and of the frame as it left */
static uint32_t number, gso;
static bool direct;
static uint8_t family;

static const char *const ours[] = {"container=c family=4 proto=17 dport=5060 claim=1 do=queue",
                                   "container=c family=6 proto=17 dport=5060 claim=1 do=queue"};

/* --- bpfd --- */

static struct ns_granted *grant(const char *name, unsigned quota) {
    struct ns_granted *made;
    int pair[2];

    NS_EQUAL(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
    close(pair[0]);
    made = ns_flows_grant(&bpfd, name, pair[1], -1, -1);
    NS_CHECK(made != NULL);
    made->quota = quota;
    return made;
}

static void fresh(void) {
    static const char names[][NS_INTERFACE_MAX + 1] = {"in0", "out0"};

    if (granted != NULL)
        ns_flows_revoke(&bpfd, granted);
    ns_programs_attach(&bpfd.programs, 2, names, NS_XDP_GENERIC, direct);
    filter_ways(&bpfd, 2, ours);
    granted = grant("c", 1);
    gso = 0;
    example_entry(&text, family);
}

static struct ns_ring_relay *record(void) {
    return (struct ns_ring_relay *)&granted->records[NS_RECORD_RELAYS + PLACE];
}

static void expect(enum ns_relay_state state, enum ns_answer_refused refused) {
    NS_EQUAL(ns_ring_relay_answer(number, (uint8_t)state, (uint8_t)refused), record()->answer);
}

static void put_at(struct ns_granted *by, uint16_t place) {
    number++;
    for (size_t at = 0; at < example_bytes(&text); at += sizeof((struct ns_answer_ask *)0)->bytes) {
        struct ns_answer_ask ask = example_piece(&text, place, number, at);

        ns_answers_ask(&bpfd, by, &ask);
    }
}

static void put(enum ns_answer_refused refused) {
    put_at(granted, PLACE);
    expect(refused == NS_ANSWER_REFUSED_NOT ? NS_RELAY_ACTIVE : NS_RELAY_REFUSED, refused);
}

static void arm(uint16_t seconds, uint32_t budget, enum ns_answer_refused refused) {
    const struct ns_answer_arm what = {.seconds = seconds, .budget = budget};
    struct ns_answer_ask ask = {.magic = NS_ANSWER_MAGIC, .number = ++number, .place = PLACE, .what = NS_ANSWER_ARM};

    memcpy(ask.bytes, &what, sizeof what);
    ns_answers_ask(&bpfd, granted, &ask);
    expect(refused == NS_ANSWER_REFUSED_NOT ? NS_RELAY_ACTIVE : NS_RELAY_REFUSED, refused);
}

static void withdraw(void) {
    struct ns_answer_ask ask = {
        .magic = NS_ANSWER_MAGIC, .number = ++number, .place = PLACE, .what = NS_ANSWER_WITHDRAW};

    ns_answers_ask(&bpfd, granted, &ask);
    expect(NS_RELAY_FREE, NS_ANSWER_REFUSED_NOT);
}

static uint64_t counted(enum ns_answer_reason reason) {
    uint32_t at = granted->slot * (uint32_t)NS_ANSWER_COUNTS + reason;
    uint64_t value = 0;

    bpf_map_lookup_elem(ns_programs_map(&bpfd.programs, "ns_answer_counts"), &at, &value);
    return value;
}

/* --- packets --- */

static uint8_t *l3(uint8_t *frame) {
    return frame + WIRE_L3;
}

static uint8_t *udp(uint8_t *frame) {
    return l3(frame) + (family == 4 ? 20 : 40);
}

static void sum_up(void) {
    uint16_t sum;

    wire_put16(udp(in) + 6, 0);
    sum = wire_sum(l3(in));
    wire_put16(udp(in) + 6, sum == 0 ? 0xffff : sum);
    if (family == 4) {
        wire_put16(l3(in) + 10, 0);
        ns_checksum_ipv4(l3(in), 20);
    }
}

/* Makes a packet of the agent with these bytes. */
static void from_agent(const void *bytes, size_t size) {
    uint32_t index = if_nametoindex("in0");
    struct ns_interface interface;
    struct wire w = {family,
                     17,
                     9,
                     0xb9,
                     family == 4 ? "192.0.2.10" : "2001:db8:1::a",
                     family == 4 ? "203.0.113.5" : "2001:db8:5::5",
                     4000,
                     5060,
                     (uint32_t)size,
                     false};

    length = wire_make(in, &w);
    memcpy(udp(in) + 8, bytes, size);
    if (family == 4)
        wire_put16(l3(in) + 6, 0x4000); /* do not fragment */
    sum_up();
    NS_EQUAL(0, bpf_map_lookup_elem(ns_programs_map(&bpfd.programs, "ns_interfaces"), &index, &interface));
    memcpy(in, interface.address, 6);
}

static void keep_alive(const struct example *e) {
    char message[NS_ANSWER_MESSAGE + 1];

    from_agent(message, example_message(message, sizeof message, e));
}

static uint32_t mark;
static uint32_t verdict;

static void run_at(const char *interface) {
    uint32_t index = if_nametoindex(interface);
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
    verdict = options.retval;
}

/* Tells whether the kernel has answered. */
static bool answered(void) {
    run_at("in0");
    return direct ? verdict == XDP_REDIRECT : mark != 0;
}

/* The packet went the long way, untouched, for this reason; NS_ANSWER_COUNTS = it met no entry. */
static void long_way(enum ns_answer_reason reason) {
    uint64_t before = reason == NS_ANSWER_COUNTS ? 0 : counted(reason), done = counted(NS_ANSWER_DONE);

    NS_CHECK(!answered());
    NS_EQUAL(direct ? XDP_PASS : TC_ACT_UNSPEC, (int)verdict);
    NS_EQUAL(length, left);
    NS_CHECK(memcmp(in, out, length) == 0);
    NS_EQUAL(done, counted(NS_ANSWER_DONE));
    if (reason != NS_ANSWER_COUNTS)
        NS_EQUAL(before + 1, counted(reason));
}

/* Checks the headers and the checksums of the answer, and its data. */
static void right_answer(const void *bytes, size_t size) {
    bool v4 = family == 4;
    uint8_t *ip = l3(out), *was = l3(in);
    size_t headers = v4 ? 20 : 40, address = v4 ? 4 : 16, at = v4 ? 12 : 8;

    NS_EQUAL(WIRE_L3 + headers + 8 + size, left);
    NS_CHECK(wire_right(out));
    NS_CHECK(wire_get16(udp(out) + 6) != 0);
    NS_EQUAL(headers + 8 + size - (v4 ? 0 : 40), wire_get16(ip + (v4 ? 2 : 4)));
    NS_EQUAL(8 + size, wire_get16(udp(out) + 4));
    NS_EQUAL(64, ip[v4 ? 8 : 7]);
    NS_EQUAL(0xb9, v4 ? ip[1] : wire_get16(ip) >> 4 & 0xff);
    NS_EQUAL(17, ip[v4 ? 9 : 6]);
    NS_CHECK(memcmp(ip + at, was + at + address, address) == 0);
    NS_CHECK(memcmp(ip + at + address, was + at, address) == 0);
    NS_EQUAL(5060, wire_get16(udp(out)));
    NS_EQUAL(4000, wire_get16(udp(out) + 2));
    NS_CHECK(memcmp(udp(out) + 8, bytes, size) == 0);
    if (direct)
        NS_CHECK(memcmp(out, "\x02\0\0\0\xbb\x01", 6) == 0); /* the neighbour */
    else
        NS_EQUAL(0x400000, mark);
}

static void right_reply(const struct example *e) {
    char reply[NS_ANSWER_REPLY + 1], tag[17];

    example_tag(tag, e);
    right_answer(reply, example_reply(reply, sizeof reply, e, tag));
}

/* --- tests --- */

static void each(void (*test)(void)) {
    for (int way = 0; way < 4; way++) {
        direct = (way & 1) == 0;
        family = way < 2 ? 4 : 6;
        fresh();
        test();
    }
}

static const struct example others[] = {{"z9hG4bK-17", "a7", "Call-17@10.0.0.7", "17"},
                                        {"z9hG4bK_zz", "Zz", "A.b_c-0@90.9.9.9", "99"},
                                        {"..........", "00", "0000000@00.0.0.0", "00"}};

static void fields_as_they_came(void) {
    uint64_t bytes = 0;

    put(NS_ANSWER_REFUSED_NOT);
    for (unsigned i = 0; i < 3; i++) {
        keep_alive(&others[i]);
        NS_CHECK(answered());
        right_reply(&others[i]);
        bytes += length - WIRE_L3;
    }
    NS_EQUAL(3, record()->to_peer.packets);
    NS_EQUAL(bytes, record()->to_peer.bytes);
    NS_EQUAL(0, record()->to_client.packets);
    NS_CHECK(ns_now_ns() / 1000 - record()->to_peer.last_usec < 5000000);
    NS_EQUAL(3, counted(NS_ANSWER_DONE));
}

NS_TEST(a_packet_like_the_template_is_answered_with_its_own_fields) {
    each(fields_as_they_came);
}

static bool is_in_field(size_t at, uint8_t was, uint8_t is) {
    for (unsigned i = 0; i < text.entry.fields; i++) {
        const struct ns_answer_field *field = &text.entry.field[i];
        bool digit = is >= '0' && is <= '9';
        bool letter = ((is | 0x20) >= 'a' && (is | 0x20) <= 'z') || is == '-' || is == '.' || is == '_';

        if (at >= field->from && at < (size_t)field->from + field->length)
            return (field->kind & NS_ANSWER_DIGITS) != 0 ? digit : was != '@' && (digit || letter);
    }
    return false;
}

/* Each byte of the message in turn becomes one of several others. */
static void mutated(void) {
    static const uint8_t values[] = {0,   1,   '\t', '\r', ' ', '@', '/', ':',  '[', '`',
                                     '{', ',', '_',  '0',  '9', 'a', 'Z', 0x80, 0xff};
    size_t answers = 0;

    put(NS_ANSWER_REFUSED_NOT);
    for (size_t at = 0; at < text.entry.message; at++) {
        for (size_t i = 0; i < sizeof values; i++) {
            uint8_t was;

            keep_alive(&first);
            was = udp(in)[8 + at];
            udp(in)[8 + at] = values[i];
            sum_up();
            if (values[i] != was && !is_in_field(at, was, values[i])) {
                long_way(NS_ANSWER_UNLIKE);
                continue;
            }
            NS_CHECK(answered());
            NS_CHECK(wire_right(out));
            answers++;
        }
    }
    NS_CHECK(answers > 100);
    NS_EQUAL(answers, record()->to_peer.packets);
    NS_EQUAL(text.entry.message * sizeof values - answers, record()->to_client.packets);
}

NS_TEST(a_packet_with_one_other_byte_goes_the_long_way) {
    each(mutated);
}

/* A message of any other length, and a packet that is cut anywhere. */
static void cut(void) {
    char message[NS_ANSWER_MESSAGE + 2] = {0};
    size_t size, whole, first_byte = WIRE_L3 + (family == 4 ? 20 : 40);

    put(NS_ANSWER_REFUSED_NOT);
    size = example_message(message, sizeof message, &first);
    for (size_t other = 0; other <= size + 1; other++) {
        if (other == size)
            continue;
        from_agent(message, other);
        long_way(NS_ANSWER_UNLIKE);
    }
    keep_alive(&first);
    whole = length;
    for (length = first_byte; length < whole; length++)
        long_way(NS_ANSWER_COUNTS);
    NS_EQUAL(0, counted(NS_ANSWER_DONE));
    keep_alive(&first);
    wire_put16(udp(in) + 4, 8 + size - 1);
    sum_up();
    long_way(NS_ANSWER_LENGTH);
}

NS_TEST(a_message_cut_at_any_length_goes_the_long_way) {
    each(cut);
}

/* Every length of message and reply, so that each word has each number of bytes. */
static void lengths(void) {
    static char message[NS_ANSWER_MESSAGE], reply[NS_ANSWER_REPLY];

    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (char)('a' + i % 23);
    for (size_t i = 0; i < sizeof reply; i++)
        reply[i] = (char)('A' + i % 25);
    for (size_t size = 1; size <= sizeof message; size += size < 40 || size > sizeof message - 20 ? 1 : 13) {
        size_t most = size < NS_ANSWER_GROWTH ? 2 * size : size + NS_ANSWER_GROWTH;

        for (size_t back = most; back != 0; back = back > 9 ? back - back / 4 : back - 1) {
            example_plain(&text, message, size, reply, back);
            put(NS_ANSWER_REFUSED_NOT);
            from_agent(message, size);
            NS_CHECK(answered());
            right_answer(reply, back);
        }
    }
}

NS_TEST(each_length_of_message_and_reply_is_answered) {
    each(lengths);
}

/* A field of one place of the message goes to each place of the reply, and so to odd and even ones. */
static void places(void) {
    char message[] = "0123456789abcdefghijklmnop", reply[40], wanted[40];

    for (uint16_t from = 0; from < 4; from++) {
        for (uint16_t to = 0; to <= sizeof reply - 21; to++) {
            memset(reply, '.', sizeof reply);
            example_plain(&text, message, 26, reply, sizeof reply);
            text.entry.fields = 1;
            text.entry.field[0] = (struct ns_answer_field){from, to, 5, NS_ANSWER_TEXT};
            put(NS_ANSWER_REFUSED_NOT);
            memcpy(message + from, "Xy-_9", 5);
            from_agent(message, 26);
            memcpy(message, "0123456789", 10);
            memcpy(wanted, reply, sizeof reply);
            memcpy(wanted + to, "Xy-_9", 5);
            NS_CHECK(answered());
            right_answer(wanted, sizeof wanted);
        }
    }
}

NS_TEST(a_field_may_stand_anywhere) {
    each(places);
}

static void checksums(void) {
    uint16_t right;
    uint32_t open = 0;

    put(NS_ANSWER_REFUSED_NOT);
    keep_alive(&others[1]);
    right = (uint16_t)wire_get16(udp(in) + 6);
    for (unsigned bit = 0; bit < 16; bit++) {
        wire_put16(udp(in) + 6, right ^ 1u << bit);
        long_way(NS_ANSWER_CHECKSUM);
    }
    wire_put16(udp(in) + 6, 0);
    if (family == 6) {
        long_way(NS_ANSWER_CHECKSUM);
    } else {
        NS_CHECK(answered());
        right_reply(&others[1]);
    }
    /* as a local sender leaves it for a card: the sum of the pseudo header */
    for (size_t i = family == 4 ? 12 : 8; i < (family == 4 ? 20u : 40u); i += 2)
        open += wire_get16(l3(in) + i);
    open += 17 + wire_get16(udp(in) + 4);
    open = (open & 0xffff) + (open >> 16);
    open = (open & 0xffff) + (open >> 16);
    wire_put16(udp(in) + 6, open);
    NS_CHECK(answered());
    if (direct) {
        right_reply(&others[1]);
    } else { /* the card completes this one, too */
        open += wire_get16(udp(out) + 4) - wire_get16(udp(in) + 4);
        open = (open & 0xffff) + (open >> 16);
        NS_EQUAL(open, wire_get16(udp(out) + 6));
    }
}

NS_TEST(only_a_right_checksum_is_answered) {
    each(checksums);
}

static void budgets(void) {
    text.entry.budget = 3;
    put(NS_ANSWER_REFUSED_NOT);
    for (int round = 0; round < 3; round++) {
        keep_alive(&first);
        for (int i = 0; i < 3; i++)
            NS_CHECK(answered());
        for (int i = 0; i < 4; i++)
            long_way(NS_ANSWER_BUDGET);
        arm(60, 3, NS_ANSWER_REFUSED_NOT);
    }
    NS_EQUAL(9, record()->to_peer.packets);
    NS_EQUAL(12, record()->to_client.packets);
    arm(60, 0, NS_ANSWER_REFUSED_NOT);
    for (int i = 0; i < 50; i++)
        NS_CHECK(answered());
    /* a packet unlike the template uses nothing up */
    arm(60, 1, NS_ANSWER_REFUSED_NOT);
    udp(in)[8] = 'X';
    sum_up();
    long_way(NS_ANSWER_UNLIKE);
    keep_alive(&first);
    NS_CHECK(answered());
    long_way(NS_ANSWER_BUDGET);
}

NS_TEST(an_entry_answers_as_many_as_its_budget) {
    each(budgets);
}

static void lifetimes(void) {
    text.entry.seconds = 1;
    put(NS_ANSWER_REFUSED_NOT);
    keep_alive(&first);
    NS_CHECK(answered());
    usleep(1050000);
    long_way(NS_ANSWER_COUNTS); /* without a look of bpfd's */
    NS_EQUAL(1, granted->answers.used);
    ns_flows_sweep(&bpfd);
    expect(NS_RELAY_ENDED, NS_ANSWER_REFUSED_NOT);
    NS_EQUAL(0, granted->answers.used);
    NS_EQUAL(1, granted->answers.ended_time);
    arm(60, 0, NS_ANSWER_REFUSED_gone);
    put(NS_ANSWER_REFUSED_NOT);
    NS_CHECK(answered());
}

NS_TEST(an_entry_ends_with_its_seconds) {
    each(lifetimes);
}

static void ends(void) {
    const char *const claimed[] = {"container=c family=4 proto=17 dport=5060 claim=2 do=queue",
                                   "container=c family=6 proto=17 dport=5060 claim=2 do=queue"};

    put(NS_ANSWER_REFUSED_NOT);
    keep_alive(&first);
    NS_CHECK(answered());
    withdraw();
    long_way(NS_ANSWER_COUNTS);
    put(NS_ANSWER_REFUSED_NOT);
    filter_ways(&bpfd, 2, ours);
    NS_CHECK(answered());
    filter_ways(&bpfd, 2, claimed); /* another module came, which may see things differently */
    expect(NS_RELAY_ENDED, NS_ANSWER_REFUSED_NOT);
    long_way(NS_ANSWER_COUNTS);
    put(NS_ANSWER_REFUSED_NOT);
    filter_ways(&bpfd, 0, NULL);
    expect(NS_RELAY_ENDED, NS_ANSWER_REFUSED_NOT);
    long_way(NS_ANSWER_COUNTS);
    put(NS_ANSWER_REFUSED_filter);
    NS_EQUAL(2, granted->answers.ended_revoked);
    filter_ways(&bpfd, 2, ours);
    put(NS_ANSWER_REFUSED_NOT);
    NS_EQUAL(0, ns_kept_begin(&bpfd, granted, ns_now_ns() + 1000000000ull)); /* its container dies */
    granted = NULL;
    NS_EQUAL(0, bpfd.answers);
    run_at("in0");
    NS_EQUAL(length, left);
    NS_CHECK(memcmp(in, out, length) == 0);
}

NS_TEST(an_entry_ends_with_its_filter_its_modules_and_its_container) {
    each(ends);
}

static void not_ours(void) {
    put(NS_ANSWER_REFUSED_NOT);
    keep_alive(&first);
    wire_put16(udp(in), 4001); /* another flow */
    sum_up();
    long_way(NS_ANSWER_COUNTS);
    keep_alive(&first);
    if (direct) {
        run_at("out0"); /* the way back is not this interface */
        NS_CHECK(verdict == XDP_PASS && memcmp(in, out, length) == 0);
        in[5] ^= 1; /* not to our link address */
        long_way(NS_ANSWER_ROUTE);
    } else {
        gso = 100;
        long_way(NS_ANSWER_TRAIN);
        gso = 0;
    }
    keep_alive(&first);
    length++; /* a byte of the link's behind the packet */
    if (direct)
        long_way(NS_ANSWER_LENGTH);
    else
        NS_CHECK(answered());
}

NS_TEST(what_is_in_doubt_goes_the_long_way) {
    each(not_ours);
}

/* The other end of a veth pair may lose what native XDP sends. */
static void paired(void) {
    static const char names[][NS_INTERFACE_MAX + 1] = {"in0", "out0"};

    ns_programs_attach(&bpfd.programs, 2, names, NS_XDP_NATIVE, direct);
    put(NS_ANSWER_REFUSED_NOT);
    keep_alive(&first);
    if (direct)
        long_way(NS_ANSWER_ROUTE);
    else
        NS_CHECK(answered());
}

NS_TEST(native_xdp_on_a_veth_pair_answers_nothing) {
    each(paired);
}

static void swallowed(void) {
    example_plain(&text, "\r\n\r\n", 4, "", 0);
    put(NS_ANSWER_REFUSED_NOT);
    from_agent("\r\n\r\n", 4);
    run_at("in0");
    NS_EQUAL(direct ? XDP_DROP : TC_ACT_SHOT, (int)verdict);
    NS_EQUAL(1, counted(NS_ANSWER_SWALLOWED));
    NS_EQUAL(1, record()->to_peer.packets);
    from_agent("\r\n\n\r", 4);
    long_way(NS_ANSWER_UNLIKE);
}

NS_TEST(a_ping_without_an_answer_is_swallowed) {
    each(swallowed);
}

/* Entries are one for each flow, four for each flow of the quota, and each container's own. */
static void apart(void) {
    struct ns_granted *other = grant("d", 1);
    struct ns_answer_ask ask;

    put(NS_ANSWER_REFUSED_NOT);
    put_at(granted, PLACE + 1);
    NS_EQUAL(1, granted->answers.refused[NS_ANSWER_REFUSED_taken]);
    put_at(other, PLACE);
    NS_EQUAL(1, other->answers.refused[NS_ANSWER_REFUSED_filter]);
    for (unsigned i = 1; i < 5; i++) {
        text.entry.source_port++;
        put_at(granted, (uint16_t)(PLACE + i));
    }
    NS_EQUAL(4, granted->answers.used);
    NS_EQUAL(1, granted->answers.refused[NS_ANSWER_REFUSED_quota]);
    /* a piece that does not follow */
    ask = example_piece(&text, PLACE, ++number, 80);
    ns_answers_ask(&bpfd, granted, &ask);
    expect(NS_RELAY_REFUSED, NS_ANSWER_REFUSED_malformed);
    ask = example_piece(&text, PLACE, ++number, 0);
    ns_answers_ask(&bpfd, granted, &ask);
    ask = example_piece(&text, PLACE, number, 160);
    ns_answers_ask(&bpfd, granted, &ask);
    expect(NS_RELAY_REFUSED, NS_ANSWER_REFUSED_malformed);
    NS_EQUAL(4, granted->answers.used);
    ns_flows_revoke(&bpfd, other);
}

NS_TEST(places_quota_and_flows_are_kept_apart) {
    each(apart);
}

static bool filled(const char *slots, uint32_t slot) {
    uint32_t id;

    return bpf_map_lookup_elem(ns_programs_map(&bpfd.programs, slots), &slot, &id) == 0;
}

/* Flows and answers at the same time: the slot behind answers has flows, and each comes to its own. */
static void slots(void) {
    const char *map = direct ? "ns_xdp_slots" : "ns_tc_slots";
    uint32_t at = direct ? NS_XDP_OFFLOAD : NS_TC_OFFLOAD, behind = direct ? NS_XDP_BEHIND : NS_TC_BEHIND;
    struct wire w = {family,
                     17,
                     64,
                     0,
                     family == 4 ? "192.0.2.10" : "2001:db8:1::a",
                     family == 4 ? "203.0.113.5" : "2001:db8:5::5",
                     4001,
                     5060,
                     20,
                     false};
    struct ns_offload flow = wire_ask(&w, NS_OFFLOAD_DROP);

    ns_flows_sweep(&bpfd);
    NS_CHECK(!filled(map, at) && !filled(map, behind));
    put(NS_ANSWER_REFUSED_NOT);
    NS_CHECK(filled(map, at) && !filled(map, behind));
    ns_flows_ask(&bpfd, granted, &flow, sizeof flow);
    NS_EQUAL(1, granted->used);
    NS_CHECK(filled(map, at) && filled(map, behind));
    keep_alive(&first);
    NS_CHECK(answered());
    wire_put16(udp(in), 4001);
    sum_up();
    run_at("in0");
    NS_EQUAL(direct ? XDP_DROP : TC_ACT_SHOT, (int)verdict);
    withdraw();
    ns_flows_sweep(&bpfd);
    NS_CHECK(filled(map, at) && !filled(map, behind));
    run_at("in0");
    NS_EQUAL(direct ? XDP_DROP : TC_ACT_SHOT, (int)verdict);
}

NS_TEST(answers_and_flows_share_the_slots) {
    each(slots);
}

static void timed(void) {
    struct xdp_md xdp = {.data_end = 0, .ingress_ifindex = if_nametoindex("in0")};
    struct __sk_buff skb = {.ifindex = if_nametoindex("in0")};
    uint64_t sum = 0;

    put(NS_ANSWER_REFUSED_NOT);
    keep_alive(&first);
    xdp.data_end = (uint32_t)length;
    for (int i = 0; i < 200; i++) {
        LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = in, .data_size_in = (uint32_t)length, .data_out = out,
                    .data_size_out = sizeof out);

        options.ctx_in = direct ? (void *)&xdp : (void *)&skb;
        options.ctx_size_in = direct ? sizeof xdp : sizeof skb;
        NS_EQUAL(0, bpf_prog_test_run_opts(ns_programs_program(&bpfd.programs, direct ? "ns_xdp_entry" : "ns_tc_entry"),
                                           &options));
        sum += options.duration;
    }
    printf("# an answer of IPv%u, %s: %llu ns\n", family, direct ? "xdp" : "tc", (unsigned long long)(sum / 200));
}

NS_TEST(the_time_of_an_answer_is_told) {
    each(timed);
}

int main(int argc, char **argv) {
    if (argc != 2 || ns_programs_open(&bpfd.programs, argv[1]) != 0)
        return 1;
    srand(5);
    NS_CHECK(bpfd.programs.features[NS_FEATURE_answer]);
    NS_RUN(a_packet_like_the_template_is_answered_with_its_own_fields);
    NS_RUN(a_packet_with_one_other_byte_goes_the_long_way);
    NS_RUN(a_message_cut_at_any_length_goes_the_long_way);
    NS_RUN(each_length_of_message_and_reply_is_answered);
    NS_RUN(a_field_may_stand_anywhere);
    NS_RUN(only_a_right_checksum_is_answered);
    NS_RUN(an_entry_answers_as_many_as_its_budget);
    NS_RUN(an_entry_ends_with_its_seconds);
    NS_RUN(an_entry_ends_with_its_filter_its_modules_and_its_container);
    NS_RUN(what_is_in_doubt_goes_the_long_way);
    NS_RUN(native_xdp_on_a_veth_pair_answers_nothing);
    NS_RUN(a_ping_without_an_answer_is_swallowed);
    NS_RUN(places_quota_and_flows_are_kept_apart);
    NS_RUN(answers_and_flows_share_the_slots);
    NS_RUN(the_time_of_an_answer_is_told);
    return ns_test_end();
}
