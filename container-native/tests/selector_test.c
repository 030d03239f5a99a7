/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_test.h"
#include "selector.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define CAPACITY 16u
#define SIZE 100u

static const uint8_t loopback[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1};

static struct ns_datagrams batch;
static int64_t selector;
static struct ns_event events[8];
static uint32_t event_count;

static void open_with(uint32_t capacity) {
    batch = (struct ns_datagrams){.capacity = capacity, .rooms = capacity, .size = SIZE};
    batch.bytes = capacity * (sizeof(struct ns_datagram) + SIZE);
    batch.memory = calloc(1, batch.bytes);
    selector = ns_selector_open();
    NS_CHECK(batch.memory != NULL && selector > 0);
}

static void open_all(void) {
    open_with(CAPACITY);
}

static void close_all(void) {
    ns_sockets_close(selector);
    free(batch.memory);
}

static struct ns_datagram *entry(uint32_t i) {
    return (struct ns_datagram *)(void *)batch.memory + i;
}

static struct ns_socket *find(int64_t handle, enum ns_socket_kind kind) {
    struct ns_socket *socket;

    ns_sockets_hold();
    socket = ns_sockets_find(handle, kind);
    ns_sockets_drop();
    return socket;
}

static int64_t open_socket(uint64_t key, uint16_t *port) {
    int64_t handle = ns_sockets_open(loopback, 0, 0, 0);
    struct ns_socket *socket = find(handle, NS_SOCKET_UDP);
    uint8_t address[16];

    NS_CHECK(socket != NULL);
    *port = (uint16_t)ns_sockets_local(socket, address);
    NS_EQUAL(0, memcmp(loopback, address, 16));
    NS_EQUAL(0, ns_selector_add(find(selector, NS_SOCKET_SELECTOR), socket, key));
    return handle;
}

static void send_to(int64_t from, uint16_t port, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        *entry(0) = (struct ns_datagram){
            .length = 1, .offset = (uint32_t)(batch.capacity * sizeof(struct ns_datagram)), .port = port};
        memcpy(entry(0)->address, loopback, 16);
        NS_EQUAL(1, ns_datagrams_send(find(from, NS_SOCKET_UDP), &batch, 0, 1));
    }
}

static int receive(int timeout) {
    return ns_selector_receive(selector, &batch, timeout, events, 8, &event_count);
}

NS_TEST(datagrams_come_with_their_sockets_keys) {
    uint16_t ports[3];
    int64_t sockets[3];

    open_all();
    for (unsigned i = 0; i < 3; i++)
        sockets[i] = open_socket(100 + i, &ports[i]);
    NS_EQUAL(0, receive(0));
    send_to(sockets[0], ports[2], 2);
    send_to(sockets[0], ports[1], 1);
    NS_EQUAL(3, receive(-1));
    NS_EQUAL(0, event_count);
    NS_EQUAL(102, entry(0)->key);
    NS_EQUAL(102, entry(1)->key);
    NS_EQUAL(101, entry(2)->key);
    NS_EQUAL(ports[0], entry(2)->port);
    NS_EQUAL(sockets[1], entry(2)->socket);
    /* back to the sender, each by its own socket */
    NS_EQUAL(3, ns_datagrams_send_each(&batch, 0, 3));
    NS_EQUAL(3, receive(-1));
    NS_EQUAL(100, entry(0)->key);
    NS_EQUAL(ports[2], entry(0)->port);
    NS_EQUAL(ports[1], entry(2)->port);
    for (unsigned i = 0; i < 3; i++)
        NS_EQUAL(0, ns_sockets_close(sockets[i]));
    close_all();
}

NS_TEST(a_busy_socket_leaves_room_for_others) {
    uint16_t busy_port, other_port;
    int64_t busy, other;
    uint32_t others = 0;

    open_all();
    busy = open_socket(1, &busy_port);
    other = open_socket(2, &other_port);
    send_to(busy, busy_port, 4 * CAPACITY);
    send_to(busy, other_port, 1);
    NS_CHECK(receive(0) > 1);
    for (uint32_t i = 0; i < CAPACITY; i++)
        others += entry(i)->key == 2;
    NS_EQUAL(1, others);
    ns_sockets_close(busy);
    ns_sockets_close(other);
    close_all();
}

/* The kernel tells once that something has come. Nothing comes after that, and all is read even so. */
NS_TEST(more_datagrams_than_the_batch_are_read_without_a_new_one) {
    static const uint32_t counts[] = {CAPACITY, CAPACITY + 1, 3 * CAPACITY, 3 * CAPACITY + 5};
    uint16_t port;
    int64_t socket;

    open_all();
    socket = open_socket(1, &port);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t got = 0;
        int n;

        send_to(socket, port, counts[i]);
        while ((n = receive(0)) > 0)
            got += (uint32_t)n;
        NS_EQUAL(0, n);
        NS_EQUAL(counts[i], got);
    }
    ns_sockets_close(socket);
    close_all();
}

/* One system call takes no more than 64. */
NS_TEST(a_large_batch_is_filled_by_several_calls) {
    uint16_t port;
    int64_t socket;

    open_with(200);
    socket = open_socket(1, &port);
    send_to(socket, port, 150);
    NS_EQUAL(150, receive(0));
    NS_EQUAL(0, receive(0));
    ns_sockets_close(socket);
    close_all();
}

/* An error ends recvmmsg before the socket is empty. */
NS_TEST(an_error_among_datagrams_keeps_none_of_them) {
    uint16_t port, closed_port;
    int64_t socket, closed;
    uint32_t got = 0;

    open_all();
    socket = open_socket(7, &port);
    closed = open_socket(8, &closed_port);
    NS_EQUAL(0, ns_sockets_set(find(socket, NS_SOCKET_UDP), NS_OPTION_ERRORS, 1));
    NS_EQUAL(0, ns_sockets_close(closed));
    send_to(socket, port, 5);
    send_to(socket, closed_port, 1);
    send_to(socket, port, 5);
    for (unsigned i = 0; i < 4; i++) { /* the error stays, so the socket is told of each time */
        got += (uint32_t)receive(0);
        NS_EQUAL(1, event_count);
        NS_EQUAL(NS_EVENT_ERROR, events[0].flags);
    }
    NS_EQUAL(10, got);
    NS_EQUAL(1, ns_datagrams_errors(find(socket, NS_SOCKET_UDP), &batch));
    NS_EQUAL(0, receive(0));
    NS_EQUAL(0, event_count);
    ns_sockets_close(socket);
    close_all();
}

/* A socket whose datagrams nobody wanted is read when somebody wants them, without a new one. */
NS_TEST(a_changed_interest_meets_the_datagrams_that_wait) {
    uint16_t port;
    int64_t socket;
    struct ns_socket *at, *found;

    open_all();
    socket = open_socket(7, &port);
    at = find(selector, NS_SOCKET_SELECTOR);
    found = find(socket, NS_SOCKET_UDP);
    NS_EQUAL(0, ns_selector_change(at, found, 0));
    send_to(socket, port, 1);
    NS_EQUAL(0, receive(0));
    NS_EQUAL(0, ns_selector_change(at, found, NS_EVENT_READ | NS_EVENT_WRITE));
    NS_EQUAL(1, receive(0));
    NS_EQUAL(NS_EVENT_WRITE, events[0].flags);
    NS_EQUAL(0, receive(0)); /* and that there is room, in each wait */
    NS_EQUAL(1, event_count);
    NS_EQUAL(0, ns_selector_change(at, found, 0));
    send_to(socket, port, 2 * CAPACITY);
    NS_EQUAL(0, ns_selector_change(at, found, NS_EVENT_READ));
    NS_EQUAL(CAPACITY, receive(0));
    NS_EQUAL(CAPACITY, receive(0));
    NS_EQUAL(0, receive(0));
    NS_EQUAL(0, event_count);
    ns_sockets_close(socket);
    close_all();
}

NS_TEST(every_ready_socket_has_its_turn) {
    enum { SOCKETS = 100 };
    int64_t sockets[SOCKETS];
    uint16_t ports[SOCKETS];
    unsigned seen[SOCKETS] = {0};
    int got = 0, n;

    open_all();
    for (unsigned i = 0; i < SOCKETS; i++)
        sockets[i] = open_socket(i, &ports[i]);
    for (unsigned i = 0; i < SOCKETS; i++)
        send_to(sockets[0], ports[i], 2);
    while ((n = receive(0)) > 0) {
        for (int i = 0; i < n; i++)
            seen[entry((uint32_t)i)->key]++;
        got += n;
    }
    NS_EQUAL(2 * SOCKETS, got);
    for (unsigned i = 0; i < SOCKETS; i++)
        NS_EQUAL(2, seen[i]);
    for (unsigned i = 0; i < SOCKETS; i++)
        ns_sockets_close(sockets[i]);
    close_all();
}

NS_TEST(errors_and_room_are_events) {
    uint16_t port, closed_port;
    int64_t socket, closed;
    struct ns_socket *found;

    open_all();
    socket = open_socket(7, &port);
    closed = open_socket(8, &closed_port);
    found = find(socket, NS_SOCKET_UDP);
    NS_EQUAL(0, ns_sockets_set(found, NS_OPTION_ERRORS, 1));
    NS_EQUAL(0, ns_sockets_close(closed));
    send_to(socket, closed_port, 1);
    NS_EQUAL(0, receive(-1));
    NS_EQUAL(1, event_count);
    NS_EQUAL(7, events[0].key);
    NS_EQUAL(NS_EVENT_ERROR, events[0].flags);
    NS_EQUAL(1, ns_datagrams_errors(found, &batch));
    NS_EQUAL(ECONNREFUSED, entry(0)->error);
    NS_EQUAL(0, receive(0));
    NS_EQUAL(0, event_count);
    NS_EQUAL(0, ns_selector_change(find(selector, NS_SOCKET_SELECTOR), found, NS_EVENT_WRITE));
    NS_EQUAL(0, receive(-1));
    NS_EQUAL(1, event_count);
    NS_EQUAL(NS_EVENT_WRITE, events[0].flags);
    NS_EQUAL(0, ns_selector_remove(find(selector, NS_SOCKET_SELECTOR), found));
    NS_EQUAL(-ENOENT, ns_selector_remove(find(selector, NS_SOCKET_SELECTOR), found));
    NS_EQUAL(0, receive(0));
    NS_EQUAL(0, event_count);
    ns_sockets_close(socket);
    close_all();
}

NS_TEST(a_wake_up_ends_one_wait) {
    open_all();
    ns_selector_wake(find(selector, NS_SOCKET_SELECTOR));
    ns_selector_wake(find(selector, NS_SOCKET_SELECTOR));
    NS_EQUAL(0, receive(-1));
    NS_EQUAL(0, event_count);
    NS_EQUAL(0, receive(0));
    close_all();
}

/* A handle says nothing about another socket that has got the same descriptor since. */
NS_TEST(handles_of_closed_sockets_are_refused) {
    uint16_t port;
    int64_t first, second;

    open_all();
    first = open_socket(1, &port);
    NS_EQUAL(0, ns_sockets_close(first));
    second = open_socket(2, &port);
    NS_EQUAL(first & 0xffffffff, second & 0xffffffff);
    NS_CHECK(first != second);
    NS_CHECK(find(first, NS_SOCKET_UDP) == NULL);
    NS_EQUAL(-EBADF, ns_sockets_close(first));
    *entry(0) = (struct ns_datagram){.length = 1, .offset = CAPACITY * 80, .port = port, .socket = first};
    memcpy(entry(0)->address, loopback, 16);
    *entry(1) = *entry(0);
    entry(1)->socket = second;
    *entry(2) = *entry(0);
    entry(2)->socket = selector;
    *entry(3) = *entry(0);
    entry(3)->socket = INT64_MIN;
    NS_EQUAL(1, ns_datagrams_send_each(&batch, 0, 4));
    NS_EQUAL(EBADF, entry(0)->error);
    NS_EQUAL(0, entry(1)->error);
    NS_EQUAL(EBADF, entry(2)->error);
    NS_EQUAL(EBADF, entry(3)->error);
    NS_CHECK(find(-1, NS_SOCKET_UDP) == NULL);
    NS_CHECK(find(0, NS_SOCKET_UDP) == NULL);
    NS_CHECK(find(INT64_MAX, NS_SOCKET_UDP) == NULL);
    NS_CHECK(find(second, NS_SOCKET_SELECTOR) == NULL);
    ns_sockets_close(second);
    close_all();
    NS_EQUAL(-EBADF, receive(0));
}

NS_TEST(refused_addresses_leave_nothing_open) {
    static const uint8_t elsewhere[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1};
    uint8_t address[16];
    uint16_t port;
    int64_t first, second;
    int before = dup(0);

    close(before);
    NS_EQUAL(-EADDRNOTAVAIL, ns_sockets_open(elsewhere, 0, 0, 0));
    first = ns_sockets_open(loopback, 0, 0, NS_OPEN_SHARED);
    port = (uint16_t)ns_sockets_local(find(first, NS_SOCKET_UDP), address);
    NS_EQUAL(-EADDRINUSE, ns_sockets_open(loopback, 0, port, 0));
    second = ns_sockets_open(loopback, 0, port, NS_OPEN_SHARED);
    NS_CHECK(second > 0);
    ns_sockets_close(first);
    ns_sockets_close(second);
    NS_EQUAL(before, dup(0));
    close(before);
}

/* IPv4 and IPv6 have the same port for two sockets only if the one of IPv6 wants its family alone. */
NS_TEST(two_families_can_share_a_port) {
    static const uint8_t any[16], any_v4[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    uint8_t address[16];
    int64_t first = ns_sockets_open(any_v4, 0, 0, 0), second;
    uint16_t port = (uint16_t)ns_sockets_local(find(first, NS_SOCKET_UDP), address);

    NS_EQUAL(-EADDRINUSE, ns_sockets_open(any, 0, port, 0));
    second = ns_sockets_open(any, 0, port, NS_OPEN_ONE_FAMILY);
    NS_CHECK(second > 0);
    ns_sockets_close(first);
    ns_sockets_close(second);
}

NS_TEST(options_out_of_range_are_refused) {
    int64_t handle = ns_sockets_open(loopback, 0, 0, 0);
    struct ns_socket *socket = find(handle, NS_SOCKET_UDP);

    NS_EQUAL(-EINVAL, ns_sockets_set(socket, (enum ns_socket_option)99, 1));
    NS_EQUAL(-EINVAL, ns_sockets_set(socket, (enum ns_socket_option) - 1, 1));
    NS_CHECK(ns_sockets_set(socket, NS_OPTION_RECEIVE_BUFFER, 65536) >= 65536);
    NS_CHECK(ns_sockets_set(socket, NS_OPTION_SEND_BUFFER, -5) > 0);
    ns_sockets_close(handle);
}

int main(void) {
    NS_RUN(datagrams_come_with_their_sockets_keys);
    NS_RUN(a_busy_socket_leaves_room_for_others);
    NS_RUN(more_datagrams_than_the_batch_are_read_without_a_new_one);
    NS_RUN(a_large_batch_is_filled_by_several_calls);
    NS_RUN(an_error_among_datagrams_keeps_none_of_them);
    NS_RUN(a_changed_interest_meets_the_datagrams_that_wait);
    NS_RUN(every_ready_socket_has_its_turn);
    NS_RUN(errors_and_room_are_events);
    NS_RUN(a_wake_up_ends_one_wait);
    NS_RUN(handles_of_closed_sockets_are_refused);
    NS_RUN(refused_addresses_leave_nothing_open);
    NS_RUN(two_families_can_share_a_port);
    NS_RUN(options_out_of_range_are_refused);
    return ns_test_end();
}
