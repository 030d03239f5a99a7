/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests containers on a network, with real traffic. spawner_net.sh runs it: spawner_net <spawner> <root> <namespace
 * of a user>
 *
 *     user  192.0.2.10, 2001:db8::a, 169.254.7.7  ----  192.0.2.1-3, 2001:db8::1-3, 169.254.7.1  node
 *                                                            |  100.64/18            (the test's own namespace)
 *                                                        containers
 */
#include "spawner_rig.h"
#include "traffic.h"

#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>

#define TCP false
#define UDP true
#define ANY                                                                                                            \
    "tcp/0.0.0.0/0/1-65535,udp/0.0.0.0/0/1-65535,"                                                                     \
    "tcp/::/0/1-65535,udp/::/0/1-65535"

static const char *user;

/* Returns the network namespace of a running container. */
static const char *cell(const char *name) {
    static char path[4][64];
    static unsigned next;
    char *at = path[next++ % 4];

    snprintf(at, 64, "/proc/%lld/ns/net", stat_of(name, "pid"));
    return at;
}

/* Starts a server inside, as the container would: with its uid and no capability. */
static bool server_in(const char *name, unsigned index, const unsigned *ports, unsigned count) {
    return start_server(cell(name), name, 700000 + index, ports, count);
}

static bool begin(void) {
    end_servers();
    return run_up();
}

static bool finish(void) {
    end_servers();
    return shut_down();
}

static unsigned rules_with(const char *tool, const char *text) {
    char command[256], line[1024];
    unsigned count = 0;
    FILE *out;

    snprintf(command, sizeof command, "%s-nft-save 2>/dev/null | grep -e '%s'", tool, text);
    out = popen(command, "re");
    while (out != NULL && fgets(line, sizeof line, out) != NULL)
        count++;
    if (out != NULL)
        pclose(out);
    return count;
}

/* Tells whether our table of the node has this text. */
static bool fence_has(const char *text) {
    char command[256];

    snprintf(command, sizeof command, "nft list table inet netserv | grep -qe '%s'", text);
    return system(command) == 0;
}

/* Waits for the rules of a stopped container to go, which takes a moment. */
static bool wait_until_gone(const char *text) {
    for (int i = 0; i < 200 && fence_has(text); i++)
        pause_msec(20);
    return !fence_has(text);
}

/* --- listen --- */

NS_TEST(two_publishers_have_the_same_port_on_two_addresses) {
    static const unsigned ports[] = {80, 81, 82, 8080};

    NS_CHECK(begin());
    NS_CHECK(start_order(&(struct order){
        .name = "alpha",
        .network = "1",
        .index = 1,
        .listen = "tcp/192.0.2.1/32/80-81,udp/192.0.2.1/32/80,tcp/2001:db8::1/128/80,udp/2001:db8::1/128/80,"
                  "udp/192.0.2.3/32/80:8080,tcp/2001:db8::3/128/443:8080"}));
    NS_CHECK(start_order(&(struct order){
        .name = "beta", .network = "2", .index = 2, .listen = "tcp/192.0.2.2/32/80,tcp/2001:db8::2/128/80"}));
    NS_CHECK(server_in("alpha", 1, ports, 4) && server_in("beta", 2, ports, 3));
    NS_CHECK(reaches(user, TCP, "192.0.2.1", 80, "alpha 192.0.2.10")); /* the client's own address */
    NS_CHECK(reaches(user, TCP, "192.0.2.1", 81, "alpha 192.0.2.10"));
    NS_CHECK(reaches(user, UDP, "192.0.2.1", 80, "alpha 192.0.2.10"));
    NS_CHECK(reaches(user, TCP, "2001:db8::1", 80, "alpha 2001:db8::a"));
    NS_CHECK(reaches(user, UDP, "2001:db8::1", 80, "alpha 2001:db8::a"));
    NS_CHECK(reaches(user, TCP, "192.0.2.2", 80, "beta 192.0.2.10"));
    NS_CHECK(reaches(user, TCP, "2001:db8::2", 80, "beta 2001:db8::a"));
    NS_CHECK(reaches(user, UDP, "192.0.2.3", 80, "alpha 192.0.2.10")); /* at another port inside */
    NS_CHECK(reaches(user, TCP, "2001:db8::3", 443, "alpha 2001:db8::a"));
    NS_CHECK(denied(user, UDP, "192.0.2.3", 8080) && denied(user, TCP, "2001:db8::3", 8080));
    /* addresses and ports that are on no list */
    NS_CHECK(denied(user, TCP, "192.0.2.3", 80) && denied(user, TCP, "2001:db8::3", 80));
    NS_CHECK(denied(user, TCP, "192.0.2.1", 82) && denied(user, UDP, "192.0.2.1", 81));
    NS_CHECK(denied(user, UDP, "192.0.2.2", 80) && denied(user, TCP, "2001:db8::1", 81));
    /* the container's own address does not help either */
    NS_CHECK(denied(user, TCP, "100.64.0.6", 80) && denied(user, TCP, "fd6e:6574:7376:1::2", 80));
    NS_CHECK(denied(cell("beta"), TCP, "192.0.2.1", 80) && denied(cell("beta"), TCP, "100.64.0.6", 80));
    /* a third container that wants the ports of these two */
    NS_CHECK(refused(
        order_line(&(struct order){.name = "gamma", .network = "3", .index = 3, .listen = "tcp/0.0.0.0/0/70-80"}),
        "listen:%20tcp/0.0.0.0/0/70-80%20is%20alpha's"));
    NS_CHECK(fence_has("tcp dport 80-81 fib daddr type local dnat ip to 100.64.0.6"));
    NS_CHECK(stop("alpha", 2000));
    NS_CHECK(denied(user, TCP, "192.0.2.1", 80));
    NS_CHECK(reaches(user, TCP, "192.0.2.2", 80, "beta 192.0.2.10"));
    NS_CHECK(stop("beta", 2000));
    NS_CHECK(wait_until_gone("dnat"));
    NS_CHECK(finish());
}

/*
 * Clients of UDP have one port for long, and go on to send while nobody is there. Connection tracking has their flows
 * then, and translates none of them later.
 */
NS_TEST(a_flow_of_datagrams_that_is_older_than_its_server_reaches_it) {
    static const unsigned ports[] = {80, 8080};
    static const char *const addresses[] = {"192.0.2.2", "2001:db8::2"};
    static const char *const others[] = {"192.0.2.3", "2001:db8::3"};
    char expected[64];

    NS_CHECK(begin());
    NS_CHECK(
        start_order(&(struct order){.name = "alpha", .network = "1", .index = 1, .listen = "udp/192.0.2.1/32/80"}));
    for (int v6 = 0; v6 < 2; v6++) {
        NS_CHECK(answer_from(user, 4000, addresses[v6], 80)[0] == '\0');
        NS_CHECK(answer_from(user, 4000, others[v6], 80)[0] == '\0');
    }
    NS_CHECK(start_order(
        &(struct order){.name = "beta", .network = "2", .index = 2, .listen = "udp/192.0.2.2/32/80,udp/::/0/80:8080"}));
    NS_CHECK(server_in("beta", 2, ports, 2));
    for (int v6 = 0; v6 < 2; v6++) {
        snprintf(expected, sizeof expected, "beta %s", v6 ? "2001:db8::a" : "192.0.2.10");
        NS_CHECK(strcmp(expected, answer_from(user, 4000, addresses[v6], 80)) == 0);
    }
    NS_CHECK(strcmp("beta 2001:db8::a", answer_from(user, 4000, others[1], 80)) == 0);
    NS_CHECK(stop("beta", 2000));
    for (int v6 = 0; v6 < 2; v6++)
        NS_CHECK(answer_from(user, 4000, addresses[v6], 80)[0] == '\0');
    /* the same port for another container */
    NS_CHECK(start_order(&(struct order){
        .name = "gamma", .network = "3", .index = 3, .listen = "udp/192.0.2.2/32/80,udp/2001:db8::2/128/80"}));
    NS_CHECK(server_in("gamma", 3, ports, 1));
    for (int v6 = 0; v6 < 2; v6++) {
        snprintf(expected, sizeof expected, "gamma %s", v6 ? "2001:db8::a" : "192.0.2.10");
        NS_CHECK(strcmp(expected, answer_from(user, 4000, addresses[v6], 80)) == 0);
    }
    NS_CHECK(stop("gamma", 2000) && stop("alpha", 2000));
    NS_CHECK(finish());
}

NS_TEST(all_addresses_of_the_node_are_its_own_only) {
    static const unsigned ports[] = {80};

    NS_CHECK(begin());
    NS_CHECK(start_order(
        &(struct order){.name = "alpha", .network = "1", .index = 1, .listen = "tcp/0.0.0.0/0/80,tcp/::/0/80"}));
    NS_CHECK(server_in("alpha", 1, ports, 1));
    NS_CHECK(reaches(user, TCP, "192.0.2.1", 80, "alpha 192.0.2.10"));
    NS_CHECK(reaches(user, TCP, "192.0.2.3", 80, "alpha 192.0.2.10"));
    NS_CHECK(reaches(user, TCP, "2001:db8::3", 80, "alpha 2001:db8::a"));
    NS_CHECK(denied(user, TCP, "198.51.100.1", 80)); /* on its way through the node */
    NS_CHECK(stop("alpha", 2000));
    NS_CHECK(finish());
}

/* --- connect --- */

struct forged {
    const char *source, *destination;
    unsigned port;
};

static uint16_t sum(const void *data, size_t length) {
    const uint16_t *words = data;
    uint32_t total = 0;

    for (size_t i = 0; i < length / 2; i++)
        total += words[i];
    while (total >> 16 != 0)
        total = (total & 0xffff) + (total >> 16);
    return (uint16_t)~total;
}

/* Sends one UDP packet with another host's source. For IPv4 the kernel fills in length and checksum. */
static void forge(int out, const void *context) {
    const struct forged *forged = context;
    struct {
        struct iphdr ip;
        struct udphdr udp;
        char data[2];
    } packet = {.ip = {.version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP}, .data = "!"};
    struct sockaddr_storage to;
    socklen_t length = endpoint(&to, forged->destination, forged->port);
    int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);

    inet_pton(AF_INET, forged->source, &packet.ip.saddr);
    inet_pton(AF_INET, forged->destination, &packet.ip.daddr);
    packet.udp.source = htons(999);
    packet.udp.dest = htons((uint16_t)forged->port);
    packet.udp.len = htons(sizeof packet.udp + sizeof packet.data);
    if (sendto(fd, &packet, sizeof packet, 0, (struct sockaddr *)&to, length) > 0 && write(out, "sent", 4) != 4)
        _exit(1);
}

/* Sends an echo request. Writes "reply" if a reply comes. */
static void ping(int out, const void *context) {
    struct sockaddr_storage to;
    socklen_t length = endpoint(&to, context, 0);
    bool six = to.ss_family == AF_INET6;
    int fd = socket(to.ss_family, SOCK_RAW | SOCK_CLOEXEC, six ? IPPROTO_ICMPV6 : IPPROTO_ICMP);
    struct icmphdr request = {.type = six ? ICMP6_ECHO_REQUEST : ICMP_ECHO, .un.echo.id = htons(77)};
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    unsigned char got[256];

    request.checksum = six ? 0 : sum(&request, sizeof request);
    if (sendto(fd, &request, sizeof request, 0, (struct sockaddr *)&to, length) < 0)
        return;
    while (poll(&wait, 1, DENY_MSEC) == 1) {
        ssize_t n = read(fd, got, sizeof got);
        unsigned type = n <= 0 ? 0 : six ? got[0] : got[20];

        if (type == (six ? ICMP6_ECHO_REPLY : ICMP_ECHOREPLY)) {
            if (write(out, "reply", 5) != 5)
                _exit(1);
            return;
        }
    }
}

static bool pings(const char *place, const char *address) {
    char text[16];

    from(place, ping, address, text, sizeof text);
    return strcmp(text, "reply") == 0;
}

/* Returns the packets that rules with this text have met, from a command's output. */
static long long met_in(const char *command, const char *text) {
    char whole[320];
    long long packets = -1;
    FILE *out;

    snprintf(whole, sizeof whole,
             "%s | grep -e '%s' | sed 's/^.*packets \\([0-9]*\\).*/\\1/; s/^.\\([0-9]*\\):.*/\\1/' |"
             " awk '{sum += $1} END {print sum + 0}'",
             command, text);
    out = popen(whole, "re");
    if (out == NULL || fscanf(out, "%lld", &packets) != 1)
        packets = -1;
    if (out != NULL)
        pclose(out);
    return packets;
}

/*
 * Return packets met: by a counter of our table of the node; in a container's own table; in the operator's filter
 * table, of both families.
 */
static long long met(const char *name) {
    char command[128];

    snprintf(command, sizeof command, "nft list counter inet netserv %s", name);
    return met_in(command, "packets");
}

static long long met_inside(const char *name, const char *text) {
    char command[128];

    snprintf(command, sizeof command, "nsenter --net=%s nft list table inet netserv", cell(name));
    return met_in(command, text);
}

static long long met_both(const char *text) {
    return met_in("{ iptables-nft-save -c -t filter; ip6tables-nft-save -c -t filter; }", text);
}

/*
 * Addresses of the node, of the user beside it, and of the neighbour. Each of them has a server on 7000, as has the
 * open container.
 */
static const char *const never[] = {"192.0.2.1",   "192.0.2.3",           "100.64.0.5",          "2001:db8::1",
                                    "169.254.7.7", "fd6e:6574:7376:1::1", "fd6e:6574:7376:2::2", "100.64.0.10"};

NS_TEST(a_container_reaches_what_it_may_and_never_the_node_or_a_neighbour) {
    static const unsigned ports[] = {7000};
    struct forged forged = {"192.0.2.10", "192.0.2.10", 7000};
    char sent[8];
    long long before;

    NS_CHECK(begin());
    NS_CHECK(start_order(&(struct order){.name = "alpha", .network = "1", .index = 1, .connect = ANY}));
    NS_CHECK(
        start_order(&(struct order){.name = "open", .network = "2", .index = 2, .connect = ANY, .without = "rules"}));
    NS_CHECK(start_server(NULL, "node", 0, ports, 1) && start_server(user, "user", 0, ports, 1));
    NS_CHECK(server_in("alpha", 1, ports, 1) && server_in("open", 2, ports, 1));
    NS_CHECK(reaches(cell("alpha"), TCP, "192.0.2.10", 7000, "user 192.0.2.1"));
    NS_CHECK(reaches(cell("alpha"), UDP, "192.0.2.10", 7000, "user 192.0.2.1"));
    NS_CHECK(strncmp(answer(cell("alpha"), TCP, "2001:db8::a", 7000, REACH_MSEC), "user 2001:db8::", 15) == 0);
    NS_CHECK(strncmp(answer(cell("alpha"), UDP, "2001:db8::a", 7000, REACH_MSEC), "user 2001:db8::", 15) == 0);
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        NS_CHECK(denied(cell("alpha"), TCP, never[i], 7000));
        NS_CHECK(denied(cell("alpha"), UDP, never[i], 7000));
        NS_CHECK(!pings(cell("alpha"), never[i]));
    }
    NS_CHECK(met_inside("alpha", "@node4") >= 2 * 2); /* two of them are the node's own, IPv4 */
    NS_EQUAL(0, met("container-node"));               /* so none of them reached the node's table */
    NS_CHECK(!pings(cell("alpha"), "192.0.2.10") && !pings(cell("alpha"), "2001:db8::a")); /* connect is TCP and UDP */
    NS_CHECK(denied(cell("alpha"), UDP, "224.0.0.1", 7000) && denied(cell("alpha"), UDP, "ff02::1", 7000));
    /* another host's source: the rules stop it here, because rp_filter is off */
    NS_EQUAL(0, system("echo 0 >/proc/sys/net/ipv4/conf/nsv1/rp_filter"));
    before = met_inside("alpha", "alpha:source");
    from(cell("alpha"), forge, &forged, sent, sizeof sent);
    NS_CHECK(strcmp(sent, "") == 0); /* EPERM: the packet has not even left the container */
    NS_EQUAL(before + 1, met_inside("alpha", "alpha:source"));
    /* without rules all of it is open, so the attempts were real */
    NS_CHECK(reaches(cell("open"), TCP, "192.0.2.1", 7000, "node 100.64.0.10"));
    NS_CHECK(reaches(cell("open"), UDP, "100.64.0.9", 7000, "node 100.64.0.10"));
    NS_CHECK(reaches(cell("open"), TCP, "2001:db8::1", 7000, "node fd6e:6574:7376:2::2"));
    NS_CHECK(reaches(cell("open"), TCP, "169.254.7.7", 7000, "user 169.254.7.1"));
    NS_CHECK(pings(cell("open"), "192.0.2.1") && pings(cell("open"), "192.0.2.10"));
    NS_CHECK(pings(cell("open"), "2001:db8::1"));
    /* but not the addresses of confined containers */
    NS_CHECK(denied(cell("open"), TCP, "100.64.0.6", 7000) && denied(cell("open"), TCP, "fd6e:6574:7376:1::2", 7000));
    NS_CHECK(stop("alpha", 2000) && stop("open", 2000));
    NS_CHECK(finish());
}

/* --- packets with the turned mark: their destination is a source that a stranger has written --- */

#define TURN "-nft -w -t raw -%s PREROUTING %s -i up0 -p udp --dport 7000 -j MARK --set-mark 0x400000"

/* Marks packets in front of the spawner's chain, like pktio's verdict when they come round again. */
static bool turn(bool on) {
    static const char *const tools[] = {"iptables", "ip6tables"};
    char command[256];
    bool good = true;

    for (size_t i = 0; i < 2; i++) {
        int n = snprintf(command, sizeof command, "%s", tools[i]);

        snprintf(command + n, sizeof command - (size_t)n, TURN, on ? "I" : "D", on ? "1" : "");
        good = system(command) == 0 && good;
    }
    return good;
}

NS_TEST(a_turned_packet_goes_only_back_out_of_the_interface_it_came_in_by) {
    static const char back[] = "NETSERV-TURNED -i up0 -o up0 -j ACCEPT", later[] = "NETSERV-TURNED -i late0 -o late0";
    static const unsigned ports[] = {7000};

    NS_CHECK(begin());
    NS_CHECK(start_order(&(struct order){.name = "alpha", .network = "1", .index = 1}));
    NS_CHECK(server_in("alpha", 1, ports, 1) && start_server(NULL, "node", 0, ports, 1));
    NS_CHECK(reaches(user, UDP, "192.0.2.1", 7000, "node 192.0.2.10"));
    NS_CHECK(turn(true));
    /* a neighbour's container, which lists no port */
    NS_CHECK(denied(user, UDP, "100.64.0.6", 7000) && denied(user, UDP, "fd6e:6574:7376:1::2", 7000));
    NS_EQUAL(2, met("turned-container"));
    /* the node itself */
    NS_CHECK(denied(user, UDP, "192.0.2.1", 7000) && denied(user, UDP, "2001:db8::1", 7000));
    NS_EQUAL(2, met("turned-node"));
    /* a host behind a rule of the operator, on an interface that the spawner learns about later */
    NS_EQUAL(0,
             system("ip link add late0 type veth peer name late1 && ip link set late0 up &&"
                    " ip address add 203.0.113.1/24 dev late0 && ip -6 address add 2001:db8:1::1/64 dev late0 nodad"));
    NS_EQUAL(0, system("for t in iptables ip6tables; do $t-nft -w -A FORWARD -o late0 -j DROP; done"));
    NS_CHECK(denied(user, UDP, "203.0.113.7", 7000) && denied(user, UDP, "2001:db8:1::7", 7000));
    NS_EQUAL(2, met_both("FORWARD -o late0 -j DROP"));
    for (int i = 0; i < 100 && rules_with("iptables", later) == 0; i++)
        pause_msec(20);
    NS_EQUAL(1, rules_with("iptables", later));
    NS_EQUAL(1, rules_with("ip6tables", later));
    /* an honest packet, with a source out there, under a policy that drops */
    NS_EQUAL(0,
             system("ip route add 198.51.100.0/24 via 192.0.2.10 && ip -6 route add 2001:db8:2::/64 via 2001:db8::a &&"
                    " for t in iptables ip6tables; do $t-nft -w -P FORWARD DROP; done"));
    NS_CHECK(denied(user, UDP, "198.51.100.7", 7000) && denied(user, UDP, "2001:db8:2::7", 7000));
    NS_EQUAL(2, met_both(back));
    NS_CHECK(turn(false));
    NS_EQUAL(0, system("ip link delete late0; ip route delete 198.51.100.0/24; ip -6 route delete 2001:db8:2::/64;"
                       " for t in iptables ip6tables; do $t-nft -w -D FORWARD -o late0 -j DROP;"
                       " $t-nft -w -P FORWARD ACCEPT; done"));
    NS_CHECK(stop("alpha", 2000));
    NS_CHECK(finish());
}

NS_TEST(only_what_connect_names_is_reached) {
    static const unsigned ports[] = {7000, 7001};

    NS_CHECK(begin());
    NS_CHECK(start_order(&(struct order){
        .name = "alpha", .network = "1", .index = 1, .connect = "tcp/192.0.2.0/24/7000,udp/2001:db8::/64/7001"}));
    NS_CHECK(start_server(user, "user", 0, ports, 2));
    NS_CHECK(reaches(cell("alpha"), TCP, "192.0.2.10", 7000, "user 192.0.2.1"));
    NS_CHECK(strncmp(answer(cell("alpha"), UDP, "2001:db8::a", 7001, REACH_MSEC), "user ", 5) == 0);
    NS_CHECK(denied(cell("alpha"), TCP, "192.0.2.10", 7001) && denied(cell("alpha"), UDP, "192.0.2.10", 7000));
    NS_CHECK(denied(cell("alpha"), TCP, "2001:db8::a", 7001) && denied(cell("alpha"), UDP, "2001:db8::a", 7000));
    NS_CHECK(stop("alpha", 2000));
    NS_CHECK(finish());
}

/* --- limits --- */

#define CONNECTIONS 6

/* Opens connections one after the other and keeps them. Then closes the first and tries again. */
static void hoard(int out, const void *context) {
    const struct call *call = context;
    char text[128], line[32];
    int fd[2 * CONNECTIONS], good = 0, again = 0;

    for (int i = 0; i < 2 * CONNECTIONS; i++) {
        fd[i] = call_open(call, text, sizeof text);
        good += fd[i] >= 0;
    }
    if (!call->udp) {
        close(fd[0]);
        for (int i = 0; i < 20 && !again; i++) /* until both sides have seen its end */
            again = call_open(call, text, sizeof text) >= 0;
    }
    snprintf(line, sizeof line, "%d %d", good, again);
    if (write(out, line, strlen(line)) < 0)
        _exit(1);
}

NS_TEST(so_many_connections_at_once_and_no_more) {
    static const unsigned ports[] = {80, 7000};
    struct call in = {TCP, "192.0.2.1", 80, DENY_MSEC, 0}, out = {UDP, "192.0.2.10", 7000, DENY_MSEC, 0};
    char text[32], cell_of[64];
    long long over, packets;
    int opened = 0;

    NS_CHECK(begin());
    NS_CHECK(start_order(&(struct order){.name = "alpha",
                                         .network = "1",
                                         .index = 1,
                                         .connections = CONNECTIONS,
                                         .listen = "tcp/192.0.2.1/32/80",
                                         .connect = "udp/192.0.2.0/24/7000"}));
    NS_CHECK(server_in("alpha", 1, ports, 1) && start_server(user, "user", 0, ports + 1, 1));
    NS_EQUAL(0, stat_of("alpha", "over-connections"));
    packets = stat_of("alpha", "network-packets"); /* the node's IPv6 may have sent packets to it */
    /* two connections of its own count as well */
    snprintf(cell_of, sizeof cell_of, "%s", cell("alpha"));
    NS_CHECK(reaches(cell_of, UDP, "192.0.2.10", 7000, "user 192.0.2.1"));
    NS_CHECK(reaches(cell_of, UDP, "192.0.2.10", 7000, "user 192.0.2.1"));
    from(user, hoard, &in, text, sizeof text);
    NS_CHECK(strcmp(text, "4 1") == 0);
    NS_CHECK(stat_of("alpha", "network-packets") >= packets + 4); /* packets that were not let through do not count */
    NS_CHECK(wait_for_stat("alpha", "over-connections", 1));
    over = stat_of("alpha", "over-connections");
    /*
     * A connection from inside that is over the limit fails at once. The connections from outside end one by one, and
     * make room for as many.
     */
    for (int i = 0; i < 100 && opened < CONNECTIONS - 2; i++) {
        from(cell_of, hoard, &out, text, sizeof text);
        opened += atoi(text);
        pause_msec(20);
    }
    NS_EQUAL(CONNECTIONS - 2, opened);
    from(cell_of, hoard, &out, text, sizeof text);
    NS_EQUAL(0, atoi(text));
    NS_CHECK(wait_for_stat("alpha", "over-connections", over + 1));
    /* The chains of other containers change, but open connections still count. */
    NS_CHECK(start_order(&(struct order){.name = "beta", .network = "2", .index = 2}));
    from(cell_of, hoard, &out, text, sizeof text);
    NS_EQUAL(0, atoi(text));
    NS_CHECK(stop("beta", 2000) && stop("alpha", 2000));
    NS_CHECK(finish());
}

#define SENT 3000
#define PACKETS 200

/* Sends packets to 192.0.2.1:5060 as fast as it can. */
static void flood(int out, const void *context) {
    static const char data[1000];
    struct sockaddr_storage to;
    socklen_t length = endpoint(&to, context, 5060);
    int fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    unsigned sent = 0;

    while (sent < SENT)
        sent += sendto(fd, data, sizeof data, 0, (struct sockaddr *)&to, length) > 0;
    if (write(out, "done", 4) != 4)
        _exit(1);
}

/* Waits until every packet sent has been either before the module's queue or past it. */
static bool adds_up(const char *container, const char *over) {
    long long end = now_msec() + WAIT_MSEC;

    while (stat_of(container, "received") + stat_of(container, over) < SENT) {
        if (now_msec() >= end)
            return false;
        pause_msec(100);
    }
    return stat_of(container, "received") + stat_of(container, over) == SENT;
}

static void limited(unsigned packets, unsigned bytes, const char *over, long long bound) {
    static const char filter[] = "family=4 proto=17 dst=192.0.2.1/32 dport=5060-5060 queue=102\n";
    char text[1024];
    long long began, took;

    NS_CHECK(begin());
    NS_CHECK(start_order(&(struct order){.name = "alpha", .index = 1, .packets = packets, .bytes = bytes}));
    NS_CHECK(ask("filters count=1", filter, text, sizeof text));
    began = now_msec();
    from(user, flood, "192.0.2.1", text, sizeof text);
    took = now_msec() - began;
    NS_CHECK(strcmp(text, "done") == 0);
    NS_CHECK(adds_up("alpha", over));
    /* one second's worth at once, and the share that grows meanwhile */
    NS_CHECK(stat_of("alpha", "received") <= bound + bound * (took + 1000) / 1000);
    NS_CHECK(stat_of("alpha", "received") >= bound / 2);
    NS_CHECK(stat_of("alpha", over) > 0);
    /* the next container on the same filter has a limit of its own */
    NS_CHECK(stop("alpha", 2000));
    NS_CHECK(start_order(&(struct order){.name = "alpha", .index = 1, .packets = 1}));
    NS_CHECK(rules_with("iptables", "hashlimit-above 1/sec") > 0);
    NS_CHECK(stop("alpha", 2000));
    for (int i = 0; i < 200 && rules_with("iptables", "hashlimit") > 0; i++)
        pause_msec(20);
    NS_EQUAL(0, rules_with("iptables", "hashlimit"));
    NS_CHECK(finish());
}

NS_TEST(packets_over_the_limit_pass_by_the_module_and_are_counted) {
    limited(PACKETS, 0, "over-packets", PACKETS);
}

NS_TEST(bytes_over_the_limit_pass_by_the_module_and_are_counted) {
    limited(0, PACKETS * 1028, "over-bytes", PACKETS);
}

/* --- prefixes --- */

/* Returns the answer to a `prepare` with these keys. */
static const char *prepared(const char *keys) {
    static char reply[4096];
    char order[256];

    snprintf(order, sizeof order, "prepare sysctl=check interfaces=lo %s", keys);
    return ask(order, "", reply, sizeof reply) ? reply : "";
}

NS_TEST(a_prefix_that_the_node_uses_is_given_to_nobody) {
    static const unsigned ports[] = {80};
    static const struct order alpha = {.name = "alpha", .network = "1", .index = 1, .listen = "tcp/192.0.2.1/32/80"};
    const char *reply;

    NS_CHECK(begin());
    NS_EQUAL(0, system("ip route add 10.77.80.0/24 via 192.0.2.10"));
    reply = prepared("prefix4=10.77.64.0/18 prefix6=fd00:1:2::/48");
    NS_CHECK(strstr(reply, "10.77.64.0/18%20overlaps%20route%2010.77.80.0/24%20of%20up0") != NULL);
    NS_CHECK(refused(order_line(&alpha), "network:%2010.77.64.0/18%20overlaps%20route%2010.77.80.0/24"));
    NS_CHECK(start_order(&(struct order){.name = "beta", .index = 2})); /* without a network */
    NS_EQUAL(0, system("ip route delete 10.77.80.0/24; ip address add fd00:1:2:9::1/64 dev up0 nodad"));
    reply = prepared("prefix4=10.77.64.0/18 prefix6=fd00:1:2::/48");
    NS_CHECK(strstr(reply, "fd00:1:2::/48%20overlaps%20address%20fd00:1:2:9::1/64%20of%20up0") != NULL);
    NS_EQUAL(0, system("ip address delete fd00:1:2:9::1/64 dev up0"));
    reply = prepared("prefix4=10.77.64.0/18 prefix6=fd00:1:2::/48");
    NS_CHECK(strncmp(reply, "ok ", 3) == 0 && strstr(reply, "containers:") == NULL);
    NS_CHECK(start_order(&alpha) && server_in("alpha", 1, ports, 1));
    NS_CHECK(reaches(user, TCP, "192.0.2.1", 80, "alpha 192.0.2.10"));
    NS_CHECK(fence_has("dnat ip to 10.77.64.6"));
    /* A container's own network is no conflict. While a container runs the prefix cannot change. */
    NS_CHECK(strstr(prepared("prefix4=10.77.64.0/18 prefix6=fd00:1:2::/48"), "containers:") == NULL);
    NS_CHECK(strstr(prepared("prefix4=100.64.0.0/18"), "the%20former%20ones%20stay") != NULL);
    NS_CHECK(reaches(user, TCP, "192.0.2.1", 80, "alpha 192.0.2.10") && fence_has("dnat ip to 10.77.64.6"));
    NS_CHECK(stop("alpha", 2000) && stop("beta", 2000));
    NS_CHECK(finish());
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    if (!ns_test_quiet())
        return 2;
    rig.program = argv[1];
    rig.root = argv[2];
    user = argv[3];
    NS_RUN(two_publishers_have_the_same_port_on_two_addresses);
    NS_RUN(a_flow_of_datagrams_that_is_older_than_its_server_reaches_it);
    NS_RUN(all_addresses_of_the_node_are_its_own_only);
    NS_RUN(a_container_reaches_what_it_may_and_never_the_node_or_a_neighbour);
    NS_RUN(a_turned_packet_goes_only_back_out_of_the_interface_it_came_in_by);
    NS_RUN(only_what_connect_names_is_reached);
    NS_RUN(so_many_connections_at_once_and_no_more);
    NS_RUN(packets_over_the_limit_pass_by_the_module_and_are_counted);
    NS_RUN(bytes_over_the_limit_pass_by_the_module_and_are_counted);
    NS_RUN(a_prefix_that_the_node_uses_is_given_to_nobody);
    end_servers();
    return ns_test_end();
}
