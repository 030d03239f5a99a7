/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the choice of the counts and flows with the most bytes (docs/protocols/bpfd.md, "Orders"). */
#include "ns_test.h"
#include "talkers.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_ANSWER 8192u /* bytes that the spawner reads */

static struct ns_ring_record *records; /* of one container */
static struct ns_talkers talkers;
static char *text;
static size_t size;

static void begin(unsigned most) {
    free(records);
    records = calloc(NS_RECORDS, sizeof *records);
    talkers = (struct ns_talkers){.most = most};
}

static struct ns_ring_record *put(unsigned place, uint32_t state, const char *source, uint64_t packets,
                                  uint64_t bytes) {
    struct ns_ring_record *record = &records[place];

    *record = (struct ns_ring_record){.version = 2,
                                      .state = state,
                                      .family = strchr(source, ':') == NULL ? 4 : 6,
                                      .protocol = 17,
                                      .source_port = 5000,
                                      .destination_port = 9,
                                      .packets = packets,
                                      .bytes = bytes,
                                      .last_usec = 1000};
    inet_pton(record->family == 4 ? AF_INET : AF_INET6, source, record->source);
    inet_pton(record->family == 4 ? AF_INET : AF_INET6, source, record->destination);
    return record;
}

static struct ns_ring_record *count(unsigned place, const char *source, uint64_t packets, uint64_t bytes) {
    return put(NS_RING_RECORD_FLOWS + place, NS_RECORD_COUNTED, source, packets, bytes);
}

static const char *print(uint64_t now_usec) {
    FILE *out;

    free(text);
    out = open_memstream(&text, &size);
    ns_talkers_print(&talkers, now_usec, out);
    fclose(out);
    return text;
}

static bool prints(const char *wanted) {
    return strcmp(print(2500000), wanted) == 0;
}

NS_TEST(nothing_is_nothing) {
    begin(4);
    NS_CHECK(prints(" records=0 other=0 talkers="));
    ns_talkers_add(&talkers, "c", records);
    NS_CHECK(prints(" records=0 other=0 talkers="));
}

NS_TEST(a_count_and_a_flow_are_told_with_all_fields) {
    begin(4);
    count(0, "2001:db8::1", 3, 300)->ttl = 63;
    put(7, NS_RECORD_OFFLOADED, "192.0.2.1", 2, 100);
    records[NS_RECORD_OTHER].packets = 5;
    ns_talkers_add(&talkers, "c", records);
    NS_CHECK(prints(" records=2 other=5 talkers=c/count/6/17/2001:db8::1/5000/2001:db8::1/9/63/3/300/2499,"
                    "c/flow/4/17/192.0.2.1/5000/192.0.2.1/9/0/2/100/2499"));
}

NS_TEST(the_last_packet_may_be_later_than_now) {
    begin(1);
    count(0, "192.0.2.1", 1, 1)->last_usec = 3000000;
    ns_talkers_add(&talkers, "c", records);
    NS_CHECK(prints(" records=1 other=0 talkers=c/count/4/17/192.0.2.1/5000/192.0.2.1/9/0/1/1/0"));
}

/* Bytes decide, then packets, then the order in which the records were read. */
NS_TEST(the_most_bytes_come_first) {
    static const uint64_t bytes[] = {5, 1, 9, 7, 9, 3}, packets[] = {1, 1, 1, 1, 2, 1};
    static const uint64_t wanted[] = {9, 9, 7};

    for (unsigned most = 1; most <= 3; most++) {
        begin(most);
        for (unsigned i = 0; i < 6; i++)
            count(i, "192.0.2.1", packets[i], bytes[i]);
        ns_talkers_add(&talkers, "c", records);
        NS_EQUAL(most, talkers.count);
        NS_EQUAL(6, talkers.records);
        NS_EQUAL(2, talkers.talker[0].record.packets);
        for (unsigned i = 0; i < most; i++)
            NS_EQUAL(wanted[i], talkers.talker[i].record.bytes);
    }
}

NS_TEST(containers_are_chosen_from_together) {
    begin(2);
    count(0, "192.0.2.1", 1, 10);
    ns_talkers_add(&talkers, "a", records);
    records[NS_RING_RECORD_FLOWS].bytes = 20;
    ns_talkers_add(&talkers, "b", records);
    records[NS_RING_RECORD_FLOWS].bytes = 15;
    ns_talkers_add(&talkers, "c", records);
    NS_EQUAL(3, talkers.records);
    NS_CHECK(strcmp(talkers.talker[0].container, "b") == 0 && strcmp(talkers.talker[1].container, "c") == 0);
}

NS_TEST(none_may_be_wanted) {
    begin(0);
    count(0, "192.0.2.1", 1, 10);
    ns_talkers_add(&talkers, "c", records);
    NS_CHECK(prints(" records=1 other=0 talkers="));
}

NS_TEST(free_and_ended_and_half_written_records_are_left_out) {
    static const uint32_t ended[] = {NS_RECORD_FREE, NS_RECORD_ENDED_IDLE, NS_RECORD_ENDED_TIME,
                                     NS_RECORD_ENDED_REVOKED};

    begin(4);
    for (unsigned i = 0; i < 4; i++)
        put(i, ended[i], "192.0.2.1", 1, 10);
    count(0, "192.0.2.1", 1, 10)->state = NS_RECORD_FREE;
    count(1, "192.0.2.1", 1, 10)->version = 3;
    put(NS_RECORD_RELAYS, NS_RECORD_COUNTED, "192.0.2.1", 1, 10); /* a relay's record has another form */
    ns_talkers_add(&talkers, "c", records);
    NS_CHECK(prints(" records=0 other=0 talkers="));
}

NS_TEST(the_longest_answer_is_read_by_the_spawner) {
    static const char name[] = "0123456789012345678901234567890123456789012345678901234567890123";

    begin(NS_TALKERS_MOST);
    for (unsigned i = 0; i < NS_RECORD_OTHER - NS_RING_RECORD_FLOWS; i++) {
        struct ns_ring_record *record = count(i, "1111:2222:3333:4444:5555:6666:7777:8888", UINT64_MAX, UINT64_MAX);

        record->source_port = record->destination_port = UINT16_MAX;
        record->ttl = record->protocol = UINT8_MAX;
        record->last_usec = 0;
    }
    records[NS_RECORD_OTHER].packets = UINT64_MAX;
    ns_talkers_add(&talkers, name, records);
    print(UINT64_MAX);
    NS_CHECK(size + strlen("ok id=9223372036854775807") < LONGEST_ANSWER);
}

int main(void) {
    NS_RUN(nothing_is_nothing);
    NS_RUN(a_count_and_a_flow_are_told_with_all_fields);
    NS_RUN(the_last_packet_may_be_later_than_now);
    NS_RUN(the_most_bytes_come_first);
    NS_RUN(containers_are_chosen_from_together);
    NS_RUN(none_may_be_wanted);
    NS_RUN(free_and_ended_and_half_written_records_are_left_out);
    NS_RUN(the_longest_answer_is_read_by_the_spawner);
    free(records);
    free(text);
    return ns_test_end();
}
