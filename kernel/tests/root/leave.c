/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the way out of a container, past the stack, with real packets. The script has made the namespaces: container
 * -- nsv3 [node] far -- peer, with rules that translate the source of ports 10000 to 10999 to the node's addresses, and
 * count what the node's stack forwards.
 */
#include "leave.h"
#include "kept.h"
#include "ns_libbpf.h"
#include "ns_test.h"
#include "ns_time.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT 10000
#define PEER_PORT 7000
#define OTHER_PORT 7001 /* the node leads it to the second address of the peer, at PEER_PORT */
#define LISTEN "udp/198.51.100.1/32/10000-10999,udp/2001:db8:2::1/128/10000-10999"
#define OWN "198.51.100.1,100.64.0.13,2001:db8:2::1,fd6e:6574:7376:3::1"

static struct ns_bpfd bpfd = {.offload_mark = NS_OFFLOAD_MARK, .turned_mark = 0x400000};
static struct ns_granted *granted;
static const char *container, *peer;
static int node;

/* --- sockets in the three namespaces --- */

static void enter(int fd) {
    NS_EQUAL(0, setns(fd, CLONE_NEWNET));
}

static struct sockaddr_storage address(int family, const char *text, uint16_t port) {
    struct sockaddr_storage storage = {.ss_family = (sa_family_t)family};

    if (family == AF_INET) {
        struct sockaddr_in *in = (struct sockaddr_in *)&storage;

        in->sin_port = htons(port);
        NS_EQUAL(1, inet_pton(AF_INET, text, &in->sin_addr));
    } else {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&storage;

        in6->sin6_port = htons(port);
        NS_EQUAL(1, inet_pton(AF_INET6, text, &in6->sin6_addr));
    }
    return storage;
}

static int open_in(const char *where, int family, uint16_t port) {
    struct sockaddr_storage any = address(family, family == AF_INET ? "0.0.0.0" : "::", port);
    int fd = open(where, O_RDONLY | O_CLOEXEC), made;
    const int yes = 1;

    enter(fd);
    made = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (family == AF_INET6)
        setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    NS_EQUAL(0, bind(made, (struct sockaddr *)&any, sizeof any));
    enter(node);
    close(fd);
    return made;
}

static bool sends(int fd, const char *to, uint16_t port, size_t bytes) {
    struct sockaddr_storage at = address(strchr(to, ':') == NULL ? AF_INET : AF_INET6, to, port);
    static char data[2000];

    memset(data, 'x', sizeof data);
    return sendto(fd, data, bytes, 0, (struct sockaddr *)&at, sizeof at) == (ssize_t)bytes;
}

/* Tells whether a datagram of this length comes, from that source. */
static bool comes(int fd, const char *from, uint16_t port, size_t bytes) {
    struct sockaddr_storage is, wanted = address(strchr(from, ':') == NULL ? AF_INET : AF_INET6, from, port);
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    socklen_t length = sizeof is;
    char data[2000];

    memset(&is, 0, sizeof is);
    return poll(&ready, 1, 1000) == 1 &&
           recvfrom(fd, data, sizeof data, 0, (struct sockaddr *)&is, &length) == (ssize_t)bytes && data[0] == 'x' &&
           data[bytes - 1] == 'x' && memcmp(&is, &wanted, is.ss_family == AF_INET ? 8 : 24) == 0;
}

static bool silent(int fd) {
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    return poll(&ready, 1, 200) == 0;
}

static void wait_ms(long ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* --- the node --- */

static bool run(const char *command) {
    return system(command) == 0; /* NOLINT */
}

/* Returns the number of packets that the stack has forwarded to `far` since the last call. */
static unsigned passed(void) {
    FILE *out = popen("nft reset counter inet t passed | awk '$1 == \"packets\" {print $2}'", "re");
    unsigned packets = 0;

    if (out == NULL || fscanf(out, "%u", &packets) != 1)
        packets = 9999;
    if (out != NULL)
        pclose(out);
    return packets;
}

/* Returns the number of packets that have left past the stack since the grant. */
static unsigned left(void) {
    FILE *out = tmpfile();
    char text[256] = "";
    unsigned packets = 9999;

    ns_leave_print(&bpfd, granted, out);
    rewind(out);
    if (fgets(text, sizeof text, out) != NULL)
        sscanf(text, " left-packets=%u", &packets);
    fclose(out);
    return packets;
}

static void forward(bool direct) {
    static const char names[][NS_INTERFACE_MAX + 1] = {"far"};

    ns_programs_attach(&bpfd.programs, 1, names, NS_XDP_NATIVE, direct);
    ns_leave_again(&bpfd);
}

static void fresh(void) {
    int pair[2];

    if (granted != NULL)
        ns_flows_revoke(&bpfd, granted);
    NS_EQUAL(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
    close(pair[0]);
    granted = ns_flows_grant(&bpfd, "c", pair[1], -1, -1);
    NS_CHECK(granted != NULL);
    granted->relays.listen.count = 0;
    NS_CHECK(ns_value_list(LISTEN, ns_reach_add, &granted->relays.listen));
    granted->leave.network = 3;
    forward(true);
    wait_ms(1100); /* the entries of the test before have expired */
    passed();
}

struct ends {
    int from, to;
};

static struct ends ends(int family, uint16_t port) {
    return (struct ends){open_in(container, family, port), open_in(peer, family, PEER_PORT)};
}

static void done(struct ends *of) {
    close(of->from);
    close(of->to);
}

/* Sends some datagrams and checks each at the peer. */
static void exchange(struct ends *of, unsigned count, size_t bytes) {
    struct sockaddr_storage own;
    socklen_t length = sizeof own;
    bool v4;

    getsockname(of->from, (struct sockaddr *)&own, &length);
    v4 = own.ss_family == AF_INET;
    for (unsigned i = 0; i < count; i++) {
        NS_CHECK(sends(of->from, v4 ? "198.51.100.7" : "2001:db8:2::7", PEER_PORT, bytes));
        NS_CHECK(comes(of->to, v4 ? "198.51.100.1" : "2001:db8:2::1", PORT, bytes));
    }
}

static void a_flow(int family) {
    struct ends of = ends(family, PORT);

    fresh();
    exchange(&of, 10, 100);
    NS_EQUAL(1, passed());
    NS_EQUAL(9, left());
    wait_ms(1100);
    exchange(&of, 10, 100);
    NS_EQUAL(1, passed());
    NS_EQUAL(18, left());
    done(&of);
}

/* --- tests --- */

NS_TEST(the_stack_sees_a_packet_of_a_flow_once_a_second) {
    a_flow(AF_INET);
}

NS_TEST(and_so_it_is_with_ipv6) {
    a_flow(AF_INET6);
}

NS_TEST(a_longer_packet_takes_the_long_way_first) {
    struct ends of = ends(AF_INET, PORT);

    fresh();
    exchange(&of, 2, 100);
    NS_EQUAL(1, passed());
    wait_ms(150); /* it asks again */
    exchange(&of, 2, 1200);
    NS_EQUAL(1, passed());
    exchange(&of, 3, 100);
    NS_EQUAL(0, passed());
    done(&of);
}

NS_TEST(the_operator_s_rules_hold_within_a_second) {
    struct ends of = ends(AF_INET, PORT);

    fresh();
    exchange(&of, 2, 100);
    NS_CHECK(run("nft add rule inet t drops udp dport 7000 drop"));
    wait_ms(1100);
    NS_CHECK(sends(of.from, "198.51.100.7", PEER_PORT, 100) && silent(of.to));
    NS_CHECK(sends(of.from, "198.51.100.7", PEER_PORT, 100) && silent(of.to));
    NS_CHECK(run("nft flush chain inet t drops"));
    exchange(&of, 2, 100);
    done(&of);
}

NS_TEST(a_port_of_no_element_takes_the_long_way) {
    struct ends of = ends(AF_INET, 20000);

    fresh();
    for (int i = 0; i < 5; i++)
        NS_CHECK(sends(of.from, "198.51.100.7", PEER_PORT, 100) && comes(of.to, "198.51.100.1", 20000, 100));
    NS_EQUAL(5, passed());
    NS_EQUAL(0, left());
    done(&of);
}

NS_TEST(a_destination_that_the_operator_translates_takes_the_long_way) {
    struct ends of = ends(AF_INET, PORT);

    fresh();
    for (int i = 0; i < 5; i++)
        NS_CHECK(sends(of.from, "198.51.100.7", OTHER_PORT, 100) && comes(of.to, "198.51.100.1", PORT, 100));
    NS_EQUAL(5, passed());
    NS_EQUAL(0, left());
    done(&of);
}

NS_TEST(each_destination_has_a_way_of_its_own) {
    struct ends of = ends(AF_INET, PORT);

    fresh();
    exchange(&of, 3, 100);
    NS_EQUAL(1, passed());
    for (int i = 0; i < 3; i++)
        NS_CHECK(sends(of.from, "198.51.100.9", PEER_PORT, 100) && comes(of.to, "198.51.100.1", PORT, 100));
    NS_EQUAL(1, passed());
    done(&of);
}

NS_TEST(another_address_of_the_container_s_network_has_no_part_in_it) {
    struct ends of = ends(AF_INET, PORT);
    struct sockaddr_storage other = address(AF_INET, "100.64.0.99", PORT);
    char command[256];

    fresh();
    exchange(&of, 2, 100);
    passed();
    snprintf(command, sizeof command, "nsenter --net=%s ip addr add 100.64.0.99/32 dev eth0", container);
    NS_CHECK(run(command) && run("nft add rule inet t drops ip saddr 100.64.0.99 drop"));
    close(of.from);
    enter(open(container, O_RDONLY | O_CLOEXEC));
    of.from = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    NS_EQUAL(0, bind(of.from, (struct sockaddr *)&other, sizeof other));
    enter(node);
    NS_CHECK(sends(of.from, "198.51.100.7", PEER_PORT, 100) && silent(of.to));
    NS_CHECK(sends(of.from, "198.51.100.7", PEER_PORT, 100) && silent(of.to));
    NS_EQUAL(1, left()); /* that of the first address */
    snprintf(command, sizeof command, "nsenter --net=%s ip addr del 100.64.0.99/32 dev eth0", container);
    NS_CHECK(run(command) && run("nft flush chain inet t drops"));
    done(&of);
}

NS_TEST(a_packet_at_the_end_of_its_life_takes_the_long_way) {
    struct ends of = ends(AF_INET, PORT);
    const int one = 1;

    fresh();
    exchange(&of, 2, 100);
    setsockopt(of.from, IPPROTO_IP, IP_TTL, &one, sizeof one);
    NS_CHECK(sends(of.from, "198.51.100.7", PEER_PORT, 100) && silent(of.to));
    NS_EQUAL(1, left());
    done(&of);
}

/* Tells the container's interface whether to leave checksums to the next device. Only then a train stays whole. */
static bool leaves_checksums(bool yes) {
    char command[256];

    snprintf(command, sizeof command, "nsenter --net=%s ethtool -K eth0 tx-checksum-ip-generic %s >/dev/null",
             container, yes ? "on" : "off");
    return run(command);
}

NS_TEST(a_train_leaves_as_one_packet) {
    struct ends of = ends(AF_INET, PORT);
    const int segment = 100;

    NS_CHECK(leaves_checksums(true));
    fresh();
    exchange(&of, 2, 100);
    setsockopt(of.from, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment);
    NS_CHECK(sends(of.from, "198.51.100.7", PEER_PORT, 500));
    for (int i = 0; i < 5; i++)
        NS_CHECK(comes(of.to, "198.51.100.1", PORT, 100));
    NS_EQUAL(2, left());
    NS_CHECK(leaves_checksums(false));
    done(&of);
}

NS_TEST(all_take_the_long_way_without_a_grant_and_with_forward_kernel) {
    struct ends of = ends(AF_INET, PORT);

    fresh();
    exchange(&of, 3, 100);
    passed();
    forward(false);
    exchange(&of, 3, 100);
    NS_EQUAL(3, passed());
    NS_EQUAL(2, left());
    forward(true);
    wait_ms(1100);
    exchange(&of, 3, 100);
    NS_EQUAL(1, passed());
    NS_EQUAL(4, left());
    ns_flows_revoke(&bpfd, granted);
    granted = NULL;
    exchange(&of, 3, 100);
    NS_EQUAL(3, passed());
    done(&of);
}

int main(int argc, char **argv) {
    if (argc != 4 || ns_programs_open(&bpfd.programs, argv[1]) != 0)
        return 2;
    container = argv[2];
    peer = argv[3];
    node = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (!ns_value_list(OWN, ns_node_add_own, &bpfd.node))
        return 2;
    NS_RUN(the_stack_sees_a_packet_of_a_flow_once_a_second);
    NS_RUN(and_so_it_is_with_ipv6);
    NS_RUN(a_longer_packet_takes_the_long_way_first);
    NS_RUN(the_operator_s_rules_hold_within_a_second);
    NS_RUN(a_port_of_no_element_takes_the_long_way);
    NS_RUN(a_destination_that_the_operator_translates_takes_the_long_way);
    NS_RUN(each_destination_has_a_way_of_its_own);
    NS_RUN(another_address_of_the_container_s_network_has_no_part_in_it);
    NS_RUN(a_packet_at_the_end_of_its_life_takes_the_long_way);
    NS_RUN(a_train_leaves_as_one_packet);
    NS_RUN(all_take_the_long_way_without_a_grant_and_with_forward_kernel);
    return ns_test_end();
}
