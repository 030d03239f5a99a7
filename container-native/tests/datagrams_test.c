/* SPDX-License-Identifier: Apache-2.0 */
#include "datagrams.h"
#include "ns_test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAPACITY 16u
#define SIZE 2048u
#define ENTRIES (CAPACITY * sizeof(struct ns_datagram))

static struct ns_datagrams batch;
static struct ns_socket here;
static int there; /* both on loopback */
static int family;
static uint16_t here_port, there_port;

/* The number of messages that sockets take before they are full, -1 = no limit. Loopback never fills a socket. */
static int full_after = -1;

int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags) {
    if (full_after == 0) {
        errno = EAGAIN;
        return -1;
    }
    if (full_after > 0 && count > (unsigned)full_after)
        count = (unsigned)full_after;
    if (full_after > 0)
        full_after -= (int)count;
    return (int)syscall(SYS_sendmmsg, fd, messages, count, flags);
}

static int open_socket(uint16_t *port) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr *at = family == AF_INET ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
    socklen_t length = family == AF_INET ? sizeof v4 : sizeof v6;
    int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    NS_CHECK(fd >= 0 && bind(fd, at, length) == 0 && getsockname(fd, at, &length) == 0);
    *port = ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port);
    return fd;
}

static void open_both(int which) {
    family = which;
    here = (struct ns_socket){.fd = open_socket(&here_port), .wake = -1, .generation = 3, .key = 77};
    here.flags = which == AF_INET6 ? NS_SOCKET_V6 : 0;
    there = open_socket(&there_port);
    batch = (struct ns_datagrams){
        .bytes = ENTRIES + CAPACITY * SIZE, .capacity = CAPACITY, .rooms = CAPACITY, .size = SIZE};
    batch.memory = calloc(1, batch.bytes);
    NS_CHECK(batch.memory != NULL && ns_datagrams_fit(&batch));
}

static void close_both(void) {
    close(here.fd);
    close(there);
    free(batch.memory);
}

static uint32_t send_there(uint32_t first, uint32_t count) {
    struct ns_socket socket = {.fd = there, .flags = here.flags};

    return ns_datagrams_send(&socket, &batch, first, count);
}

/* Receives into an empty batch. Returns the number of entries, or -errno. */
static int receive(void) {
    struct ns_filled filled = {.entries = 0};
    int result = ns_datagrams_receive(&here, &batch, NS_DATAGRAMS_MOST, &filled);

    return result < 0 ? result : (int)filled.entries;
}

static struct ns_datagram *entry(uint32_t i) {
    return (struct ns_datagram *)(void *)batch.memory + i;
}

static void set_loopback(struct ns_datagram *e, uint16_t port) {
    static const uint8_t v4[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1};
    static const uint8_t v6[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

    memcpy(e->address, family == AF_INET ? v4 : v6, 16);
    e->port = port;
}

/* Makes entry i a datagram of this length, each byte of which is i. */
static void fill(uint32_t i, uint32_t length) {
    struct ns_datagram *e = entry(i);

    *e = (struct ns_datagram){.length = length, .offset = ENTRIES + i * SIZE, .error = -1};
    memset(batch.memory + e->offset, (int)i, length);
    set_loopback(e, there_port);
}

/* Expects one datagram of this length, each byte of which is `byte`. */
static void expect(uint32_t length, int byte) {
    static uint8_t got[70000];
    ssize_t n = recv(there, got, sizeof got, MSG_DONTWAIT);

    NS_EQUAL(length, n);
    for (ssize_t k = 0; k < n; k++)
        NS_EQUAL(byte, got[k]);
}

static void expect_none(void) {
    uint8_t byte;

    NS_CHECK(recv(there, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
}

static void sends_what_entries_say(int which) {
    static const uint32_t lengths[] = {100, 100, 100, 40, 100, 0, 7, 1200};
    uint32_t count = sizeof lengths / sizeof lengths[0];

    open_both(which);
    for (uint32_t i = 0; i < count; i++)
        fill(i, lengths[i]);
    NS_EQUAL(count, ns_datagrams_send(&here, &batch, 0, count));
    for (uint32_t i = 0; i < count; i++) {
        NS_EQUAL(0, entry(i)->error);
        expect(lengths[i], (int)i);
    }
    expect_none();
    close_both();
}

NS_TEST(sends_to_ipv4) {
    sends_what_entries_say(AF_INET);
}

NS_TEST(sends_to_ipv6) {
    sends_what_entries_say(AF_INET6);
}

static void receives_what_came(int which) {
    open_both(which);
    for (uint32_t i = 0; i < CAPACITY; i++)
        fill(i, 10 + i);
    for (uint32_t i = 0; i < CAPACITY; i++)
        set_loopback(entry(i), here_port);
    NS_EQUAL(CAPACITY, send_there(0, CAPACITY));
    memset(batch.memory, 0xee, batch.bytes);
    NS_EQUAL(CAPACITY, receive());
    for (uint32_t i = 0; i < CAPACITY; i++) {
        struct ns_datagram expected = {.length = 10 + i, .offset = ENTRIES + i * SIZE, .key = 77};

        expected.socket = 3LL << 32 | here.fd;
        set_loopback(&expected, there_port);
        NS_EQUAL(0, memcmp(&expected, entry(i), sizeof expected));
        NS_EQUAL(i, batch.memory[expected.offset]);
        NS_EQUAL(i, batch.memory[expected.offset + 9 + i]);
        NS_EQUAL(0xee, batch.memory[expected.offset + 10 + i]);
    }
    NS_EQUAL(0, receive());
    close_both();
}

NS_TEST(receives_from_ipv4) {
    receives_what_came(AF_INET);
}

NS_TEST(receives_from_ipv6) {
    receives_what_came(AF_INET6);
}

NS_TEST(a_longer_datagram_is_cut_and_says_so) {
    static uint8_t long_one[SIZE + 1];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    open_both(AF_INET);
    to.sin_port = htons(here_port);
    sendto(there, long_one, SIZE, 0, (struct sockaddr *)&to, sizeof to);
    sendto(there, long_one, SIZE + 1, 0, (struct sockaddr *)&to, sizeof to);
    NS_EQUAL(2, receive());
    NS_EQUAL(SIZE, entry(0)->length);
    NS_EQUAL(0, entry(0)->flags);
    NS_EQUAL(SIZE, entry(1)->length);
    NS_EQUAL(NS_DATAGRAM_TRUNCATED, entry(1)->flags);
    close_both();
}

/* Equal datagrams leave as one message. A receiver that gathers sees that the kernel still has them as one. */
NS_TEST(neighbours_leave_as_one_message) {
    static uint8_t got[70000];
    int on = 1;

    open_both(AF_INET);
    NS_EQUAL(0, setsockopt(there, SOL_UDP, 104, &on, sizeof on)); /* UDP_GRO */
    for (uint32_t i = 0; i < 8; i++)
        fill(i, i < 7 ? 500 : 300);
    NS_EQUAL(8, ns_datagrams_send(&here, &batch, 0, 8));
    NS_EQUAL(7 * 500 + 300, recv(there, got, sizeof got, MSG_DONTWAIT));
    expect_none();
    close_both();
}

/* Makes a batch of many entries with few large rooms. */
static void make_large(uint32_t capacity, uint32_t rooms) {
    free(batch.memory);
    batch = (struct ns_datagrams){.capacity = capacity, .rooms = rooms, .size = NS_DATAGRAM_SIZE_MOST};
    batch.bytes = capacity * sizeof(struct ns_datagram) + (size_t)rooms * batch.size;
    batch.memory = calloc(1, batch.bytes);
    NS_CHECK(batch.memory != NULL && ns_datagrams_fit(&batch));
}

static void send_row(uint32_t count, uint32_t length, uint32_t last) {
    for (uint32_t i = 0; i < count; i++) {
        fill(i, i + 1 < count ? length : last);
        set_loopback(entry(i), here_port);
    }
    NS_EQUAL(count, send_there(0, count));
}

/* A message that is full does not leave with a part of the next one, which waits for its neighbours. */
NS_TEST(messages_are_full) {
    static uint8_t got[70000];
    int on = 1;

    open_both(AF_INET);
    make_large(128, 3);
    NS_EQUAL(0, setsockopt(there, SOL_UDP, 104, &on, sizeof on)); /* UDP_GRO */
    for (uint32_t i = 0; i < 100; i++) {
        fill(i, 1432);
        entry(i)->offset = (uint32_t)(128 * sizeof(struct ns_datagram)) + i * 1432;
    }
    NS_EQUAL(100, ns_datagrams_send(&here, &batch, 0, 100));
    NS_EQUAL(45 * 1432, recv(there, got, sizeof got, MSG_DONTWAIT));
    NS_EQUAL(45 * 1432, recv(there, got, sizeof got, MSG_DONTWAIT));
    NS_EQUAL(10 * 1432, recv(there, got, sizeof got, MSG_DONTWAIT));
    expect_none();
    close_both();
}

NS_TEST(gathered_datagrams_become_entries) {
    open_both(AF_INET);
    NS_EQUAL(0, ns_sockets_set(&here, NS_OPTION_GATHER, 1));
    NS_EQUAL(NS_SOCKET_GATHERS, here.flags);
    send_row(5, 200, 30);
    send_row(3, 100, 100);
    send_row(1, 0, 0);
    make_large(2 * NS_DATAGRAMS_GATHERED, 2);
    NS_EQUAL(8, receive());
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t length = i < 4 ? 200 : i == 4 ? 30 : 100, number = i < 5 ? i : i - 5;

        NS_EQUAL(length, entry(i)->length);
        NS_EQUAL(there_port, entry(i)->port);
        NS_EQUAL(0, entry(i)->flags);
        NS_EQUAL(number, batch.memory[entry(i)->offset]);
        NS_EQUAL(number, batch.memory[entry(i)->offset + length - 1]);
    }
    NS_EQUAL(1, receive());
    NS_EQUAL(0, entry(0)->length);
    close_both();
}

NS_TEST(a_small_batch_receives_nothing_gathered) {
    open_both(AF_INET);
    NS_EQUAL(0, ns_sockets_set(&here, NS_OPTION_GATHER, 1));
    send_row(3, 100, 100);
    make_large(NS_DATAGRAMS_GATHERED - 1, 1);
    NS_EQUAL(0, receive());
    make_large(NS_DATAGRAMS_GATHERED, 1);
    NS_EQUAL(3, receive());
    close_both();
}

/* A gathering socket that Java declares plain does not make C write behind the entries. */
NS_TEST(more_datagrams_than_entries_are_cut) {
    open_both(AF_INET);
    NS_EQUAL(0, ns_sockets_set(&here, NS_OPTION_GATHER, 1));
    send_row(5, 200, 200);
    here.flags = 0;
    make_large(2, 1);
    NS_EQUAL(2, receive());
    NS_EQUAL(200, entry(0)->length);
    NS_EQUAL(0, entry(0)->flags);
    NS_EQUAL(200, entry(1)->length);
    NS_EQUAL(NS_DATAGRAM_TRUNCATED, entry(1)->flags);
    close_both();
}

/* A segment that no link carries is refused by the kernel as a whole, so each datagram has to go by itself. */
NS_TEST(datagrams_too_long_to_be_cut_go_one_by_one) {
    open_both(AF_INET);
    batch = (struct ns_datagrams){
        .memory = batch.memory, .bytes = 2 * 80 + 2 * 65535, .capacity = 2, .rooms = 2, .size = 65535};
    batch.memory = realloc(batch.memory, batch.bytes);
    NS_CHECK(batch.memory != NULL && ns_datagrams_fit(&batch));
    for (uint32_t i = 0; i < 2; i++) {
        struct ns_datagram *e = entry(i);

        *e = (struct ns_datagram){.length = 32000, .offset = 160 + i * 65535, .error = -1};
        memset(batch.memory + e->offset, (int)i, e->length);
        set_loopback(e, there_port);
    }
    setsockopt(here.fd, SOL_SOCKET, SO_NO_CHECK, &(int){1},
               sizeof(int)); /* the kernel cuts no message without checksum */
    NS_EQUAL(2, ns_datagrams_send(&here, &batch, 0, 2));
    NS_EQUAL(0, entry(0)->error);
    NS_EQUAL(0, entry(1)->error);
    expect(32000, 0);
    expect(32000, 1);
    close_both();
}

NS_TEST(a_refused_datagram_does_not_stop_the_next) {
    open_both(AF_INET);
    for (uint32_t i = 0; i < 6; i++)
        fill(i, 50);
    entry(1)->address[15] = 255; /* no rights to broadcast */
    memset(entry(1)->address + 12, 255, 4);
    entry(2)->address[0] = 0x20;              /* IPv6, on a socket of IPv4 */
    entry(3)->offset = (uint32_t)batch.bytes; /* behind the memory */
    entry(4)->length = UINT32_MAX;
    NS_EQUAL(6, ns_datagrams_send(&here, &batch, 0, 6));
    NS_EQUAL(0, entry(0)->error);
    NS_EQUAL(EACCES, entry(1)->error);
    NS_EQUAL(EAFNOSUPPORT, entry(2)->error);
    NS_EQUAL(EINVAL, entry(3)->error);
    NS_EQUAL(EINVAL, entry(4)->error);
    NS_EQUAL(0, entry(5)->error);
    expect(50, 0);
    expect(50, 5);
    expect_none();
    close_both();
}

NS_TEST(the_entries_are_nobodys_datagram) {
    open_both(AF_INET);
    for (uint32_t offset = 0; offset < ENTRIES; offset += 80) {
        fill(0, 10);
        entry(0)->offset = offset;
        NS_EQUAL(1, ns_datagrams_send(&here, &batch, 0, 1));
        NS_EQUAL(EINVAL, entry(0)->error);
    }
    expect_none();
    close_both();
}

NS_TEST(a_full_socket_stops_without_a_loss) {
    open_both(AF_INET);
    for (uint32_t i = 0; i < CAPACITY; i++)
        fill(i, 100 + i);
    full_after = 5;
    NS_EQUAL(5, ns_datagrams_send(&here, &batch, 0, CAPACITY));
    NS_EQUAL(0, ns_datagrams_send(&here, &batch, 5, CAPACITY - 5));
    NS_EQUAL(0, entry(4)->error);
    NS_EQUAL(-1, entry(5)->error);
    full_after = -1;
    NS_EQUAL(CAPACITY - 5, ns_datagrams_send(&here, &batch, 5, CAPACITY - 5));
    for (uint32_t i = 0; i < CAPACITY; i++)
        expect(100 + i, (int)i);
    expect_none();
    close_both();
}

NS_TEST(shapes_out_of_range_do_not_fit) {
    uint8_t memory[4096];
    struct ns_datagrams b = {.memory = memory, .bytes = sizeof memory, .capacity = 2, .rooms = 2, .size = 100};

    NS_CHECK(ns_datagrams_fit(&b));
    b.bytes = 2 * 80 + 200;
    NS_CHECK(ns_datagrams_fit(&b));
    b.bytes--;
    NS_CHECK(!ns_datagrams_fit(&b));
    b.bytes = SIZE_MAX;
    b.capacity = NS_DATAGRAMS_MOST + 1;
    NS_CHECK(!ns_datagrams_fit(&b));
    b.capacity = 0;
    NS_CHECK(!ns_datagrams_fit(&b));
    b.capacity = 1;
    b.size = NS_DATAGRAM_SIZE_MOST + 1;
    NS_CHECK(!ns_datagrams_fit(&b));
    b.size = 0;
    NS_CHECK(!ns_datagrams_fit(&b));
    b.size = 100;
    b.rooms = 0;
    NS_CHECK(!ns_datagrams_fit(&b));
    b.rooms = 2;
    NS_CHECK(!ns_datagrams_fit(&b));
    b.rooms = 1;
    b.size = 1;
    b.memory = NULL;
    NS_CHECK(!ns_datagrams_fit(&b));
}

NS_TEST(entries_out_of_range_are_not_sent) {
    open_both(AF_INET);
    fill(0, 10);
    NS_EQUAL(0, ns_datagrams_send(&here, &batch, 0, CAPACITY + 1));
    NS_EQUAL(0, ns_datagrams_send(&here, &batch, CAPACITY, 1));
    NS_EQUAL(0, ns_datagrams_send(&here, &batch, 1, UINT32_MAX));
    NS_EQUAL(0, ns_datagrams_send(&here, &batch, 0, 0));
    expect_none();
    close_both();
}

NS_TEST(a_closed_descriptor_is_an_error) {
    open_both(AF_INET);
    fill(0, 10);
    close(here.fd);
    here.fd = -1;
    NS_EQUAL(-EBADF, receive());
    NS_EQUAL(-EBADF, ns_datagrams_errors(&here, &batch));
    NS_EQUAL(1, ns_datagrams_send(&here, &batch, 0, 1));
    NS_EQUAL(EBADF, entry(0)->error);
    close_both();
}

static void send_to(int fd, uint16_t port, const char *address) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};

    if (inet_pton(AF_INET, address, &v4.sin_addr) == 1)
        NS_EQUAL(1, sendto(fd, "x", 1, 0, (struct sockaddr *)&v4, sizeof v4));
    else if (inet_pton(AF_INET6, address, &v6.sin6_addr) == 1)
        NS_EQUAL(1, sendto(fd, "x", 1, 0, (struct sockaddr *)&v6, sizeof v6));
}

/* Opens `here` on every address of both families, as the table does. */
static struct ns_socket *open_any(int64_t *handle) {
    static const uint8_t any[16];
    uint8_t address[16];
    struct ns_socket *socket;

    *handle = ns_sockets_open(any, 0, 0, 0);
    NS_CHECK(*handle > 0);
    ns_sockets_hold();
    socket = ns_sockets_find(*handle, NS_SOCKET_UDP);
    ns_sockets_drop();
    NS_CHECK(socket != NULL);
    here_port = (uint16_t)ns_sockets_local(socket, address);
    return socket;
}

/* The answer to a packet leaves from the address to which the packet came, for both families on one socket. */
static void answers_from(const char *address, int which) {
    struct sockaddr_in6 from;
    socklen_t length = sizeof from;
    char text[64] = "", byte;
    int64_t handle;
    struct ns_socket *socket;

    open_both(which);
    close(here.fd);
    socket = open_any(&handle);
    here = *socket;
    send_to(there, here_port, address);
    NS_EQUAL(1, receive());
    NS_EQUAL(1, ns_datagrams_send(socket, &batch, 0, 1));
    NS_EQUAL(0, entry(0)->error);
    NS_EQUAL(1, recvfrom(there, &byte, 1, MSG_DONTWAIT, (struct sockaddr *)&from, &length));
    inet_ntop(which, which == AF_INET ? (void *)&((struct sockaddr_in *)(void *)&from)->sin_addr : &from.sin6_addr,
              text, sizeof text);
    NS_CHECK(strcmp(address, text) == 0);
    NS_EQUAL(0, ns_sockets_close(handle));
    NS_EQUAL(-EBADF, ns_sockets_close(handle));
    here.fd = -1;
    close_both();
}

NS_TEST(an_answer_leaves_from_the_address_that_was_asked) {
    answers_from("127.0.0.9", AF_INET);
    answers_from("::1", AF_INET6);
}

NS_TEST(a_source_of_another_family_is_refused) {
    int64_t handle;
    struct ns_socket *socket = open_any(&handle);

    open_both(AF_INET6);
    fill(0, 5);
    memset(entry(0)->local, 0, 16);
    entry(0)->local[10] = entry(0)->local[11] = 0xff;
    entry(0)->local[12] = 127;
    NS_EQUAL(1, ns_datagrams_send(socket, &batch, 0, 1));
    NS_EQUAL(EINVAL, entry(0)->error);
    ns_sockets_close(handle);
    close_both();
}

/* TOS and TTL that were set arrive, on a socket of each family. */
static void keeps_traffic(int which) {
    open_both(which);
    NS_EQUAL(0, ns_sockets_set(&here, NS_OPTION_TRAFFIC, 1));
    fill(0, 5);
    set_loopback(entry(0), here_port);
    entry(0)->flags = NS_DATAGRAM_SET_TOS | NS_DATAGRAM_SET_TTL;
    entry(0)->tos = 0xb8;
    entry(0)->ttl = 17;
    NS_EQUAL(1, send_there(0, 1));
    NS_EQUAL(0, entry(0)->error);
    NS_EQUAL(1, receive());
    NS_EQUAL(NS_DATAGRAM_TRAFFIC, entry(0)->flags);
    NS_EQUAL(0xb8, entry(0)->tos);
    NS_EQUAL(17, entry(0)->ttl);
    close_both();
}

NS_TEST(tos_and_ttl_are_sent_and_received) {
    keeps_traffic(AF_INET);
    keeps_traffic(AF_INET6);
}

static int discover(void) {
    int value = -1;
    socklen_t length = sizeof value;

    NS_EQUAL(0, getsockopt(here.fd, SOL_IP, IP_MTU_DISCOVER, &value, &length));
    return value;
}

/* A whole packet that is longer than the path is refused, and the one behind it is not. */
NS_TEST(whole_packets_are_not_cut) {
    open_both(AF_INET);
    NS_EQUAL(0, ns_sockets_set(&here, NS_OPTION_FRAGMENT, 1));
    NS_EQUAL(IP_PMTUDISC_DONT, discover());
    fill(0, 100);
    fill(1, 100);
    entry(1)->flags = NS_DATAGRAM_WHOLE;
    fill(2, 100);
    NS_EQUAL(3, ns_datagrams_send(&here, &batch, 0, 3));
    NS_EQUAL(IP_PMTUDISC_DONT, discover());
    NS_EQUAL(0, ns_sockets_set(&here, NS_OPTION_FRAGMENT, 0));
    NS_EQUAL(IP_PMTUDISC_WANT, discover());
    for (int i = 0; i < 3; i++)
        expect(100, i);
    make_large(2, 2);
    for (uint32_t i = 0; i < 2; i++) {
        *entry(i) = (struct ns_datagram){.length = 65500, .offset = 160 + i * 65535};
        set_loopback(entry(i), there_port);
    }
    entry(0)->flags = NS_DATAGRAM_WHOLE; /* with its headers it has 65,528 bytes, and loopback's MTU may be 65,536 */
    NS_EQUAL(2, ns_datagrams_send(&here, &batch, 0, 2));
    NS_EQUAL(0, entry(1)->error);
    close_both();
}

static void hears_of_closed_ports(int which) {
    open_both(which);
    NS_EQUAL(0, ns_sockets_set(&here, NS_OPTION_ERRORS, 1));
    close(there);
    fill(0, 40);
    fill(1, 50);
    NS_EQUAL(1, ns_datagrams_send(&here, &batch, 0, 1));
    NS_EQUAL(0, receive()); /* the error does not end a loop, */
    NS_EQUAL(1, ns_datagrams_send(&here, &batch, 1, 1));
    NS_EQUAL(0, entry(1)->error); /* and is not that of the next datagram */
    memset(batch.memory, 0xee, batch.bytes);
    NS_EQUAL(2, ns_datagrams_errors(&here, &batch));
    for (uint32_t i = 0; i < 2; i++) {
        struct ns_datagram expected;

        set_loopback(&expected, there_port);
        NS_EQUAL(ECONNREFUSED, entry(i)->error);
        NS_EQUAL(NS_DATAGRAM_ICMP, entry(i)->flags);
        NS_EQUAL(which == AF_INET ? 3 : 1, entry(i)->type);
        NS_EQUAL(which == AF_INET ? 3 : 4, entry(i)->code);
        NS_EQUAL(there_port, entry(i)->port);
        NS_EQUAL(0, memcmp(expected.address, entry(i)->address, 16));
        NS_EQUAL(i == 0 ? 40 : 50, entry(i)->length);
        NS_EQUAL(i, batch.memory[entry(i)->offset]);
    }
    NS_EQUAL(0, ns_datagrams_errors(&here, &batch));
    there = -1;
    close_both();
}

NS_TEST(errors_of_closed_ports_are_kept) {
    hears_of_closed_ports(AF_INET);
    hears_of_closed_ports(AF_INET6);
}

/* Entries of chance, toward loopback, with and without a socket that knows all options. */
NS_TEST(entries_of_chance_do_no_harm) {
    uint64_t state = 0x6e65747365727631;
    uint32_t sent = 0;

    open_both(AF_INET6);
    close(here.fd);
    here.fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    NS_EQUAL(0, ns_sockets_set(&here, NS_OPTION_ERRORS, 1));
    for (unsigned round = 0; round < 3000; round++) {
        for (size_t i = 0; i < ENTRIES; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            batch.memory[i] = (uint8_t)(state >> 56);
        }
        for (uint32_t i = 0; i < CAPACITY; i++) {
            struct ns_datagram *e = entry(i);

            if (e->length % 4 != 0)
                e->length %= 3000;
            if (e->offset % 4 != 0)
                e->offset %= batch.bytes;
            set_loopback(e, e->port % 2 == 0 ? there_port : e->port);
            if (e->pad % 4 != 0)
                memset(e->local, 0, sizeof e->local);
        }
        NS_CHECK(ns_datagrams_send(&here, &batch, 0, CAPACITY) <= CAPACITY);
        for (uint32_t i = 0; i < CAPACITY; i++)
            sent += entry(i)->error == 0;
        NS_CHECK(ns_datagrams_send_each(&batch, 0, CAPACITY) <= CAPACITY);
        NS_CHECK(ns_datagrams_errors(&here, &batch) >= 0);
        NS_CHECK(receive() >= 0);
    }
    NS_CHECK(sent > 1000);
    close_both();
}

int main(void) {
    NS_RUN(sends_to_ipv4);
    NS_RUN(sends_to_ipv6);
    NS_RUN(receives_from_ipv4);
    NS_RUN(receives_from_ipv6);
    NS_RUN(a_longer_datagram_is_cut_and_says_so);
    NS_RUN(neighbours_leave_as_one_message);
    NS_RUN(messages_are_full);
    NS_RUN(gathered_datagrams_become_entries);
    NS_RUN(a_small_batch_receives_nothing_gathered);
    NS_RUN(more_datagrams_than_entries_are_cut);
    NS_RUN(datagrams_too_long_to_be_cut_go_one_by_one);
    NS_RUN(a_refused_datagram_does_not_stop_the_next);
    NS_RUN(the_entries_are_nobodys_datagram);
    NS_RUN(a_full_socket_stops_without_a_loss);
    NS_RUN(shapes_out_of_range_do_not_fit);
    NS_RUN(entries_out_of_range_are_not_sent);
    NS_RUN(a_closed_descriptor_is_an_error);
    NS_RUN(an_answer_leaves_from_the_address_that_was_asked);
    NS_RUN(a_source_of_another_family_is_refused);
    NS_RUN(tos_and_ttl_are_sent_and_received);
    NS_RUN(whole_packets_are_not_cut);
    NS_RUN(errors_of_closed_ports_are_kept);
    NS_RUN(entries_of_chance_do_no_harm);
    return ns_test_end();
}
