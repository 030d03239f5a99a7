/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the copy of bpfd's records into region D. An array of the test plays bpfd. */
#include "ns_memfd.h"
#include "ns_test.h"
#include "records.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TENTH NS_RECORDS_EVERY
#define FIRST_COUNT NS_RING_RECORD_FLOWS

static struct ns_ring_record from[NS_RECORDS];
static struct ns_records records;
static struct ns_ring_fds fds;
static struct ns_ring_map ring;

static void begin(void) {
    memset(from, 0, sizeof from);
    NS_EQUAL(0, ns_ring_create(64, &fds));
    NS_EQUAL(0, ns_ring_map(&ring, fds.desc_rw, fds.slots, 64, 1));
    ns_records_begin(&records, from, ring.records, ring.relays, 7 * TENTH);
}

static void end(void) {
    ns_ring_unmap(&ring);
    ns_ring_close(&fds);
}

static void put(uint32_t index, uint32_t state, uint64_t packets) {
    from[index] = (struct ns_ring_record){
        .version = from[index].version + 2,
        .state = state,
        .seq = 5,
        .family = 4,
        .protocol = 17,
        .source = {192, 0, 2, 1},
        .source_port = 1000,
        .packets = packets,
    };
}

NS_TEST(what_changes_is_copied_ten_times_a_second) {
    begin();
    put(0, NS_RECORD_OFFLOADED, 3);
    put(NS_RECORD_RELAYS - 1, NS_RECORD_COUNTED, 9);
    NS_EQUAL(2, ns_records_copy(&records, 8 * TENTH));
    NS_CHECK(ring.records[0].state == NS_RECORD_OFFLOADED && ring.records[0].packets == 3 && ring.records[0].seq == 5);
    NS_CHECK(ring.records[0].source[3] == 1 && ring.records[0].source_port == 1000);
    NS_CHECK(ring.records[NS_RECORD_RELAYS - 1].packets == 9 && ring.records[0].version % 2 == 0);
    from[0].packets = 4; /* the programs count without a new version */
    NS_EQUAL(0, ns_records_copy(&records, 9 * TENTH - 1));
    NS_EQUAL(1, ns_records_copy(&records, 9 * TENTH));
    NS_EQUAL(4, ring.records[0].packets);
    NS_EQUAL(0, ns_records_copy(&records, 10 * TENTH)); /* nothing new */
    put(0, NS_RECORD_ENDED_IDLE, 4);
    NS_EQUAL(1, ns_records_copy(&records, 11 * TENTH));
    memset(&from[0], 0, sizeof from[0]);
    NS_EQUAL(1, ns_records_copy(&records, 12 * TENTH));
    NS_CHECK(ring.records[0].state == NS_RECORD_FREE && ring.records[0].packets == 0);
    NS_EQUAL(0, ns_records_copy(&records, 13 * TENTH));
    end();
}

NS_TEST(a_reader_sees_a_new_version_each_time) {
    uint32_t version;

    begin();
    put(3, NS_RECORD_OFFLOADED, 1);
    ns_records_copy(&records, 8 * TENTH);
    version = ring.records[3].version;
    for (uint64_t i = 1; i <= 5; i++) {
        from[3].packets++;
        NS_EQUAL(1, ns_records_copy(&records, (8 + i) * TENTH));
        NS_CHECK(ring.records[3].version > version && ring.records[3].version % 2 == 0);
        version = ring.records[3].version;
    }
    end();
}

NS_TEST(what_is_no_record_is_not_copied) {
    begin();
    put(1, NS_RECORD_OFFLOADED, 1);
    from[1].version |= 1; /* being written */
    put(2, NS_RECORD_COUNTED + 1, 1);
    put(4, NS_RECORD_COUNTED, 1); /* a count among the flows */
    put(FIRST_COUNT, NS_RECORD_OFFLOADED, 1);
    put(5, NS_RECORD_OFFLOADED, 1);
    from[5].family = 5;
    NS_EQUAL(0, ns_records_copy(&records, 8 * TENTH));
    from[1].version++;
    NS_EQUAL(1, ns_records_copy(&records, 9 * TENTH));
    from[1].version++; /* the copy stays as it is until the record is whole again */
    from[1].packets = 99;
    NS_EQUAL(0, ns_records_copy(&records, 10 * TENTH));
    NS_EQUAL(1, ring.records[1].packets);
    end();
}

NS_TEST(what_found_no_place_is_of_no_family) {
    const uint32_t other = NS_RECORD_RELAYS - 1;

    begin();
    from[other].state = NS_RECORD_COUNTED;
    from[other - 1] = (struct ns_ring_record){.state = NS_RECORD_COUNTED, .packets = 1};
    NS_EQUAL(0, ns_records_copy(&records, 8 * TENTH));
    from[other].packets = 7;
    NS_EQUAL(1, ns_records_copy(&records, 9 * TENTH));
    NS_CHECK(ring.records[other].state == NS_RECORD_COUNTED && ring.records[other].packets == 7);
    from[other].packets = 0; /* counts begin anew */
    NS_EQUAL(1, ns_records_copy(&records, 10 * TENTH));
    NS_EQUAL(NS_RECORD_FREE, ring.records[other].state);
    end();
}

NS_TEST(a_successor_begins_with_none) {
    uint32_t version;

    begin();
    put(8, NS_RECORD_OFFLOADED, 1);
    ns_records_copy(&records, 8 * TENTH);
    version = ring.records[8].version;
    ring.desc[63].seq = 77; /* the descriptors in front of the records stay */
    ns_records_begin(&records, from, ring.records, ring.relays, 9 * TENTH);
    NS_CHECK(ring.records[8].state == NS_RECORD_FREE && ring.desc[63].seq == 77);
    NS_EQUAL(1, ns_records_copy(&records, 9 * TENTH));
    NS_CHECK(ring.records[8].version > version);
    ns_records_begin(&records, NULL, ring.records, ring.relays, 10 * TENTH); /* without a fast path */
    NS_CHECK(ns_records_copy(&records, 11 * TENTH) == 0 && ring.records[8].state == NS_RECORD_FREE);
    ns_records_begin(&records, from, NULL, NULL, 10 * TENTH); /* in a ring of minor version 0 */
    NS_EQUAL(0, ns_records_copy(&records, 11 * TENTH));
    end();
}

NS_TEST(a_short_array_is_not_mapped) {
    const struct ns_ring_record *map;
    char name[] = "/tmp/ns-records-XXXXXX";
    int fd = mkstemp(name), pipes[2];

    NS_CHECK(fd >= 0);
    unlink(name);
    for (off_t bytes = 0; bytes < (off_t)sizeof from; bytes += 4096 - (bytes == 0)) {
        NS_EQUAL(0, ftruncate(fd, bytes));
        NS_CHECK(ns_records_map(fd) == NULL && errno == EBADMSG);
    }
    NS_EQUAL(0, ftruncate(fd, sizeof from));
    map = ns_records_map(fd);
    NS_CHECK(map != NULL && map[NS_RECORD_RELAYS - 1].state == NS_RECORD_FREE);
    close(fd);
    NS_EQUAL(0, pipe(pipes));
    NS_CHECK(ns_records_map(pipes[0]) == NULL && ns_records_map(-1) == NULL);
    close(pipes[0]);
    close(pipes[1]);
}

int main(void) {
    NS_RUN(what_changes_is_copied_ten_times_a_second);
    NS_RUN(a_reader_sees_a_new_version_each_time);
    NS_RUN(what_is_no_record_is_not_copied);
    NS_RUN(what_found_no_place_is_of_no_family);
    NS_RUN(a_successor_begins_with_none);
    NS_RUN(a_short_array_is_not_mapped);
    return ns_test_end();
}
