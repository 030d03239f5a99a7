/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the frames of sigio against tests/vectors/sigio.txt, which the Java side reads, too. Also tests held packets
 * and the limits for gist.
 */
#include "../sigio/bucket.h"
#include "../sigio/client.h"
#include "../sigio/fair.h"
#include "../sigio/held.h"
#include "ns_test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TOKEN 0x0102030405060708ull
#define VECTOR_MOST 1024u

static const uint8_t payload[] = {0x4e, 0x04, 0xbd, 0xa5, 1, 3, 0, 1, 0, 0, 0x81, 0};
static uint8_t vector_bytes[VECTOR_MOST], out[NS_FRAME_HEADER + NS_FRAME_MOST];

/* Reads vector `name` into vector_bytes. Returns its length, 0 = there is none. */
static size_t load(const char *name) {
    FILE *file = fopen("tests/vectors/sigio.txt", "re");
    char line[2 * VECTOR_MOST + 64];
    size_t length = 0, key = strlen(name);

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        unsigned byte;

        if (strncmp(line, name, key) != 0 || line[key] != '=')
            continue;
        for (const char *at = line + key + 1; sscanf(at, "%2x", &byte) == 1 && length < VECTOR_MOST; at += 2)
            vector_bytes[length++] = (uint8_t)byte;
    }
    if (file != NULL)
        fclose(file);
    return length;
}

static void expect_written(const char *name, size_t written) {
    NS_EQUAL(load(name), written);
    NS_CHECK(written > 0 && memcmp(vector_bytes, out, written) == 0);
}

/* Reads from a copy of exactly this length, so that a byte read beyond it is found. */
static enum ns_frame_status read_copy(struct ns_frame *frame, size_t length, size_t *size) {
    static uint8_t *copy;

    free(copy);
    copy = malloc(length == 0 ? 1 : length);
    memcpy(copy, vector_bytes, length);
    return ns_frame_read(frame, copy, length, size);
}

static struct ns_packet packet4(void) {
    return (struct ns_packet){
        .ends = {.token = TOKEN,
                 .interface = 3,
                 .family = 4,
                 .ttl = 61,
                 .tclass = 0xb8,
                 .has_rao = true,
                 .local = true,
                 .rao = 0xffdf,
                 .mtu = 1500,
                 .source_port = 40000,
                 .destination_port = 270,
                 .source = {192, 0, 2, 1},
                 .destination = {198, 51, 100, 7}},
        .payload = payload,
        .payload_length = sizeof payload,
    };
}

NS_TEST(what_we_write_is_what_the_page_says) {
    struct ns_packet packet = packet4();
    struct ns_sigio_counters counters;
    uint64_t values[NS_SIGIO_COUNTER_COUNT + 2] = {0};

    expect_written("hello", ns_frame_hello(out));
    expect_written("packet4", ns_frame_packet(out, &packet.ends, payload, sizeof payload));
    packet.ends = (struct ns_endpoints){.interface = 7,
                                        .family = 6,
                                        .ttl = 255,
                                        .tclass = 0x20,
                                        .local = true,
                                        .by_socket = true,
                                        .mtu = 1280,
                                        .source_port = 270,
                                        .destination_port = 270,
                                        .flow_label = 0xabcde,
                                        .source = {0x20, 1, 0xd, 0xb8, [15] = 1},
                                        .destination = {0x20, 1, 0xd, 0xb8, 0, 1, [15] = 2}};
    expect_written("packet6", ns_frame_packet(out, &packet.ends, payload, sizeof payload));
    expect_written("failed", ns_frame_failed(out, 9, 90, 1280));
    for (size_t i = 0; i < NS_SIGIO_COUNTER_COUNT; i++)
        values[i] = i + 1;
    memcpy(&counters, values, sizeof counters);
    expect_written("counters", ns_frame_counters(out, &counters));
}

NS_TEST(errors_are_written_as_the_page_says) {
    struct ns_packet packet = {.icmp_type = 3,
                               .icmp_code = 3,
                               .offender = {203, 0, 113, 9},
                               .payload = payload,
                               .payload_length = sizeof payload,
                               .ends = {.family = 4,
                                        .source_port = 270,
                                        .destination_port = 270,
                                        .source = {192, 0, 2, 1},
                                        .destination = {198, 51, 100, 7}}};

    expect_written("icmp4", ns_frame_icmp(out, &packet, 0));
    packet = (struct ns_packet){.icmp_type = 2,
                                .offender = {0x20, 1, 0xd, 0xb8, 0, 2, [15] = 9},
                                .ends = {.family = 6,
                                         .source_port = 270,
                                         .destination_port = 270,
                                         .source = {0x20, 1, 0xd, 0xb8, [15] = 1},
                                         .destination = {0x20, 1, 0xd, 0xb8, 0, 1, [15] = 2}}};
    expect_written("icmp6", ns_frame_icmp(out, &packet, 1400));
}

NS_TEST(what_gist_writes_is_read) {
    static const char *const verdicts[] = {"verdict-on", "verdict-taken", "verdict-payload"};
    struct ns_frame frame;
    size_t length, size;

    length = load("hello");
    NS_EQUAL(NS_FRAME_OK, read_copy(&frame, length, &size));
    NS_EQUAL(1, frame.major);
    for (unsigned i = 0; i < 3; i++) {
        length = load(verdicts[i]);
        NS_EQUAL(NS_FRAME_OK, read_copy(&frame, length, &size));
        NS_EQUAL(length, size);
        NS_EQUAL(NS_FRAME_VERDICT, frame.type);
        NS_EQUAL(TOKEN, frame.token);
        NS_EQUAL(i, frame.answer);
        NS_EQUAL(i == 2 ? sizeof payload : 0, frame.length);
        NS_CHECK(i != 2 || memcmp(frame.payload, payload, sizeof payload) == 0);
    }
    length = load("send4");
    NS_EQUAL(NS_FRAME_OK, read_copy(&frame, length, &size));
    NS_EQUAL(9, frame.ends.token);
    NS_EQUAL(64, frame.ends.ttl);
    NS_EQUAL(0xb8, frame.ends.tclass);
    NS_CHECK(frame.ends.has_rao && frame.ends.rao == 0xffdf);
    NS_EQUAL(40000, frame.ends.source_port);
    NS_EQUAL(270, frame.ends.destination_port);
    NS_EQUAL(192, frame.ends.source[0]);
    NS_EQUAL(7, frame.ends.destination[3]);
    NS_EQUAL(sizeof payload, frame.length);
    length = load("limit");
    NS_EQUAL(NS_FRAME_OK, read_copy(&frame, length, &size));
    NS_EQUAL(10000, frame.packets);
    NS_EQUAL(20000, frame.datagrams);
    length = load("send6");
    NS_EQUAL(NS_FRAME_OK, read_copy(&frame, length, &size));
    NS_EQUAL(6, frame.ends.family);
    NS_CHECK(!frame.ends.has_rao);
    NS_EQUAL(0xabcde, frame.ends.flow_label);
    NS_EQUAL(0, frame.ends.source[0]);
}

NS_TEST(a_frame_is_not_read_before_its_end) {
    static const char *const names[] = {"hello", "verdict-on", "verdict-payload", "send4", "send6", "limit"};
    struct ns_frame frame;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t whole = load(names[i]), size;

        for (size_t length = 0; length < whole; length++)
            NS_EQUAL(NS_FRAME_MORE, read_copy(&frame, length, &size));
    }
}

NS_TEST(a_body_of_another_length_is_refused) {
    static const struct {
        const char *name;
        size_t least; /* of the body */
    } frames[] = {{"hello", 4}, {"verdict-on", 12}, {"verdict-payload", 12}, {"send4", 64}, {"limit", 8}};
    struct ns_frame frame;
    size_t size;

    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        for (size_t body = 0; body < frames[i].least; body++) {
            load(frames[i].name);
            vector_bytes[3] = (uint8_t)(4 + body);
            NS_EQUAL(NS_FRAME_BAD, read_copy(&frame, 8 + body, &size));
        }
    }
    load("verdict-taken"); /* a payload in a frame that has none */
    vector_bytes[3]++;
    NS_EQUAL(NS_FRAME_BAD, read_copy(&frame, 8 + 13, &size));
    load("verdict-on");
    vector_bytes[16] = 3;
    NS_EQUAL(NS_FRAME_BAD, read_copy(&frame, 8 + 12, &size));
    load("send4");
    vector_bytes[8 + 12] = 5;
    NS_EQUAL(NS_FRAME_BAD, read_copy(&frame, 8 + 64 + sizeof payload, &size));
    for (unsigned at = 8; at <= 12; at += 4) { /* no packet at all, and more than the greatest limit */
        load("limit");
        memset(vector_bytes + at, 0, 4);
        NS_EQUAL(NS_FRAME_BAD, read_copy(&frame, 16, &size));
        vector_bytes[at] = 0x10;
        NS_EQUAL(NS_FRAME_BAD, read_copy(&frame, 16, &size));
    }
    for (uint32_t bad = 0; bad < 4; bad++) {
        load("hello");
        vector_bytes[3] = (uint8_t)bad;
        NS_EQUAL(NS_FRAME_BAD, read_copy(&frame, 12, &size));
    }
    memcpy(vector_bytes, "\0\1\0\x41", 4); /* 65,601 */
    NS_EQUAL(NS_FRAME_BAD, read_copy(&frame, 4, &size));
}

NS_TEST(noise_is_read_within_its_bounds) {
    static const char *const names[] = {"hello", "verdict-on", "verdict-payload", "send4", "send6", "packet4"};
    unsigned seen[4] = {0};
    uint64_t seed = 271;

    for (int i = 0; i < 10000; i++) {
        size_t length = load(names[i % 6]), size = 0;
        struct ns_frame frame;
        enum ns_frame_status status;

        for (unsigned n = ns_test_random(&seed) % 5; n > 0; n--)
            vector_bytes[2 + ns_test_random(&seed) % (length - 2)] = (uint8_t)ns_test_random(&seed);
        if (ns_test_random(&seed) % 3 == 0)
            length = ns_test_random(&seed) % (length + 1);
        status = read_copy(&frame, length, &size);
        seen[status]++;
        if (status == NS_FRAME_OK)
            NS_CHECK(size <= length && frame.length <= size);
    }
    NS_CHECK(seen[NS_FRAME_OK] > 100 && seen[NS_FRAME_MORE] > 100 && seen[NS_FRAME_BAD] > 100);
}

/* --- the client's buffers --- */

static struct ns_sig_client client;

/* Opens a connection. Returns its other end. */
static int open_client(void) {
    int pair[2];

    NS_EQUAL(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair));
    memset(&client, 0, sizeof client);
    client.fd = pair[0];
    return pair[1];
}

NS_TEST(frames_are_found_however_they_are_cut) {
    uint64_t seed = 272;
    uint8_t stream[3000];
    size_t used = 0, sent = 0;
    unsigned frames = 0, found = 0;
    int other = open_client();

    while (used + 100 < sizeof stream) {
        size_t length = load(frames++ % 2 ? "send4" : "verdict-payload");

        memcpy(stream + used, vector_bytes, length);
        used += length;
    }
    while (found < frames) {
        size_t piece = ns_test_random(&seed) % 70 + 1;
        struct ns_frame frame;

        if (piece > used - sent)
            piece = used - sent;
        NS_EQUAL(piece, piece == 0 ? 0 : write(other, stream + sent, piece));
        sent += piece;
        NS_CHECK(ns_sig_client_read(&client));
        while (ns_sig_client_next(&client, &frame) == NS_FRAME_OK) {
            NS_EQUAL(found++ % 2 ? NS_FRAME_SEND : NS_FRAME_VERDICT, frame.type);
            NS_EQUAL(0, memcmp(frame.payload, payload, sizeof payload));
        }
    }
    NS_EQUAL(used, sent);
    close(other);
    NS_CHECK(!ns_sig_client_read(&client)); /* the other end has left */
    ns_sig_client_drop(&client, "test");
}

NS_TEST(a_client_that_does_not_read_gets_no_more_than_fits) {
    struct ns_packet packet = packet4();
    size_t queued = 0, taken = 0;
    uint8_t *room, bytes[8192];
    int other = open_client();
    ssize_t n;

    while ((room = ns_sig_client_room(&client, 64 + sizeof payload)) != NULL) {
        size_t length = ns_frame_packet(room, &packet.ends, payload, sizeof payload);

        ns_sig_client_queue(&client, length);
        queued += length;
        NS_CHECK(ns_sig_client_write(&client) && queued < 1u << 24);
    }
    NS_CHECK(queued > NS_CLIENT_OUT);
    load("packet4");
    while (taken < queued) { /* when it reads again, all frames come whole */
        NS_CHECK(ns_sig_client_write(&client));
        n = read(other, bytes, 84); /* one frame; no other bytes are written */
        NS_EQUAL(84, n);
        NS_EQUAL(0, memcmp(vector_bytes, bytes, 84));
        taken += (size_t)n;
    }
    NS_CHECK(!ns_sig_client_waits(&client) && ns_sig_client_room(&client, 64) != NULL);
    close(other);
    ns_sig_client_drop(&client, "test");
    NS_CHECK(ns_sig_client_room(&client, 4) == NULL);
}

/* --- held packets --- */

NS_TEST(tokens_name_one_packet_and_never_another) {
    static struct ns_held held;
    uint64_t first[NS_HELD_MOST];

    for (unsigned i = 0; i < NS_HELD_MOST; i++) {
        struct ns_held_packet *packet = ns_held_take(&held, i, 0, 1000 + i);

        NS_CHECK(packet != NULL);
        first[i] = packet->token;
        NS_CHECK(ns_held_find(&held, first[i]) == packet);
    }
    NS_CHECK(ns_held_take(&held, 1000, 0, 1) == NULL);
    NS_CHECK(ns_held_find(&held, 0) == NULL && ns_held_find(&held, ~0ull) == NULL);
    NS_EQUAL(1000, ns_held_next(&held));
    for (unsigned i = 0; i < NS_HELD_MOST; i++) {
        struct ns_held_packet *again;

        ns_held_free(&held, ns_held_find(&held, first[i]));
        again = ns_held_take(&held, i, 0, 5000);
        NS_CHECK(again != NULL && again->token != first[i]);
        NS_CHECK(ns_held_find(&held, first[i]) == NULL);
    }
    NS_CHECK(ns_held_due(&held, 4999) == NULL);
    for (unsigned i = 0; i < NS_HELD_MOST; i++)
        ns_held_free(&held, ns_held_due(&held, 5000));
    NS_CHECK(held.count == 0 && ns_held_due(&held, ~0ull) == NULL && ns_held_next(&held) == UINT64_MAX);
}

NS_TEST(a_source_has_as_many_as_places_are_free) {
    static struct ns_held held;
    unsigned taken = 0;

    while (ns_held_take(&held, 1, 0, 1000) != NULL)
        taken++;
    NS_EQUAL(NS_HELD_MOST / 2, taken);
    NS_EQUAL(NS_HELD_OVER_SHARE, ns_held_room(&held, 1));
    /* 64 sources that take all they get leave room for others */
    for (unsigned turn = 0; turn < NS_HELD_MOST; turn++)
        (void)ns_held_take(&held, 2 + turn % 64, 0, 1000);
    for (uint64_t other = 1000; held.count < NS_HELD_MOST; other++)
        NS_CHECK(ns_held_take(&held, other, 0, 1000) != NULL);
    NS_EQUAL(NS_HELD_FULL, ns_held_room(&held, 5000));
}

/* Judges one packet, asked at `since`. */
static void judge(struct ns_held *held, uint64_t since, uint64_t now) {
    struct ns_held_packet packet = {.since = since};

    ns_held_judged(held, &packet, now);
}

NS_TEST(late_verdicts_close_places_and_timely_ones_open_them) {
    static struct ns_held held;
    uint64_t now = 10 * NS_HELD_SLOW;

    judge(&held, now - NS_HELD_SLOW, now);
    NS_EQUAL(0, held.closed);
    judge(&held, now - NS_HELD_SLOW - 1, now);
    NS_EQUAL(NS_HELD_MOST / 4, held.closed);
    judge(&held, now - 2 * NS_HELD_SLOW, now + 1); /* asked before the places were closed */
    NS_EQUAL(NS_HELD_MOST / 4, held.closed);
    for (unsigned i = 1; i < 30; i++)
        judge(&held, now, now + i * 2 * NS_HELD_SLOW);
    NS_EQUAL(NS_HELD_MOST - NS_HELD_LEAST, held.closed);
    for (unsigned i = 0; i < NS_HELD_LEAST; i++)
        NS_CHECK(ns_held_take(&held, i, now, now) != NULL);
    NS_EQUAL(NS_HELD_FULL, ns_held_room(&held, 77));
    judge(&held, now, now + 1);
    NS_EQUAL(NS_HELD_ROOM, ns_held_room(&held, 77));
    for (unsigned i = 0; i < 2 * NS_HELD_MOST; i++)
        judge(&held, now, now + 1);
    NS_EQUAL(0, held.closed);
}

NS_TEST(a_rate_leaves_each_source_its_first) {
    static struct ns_fair fair;
    unsigned flood = 0;

    ns_fair_set(&fair, 1000, 12345);
    for (unsigned i = 0; i < 100000; i++)
        flood += ns_fair_take(&fair, i % 16, 1000000000);
    NS_EQUAL(750 + 16 * NS_FAIR_FIRST, flood);
    for (unsigned other = 0; other < 40; other++) /* a few may share a place with one that had its first */
        flood += ns_fair_take(&fair, 0xcb007100u + other, 1000000000);
    NS_CHECK(flood >= 750 + 16 * NS_FAIR_FIRST + 38);
    for (unsigned i = 0; i < 100000; i++)
        flood += ns_fair_take(&fair, i, 1000000000);
    NS_EQUAL(1000, flood); /* never more than the rate */
    ns_fair_set(&fair, 1, 0);
    flood = 0;
    for (unsigned i = 0; i < 1000; i++)
        flood += ns_fair_take(&fair, i, 9000000000);
    NS_EQUAL(1, flood);
}

NS_TEST(sources_are_hosts_or_their_networks) {
    struct ns_endpoints four = {.family = 4, .source = {192, 0, 2, 7, 9}};
    struct ns_endpoints six = {.family = 6, .source = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 1}}, same = six;

    same.source[15] = 99;
    NS_EQUAL(0xc0000207u, ns_source_of(&four));
    NS_EQUAL(0x20010db800000001ull, ns_source_of(&six));
    NS_EQUAL(ns_source_of(&six), ns_source_of(&same));
}

NS_TEST(a_bucket_gives_its_rate) {
    struct ns_bucket bucket = {.interval = 1000, .most = 10};
    unsigned given = 0;

    for (int i = 0; i < 100; i++)
        given += ns_bucket_take(&bucket, 50000);
    NS_EQUAL(10, given);
    for (uint64_t now = 50000; now <= 150000; now += 100)
        given += ns_bucket_take(&bucket, now);
    NS_EQUAL(110, given);
    for (int i = 0; i < 100; i++)
        given += ns_bucket_take(&bucket, 10000000);
    NS_EQUAL(120, given); /* it saves up no more than its size */
}

int main(void) {
    NS_RUN(what_we_write_is_what_the_page_says);
    NS_RUN(errors_are_written_as_the_page_says);
    NS_RUN(what_gist_writes_is_read);
    NS_RUN(a_frame_is_not_read_before_its_end);
    NS_RUN(a_body_of_another_length_is_refused);
    NS_RUN(noise_is_read_within_its_bounds);
    NS_RUN(frames_are_found_however_they_are_cut);
    NS_RUN(a_client_that_does_not_read_gets_no_more_than_fits);
    NS_RUN(tokens_name_one_packet_and_never_another);
    NS_RUN(a_source_has_as_many_as_places_are_free);
    NS_RUN(late_verdicts_close_places_and_timely_ones_open_them);
    NS_RUN(a_rate_leaves_each_source_its_first);
    NS_RUN(sources_are_hosts_or_their_networks);
    NS_RUN(a_bucket_gives_its_rate);
    return ns_test_end();
}
