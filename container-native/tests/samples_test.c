/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the way of the fast path's samples into the ring. A file of the test plays the kernel's ring buffer. */
#include "rig.h"
#include "sample.h"
#include "samples.h"
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE NS_SAMPLE_RING_BYTES
#define MSS 500u

static struct ns_sampled sampled;

static size_t tcp(uint8_t *p, bool v6, uint32_t number, uint8_t flags, uint32_t id, const uint8_t *data, size_t bytes) {
    size_t ip = v6 ? 40 : 20, length = ip + 20 + bytes;
    uint32_t sum;

    memset(p, 0, ip + 20);
    p[0] = v6 ? 0x60 : 0x45;
    ns_put16(p + (v6 ? 4 : 2), (unsigned)(v6 ? length - 40 : length));
    p[v6 ? 7 : 8] = 64;
    p[v6 ? 6 : 9] = 6;
    inet_pton(v6 ? AF_INET6 : AF_INET, v6 ? "2001:db8::1" : "192.0.2.1", p + (v6 ? 8 : 12));
    inet_pton(v6 ? AF_INET6 : AF_INET, v6 ? "2001:db8::2" : "198.51.100.2", p + (v6 ? 24 : 16));
    if (!v6) {
        ns_put16(p + 4, id);
        ns_checksum_ipv4(p, 20);
    }
    ns_put16(p + ip, 1000);
    ns_put16(p + ip + 2, 80);
    ns_put16(p + ip + 4, number >> 16);
    ns_put16(p + ip + 6, number & 0xffff);
    p[ip + 12] = 5 << 4;
    p[ip + 13] = flags;
    memcpy(p + ip + 20, data, bytes);
    sum = ns_checksum_add(v6 ? ns_checksum_add(0, p + 8, 32) : ns_checksum_add(0, p + 12, 8), p + ip, 20 + bytes);
    ns_put16(p + ip + 16, ns_checksum_finish(sum + 6 + (uint32_t)(20 + bytes)));
    return length;
}

/* Leaves the checksum open, as for a network card: the sum of the pseudo header alone. */
static void leave_open(uint8_t *p, size_t length, size_t field) {
    size_t ip = p[0] >> 4 == 6 ? 40 : 20;
    uint32_t sum = ip == 40 ? ns_checksum_add(0, p + 8, 32) : ns_checksum_add(0, p + 12, 8);

    sum += p[ip == 40 ? 6 : 9] + (uint32_t)(length - ip);
    ns_put16(p + ip + field, (uint16_t)~ns_checksum_finish(sum));
}

static struct ns_sample head_of(const uint8_t *packet, size_t length) {
    return (struct ns_sample){.nsec = 7000000,
                              .length = (uint32_t)length,
                              .mark = 0x11,
                              .ifindex = 3,
                              .family = packet[0] >> 4,
                              .segments = 1};
}

/* Puts the bytes of a record on the heap, so that a read beyond the end is found. */
static bool read_record(const struct ns_sample *head, const uint8_t *packet, size_t kept) {
    uint8_t *record = malloc(sizeof *head + kept);
    bool result;

    memcpy(record, head, sizeof *head);
    memcpy(record + sizeof *head, packet, kept);
    result = ns_sample_read(&sampled, record, sizeof *head + kept);
    free(record);
    return result;
}

NS_TEST(a_record_may_be_cut_anywhere) {
    uint8_t packet[600], record[sizeof(struct ns_sample) + 600], *cut;
    size_t length = udp4(packet, "192.0.2.1", 1000, "198.51.100.2", 2000, 300);
    struct ns_sample head = head_of(packet, length);

    for (int merged = 0; merged < 2; merged++) {
        head.headers = merged ? 28 : 0;
        head.segments = merged ? 9 : 1;
        head.segment_bytes = merged ? 300 : 0;
        memcpy(record, &head, sizeof head);
        memcpy(record + sizeof head, packet, length);
        for (size_t n = 0; n <= sizeof head + length; n++) {
            cut = malloc(n + 1);
            memcpy(cut, record, n);
            NS_EQUAL(n > sizeof head + head.headers, ns_sample_read(&sampled, cut, n));
            free(cut);
        }
        NS_EQUAL(length, sampled.kept);
    }
}

NS_TEST(random_records_are_read_or_not) {
    uint64_t state = 11;

    for (unsigned i = 0; i < 200000; i++) {
        size_t n = ns_test_random(&state) % 300;
        uint8_t *record = malloc(n + 1);

        for (size_t j = 0; j < n; j++)
            record[j] = (uint8_t)ns_test_random(&state);
        if (n > sizeof(struct ns_sample)) { /* makes the header plausible, so that the parser goes on */
            struct ns_sample *head = (struct ns_sample *)record;

            head->family = i % 2 == 0 ? 4 : 6;
            head->length = i % 3 == 0 ? (uint32_t)(n - sizeof *head) : head->length;
            head->headers = (uint16_t)(i % 5 == 0 ? 0 : head->headers % 100);
            record[sizeof *head] = i % 2 == 0 ? 0x45 : 0x60;
        }
        if (ns_sample_read(&sampled, record, n))
            NS_CHECK(sampled.kept == n - sizeof(struct ns_sample) && sampled.kept <= sampled.head.length);
        free(record);
    }
}

NS_TEST(what_makes_no_sense_is_none) {
    uint8_t packet[600];
    size_t length = udp4(packet, "192.0.2.1", 1000, "198.51.100.2", 2000, 300);
    struct ns_sample good = head_of(packet, length), head = good;

    NS_CHECK(read_record(&head, packet, length));
    head.family = 5;
    NS_CHECK(!read_record(&head, packet, length));
    head = good;
    head.length = (uint32_t)length - 1; /* more than there was */
    NS_CHECK(!read_record(&head, packet, length));
    head = good;
    head.headers = 28;
    head.segment = 1; /* of one segment */
    NS_CHECK(!read_record(&head, packet, length));
    head.segment = 0;
    NS_CHECK(read_record(&head, packet, length));
    head.headers = 27; /* ends in a header */
    NS_CHECK(!read_record(&head, packet, length));
    head.headers = (uint16_t)length;
    NS_CHECK(!read_record(&head, packet, length));
    head.headers = 28;
    packet[9] = 47; /* no such packets are merged */
    NS_CHECK(!read_record(&head, packet, length));
}

NS_TEST(an_open_checksum_is_computed_and_no_other) {
    static const uint8_t data[333] = "data";
    uint8_t right[600], packet[600];

    for (int kind = 0; kind < 4; kind++) {
        bool v6 = kind % 2 != 0, is_tcp = kind / 2 != 0;
        size_t length = is_tcp ? tcp(right, v6, 5, 0x10, 1, data, sizeof data)
                        : v6   ? udp6(right, "2001:db8::1", 1000, "2001:db8::2", 2000, 301)
                               : udp4(right, "192.0.2.1", 1000, "198.51.100.2", 2000, 301);
        struct ns_sample head = head_of(right, length);

        memcpy(packet, right, length);
        NS_CHECK(read_record(&head, packet, length) && memcmp(sampled.packet, right, length) == 0);
        leave_open(packet, length, is_tcp ? 16 : 6);
        NS_CHECK(memcmp(packet, right, length) != 0);
        NS_CHECK(read_record(&head, packet, length) && memcmp(sampled.packet, right, length) == 0);
        memcpy(packet, right, length);
        packet[length - 1] ^= 0x55;
        NS_CHECK(read_record(&head, packet, length) && memcmp(sampled.packet, packet, length) == 0);
    }
    {
        size_t length = udp4(packet, "192.0.2.1", 1000, "198.51.100.2", 2000, 301);
        struct ns_sample head = head_of(packet, length);

        ns_put16(packet + 26, 0); /* no checksum */
        NS_CHECK(read_record(&head, packet, length) && memcmp(sampled.packet, packet, length) == 0);
    }
}

/* Three packets that the kernel has merged come out as they were. */
NS_TEST(packets_of_an_aggregate_come_out_single) {
    static uint8_t data[2 * MSS + 123], whole[2000], right[1000];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 7);
    for (int v6 = 0; v6 < 2; v6++) {
        size_t headers = v6 ? 60 : 40,
               length = tcp(whole, v6, 0xfffffe00u, 0x80 | 0x18 | 0x01, 0xfffe, data, sizeof data);

        leave_open(whole, length, 16);
        for (uint16_t i = 0; i < 3; i++) {
            size_t bytes = i < 2 ? MSS : 123;
            struct ns_sample head = head_of(whole, headers + bytes);
            uint8_t flags = (uint8_t)(0x10 | (i == 0 ? 0x80 : 0) | (i == 2 ? 0x09 : 0)), record[1000];

            head.headers = (uint16_t)headers;
            head.segment = i;
            head.segments = 3;
            head.segment_bytes = MSS;
            memcpy(record, whole, headers);
            memcpy(record + headers, data + i * MSS, bytes);
            tcp(right, v6, 0xfffffe00u + i * MSS, flags, 0xfffe + i, data + i * MSS, bytes);
            NS_CHECK(read_record(&head, record, headers + bytes));
            NS_CHECK(memcmp(sampled.packet, right, headers + bytes) == 0);
        }
    }
}

NS_TEST(datagrams_of_an_aggregate_come_out_single) {
    uint8_t whole[1500], right[600];
    size_t length = udp6(whole, "2001:db8::1", 1000, "2001:db8::2", 2000, 900), one;
    struct ns_sample head;

    leave_open(whole, length, 6);
    one = udp6(right, "2001:db8::1", 1000, "2001:db8::2", 2000, 300);
    head = head_of(whole, one);
    head.headers = 48;
    head.segment = 2;
    head.segments = 3;
    head.segment_bytes = 300;
    NS_CHECK(read_record(&head, whole, one) && memcmp(sampled.packet, right, one) == 0);
}

/* --- the ring buffer --- */

static struct {
    int fd;
    size_t page;
    uint8_t *file;
    uint64_t *consumed, *produced;
    struct ns_samples samples;
    struct rig *rig;
} buffer;

static void open_buffer(uint64_t at) {
    buffer.page = (size_t)sysconf(_SC_PAGESIZE);
    buffer.fd = memfd_create("samples", MFD_CLOEXEC);
    NS_EQUAL(0, ftruncate(buffer.fd, (off_t)(2 * buffer.page + 2 * SIZE)));
    buffer.file = mmap(NULL, 2 * buffer.page + 2 * SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, buffer.fd, 0);
    NS_CHECK(buffer.file != MAP_FAILED);
    buffer.consumed = (uint64_t *)buffer.file;
    buffer.produced = (uint64_t *)(buffer.file + buffer.page);
    *buffer.consumed = *buffer.produced = at;
    NS_EQUAL(0, ns_samples_open(&buffer.samples, buffer.fd));
    buffer.rig = rig_open();
}

static void close_buffer(void) {
    rig_close(buffer.rig);
    ns_samples_close(&buffer.samples);
    munmap(buffer.file, 2 * buffer.page + 2 * SIZE);
    close(buffer.fd);
}

/* Writes into both halves of the mapping. The kernel has only one. */
static void write_at(uint64_t at, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint8_t *records = buffer.file + 2 * buffer.page;
        size_t place = (size_t)((at + i) % SIZE);

        records[place] = records[place + SIZE] = ((const uint8_t *)bytes)[i];
    }
}

/* Writes a record as bpf_ringbuf_output does. Returns its place. */
static uint64_t produce(const struct ns_sample *head, const uint8_t *packet, size_t kept, uint32_t bits) {
    uint64_t at = *buffer.produced;
    uint32_t word = (uint32_t)(sizeof *head + kept) | bits;

    write_at(at, &word, sizeof word);
    write_at(at + BPF_RINGBUF_HDR_SZ, head, sizeof *head);
    write_at(at + BPF_RINGBUF_HDR_SZ + sizeof *head, packet, kept);
    *buffer.produced = at + ((BPF_RINGBUF_HDR_SZ + sizeof *head + kept + 7) & ~7ull);
    return at;
}

static unsigned receive(void) {
    unsigned count = ns_samples_receive(&buffer.samples, &buffer.rig->p, 9000000);

    ns_ring_publish(&buffer.rig->p);
    NS_EQUAL(*buffer.consumed, buffer.samples.at);
    return count;
}

NS_TEST(samples_are_copies_in_the_ring) {
    uint8_t packet[NS_RING_PACKET_MAX];
    const struct ns_ring_desc *desc;

    for (size_t data = 0; data <= NS_RING_PACKET_MAX - 28; data += 147) {
        size_t length = udp4(packet, "192.0.2.1", 1000, "198.51.100.2", 2000, data);
        struct ns_sample head = head_of(packet, length);

        open_buffer(SIZE - 64); /* over the edge */
        head.lost = 3;
        produce(&head, packet, length, 0);
        NS_EQUAL(1, receive());
        NS_EQUAL(0, receive());
        NS_EQUAL(1, buffer.rig->p.ring.d->produced);
        desc = rig_desc(buffer.rig, 0);
        NS_EQUAL(NS_RING_F_COPY, desc->flags);
        NS_EQUAL(length, desc->length);
        NS_EQUAL(7000, desc->usec);
        NS_EQUAL(3, desc->ifindex);
        NS_EQUAL(0x11, desc->mark);
        NS_EQUAL(1500, desc->mtu);
        NS_CHECK(desc->offset >= NS_RING_HEADROOM && desc->offset + length <= NS_RING_SLOT_SIZE - NS_RING_TAILROOM);
        NS_CHECK(memcmp(rig_slot(buffer.rig, 0) + desc->offset, packet, length) == 0);
        rig_consume(buffer.rig);
        rig_say(buffer.rig, 0, NS_VERDICT_DROP, 0, 0); /* no packet waits for it */
        rig_turn(buffer.rig, 10 * MS);
        NS_EQUAL(1, buffer.rig->counters.received);
        NS_EQUAL(1, buffer.rig->counters.copies);
        NS_EQUAL(1, buffer.rig->counters.sampled);
        NS_EQUAL(3, buffer.rig->counters.samples_lost);
        NS_EQUAL(1, buffer.rig->counters.delivered);
        NS_EQUAL(0, buffer.rig->counters.dropped);
        NS_EQUAL(0, buffer.rig->singles + buffer.rig->batches);
        close_buffer();
    }
}

NS_TEST(what_cannot_be_delivered_is_counted_and_gives_its_slot_back) {
    uint8_t packet[4000];
    size_t length = udp4(packet, "192.0.2.1", 1000, "198.51.100.2", 2000, 2500);
    struct ns_sample head = head_of(packet, length);

    open_buffer(0);
    produce(&head, packet, NS_RING_PACKET_MAX, 0);
    length = udp4(packet, "192.0.2.1", 1000, "198.51.100.2", 2000, 100);
    head = head_of(packet, length);
    produce(&head, packet, length - 1, 0); /* shorter than its header claims */
    head.family = 6;
    produce(&head, packet, length, 0);
    head.family = 9;
    produce(&head, packet, length, 0);
    NS_EQUAL(4, receive());
    NS_EQUAL(2, buffer.rig->counters.too_long);
    NS_EQUAL(2, buffer.rig->counters.malformed_in);
    NS_EQUAL(0, buffer.rig->counters.delivered);
    head.family = 4;
    for (unsigned i = 0; i <= RIG_SLOTS; i++)
        produce(&head, packet, length, 0);
    while (receive() != 0)
        continue;
    NS_EQUAL(RIG_SLOTS, buffer.rig->counters.delivered);
    NS_EQUAL(1, buffer.rig->counters.ring_full);
    NS_EQUAL(RIG_SLOTS + 5, buffer.rig->counters.received);
    close_buffer();
}

NS_TEST(a_record_that_is_being_written_is_waited_for_and_a_discarded_one_passed_over) {
    uint8_t packet[200];
    size_t length = udp4(packet, "192.0.2.1", 1000, "198.51.100.2", 2000, 100);
    struct ns_sample head = head_of(packet, length);
    uint32_t word = (uint32_t)(sizeof head + length);
    uint64_t at;

    open_buffer(0);
    produce(&head, packet, length, BPF_RINGBUF_DISCARD_BIT);
    at = produce(&head, packet, length, BPF_RINGBUF_BUSY_BIT);
    produce(&head, packet, length, 0);
    NS_EQUAL(1, receive());
    NS_EQUAL(0, receive());
    NS_EQUAL(0, buffer.rig->counters.received);
    write_at(at, &word, sizeof word);
    NS_EQUAL(2, receive());
    NS_EQUAL(2, buffer.rig->counters.delivered);
    close_buffer();
}

/* A container that writes nonsense to its own page harms only its own samples. */
NS_TEST(a_place_that_cannot_be_is_left) {
    static const uint64_t wrong[] = {1, 8, 12, UINT64_MAX, UINT64_MAX - 7, 1ull << 40};
    uint8_t packet[200];
    size_t length = udp4(packet, "192.0.2.1", 1000, "198.51.100.2", 2000, 100);
    struct ns_sample head = head_of(packet, length);

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        open_buffer(0);
        produce(&head, packet, length, 0);
        buffer.samples.at = wrong[i];
        while (receive() != 0)
            continue;
        NS_EQUAL(*buffer.produced, *buffer.consumed);
        buffer.rig->counters.delivered = 0;
        produce(&head, packet, length, 0);
        NS_EQUAL(1, receive());
        NS_EQUAL(1, buffer.rig->counters.delivered);
        close_buffer();
    }
}

NS_TEST(the_next_pktio_reads_on) {
    uint8_t packet[200];
    size_t length = udp4(packet, "192.0.2.1", 1000, "198.51.100.2", 2000, 100);
    struct ns_sample head = head_of(packet, length);

    open_buffer(0);
    for (int i = 0; i < 2; i++) {
        produce(&head, packet, length, 0);
        NS_EQUAL(1, receive());
        produce(&head, packet, length, 0);
        ns_samples_close(&buffer.samples);
        NS_EQUAL(0, ns_samples_open(&buffer.samples, buffer.fd));
        NS_EQUAL(1, receive());
    }
    NS_EQUAL(4, buffer.rig->counters.delivered);
    close_buffer();
}

NS_TEST(without_a_ring_buffer_there_are_none) {
    struct ns_samples samples;
    int pair[2];

    NS_EQUAL(0, ns_samples_open(&samples, -1));
    NS_EQUAL(0, ns_samples_receive(&samples, NULL, 0));
    NS_EQUAL(0, pipe(pair));
    NS_EQUAL(-1, ns_samples_open(&samples, pair[0]));
    NS_EQUAL(0, ns_samples_receive(&samples, NULL, 0));
    close(pair[0]);
    close(pair[1]);
}

int main(void) {
    NS_RUN(a_record_may_be_cut_anywhere);
    NS_RUN(random_records_are_read_or_not);
    NS_RUN(what_makes_no_sense_is_none);
    NS_RUN(an_open_checksum_is_computed_and_no_other);
    NS_RUN(packets_of_an_aggregate_come_out_single);
    NS_RUN(datagrams_of_an_aggregate_come_out_single);
    NS_RUN(samples_are_copies_in_the_ring);
    NS_RUN(what_cannot_be_delivered_is_counted_and_gives_its_slot_back);
    NS_RUN(a_record_that_is_being_written_is_waited_for_and_a_discarded_one_passed_over);
    NS_RUN(a_place_that_cannot_be_is_left);
    NS_RUN(the_next_pktio_reads_on);
    NS_RUN(without_a_ring_buffer_there_are_none);
    return ns_test_end();
}
