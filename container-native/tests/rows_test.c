/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_test.h"
#include "rows.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAPACITY 256u
#define SIZE 64u
#define ENTRIES (CAPACITY * (uint32_t)sizeof(struct ns_datagram))

static struct ns_datagrams batch;
static struct ns_rows rows;

static unsigned calls;   /* of sendmmsg */
static int full_fd = -1; /* a socket that takes one message more, and then none */
static bool full_now;

int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags) {
    calls++;
    if (fd == full_fd && full_now) {
        errno = EAGAIN;
        return -1;
    }
    full_now |= fd == full_fd;
    return (int)syscall(SYS_sendmmsg, fd, messages, fd == full_fd ? 1 : count, flags);
}

static struct ns_datagram *entry(uint32_t i) {
    return (struct ns_datagram *)(void *)batch.memory + i;
}

static void open_batch(void) {
    batch = (struct ns_datagrams){
        .bytes = ENTRIES + CAPACITY * SIZE, .capacity = CAPACITY, .rooms = CAPACITY, .size = SIZE};
    batch.memory = calloc(1, batch.bytes);
    NS_CHECK(batch.memory != NULL && ns_datagrams_fit(&batch));
}

static int64_t open_socket(uint16_t *port) {
    static const uint8_t loopback[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1};
    int64_t handle = ns_sockets_open(loopback, 0, 0, 0);
    uint8_t address[16];

    NS_CHECK(handle > 0);
    ns_sockets_hold();
    *port = (uint16_t)ns_sockets_local(ns_sockets_find(handle, NS_SOCKET_UDP), address);
    ns_sockets_drop();
    return handle;
}

/* Makes entry i a datagram of the byte i. Each is longer than the one before, so that no two are one message. */
static void fill(uint32_t i, int64_t socket, uint16_t port) {
    struct ns_datagram *e = entry(i);

    *e = (struct ns_datagram){.length = 1 + i, .offset = ENTRIES + i * SIZE, .socket = socket, .port = port};
    e->error = -1;
    memset(e->address + 10, 0xff, 2);
    e->address[12] = 127;
    e->address[15] = 1;
    memset(batch.memory + e->offset, (int)i, SIZE);
}

/* Expects the datagram of entry i to have come to a socket. */
static void expect(int64_t at, uint32_t i) {
    uint8_t got[SIZE];

    NS_EQUAL(1 + i, recv((int)(at & 0xffffffff), got, sizeof got, MSG_DONTWAIT));
    NS_EQUAL(i, got[0]);
}

static void expect_none(int64_t at) {
    uint8_t byte;

    NS_CHECK(recv((int)(at & 0xffffffff), &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
}

NS_TEST(mixed_sockets_send_by_one_call_each_and_in_order) {
    uint16_t ports[2];
    int64_t to = open_socket(&ports[0]), by[2] = {open_socket(&ports[1]), open_socket(&ports[1])};

    open_batch();
    for (uint32_t i = 0; i < 60; i++)
        fill(i, by[i % 3 == 0], ports[0]);
    calls = 0;
    NS_EQUAL(50, ns_datagrams_send_each(&batch, 5, 50));
    NS_EQUAL(2, calls);
    for (uint32_t i = 0; i < 60; i++)
        NS_EQUAL(i < 5 || i >= 55 ? -1 : 0, entry(i)->error);
    for (uint32_t i = 5; i < 55; i++) { /* the first entry is one of by[0] */
        if (i % 3 != 0)
            expect(to, i);
    }
    for (uint32_t i = 5; i < 55; i++) {
        if (i % 3 == 0)
            expect(to, i);
    }
    expect_none(to);
    ns_sockets_close(to);
    ns_sockets_close(by[0]);
    ns_sockets_close(by[1]);
    free(batch.memory);
}

NS_TEST(an_entry_without_a_socket_is_left_out) {
    uint16_t port, own;
    int64_t to = open_socket(&port), by = open_socket(&own);

    open_batch();
    for (uint32_t i = 0; i < 5; i++)
        fill(i, i % 2 == 0 ? by : 0, port);
    calls = 0;
    NS_EQUAL(3, ns_datagrams_send_each(&batch, 0, 5));
    NS_EQUAL(1, calls);
    for (uint32_t i = 0; i < 5; i++)
        NS_EQUAL(i % 2 == 0 ? 0 : -1, entry(i)->error);
    expect(to, 0);
    expect(to, 2);
    expect(to, 4);
    expect_none(to);
    ns_sockets_close(to);
    ns_sockets_close(by);
    free(batch.memory);
}

/* Nothing overtakes an entry that a full socket has refused, and other sockets send. */
NS_TEST(a_full_socket_refuses_the_rest_of_its_row_alone) {
    uint16_t port, own;
    int64_t to = open_socket(&port), full = open_socket(&own), other = open_socket(&own);

    open_batch();
    for (uint32_t i = 0; i < 9; i++)
        fill(i, i % 3 == 0 ? 77LL << 32 : i % 3 == 1 ? full : other, port);
    full_fd = (int)(full & 0xffffffff);
    full_now = false;
    NS_EQUAL(4, ns_datagrams_send_each(&batch, 0, 9));
    full_fd = -1;
    for (uint32_t i = 0; i < 9; i++)
        NS_EQUAL(i % 3 == 0 ? EBADF : i == 4 || i == 7 ? EAGAIN : 0, entry(i)->error);
    expect(to, 1);
    expect(to, 2);
    expect(to, 5);
    expect(to, 8);
    expect_none(to);
    ns_sockets_close(to);
    ns_sockets_close(full);
    ns_sockets_close(other);
    free(batch.memory);
}

/* Expects each entry with a handle exactly once, the entries of a row to have its handle, and both in order. */
static void expect_sorted(uint32_t first, uint32_t count) {
    bool seen[CAPACITY] = {false};
    uint32_t sum = 0;

    ns_rows_sort(&rows, &batch, first, count);
    for (uint32_t i = 0; i < rows.count; i++) {
        const struct ns_row *row = &rows.row[i];

        NS_CHECK(row->count > 0);
        for (uint32_t k = 0; k < row->count; k++) {
            uint32_t at = row->entries[k];

            NS_CHECK(at >= first && at < first + count && !seen[at]);
            NS_CHECK(k == 0 || row->entries[k - 1] < at);
            NS_EQUAL(row->socket, entry(at)->socket);
            seen[at] = true;
        }
        NS_CHECK(i == 0 || rows.row[i - 1].entries[0] < row->entries[0]);
        sum += row->count;
    }
    for (uint32_t i = first; i < first + count; i++)
        sum += entry(i)->socket == 0;
    NS_EQUAL(count, sum);
}

NS_TEST(as_many_sockets_as_entries_have_a_row_each) {
    open_batch();
    for (uint32_t i = 0; i < CAPACITY; i++)
        entry(i)->socket = 9LL << 32 | (i + 3);
    expect_sorted(0, CAPACITY);
    NS_EQUAL(CAPACITY, rows.count);
    expect_sorted(7, 0);
    NS_EQUAL(0, rows.count);
    free(batch.memory);
}

/* Handles that no host gives: all meet in one place of the index, or differ in their generations alone. */
NS_TEST(handles_of_chance_are_sorted_too) {
    uint64_t state = 1;

    open_batch();
    for (unsigned round = 0; round < 2000; round++) {
        uint32_t first = round % 5;

        for (uint32_t i = 0; i < CAPACITY; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            entry(i)->socket = round % 3 == 0   ? (int64_t)state
                               : round % 3 == 1 ? (int64_t)((state >> 60) << 20)
                                                : (int64_t)(state >> 59) << 32 | (int64_t)(state >> 40 & 7);
        }
        expect_sorted(first, CAPACITY - first - round % 7);
    }
    free(batch.memory);
}

int main(void) {
    NS_RUN(mixed_sockets_send_by_one_call_each_and_in_order);
    NS_RUN(an_entry_without_a_socket_is_left_out);
    NS_RUN(a_full_socket_refuses_the_rest_of_its_row_alone);
    NS_RUN(as_many_sockets_as_entries_have_a_row_each);
    NS_RUN(handles_of_chance_are_sorted_too);
    return ns_test_end();
}
