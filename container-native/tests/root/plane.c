/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plane.c - tests the duties of a forwarding plane on each plane: docs/protocols/plane.md. plane.sh runs it in the
 * router's namespace: plane <name of the plane> <pktio> <sender's netns> <receiver's netns>
 */
#include "ns_syscalls.h"
#include "plane_afxdp.h"
#include "plane_rig.h"

#include <linux/netlink.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>

static const struct plane planes[] = {
    {.name = "queue", .samples = true, .opens_when_full = true},
    {.name = "afxdp",
     .begin = afxdp_begin,
     .arguments = afxdp_arguments,
     .end = afxdp_end,
     .took = afxdp_took,
     .opens_when_full = false},
};

/* Sends `count` datagrams of each family in `mode`, and checks that they arrive with `first` as their first byte. */
static void arrive(enum container_mode mode, unsigned count, char first) {
    *rig.mode = mode;
    send_some(rig.sender, rig.receiver, count);
    send_some(rig.sender6, rig.receiver6, count);
    NS_EQUAL(count, receive(rig.receiver, count, first));
    NS_EQUAL(count, receive(rig.receiver6, count, first));
}

NS_TEST(pktio_starts) {
    start_container();
    start_pktio("200");
}

NS_TEST(what_matches_reaches_the_container_and_nothing_else) {
    uint64_t received = rig.counters->received, delivered = rig.counters->delivered;

    arrive(MODE_PASS, 30, '.');
    send_some(rig.sender, rig.other, 30);
    send_some(rig.sender6, rig.other6, 30);
    NS_EQUAL(30, receive(rig.other, 30, '.'));
    NS_EQUAL(30, receive(rig.other6, 30, '.'));
    NS_EQUAL(received + 60, rig.counters->received);
    NS_EQUAL(delivered + 60, rig.counters->delivered);
}

NS_TEST(passed_packets_pass) {
    uint64_t passed = rig.counters->passed;

    arrive(MODE_PASS, 50, '.');
    WAIT_FOR(rig.counters->passed == passed + 100);
}

NS_TEST(dropped_packets_are_gone) {
    uint64_t dropped = rig.counters->dropped;

    *rig.mode = MODE_DROP;
    send_some(rig.sender, rig.receiver, 30);
    send_some(rig.sender6, rig.receiver6, 30);
    WAIT_FOR(rig.counters->dropped == dropped + 60);
    arrive(MODE_PASS, 1, '.'); /* no packet came before it */
    NS_CHECK(silent(rig.receiver) && silent(rig.receiver6));
}

NS_TEST(changed_packets_arrive_changed) {
    uint64_t changed = rig.counters->changed;

    arrive(MODE_CHANGE, 30, 'C');
    NS_EQUAL(changed + 60, rig.counters->changed);
}

NS_TEST(turned_packets_arrive_at_the_sender) {
    uint64_t turned = rig.counters->turned;

    *rig.mode = MODE_TURN;
    turn_many(rig.sender, rig.receiver, 1000);
    turn_many(rig.sender6, rig.receiver6, 1000);
    NS_EQUAL(turned + 2000, rig.counters->turned);
    NS_EQUAL(0, rig.counters->deadline);
}

NS_TEST(stolen_packets_wait_for_a_second_verdict) {
    uint64_t stolen = rig.counters->stolen, late = rig.counters->steal_deadline, passed = rig.counters->passed;

    arrive(MODE_STEAL, 20, '.'); /* the last packet is answered at its deadline */
    NS_EQUAL(stolen + 40, rig.counters->stolen);
    WAIT_FOR(rig.counters->steal_deadline == late + 1);
    NS_EQUAL(passed + 39, rig.counters->passed);
}

NS_TEST(what_may_not_leave_goes_on_as_it_came) {
    uint64_t denied = rig.counters->egress_denied;

    arrive(MODE_DIVERT, 30, '.');
    NS_EQUAL(denied + 60, rig.counters->egress_denied);
}

NS_TEST(packets_of_a_flow_keep_their_order) {
    unsigned came = 0;
    uint32_t last = 0;

    *rig.mode = MODE_MIXED;
    for (unsigned burst = 0; burst < 5; burst++) {
        uint64_t dropped = rig.counters->dropped, passed = rig.counters->passed, changed = rig.counters->changed;

        for (uint32_t i = 1; i <= 100; i++)
            send_one(rig.sender, rig.receiver, 100 * burst + i, 400);
        WAIT_FOR(rig.counters->dropped + rig.counters->passed + rig.counters->changed ==
                 dropped + passed + changed + 100);
    }
    for (uint8_t data[2048]; recv(rig.receiver, data, sizeof data, MSG_DONTWAIT) == 400; came++) {
        uint32_t number;

        memcpy(&number, data + 4, 4);
        NS_CHECK(number > last && (data[0] == '.' || data[0] == 'C'));
        last = number;
    }
    NS_EQUAL(450, came);
}

NS_TEST(what_is_too_long_passes) {
    uint64_t too_long = rig.counters->too_long;

    *rig.mode = MODE_TURN;
    for (unsigned i = 0; i < 20; i++)
        send_one(rig.sender, rig.receiver, i, 1900);
    NS_EQUAL(20, receive(rig.receiver, 20, '.'));
    NS_EQUAL(too_long + 20, rig.counters->too_long);
}

/*
 * If any rule asks for conntrack, the kernel reassembles fragments before the raw table, so the queue has whole
 * datagrams.
 */
NS_TEST(a_fragmented_datagram_passes_whole) {
    uint64_t too_long = rig.counters->too_long, received = rig.counters->received;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(5060)};
    uint8_t data[3000] = {'.'}, came[4000];

    *rig.mode = MODE_TURN;
    inet_pton(AF_INET, "10.9.2.2", &to.sin_addr);
    for (unsigned i = 0; i < 10; i++) {
        memset(data + 1, (int)i, sizeof data - 1);
        NS_EQUAL(sizeof data, sendto(rig.sender, data, sizeof data, 0, (struct sockaddr *)&to, sizeof to));
        NS_EQUAL(sizeof data, recv(rig.receiver, came, sizeof came, 0));
        NS_CHECK(memcmp(data, came, sizeof data) == 0);
    }
    NS_EQUAL(received + 10, rig.counters->received);
    NS_EQUAL(too_long + 10, rig.counters->too_long);
}

/* Sends UDP with a length below its own header. plane.sh's firewall lets it through by its source port. */
NS_TEST(what_is_malformed_passes) {
    struct sockaddr_in to = {.sin_family = AF_INET};
    uint8_t packet[60] = {0x45, [8] = 64, [9] = IPPROTO_UDP, [20] = 1001 >> 8, 1001 & 255, 5060 >> 8, 5060 & 255, 0, 4};
    uint64_t malformed = rig.counters->malformed_in;
    uint8_t data[2048];
    bool came = false;

    *rig.mode = MODE_TURN;
    inet_pton(AF_INET, "10.9.1.2", packet + 12);
    inet_pton(AF_INET, "10.9.2.2", packet + 16);
    memcpy(&to.sin_addr, packet + 16, 4);
    while (recv(rig.raw_in, data, sizeof data, MSG_DONTWAIT) > 0)
        continue;
    NS_EQUAL(sizeof packet, sendto(rig.raw_out, packet, sizeof packet, 0, (struct sockaddr *)&to, sizeof to));
    WAIT_FOR((came = came || recv(rig.raw_in, data, sizeof data, MSG_DONTWAIT) == (ssize_t)sizeof packet));
    NS_EQUAL(malformed + 1, rig.counters->malformed_in);
}

/* Sends with checksums left to the card, and hands it whole trains of datagrams. */
static void send_train(int from, int to, unsigned count, size_t length) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    uint8_t train[64 * 1024] = {0};
    int segment = (int)length, none = 0;

    for (unsigned i = 0; i < count; i++)
        train[i * length] = '.';
    NS_EQUAL(0, getsockname(to, (struct sockaddr *)&address, &size));
    NS_EQUAL(0, setsockopt(from, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment));
    NS_EQUAL(count * length, sendto(from, train, count * length, 0, (struct sockaddr *)&address, size));
    NS_EQUAL(0, setsockopt(from, SOL_UDP, UDP_SEGMENT, &none, sizeof none));
}

NS_TEST(a_train_of_datagrams_comes_as_single_right_ones) {
    uint64_t passed = rig.counters->passed, delivered = rig.counters->delivered;

    *rig.mode = MODE_VERIFY;
    send_train(rig.sender, rig.receiver, 40, 1200);
    send_train(rig.sender6, rig.receiver6, 40, 1200);
    NS_EQUAL(40, receive(rig.receiver, 40, '.'));
    NS_EQUAL(40, receive(rig.receiver6, 40, '.'));
    NS_EQUAL(delivered + 80, rig.counters->delivered);
    NS_EQUAL(passed + 80, rig.counters->passed);
}

NS_TEST(a_changed_train_arrives_right) {
    *rig.mode = MODE_CHANGE;
    send_train(rig.sender, rig.receiver, 40, 1200);
    NS_EQUAL(40, receive(rig.receiver, 40, 'C'));
}

/* Sends and takes a megabyte. Returns the number of bytes that came in the order sent. */
static size_t megabyte(int out, int in) {
    static uint8_t data[1 << 20];
    size_t sent = 0, came = 0;

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 31 >> 4);
    while (came < sizeof data) {
        struct pollfd ends[] = {{.fd = out, .events = sent < sizeof data ? POLLOUT : 0}, {.fd = in, .events = POLLIN}};
        uint8_t piece[65536];
        ssize_t n;

        if (poll(ends, 2, 10000) <= 0)
            break;
        if ((ends[0].revents & POLLOUT) != 0 && (n = send(out, data + sent, sizeof data - sent, MSG_DONTWAIT)) > 0)
            sent += (size_t)n;
        n = recv(in, piece, sizeof piece, MSG_DONTWAIT);
        if (n > 0 && ((size_t)n > sizeof data - came || memcmp(piece, data + came, (size_t)n) != 0))
            break;
        came += n > 0 ? (size_t)n : 0;
    }
    return came;
}

/*
 * The kernel sends and gathers the stream in pieces of up to 64 kB, with checksums open. No module sees such a piece,
 * because each packet fits the path.
 */
NS_TEST(a_tcp_stream_comes_in_packets_that_fit) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(5060)};
    uint64_t too_long = rig.counters->too_long, delivered = rig.counters->delivered, dropped = rig.counters->dropped;
    int most = 1400, room = 1 << 15, in; /* with less on its way than a queue takes */

    *rig.mode = MODE_VERIFY;
    inet_pton(AF_INET, "10.9.2.2", &to.sin_addr);
    NS_EQUAL(0, setsockopt(rig.dial, IPPROTO_TCP, TCP_MAXSEG, &most, sizeof most));
    NS_EQUAL(0, setsockopt(rig.dial, SOL_SOCKET, SO_SNDBUF, &room, sizeof room));
    NS_EQUAL(0, connect(rig.dial, (struct sockaddr *)&to, sizeof to));
    in = accept4(rig.dial_at, NULL, NULL, SOCK_CLOEXEC);
    NS_CHECK(in >= 0);
    NS_EQUAL(1 << 20, megabyte(rig.dial, in));
    close(in);
    shutdown(rig.dial, SHUT_RDWR); /* the container's process holds the socket, too */
    for (uint64_t before = 0; before != rig.counters->received; pause_msec(100))
        before = rig.counters->received; /* the end of the connection */
    NS_EQUAL(too_long, rig.counters->too_long);
    NS_EQUAL(dropped, rig.counters->dropped);
    NS_CHECK(rig.counters->delivered - delivered >= (1 << 20) / 1400);
}

/*
 * Packets beyond the plane's room go on, but do not count as handled. Handled packets are counted where they were
 * handled.
 */
NS_TEST(what_there_is_no_room_for_passes_and_is_not_counted_as_handled) {
    uint64_t received = rig.counters->received, delivered = rig.counters->delivered, enobufs = rig.counters->enobufs;
    const unsigned over = 100;
    unsigned passed;
    bool none_more;

    *rig.mode = MODE_PASS;
    kill(rig.pktio, SIGSTOP);
    waitpid(rig.pktio, NULL, WUNTRACED);
    for (unsigned i = 0; i < QUEUE_LENGTH + over; i++)
        send_one(rig.sender, rig.receiver, i, 1500);
    passed = receive(rig.receiver, over, '.');
    none_more = silent(rig.receiver);
    kill(rig.pktio, SIGCONT);
    NS_EQUAL(over, passed);
    NS_CHECK(none_more);
    NS_EQUAL(QUEUE_LENGTH, receive(rig.receiver, QUEUE_LENGTH, '.'));
    NS_EQUAL(received + QUEUE_LENGTH, rig.counters->received);
    WAIT_FOR(rig.counters->delivered == delivered + QUEUE_LENGTH);
    NS_EQUAL(enobufs, rig.counters->enobufs); /* the socket has room for all that the queue may hold */
}

/* Returns the process's netlink socket that has most to read. */
static int queue_socket(void) {
    int process = (int)syscall(SYS_pidfd_open, rig.pktio, 0), found = -1;

    for (int number = 3; number < 64 && found < 0; number++) {
        struct sockaddr_nl name;
        socklen_t size = sizeof name;

        found = (int)syscall(SYS_pidfd_getfd, process, number, 0);
        if (found >= 0 && (getsockname(found, (struct sockaddr *)&name, &size) != 0 || name.nl_family != AF_NETLINK)) {
            close(found);
            found = -1;
        }
    }
    close(process);
    return found;
}

/*
 * Packets beyond the room of the socket's buffer pass, like packets beyond the room of the queue. pktio is told, and
 * goes on.
 */
NS_TEST(what_its_socket_has_no_room_for_passes_and_is_told) {
    uint64_t received = rig.counters->received, delivered = rig.counters->delivered, enobufs = rig.counters->enobufs;
    int queue = queue_socket(), usual = 0, small = 4096;
    socklen_t size = sizeof usual;
    unsigned passed = 0;

    NS_EQUAL(0, getsockopt(queue, SOL_SOCKET, SO_RCVBUF, &usual, &size));
    NS_EQUAL(0, setsockopt(queue, SOL_SOCKET, SO_RCVBUFFORCE, &small, sizeof small));
    *rig.mode = MODE_PASS;
    kill(rig.pktio, SIGSTOP);
    waitpid(rig.pktio, NULL, WUNTRACED);
    for (unsigned i = 0; i < 50; i++)
        send_one(rig.sender, rig.receiver, i, 1500);
    usual /= 2; /* the kernel returns twice the value set */
    setsockopt(queue, SOL_SOCKET, SO_RCVBUFFORCE, &usual, sizeof usual);
    close(queue);
    while (!silent(rig.receiver))
        passed++;
    kill(rig.pktio, SIGCONT);
    NS_CHECK(passed > 0 && passed < 50);
    NS_EQUAL(50 - passed, receive(rig.receiver, 50 - passed, '.'));
    NS_EQUAL(received + 50 - passed, rig.counters->received);
    WAIT_FOR(rig.counters->delivered == delivered + 50 - passed);
    WAIT_FOR(rig.counters->enobufs > enobufs);
    pass_some(50);
    NS_EQUAL(received + 100 - passed, rig.counters->received);
}

/* A container does not run for a moment. The ring is full, the queue has room, and no packet bypasses it. */
NS_TEST(what_there_is_no_slot_for_waits_in_the_queue) {
    const unsigned over = SLOTS / 4;
    uint64_t delivered, full;

    NS_EQUAL(0, end(rig.pktio, SIGTERM));
    *rig.mode = MODE_PASS;
    start_pktio("10000");
    delivered = rig.counters->delivered;
    full = rig.counters->ring_full;
    kill(rig.container, SIGSTOP);
    waitpid(rig.container, NULL, WUNTRACED);
    for (unsigned i = 0; i < SLOTS; i += over) {
        send_some(rig.sender, rig.receiver, over);
        WAIT_FOR(rig.counters->delivered == delivered + i + over);
    }
    send_some(rig.sender, rig.receiver, over);
    pause_msec(300); /* more than two ticks, which break off any sleep */
    NS_CHECK(silent(rig.receiver));
    kill(rig.container, SIGCONT);
    NS_EQUAL(SLOTS + over, receive(rig.receiver, SLOTS + over, '.'));
    NS_EQUAL(delivered + SLOTS + over, rig.counters->delivered);
    NS_EQUAL(full, rig.counters->ring_full);
    NS_EQUAL(0, end(rig.pktio, SIGTERM));
    start_pktio("200");
}

NS_TEST(samples_are_copied_and_all_go_on) {
    uint64_t copies = rig.counters->copies;

    for (unsigned i = 0; i < 40; i++)
        send_one(rig.sender, rig.sample, i, 100);
    NS_EQUAL(40, receive(rig.sample, 40, '.'));
    NS_EQUAL(copies + 10, rig.counters->copies);
}

static char state_of(pid_t pid) {
    char path[64], line[512] = "";
    FILE *file;
    char *at;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    file = fopen(path, "r");
    if (file == NULL || fgets(line, sizeof line, file) == NULL)
        line[0] = '\0';
    if (file != NULL)
        fclose(file);
    at = strrchr(line, ')');
    return at == NULL ? '?' : at[2];
}

/*
 * A process that spins instead takes the processor from the processes that share it: modules, compilers, the kernel's
 * own part of the work.
 */
NS_TEST(who_has_nothing_to_do_sleeps) {
    *rig.mode = MODE_PASS;
    pass_some(50);
    WAIT_FOR(rig.counters->held == 0);
    WAIT_FOR(state_of(rig.pktio) == 'S');
}

NS_TEST(each_packet_is_counted_once) {
    volatile struct ns_counters *c = rig.counters;
    uint64_t answered;

    WAIT_FOR(c->held == 0);
    NS_EQUAL(c->received, c->delivered + c->ring_full + c->too_long + c->malformed_in);
    answered = c->passed + c->dropped + c->changed + c->turned + c->rewritten + c->deadline + c->steal_deadline +
               c->steal_full + c->bad_code + c->bad_bounds + c->bad_packet + c->egress_denied + c->egress_port +
               c->egress_proto + c->egress_option + c->egress_too_long;
    NS_EQUAL(c->delivered, answered + c->copies);
    NS_EQUAL(0, c->send_errors);
    NS_EQUAL(0, c->stale_verdict);
}

/* Stops the container while it claims to sleep. The container wakes now and then to read its mode. */
static bool stop_asleep(const struct ns_ring_map *ring) {
    for (int left = WAIT_MSEC; left > 0; left--) {
        kill(rig.container, SIGSTOP);
        waitpid(rig.container, NULL, WUNTRACED);
        if (__atomic_load_n(&ring->s->container_sleeps, __ATOMIC_SEQ_CST) != 0)
            return true;
        kill(rig.container, SIGCONT);
        pause_msec(1);
    }
    return false;
}

/* The container sleeps all the while, so each published batch causes a wake-up. */
NS_TEST(what_has_gathered_is_handed_over_in_full_batches) {
    const unsigned gathered = SLOTS / 2;
    uint64_t wakeups, delivered = rig.counters->delivered;
    struct ns_ring_map ring;

    NS_EQUAL(0, ns_ring_map(&ring, rig.ring.desc_rw, rig.ring.slots, SLOTS, 1));
    *rig.mode = MODE_PASS;
    WAIT_FOR(rig.counters->held == 0);
    NS_CHECK(stop_asleep(&ring));
    kill(rig.pktio, SIGSTOP);
    waitpid(rig.pktio, NULL, WUNTRACED);
    wakeups = rig.counters->wakeups;
    send_some(rig.sender, rig.receiver, gathered);
    kill(rig.pktio, SIGCONT);
    WAIT_FOR(rig.counters->delivered == delivered + gathered);
    kill(rig.container, SIGCONT);
    NS_EQUAL(gathered, receive(rig.receiver, gathered, '.'));
    NS_EQUAL(wakeups + gathered / NS_RING_BATCH, rig.counters->wakeups);
    ns_ring_unmap(&ring);
}

NS_TEST(nearly_all_came_by_the_plane) {
    NS_CHECK(rig.plane->took() * 10 > rig.counters->received * 9);
}

NS_TEST(one_capability_is_left_and_few_calls) {
    unsigned long long effective = 0, bounding = 0;
    unsigned no_new_privileges = 0, seccomp = 0;
    char path[64], line[256];
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/status", rig.pktio);
    file = fopen(path, "r");
    NS_CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "CapPrm: %llx", &effective);
        sscanf(line, "CapBnd: %llx", &bounding);
        sscanf(line, "NoNewPrivs: %u", &no_new_privileges);
        sscanf(line, "Seccomp: %u", &seccomp);
    }
    fclose(file);
    NS_EQUAL(1 << 12, effective);
    NS_EQUAL(1 << 12, bounding);
    NS_EQUAL(1, no_new_privileges);
    NS_EQUAL(2, seccomp); /* a filter */
}

NS_TEST(what_is_not_answered_in_time_passes) {
    uint64_t deadline = rig.counters->deadline;

    *rig.mode = MODE_SILENT;
    pass_some(10);
    WAIT_FOR(rig.counters->held == 0);
    NS_EQUAL(deadline + 10, rig.counters->deadline);
}

/*
 * The container does not come back. After the deadline the waiting packets go on. Until it does, new packets go on at
 * once.
 */
NS_TEST(what_has_waited_for_a_slot_passes_at_the_deadline) {
    uint64_t delivered = rig.counters->delivered, full = rig.counters->ring_full, late = rig.counters->stale_verdict;
    const unsigned over = SLOTS / 4;

    *rig.mode = MODE_PASS;
    kill(rig.container, SIGSTOP);
    waitpid(rig.container, NULL, WUNTRACED);
    for (unsigned i = 0; i < SLOTS; i += over) {
        send_some(rig.sender, rig.receiver, over);
        WAIT_FOR(rig.counters->delivered == delivered + i + over);
    }
    NS_EQUAL(SLOTS, receive(rig.receiver, SLOTS, '.'));
    for (unsigned i = 1; i <= 3; i++) {
        send_some(rig.sender, rig.receiver, over);
        NS_EQUAL(over, receive(rig.receiver, over, '.'));
        NS_EQUAL(full + i * over, rig.counters->ring_full);
    }
    NS_EQUAL(delivered + SLOTS, rig.counters->delivered);
    kill(rig.container, SIGCONT);
    WAIT_FOR(rig.counters->stale_verdict == late + SLOTS);
    pass_some(20);
    NS_EQUAL(delivered + SLOTS + 20, rig.counters->delivered);
}

NS_TEST(a_killed_container_is_passed_by_at_the_deadline) {
    uint64_t deadline = rig.counters->deadline;

    *rig.mode = MODE_TURN;
    end(rig.container, SIGKILL);
    pass_some(50);
    WAIT_FOR(rig.counters->deadline == deadline + 50 && rig.counters->held == 0);
    start_container(); /* answers the late packets first */
    turn_many(rig.sender, rig.receiver, 100);
}

NS_TEST(a_killed_pktio_is_bypassed_and_its_successor_resumes) {
    uint64_t received = rig.counters->received;

    *rig.mode = MODE_TURN;
    end(rig.pktio, SIGKILL);
    pass_some(50);
    NS_EQUAL(received, rig.counters->received);
    start_pktio("200");
    turn_many(rig.sender, rig.receiver, 600);
    turn_many(rig.sender6, rig.receiver6, 100);
}

NS_TEST(an_orderly_stop_accepts_what_is_held) {
    NS_EQUAL(0, end(rig.pktio, SIGTERM));
    NS_EQUAL(0, rig.counters->held);
    *rig.mode = MODE_SILENT;
    start_pktio("10000");
    for (unsigned i = 0; i < 20; i++)
        send_one(rig.sender, rig.receiver, i, 100);
    WAIT_FOR(rig.counters->held == 20);
    NS_EQUAL(0, end(rig.pktio, SIGTERM));
    NS_EQUAL(20, rig.counters->held);
    NS_EQUAL(20, receive(rig.receiver, 20, '.'));
    start_pktio("200");
}

/* Unlike the spawner, the test does not keep the sockets. The held packets are lost, but their number is known. */
NS_TEST(a_killed_pktio_loses_at_most_what_it_held) {
    unsigned came = 0;

    end(rig.pktio, SIGTERM);
    *rig.mode = MODE_SILENT;
    start_pktio("10000");
    send_some(rig.sender, rig.receiver, 20);
    WAIT_FOR(rig.counters->held == 20);
    end(rig.pktio, SIGKILL);
    NS_EQUAL(20, rig.counters->held);
    for (unsigned i = 0; i < 50; i++)
        send_one(rig.sender, rig.receiver, i, 200);
    for (uint8_t data[2048]; came < 50;)
        came += recv(rig.receiver, data, sizeof data, 0) == 200;
    start_pktio("200");
}

NS_TEST(a_corrupt_ring_is_abandoned_until_hangup) {
    *rig.mode = MODE_CORRUPT;
    pass_some(20);
    WAIT_FOR(rig.counters->ring_corrupt > 0);
    pass_some(50);
    *rig.mode = MODE_REPAIR;
    pause_msec(100);
    kill(rig.pktio, SIGHUP);
    pause_msec(100);
    *rig.mode = MODE_TURN;
    turn_many(rig.sender, rig.receiver, 100);
}

NS_TEST(a_blocked_eventfd_does_not_block_pktio) {
    uint64_t beats, corrupt = rig.counters->ring_corrupt;

    *rig.mode = MODE_BLOCK;
    pause_msec(200);
    pass_some(30);
    WAIT_FOR(rig.counters->ring_corrupt > corrupt);
    pass_some(200);
    beats = rig.counters->heartbeat;
    WAIT_FOR(rig.counters->heartbeat > beats + 3);
}

static const struct plane *plane_of(const char *name) {
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
        if (strcmp(planes[i].name, name) == 0)
            return &planes[i];
    }
    fprintf(stderr, "%s: no such plane\n", name);
    exit(2);
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    rig.plane = plane_of(argv[1]);
    open_rig(argv + 1);
    if (rig.plane->begin != NULL)
        rig.plane->begin();
    NS_RUN(pktio_starts);
    NS_RUN(what_matches_reaches_the_container_and_nothing_else);
    NS_RUN(passed_packets_pass);
    NS_RUN(dropped_packets_are_gone);
    NS_RUN(changed_packets_arrive_changed);
    NS_RUN(turned_packets_arrive_at_the_sender);
    NS_RUN(stolen_packets_wait_for_a_second_verdict);
    NS_RUN(what_may_not_leave_goes_on_as_it_came);
    NS_RUN(packets_of_a_flow_keep_their_order);
    NS_RUN(what_is_too_long_passes);
    NS_RUN(a_fragmented_datagram_passes_whole);
    NS_RUN(what_is_malformed_passes);
    NS_RUN(a_train_of_datagrams_comes_as_single_right_ones);
    NS_RUN(a_changed_train_arrives_right);
    NS_RUN(a_tcp_stream_comes_in_packets_that_fit);
    if (rig.plane->opens_when_full) {
        NS_RUN(what_there_is_no_room_for_passes_and_is_not_counted_as_handled);
        NS_RUN(what_its_socket_has_no_room_for_passes_and_is_told);
        NS_RUN(what_there_is_no_slot_for_waits_in_the_queue);
    }
    if (rig.plane->samples)
        NS_RUN(samples_are_copied_and_all_go_on);
    NS_RUN(who_has_nothing_to_do_sleeps);
    NS_RUN(each_packet_is_counted_once);
    if (rig.plane->took != NULL)
        NS_RUN(nearly_all_came_by_the_plane);
    NS_RUN(one_capability_is_left_and_few_calls);
    NS_RUN(what_has_gathered_is_handed_over_in_full_batches);
    if (rig.plane->opens_when_full)
        NS_RUN(what_has_waited_for_a_slot_passes_at_the_deadline);
    NS_RUN(what_is_not_answered_in_time_passes);
    NS_RUN(a_killed_container_is_passed_by_at_the_deadline);
    NS_RUN(a_killed_pktio_is_bypassed_and_its_successor_resumes);
    NS_RUN(an_orderly_stop_accepts_what_is_held);
    NS_RUN(a_killed_pktio_loses_at_most_what_it_held);
    NS_RUN(a_corrupt_ring_is_abandoned_until_hangup);
    NS_RUN(a_blocked_eventfd_does_not_block_pktio);
    end(rig.pktio, SIGKILL);
    end(rig.container, SIGKILL);
    if (rig.plane->end != NULL)
        rig.plane->end();
    print_counters();
    return ns_test_end();
}
