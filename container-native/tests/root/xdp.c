/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests pktio with real AF_XDP sockets. xdp.sh runs it in the router's namespace: xdp <pktio> <sender's netns>
 * <receiver's> <steer.bpf.o> <bpfd>. The last tests start bpfd; in the earlier tests the test itself plays bpfd.
 */
#include "packets.h"
#include "port.h"
#include "xdp_rig.h"

NS_TEST(sockets_are_bound_and_steered_to) {
    start_container();
    start_steered("200", true);
}

NS_TEST(turned_packets_arrive_at_the_sender) {
    *rig.mode = MODE_TURN;
    turn_many(rig.sender, rig.receiver, 1000);
    turn_many(rig.sender6, rig.receiver6, 1000);
    NS_EQUAL(2000, rig.counters->turned);
    NS_EQUAL(0, rig.counters->deadline);
    NS_EQUAL(2000, rig.counters->xdp_received);
}

/*
 * Compares with the router's own forwarding: link addresses, one hop less, checksums (the receiver's kernel checks
 * them).
 */
NS_TEST(a_passed_packet_leaves_as_the_router_sends_it) {
    uint64_t sent, xdp;
    unsigned found = 0;
    uint8_t frame[2048];
    ssize_t length;

    *rig.mode = MODE_PASS;
    pass_some(1); /* the neighbour is known then */
    xdp = rig.counters->xdp_received;
    sent = rig.counters->xdp_sent;
    while (recv(steering.tap, frame, sizeof frame, MSG_DONTWAIT) > 0)
        continue;
    pass_some(200);
    NS_EQUAL(xdp + 200, rig.counters->xdp_received);
    NS_EQUAL(sent + 200, rig.counters->xdp_sent);
    while ((length = recv(steering.tap, frame, sizeof frame, MSG_DONTWAIT)) > 0) {
        if (length < 42 || frame[12] != 8 || frame[13] != 0 || frame[23] != IPPROTO_UDP)
            continue;
        found++;
        NS_EQUAL(0, memcmp(frame, steering.b0, 6));
        NS_EQUAL(0, memcmp(frame + 6, steering.r1, 6));
        NS_EQUAL(63, frame[22]);
    }
    NS_EQUAL(200, found);
}

/* Packets of a flow without a filter are neither seen nor lost, however much traffic goes to the socket meanwhile. */
NS_TEST(foreign_flows_stay_in_the_kernel) {
    uint64_t xdp = rig.counters->xdp_received, other = counted(NS_STEER_OTHER);

    *rig.mode = MODE_PASS;
    for (unsigned round = 0; round < 50; round++) {
        for (unsigned i = 0; i < 40; i++)
            send_one(rig.sender, i % 2 ? rig.receiver : rig.other, i, 300);
        NS_EQUAL(20, receive(rig.other, 20, '.'));
        NS_EQUAL(20, receive(rig.receiver, 20, '.'));
    }
    NS_EQUAL(xdp + 1000, rig.counters->xdp_received);
    NS_CHECK(counted(NS_STEER_OTHER) >= other + 1000);
}

/*
 * Each address that the kernel gave back was in its place. In copy mode frames were once completed twice, see port.c.
 */
NS_TEST(every_frame_is_accounted_for) {
    NS_EQUAL(0, rig.counters->xdp_bad_frame);
    NS_EQUAL(0, rig.counters->xdp_bad_meta);
    NS_EQUAL(0, rig.counters->xdp_lost);
    NS_EQUAL(0, rig.counters->xdp_unsent);
    NS_EQUAL(rig.counters->xdp_received, counted(NS_STEER_STEERED));
    NS_EQUAL(rig.counters->xdp_received, rig.counters->xdp_sent + rig.counters->xdp_slow);
}

NS_TEST(the_last_hop_is_the_kernels) {
    uint64_t xdp = rig.counters->xdp_received, last = counted(NS_STEER_TTL);
    int hops = 1, usual = 64;

    setsockopt(rig.sender, IPPROTO_IP, IP_TTL, &hops, sizeof hops);
    send_one(rig.sender, rig.receiver, 0, 100);
    WAIT_FOR(counted(NS_STEER_TTL) == last + 1);
    NS_EQUAL(xdp, rig.counters->xdp_received);
    setsockopt(rig.sender, IPPROTO_IP, IP_TTL, &usual, sizeof usual);
    pass_some(1);
}

/* Without a neighbour the kernel sends the packet, and asks for the neighbour. */
NS_TEST(what_has_no_neighbour_is_sent_by_the_kernel) {
    uint64_t slow = rig.counters->xdp_slow;

    *rig.mode = MODE_PASS;
    send_one(rig.sender, steering.stranger, 0, 100);
    NS_EQUAL(1, receive(steering.stranger, 1, '.'));
    WAIT_FOR(rig.counters->xdp_slow == slow + 1); /* counted when it has gone */
    for (unsigned i = 0; i < 20; i++)
        send_one(rig.sender, steering.stranger, i, 100);
    NS_EQUAL(20, receive(steering.stranger, 20, '.'));
    NS_EQUAL(slow + 1, rig.counters->xdp_slow);
}

/*
 * Without a route the router would not forward the packet. It comes by the queue, to the same module, and the kernel
 * reports the error to the sender.
 */
NS_TEST(what_has_no_route_comes_by_the_queue) {
    uint64_t queue = rig.counters->received - rig.counters->xdp_received, none = counted(NS_STEER_NO_ROUTE);
    uint64_t passed = rig.counters->passed;

    NS_EQUAL(0, system("ip route add prohibit 10.9.2.2"));
    send_one(rig.sender, rig.receiver, 0, 100);
    WAIT_FOR(rig.counters->received - rig.counters->xdp_received == queue + 1);
    NS_EQUAL(none + 1, counted(NS_STEER_NO_ROUTE));
    WAIT_FOR(rig.counters->passed == passed + 1); /* it is refused before there is a route again */
    NS_EQUAL(0, system("ip route del prohibit 10.9.2.2"));
    pass_some(1);
}

/* Sends a packet from the sender, with another host's source. */
static void forge(const char *source) {
    uint8_t packet[128];
    struct sockaddr_in to = {.sin_family = AF_INET};
    size_t length = udp4(packet, source, 1000, "10.9.2.2", 5060, 50);

    inet_pton(AF_INET, "10.9.2.2", &to.sin_addr);
    NS_EQUAL((ssize_t)length, sendto(rig.raw_out, packet, length, 0, (struct sockaddr *)&to, sizeof to));
}

/*
 * A turned packet would lead to the receiver's side past netfilter. So it comes by the queue, and the rules decide.
 */
NS_TEST(what_came_from_elsewhere_than_its_source_comes_by_the_queue) {
    uint64_t queue = rig.counters->received - rig.counters->xdp_received, xdp = rig.counters->xdp_received;
    uint64_t elsewhere = counted(NS_STEER_OTHER_BACK), martian = counted(NS_STEER_MARTIAN);

    *rig.mode = MODE_TURN;
    forge("10.9.2.3");
    WAIT_FOR(rig.counters->received - rig.counters->xdp_received == queue + 1);
    NS_EQUAL(elsewhere + 1, counted(NS_STEER_OTHER_BACK));
    forge("224.0.0.1");
    WAIT_FOR(counted(NS_STEER_MARTIAN) == martian + 1);
    forge("10.9.2.1"); /* the router's own */
    WAIT_FOR(counted(NS_STEER_NO_BACK) == 1);
    NS_EQUAL(xdp, rig.counters->xdp_received);
}

/*
 * A turned packet goes to the sender's side. The raw socket sends it, because nobody has asked for this neighbour
 * yet, by that interface.
 */
NS_TEST(a_turned_packet_without_neighbour_is_sent_by_the_kernel) {
    uint64_t slow = rig.counters->xdp_slow, xdp = rig.counters->xdp_received;

    *rig.mode = MODE_TURN;
    NS_EQUAL(0, system("ip neigh del 10.9.1.2 dev r0"));
    send_one(rig.sender, rig.receiver, 0, 100);
    NS_EQUAL(1, receive(rig.sender, 1, 'T'));
    WAIT_FOR(rig.counters->xdp_slow == slow + 1);
    NS_EQUAL(xdp + 1, rig.counters->xdp_received);
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

NS_TEST(a_killed_pktio_leaves_the_kernel_forwarding) {
    uint64_t received = rig.counters->received;

    *rig.mode = MODE_TURN;
    end(rig.pktio, SIGKILL);
    pass_some(50);
    NS_EQUAL(received, rig.counters->received);
    start_steered("200", true);
    turn_many(rig.sender, rig.receiver, 600);
    turn_many(rig.sender6, rig.receiver6, 100);
}

NS_TEST(what_a_killed_pktio_held_is_lost_and_counted) {
    uint64_t unsent = rig.counters->xdp_unsent;

    *rig.mode = MODE_PASS;
    NS_EQUAL(0, end_orderly());
    *rig.mode = MODE_SILENT;
    start_steered("10000", true);
    for (unsigned i = 0; i < 10; i++)
        send_one(rig.sender, rig.receiver, i, 100);
    WAIT_FOR(rig.counters->xdp_held == 10);
    end(rig.pktio, SIGKILL);
    start_steered("200", true);
    NS_EQUAL(unsent + 10, rig.counters->xdp_unsent);
    NS_CHECK(silent(rig.receiver));
}

NS_TEST(an_orderly_stop_sends_what_is_held) {
    uint64_t xdp;

    *rig.mode = MODE_PASS;
    pass_some(1);
    NS_EQUAL(0, end_orderly());
    *rig.mode = MODE_SILENT;
    start_steered("10000", true);
    xdp = rig.counters->xdp_received;
    for (unsigned i = 0; i < 20; i++)
        send_one(rig.sender, rig.receiver, i, 100);
    WAIT_FOR(rig.counters->xdp_held == 20);
    NS_EQUAL(xdp + 20, rig.counters->xdp_received);
    NS_EQUAL(0, end_orderly());
    NS_EQUAL(20, receive(rig.receiver, 20, '.'));
}

NS_TEST(without_bpfd_packets_come_by_the_queue) {
    uint64_t received, xdp;

    *rig.mode = MODE_TURN;
    end(rig.container, SIGKILL);
    start_container();
    start_steered("200", false);
    received = rig.counters->received;
    xdp = rig.counters->xdp_received;
    turn_many(rig.sender, rig.receiver, 100);
    NS_EQUAL(received + 100, rig.counters->received);
    NS_EQUAL(xdp, rig.counters->xdp_received);
}

/*
 * The receiver's end has NAPI with a ring of 256, and takes frames without TSO through it. A fast sender therefore
 * meets a full ring, and the kernel gives its packets back (EAGAIN). Each frame is still completed once, as long as
 * frames in the transmit ring are not sent again or reclaimed: see ns_port_kick.
 */
NS_TEST(under_back_pressure_each_frame_is_completed_once) {
    static struct ns_umem umem;
    static struct ns_port port;
    const struct ns_port_place place = {.ifindex = steering.ifindex[1], .index = 1, .patience = 1000};
    uint64_t refused = 0, sent = 0;
    int error;

    set_offload("r1", ETHTOOL_STXCSUM, 0);
    NS_EQUAL(0, ns_umem_open(&umem, 2048));
    NS_EQUAL(0, ns_port_open(&port, &umem, socket(AF_XDP, SOCK_RAW, 0), &place));
    while (sent < 200000) {
        uint32_t frame = ns_frames_fill(&umem.frames, 2);
        uint8_t *link = umem.area + (size_t)frame * NS_FRAME_SIZE;

        NS_CHECK(frame != NS_FRAME_NONE);
        ns_frames_received(&umem.frames, 2, (uint64_t)frame * NS_FRAME_SIZE, 60);
        memcpy(link, steering.b0, 6);
        memcpy(link + 6, steering.r1, 6);
        memcpy(link + 12, "\x88\xb5", 2); /* a type for experiments, without receivers */
        while (!ns_port_transmit(&port, &umem, frame, (uint64_t)frame * NS_FRAME_SIZE, 60)) {
            error = ns_port_kick(&port, &umem, &refused);
            NS_CHECK(error == 0 || error == EAGAIN || error == EBUSY || error == ENOBUFS);
        }
        sent++;
    }
    for (int left = WAIT_MSEC; left > 0 && umem.frames.in[NS_FRAME_TX] != 0; left--) {
        ns_port_kick(&port, &umem, &refused);
        ns_port_complete(&port, &umem, &refused);
        pause_msec(1);
    }
    NS_EQUAL(0, umem.frames.in[NS_FRAME_TX]);
    NS_EQUAL(0, refused);
    ns_port_close(&port, &umem);
    ns_umem_close(&umem);
}

/* --- with bpfd itself --- */

/* Waits until bpfd has obeyed all earlier requests. It reads requests before orders. */
static void settle(void) {
    uint64_t beats = rig.counters->heartbeat;

    WAIT_FOR(rig.counters->heartbeat > beats + 1);
    NS_CHECK(bpfd_order("hello id=4", -1));
}

static void all_are_steered(void) {
    uint64_t received, xdp;

    turn_many(rig.sender, rig.receiver, 20);
    received = rig.counters->received;
    xdp = rig.counters->xdp_received;
    turn_many(rig.sender, rig.receiver, 100);
    turn_many(rig.sender6, rig.receiver6, 100);
    NS_EQUAL(xdp + 200, rig.counters->xdp_received);
    NS_EQUAL(received + 200, rig.counters->received);
}

static bool begin_bpfd(void) {
    static const char *const filters[] = {"container=c family=4 proto=17 dport=5060 do=steer",
                                          "container=c family=6 proto=17 dport=5060 do=steer"};
    char directory[256];

    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(steering.steer, '/') - steering.steer), steering.steer);
    return bpfd_start(steering.bpfd_program, directory) && bpfd_filters(2, filters);
}

NS_TEST(bpfd_steers_to_the_sockets_it_is_sent) {
    for (int i = 0; i < 2; i++)
        bpf_xdp_detach((int)steering.ifindex[i], 0, NULL);
    *rig.mode = MODE_TURN;
    start_container();
    NS_CHECK(begin_bpfd());
    start_pktio("200");
    WAIT_FOR(rig.counters->xdp_sockets == 2);
    settle();
    all_are_steered();
}

/* A killed bpfd's programs end with it, and packets come by the queue. The next bpfd asks pktio for the sockets. */
NS_TEST(a_killed_bpfd_leaves_the_queue_and_its_successor_steers_again) {
    uint64_t xdp;

    end(bpfd.pid, SIGKILL);
    xdp = rig.counters->xdp_received;
    turn_many(rig.sender, rig.receiver, 100);
    NS_EQUAL(xdp, rig.counters->xdp_received);
    NS_CHECK(begin_bpfd());
    settle();
    all_are_steered();
}

NS_TEST(what_is_sampled_or_counted_is_not_led_past) {
    static const char *const filters[] = {"container=c family=4 proto=17 dport=5060 do=steer",
                                          "container=d family=4 proto=17 sport=1000 do=count count=src"};
    uint64_t xdp = rig.counters->xdp_received;

    NS_CHECK(bpfd_filters(2, filters));
    turn_many(rig.sender, rig.receiver, 100);
    NS_EQUAL(xdp, rig.counters->xdp_received);
    NS_CHECK(bpfd_order("revoke id=6 container=c", -1));
    turn_many(rig.sender, rig.receiver, 100);
    NS_EQUAL(xdp, rig.counters->xdp_received);
}

NS_TEST(pktio_ends_in_order_after_a_revoke) {
    NS_EQUAL(0, end(rig.pktio, SIGTERM));
    NS_EQUAL(0, rig.counters->held);
    end(bpfd.pid, SIGTERM);
    end(rig.container, SIGKILL);
}

/* Prints all counters, for the reader of a failed run. */
static void print_all(void) {
    print_counters();
    for (uint32_t i = 0; i < NS_STEER_COUNTS; i++)
        printf("    steer %u %llu\n", i, (unsigned long long)counted(i));
}

int main(int argc, char **argv) {
    if (argc != 6)
        return 2;
    open_xdp(argv);
    NS_RUN(sockets_are_bound_and_steered_to);
    NS_RUN(turned_packets_arrive_at_the_sender);
    NS_RUN(a_passed_packet_leaves_as_the_router_sends_it);
    NS_RUN(foreign_flows_stay_in_the_kernel);
    NS_RUN(every_frame_is_accounted_for);
    NS_RUN(the_last_hop_is_the_kernels);
    NS_RUN(what_has_no_neighbour_is_sent_by_the_kernel);
    NS_RUN(what_has_no_route_comes_by_the_queue);
    NS_RUN(what_came_from_elsewhere_than_its_source_comes_by_the_queue);
    NS_RUN(a_turned_packet_without_neighbour_is_sent_by_the_kernel);
    NS_RUN(a_killed_container_is_passed_by_at_the_deadline);
    NS_RUN(a_killed_pktio_leaves_the_kernel_forwarding);
    NS_RUN(what_a_killed_pktio_held_is_lost_and_counted);
    NS_RUN(an_orderly_stop_sends_what_is_held);
    NS_RUN(without_bpfd_packets_come_by_the_queue);
    end(rig.pktio, SIGKILL);
    end(rig.container, SIGKILL);
    NS_RUN(under_back_pressure_each_frame_is_completed_once);
    NS_RUN(bpfd_steers_to_the_sockets_it_is_sent);
    NS_RUN(a_killed_bpfd_leaves_the_queue_and_its_successor_steers_again);
    NS_RUN(what_is_sampled_or_counted_is_not_led_past);
    NS_RUN(pktio_ends_in_order_after_a_revoke);
    print_all();
    return ns_test_end();
}
