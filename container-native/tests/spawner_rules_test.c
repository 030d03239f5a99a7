/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the rules' text, byte for byte, and the jumps that a script makes and removes. */
#include "cell.h"
#include "fence.h"
#include "network.h"
#include "ns_test.h"
#include "rules.h"
#include "subnet.h"
#include "takes.h"

#include <stdlib.h>
#include <string.h>

#define T "0x400000/0x400000"
#define RAW_HEAD                                                                                                       \
    "-A NETSERV -m mark --mark " T " -j CT --notrack\n"                                                                \
    "-A NETSERV -m mark --mark " T " -j ACCEPT\n"

#define FILTER_HEAD "*filter\n:NETSERV - [0:0]\n:NETSERV-TURNED - [0:0]\n"
#define TURNED                                                                                                         \
    "-A NETSERV -o nsv+ -m mark --mark " T " -m comment --comment turned:container -j DROP\n"                          \
    "-A NETSERV -m mark --mark " T " -j NETSERV-TURNED\n"

#define END "COMMIT\n"

static struct ns_rules rules = {.turned_mark = 0x400000, .copy_mark = 0x800000};
static struct ns_rules_standing after;
static const struct ns_rules_standing none = {.raw = false}, base = {.raw = true, .forward = true};

static char *print(int family, const struct ns_rules_standing *standing) {
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);

    ns_rules_print(out, &rules, family, standing, &after);
    fclose(out);
    return printed;
}

static bool has(int family, struct ns_rules_standing standing, const char *part) {
    char *printed = print(family, &standing);
    bool found = strstr(printed, part) != NULL;

    free(printed);
    return found;
}

static bool prints(int family, struct ns_rules_standing standing, const char *expected) {
    char *printed = print(family, &standing);
    bool same;

    same = strcmp(printed, expected) == 0;
    if (!same)
        printf("# %s", printed);
    free(printed);
    return same;
}

/* Compares the text of the rules, which is too long for the message of a failed check. */
#define EXPECT(family, standing, expected)                                                                             \
    do {                                                                                                               \
        bool as_expected = prints(family, standing, expected);                                                         \
        NS_CHECK(as_expected);                                                                                         \
    } while (0)

NS_TEST(the_first_script_makes_the_jumps) {
    EXPECT(4, none,
           "*raw\n:NETSERV - [0:0]\n-I PREROUTING 1 -j NETSERV\n" RAW_HEAD "COMMIT\n" FILTER_HEAD
           "-I FORWARD 1 -j NETSERV\n" TURNED END);
    NS_CHECK(after.raw && after.forward && after.count == 0);
}

/* A turned packet toward a container is dropped before that, and elsewhere no rule of ours accepts it. */
NS_TEST(a_turned_packet_is_accepted_only_back_out_of_its_interface) {
    static const char links[2][16] = {"core", "up0"};

    rules.links = 2;
    rules.link = links;
    EXPECT(4, base,
           "*raw\n:NETSERV - [0:0]\n" RAW_HEAD "COMMIT\n" FILTER_HEAD TURNED
           "-A NETSERV-TURNED -i core -o core -j ACCEPT\n-A NETSERV-TURNED -i up0 -o up0 -j ACCEPT\n" END);
    rules.links = 0;
}

NS_TEST(filters_keep_their_order_and_samples_come_first) {
    static struct ns_filter filters[] = {
        {.family = 4,
         .protocol = 17,
         .queue = 10,
         .has_destination = true,
         .has_destination_ports = true,
         .destination_ports = {5060, 5061}},
        {.family = 4, .protocol = 0, .queue = 12, .sample = 20},
        {.family = 6, .protocol = 6, .queue = 14, .has_source_ports = true, .source_ports = {1, 1}},
        {.family = 4,
         .protocol = 132,
         .queue = 16,
         .has_source_ports = true,
         .source_ports = {1, 2},
         .has_destination_ports = true,
         .destination_ports = {3, 3}},
    };

    NS_CHECK(ns_value_net("192.0.2.0/24", &filters[0].destination));
    rules.filters = 4;
    rules.filter = filters;
    EXPECT(4, base,
           "*raw\n:NETSERV - [0:0]\n" RAW_HEAD
           "-A NETSERV -m mark ! --mark 0x800000/0x800000 -m statistic --mode nth --every 20 --packet 0"
           " -j NFQUEUE --queue-num 13 --queue-bypass\n"
           "-A NETSERV -d 192.0.2.0/24 -p 17 -m udp --dport 5060:5061 -j NFQUEUE --queue-num 10 --queue-bypass\n"
           "-A NETSERV -p 132 -m multiport --sports 1:2 -m multiport --dports 3:3"
           " -j NFQUEUE --queue-num 16 --queue-bypass\nCOMMIT\n" FILTER_HEAD TURNED END);
    EXPECT(
        6, base,
        "*raw\n:NETSERV - [0:0]\n" RAW_HEAD
        "-A NETSERV -p 6 -m tcp --sport 1:1 -j NFQUEUE --queue-num 14 --queue-bypass\nCOMMIT\n" FILTER_HEAD TURNED END);
    rules.filters = 0;
}

static struct ns_connect connects[2] = {{.protocol = 6, .ports = {443, 443}}, {.protocol = 17, .ports = {53, 53}}};
static struct ns_connect listens[2] = {{.protocol = 6, .ports = {80, 81}}, {.protocol = 17, .ports = {53, 53}}};
static struct ns_rules_container alpha = {.name = "alpha",
                                          .serial = 5,
                                          .queue = 10,
                                          .network = 65,
                                          .connections = 10,
                                          .connect = connects,
                                          .listen = listens};

static void with(const struct ns_rules_container *container, unsigned count) {
    rules.container = container;
    rules.containers = count;
}

/* --- a container's own table, and the node's --- */

static char *print_with(void (*print)(FILE *)) {
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);

    print(out);
    fclose(out);
    return printed;
}

static void cell(FILE *out) {
    static struct ns_cell_node node = {.reading = 3, .count = 2};

    if (!ns_value_net("192.0.2.1", &node.address[0]) || !ns_value_net("2001:db8::1", &node.address[1]))
        return;
    ns_cell_print(out, &alpha, &node);
}

static unsigned fence_rules;
static struct ns_fence_standing fence_standing;

static void fence(FILE *out) {
    fence_rules = ns_fence_print(out, &rules, &fence_standing);
}

static bool printed_is(void (*print)(FILE *), const char *expected) {
    char *printed = print_with(print);
    bool same = strcmp(printed, expected) == 0;

    if (!same)
        printf("# %s", printed);
    free(printed);
    return same;
}

#define EXPECT_PRINTED(print, expected)                                                                                \
    do {                                                                                                               \
        bool as_expected = printed_is(print, expected);                                                                \
        NS_CHECK(as_expected);                                                                                         \
    } while (0)

static bool printed_has(void (*print)(FILE *), const char *part) {
    char *printed = print_with(print);
    bool found = strstr(printed, part) != NULL;

    free(printed);
    return found;
}

#define EXPECT_PART(print, part)                                                                                       \
    do {                                                                                                               \
        bool as_expected = printed_has(print, part);                                                                   \
        NS_CHECK(as_expected);                                                                                         \
    } while (0)

#define R "add rule inet netserv "
#define RELATED(chain) R chain " ct state related meta l4proto { icmp, ipv6-icmp } accept\n"
#define SOURCE(chain)                                                                                                  \
    R chain " ip saddr != 100.64.1.6/32 counter drop comment \"alpha:source\"\n" R chain                               \
            " ip6 saddr != fd6e:6574:7376:41::2/128 counter drop comment \"alpha:source\"\n"
#define DROP(chain, to) R chain " " to " counter drop\n"
#define NEVER(chain)                                                                                                   \
    DROP(chain, "ip daddr 127.0.0.0/8")                                                                                \
    DROP(chain, "ip daddr 169.254.0.0/16")                                                                             \
    DROP(chain, "ip daddr 224.0.0.0/3")                                                                                \
    DROP(chain, "ip6 daddr ::1/128")                                                                                   \
    DROP(chain, "ip6 daddr fe80::/10")                                                                                 \
    DROP(chain, "ip6 daddr ff00::/8")                                                                                  \
    DROP(chain, "ip daddr 100.64.0.0/18")                                                                              \
    DROP(chain, "ip6 daddr fd6e:6574:7376::/48")
#define INVALID(chain) R chain " ct state invalid counter drop\n"
#define REPLY "ct state established ct direction reply "
#define LEAVE(mark)                                                                                                    \
    "flush chain inet netserv known\nflush chain inet netserv leave\n" R                                               \
    "known ct state new,established ct mark & 0xfffffffe == " mark " accept\n" R "leave jump new\n" R                  \
    "leave ct mark set ct mark & 0x1 | " mark "\n" R "leave accept\n"

static void have_lists(void) {
    alpha.connects = alpha.listens = 2;
    alpha.connections = 10;
    if (!ns_value_net("198.51.100.0/24", &connects[0].to) || !ns_value_net("::/0", &connects[1].to) ||
        !ns_value_net("192.0.2.1", &listens[0].to) || !ns_value_net("::/0", &listens[1].to))
        alpha.connects = 0;
}

NS_TEST(a_container_s_own_table_lets_through_what_is_listed_and_nothing_else) {
    have_lists();
    EXPECT_PRINTED(
        cell, "add table inet netserv\ndelete table inet netserv\nadd table inet netserv\n"
              "add set inet netserv node4 { type ipv4_addr; }\nadd set inet netserv node6 { type ipv6_addr; }\n"
              "add chain inet netserv hold\nadd chain inet netserv new\nadd chain inet netserv known\n"
              "add chain inet netserv leave\nadd chain inet netserv enter\n"
              "flush set inet netserv node4\nadd element inet netserv node4 { 192.0.2.1 }\n"
              "flush set inet netserv node6\nadd element inet netserv node6 { 2001:db8::1 }\n" LEAVE("0x8") R
        "new ct state new ct count over 10 counter drop comment \"alpha:connections\"\n" R "enter jump new\n" R
        "enter ct mark set ct mark | 0x1\n" R "enter accept\n"
        "add chain inet netserv out { type filter hook output priority 0; policy drop; }\n"
        "add chain inet netserv in { type filter hook input priority 0; policy drop; }\n" R "out oifname lo accept\n" R
        "out jump hold\n" R "out jump known\n" SOURCE("out") INVALID("out") NEVER("out") R
        "out ip daddr @node4 counter drop\n" R "out ip6 daddr @node6 counter drop\n" RELATED("out") R
        "out ct direction reply meta nfproto ipv4 tcp sport 80-81 ct state established goto leave\n" R
        "out ct direction reply meta nfproto ipv6 udp sport 53-53 ct state established goto leave\n" R
        "out ip daddr 198.51.100.0/24 tcp dport 443-443 goto leave\n" R
        "out meta nfproto ipv6 udp dport 53-53 goto leave\n" R "out counter drop\n" R "in iifname lo accept\n" R
        "in ct state new,established ct mark & 0x1 == 0x1 accept\n" INVALID("in") RELATED("in") R
        "in " REPLY "goto enter\n" R "in meta nfproto ipv4 tcp dport 80-81 goto enter\n" R
        "in meta nfproto ipv6 udp dport 53-53 goto enter\n" R "in counter drop\n");
}

static uint32_t reading;

static void renewed(FILE *out) {
    const struct ns_cell_node node = {.reading = reading};

    ns_cell_print_node(out, &node);
}

/* The mark of 0 is that of a connection that no list has let by, and bit 0 is that of packets that enter. */
NS_TEST(with_other_addresses_of_the_node_no_connection_is_known_to_leave) {
    reading = 4;
    EXPECT_PRINTED(renewed, "flush set inet netserv node4\nflush set inet netserv node6\n" LEAVE("0xa"));
    reading = 0x7ffffffe;
    EXPECT_PRINTED(renewed, "flush set inet netserv node4\nflush set inet netserv node6\n" LEAVE("0xfffffffe"));
    reading = 0x7fffffff;
    EXPECT_PRINTED(renewed, "flush set inet netserv node4\nflush set inet netserv node6\n" LEAVE("0x2"));
}

#define FENCE_HEAD                                                                                                     \
    "add table inet netserv\ndelete table inet netserv\nadd table inet netserv\n"                                      \
    "add counter inet netserv turned-container { packets 0 bytes 0 }\n"                                                \
    "add counter inet netserv turned-node { packets 0 bytes 0 }\n"                                                     \
    "add counter inet netserv container-node { packets 0 bytes 0 }\n"                                                  \
    "add chain inet netserv forward { type filter hook forward priority filter - 5; }\n"                               \
    "add chain inet netserv input { type filter hook input priority filter - 5; }\n"
#define FENCE_TURNED                                                                                                   \
    R "forward oifname \"nsv*\" meta mark & 0x400000 == 0x400000 counter name \"turned-container\" drop comment "      \
      "\"turned:container\"\n"
#define FENCE_INPUT                                                                                                    \
    R "input iifname != \"lo\" meta mark & 0x400000 == 0x400000 counter name \"turned-node\" drop comment "            \
      "\"turned:node\"\n"
#define FENCE_NODE R "input iifname \"nsv*\" counter name \"container-node\" drop comment \"container:node\"\n"

NS_TEST(without_a_container_the_node_s_table_translates_nothing) {
    with(NULL, 0);
    EXPECT_PRINTED(fence, FENCE_HEAD FENCE_TURNED FENCE_INPUT FENCE_NODE);
    NS_EQUAL(3, fence_rules);
}

NS_TEST(the_node_s_table_knows_containers_by_their_interface_and_never_by_source_alone) {
    have_lists();
    with(&alpha, 1);
    EXPECT_PRINTED(
        fence, FENCE_HEAD "add chain inet netserv from-65\nadd chain inet netserv to-65\n" R
                          "from-65 oifname \"nsv*\" counter drop\n" SOURCE("from-65") INVALID("from-65") R
        "from-65 ip daddr 198.51.100.0/24 tcp dport 443-443 accept\n" NEVER("from-65") RELATED("from-65") R
        "from-65 ct direction reply meta nfproto ipv4 tcp sport 80-81 ct state established accept\n" R
        "from-65 ct direction reply meta nfproto ipv6 udp sport 53-53 ct state established accept\n" R
        "from-65 meta nfproto ipv6 udp dport 53-53 accept\n" R "from-65 counter drop\n" R
        "to-65 iifname \"nsv*\" counter drop\n" INVALID("to-65") RELATED("to-65") R
        "to-65 " REPLY "accept\n" R "to-65 meta nfproto ipv4 tcp dport 80-81 ct status dnat accept\n" R
        "to-65 meta nfproto ipv6 udp dport 53-53 ct status dnat accept\n" R "to-65 counter drop\n" R
        "forward iifname vmap { \"nsv65\" : jump from-65 }\n" FENCE_TURNED R
        "forward oifname vmap { \"nsv65\" : jump to-65 }\n" FENCE_INPUT FENCE_NODE
        "add chain inet netserv leaving { type nat hook postrouting priority srcnat - 5; }\n" R
        "leaving iifname \"nsv65\" oifname != \"nsv*\" meta nfproto ipv4 tcp sport 80-81 snat ip to 192.0.2.1\n" R
        "leaving iifname \"nsv*\" oifname != \"nsv*\" masquerade\n"
        "add chain inet netserv listen { type nat hook prerouting priority dstnat - 5; }\n" R
        "listen iifname != \"nsv*\" ip daddr 192.0.2.1/32 tcp dport 80-81 fib daddr type local dnat ip to "
        "100.64.1.6\n" R "listen iifname != \"nsv*\" meta nfproto ipv6 udp dport 53-53 fib daddr type local"
        " dnat ip6 to fd6e:6574:7376:41::2\n");
    NS_CHECK(fence_rules > 20);
    with(NULL, 0);
    alpha.connects = alpha.listens = 0;
}

NS_TEST(an_open_container_has_no_list_and_reaches_the_node_but_not_a_confined_one) {
    struct ns_rules_container both[2] = {alpha, alpha};

    both[1].network = 7;
    both[1].open = true;
    with(both, 2);
    NS_CHECK(printed_has(fence, "input iifname \"nsv7\" accept\n") && !printed_has(fence, "from-7") &&
             printed_has(fence, "to-65 iifname \"nsv*\" counter drop\n"));
    NS_CHECK(has(4, base, "-A NETSERV -i nsv+ -j ACCEPT\n" TURNED "-A NETSERV -o nsv+ -j ACCEPT\n"));
    with(NULL, 0);
}

NS_TEST(only_our_own_chains_are_ours) {
    static const char *const ours[] = {"NETSERV",     "NETSERV-TURNED", "NETSERV-SAMPLE",
                                       "NETSERV-Q10", "NETSERV-IN",     "NETSERV-LISTEN",
                                       "NETSERV-65",  "NETSERV-65-NEW", "NETSERV-TRY"};
    static const char *const others[] = {"NETSERVER",      "NETSERV-",       "NETSERV-Q",  "NETSERV-Q10x",
                                         "NETSERV-65-OLD", "NETSERV-MINE",   "MY-NETSERV", "NETSERV-IN2",
                                         "netserv",        "NETSERV-Q123456"};

    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        NS_CHECK(ns_rules_is_chain(ours[i]));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        NS_CHECK(!ns_rules_is_chain(others[i]));
    NS_EQUAL(10, ns_rules_queue("NETSERV-Q10"));
    NS_EQUAL(-1, ns_rules_queue("NETSERV-10"));
}

NS_TEST(what_others_left_of_a_queue_s_chains_is_removed) {
    static struct ns_rules_standing standing = {
        .raw = true, .forward = true, .count = 2, .chains = {{.serial = 4, .queue = 10}, {.serial = 4, .queue = 11}}};

    EXPECT(6, standing,
           "*raw\n:NETSERV - [0:0]\n-F NETSERV-Q10\n-X NETSERV-Q10\n-F NETSERV-Q11\n-X NETSERV-Q11\n" RAW_HEAD
           "COMMIT\n" FILTER_HEAD TURNED END);
    NS_CHECK(after.count == 0);
}

NS_TEST(a_limit_comes_before_the_queue) {
    static const struct ns_filter filters[] = {{.family = 4, .queue = 10},
                                               {.family = 4, .protocol = 6, .queue = 10, .sample = 20},
                                               {.family = 4, .protocol = 17, .queue = 14}};
    struct ns_rules_container limited = {
        .name = "beta", .serial = 9, .queue = 10, .network = -1, .packets = 1000, .bytes = 80000};
#define PACKETS(q, over)                                                                                               \
    "-A NETSERV-Q" q " -m hashlimit --hashlimit-above 1000/sec --hashlimit-burst 1000"                                 \
    " --hashlimit-name NETSERV-Q10-p1000 --hashlimit-htable-size 16 -m comment --comment beta:packets -j " over "\n"
#define BYTES(q, over)                                                                                                 \
    "-A NETSERV-Q" q " -m hashlimit --hashlimit-above 80000b/s"                                                        \
    " --hashlimit-name NETSERV-Q10-b80000 --hashlimit-htable-size 16 -m comment --comment beta:bytes -j " over "\n"
#define FILTERS                                                                                                        \
    RAW_HEAD "-A NETSERV -p 6 -m mark ! --mark 0x800000/0x800000 -m statistic --mode nth --every 20 --packet 0"        \
             " -j NETSERV-Q11\n-A NETSERV -j NETSERV-Q10\n"                                                            \
             "-A NETSERV -p 17 -j NFQUEUE --queue-num 14 --queue-bypass\nCOMMIT\n" FILTER_HEAD TURNED END

    rules.filters = 3;
    rules.filter = filters;
    with(&limited, 1);
    EXPECT(4, base,
           "*raw\n:NETSERV - [0:0]\n:NETSERV-Q10 - [0:0]\n" PACKETS("10", "ACCEPT") BYTES(
               "10", "ACCEPT") "-A NETSERV-Q10 -j NFQUEUE --queue-num 10 --queue-bypass\n"
                               ":NETSERV-Q11 - [0:0]\n" PACKETS("11", "RETURN") BYTES(
                                   "11", "RETURN") "-A NETSERV-Q11 -j NFQUEUE --queue-num 11 --queue-bypass\n" FILTERS);
    EXPECT(4, after, "*raw\n:NETSERV - [0:0]\n" FILTERS);
    NS_EQUAL(2 + 3 + 2 * 3, ns_rules_count(&rules, 4, true)); /* includes the chains that stand */
    /* a number above the kernel's greatest is no limit */
    limited.packets = NS_PACKETS_MOST + 1;
    limited.bytes = 0;
    limited.serial++;
    NS_CHECK(!has(4, base, "hashlimit") && after.count == 0);
    rules.filters = 0;
    with(NULL, 0);
}

static bool overlap(const char *a, const char *b) {
    struct ns_connect x = {.protocol = 6, .ports = {80, 90}}, y = {.protocol = 6, .ports = {90, 91}};

    NS_CHECK(ns_value_net(a, &x.to) && ns_value_net(b, &y.to));
    return ns_connect_overlap(&x, &y) && ns_connect_overlap(&y, &x);
}

NS_TEST(endpoints_overlap) {
    struct ns_connect x = {.protocol = 6, .ports = {80, 80}}, y = {.protocol = 17, .ports = {80, 80}};
    char text[NS_CONNECT_TEXT];

    NS_CHECK(overlap("192.0.2.1", "192.0.2.1") && overlap("0.0.0.0/0", "192.0.2.1") && overlap("::/0", "2001:db8::1"));
    NS_CHECK(!overlap("192.0.2.1", "192.0.2.2") && !overlap("0.0.0.0/0", "::/0"));
    NS_CHECK(overlap("192.0.2.128/25", "192.0.2.128/26") && !overlap("192.0.2.0/25", "192.0.2.128/26"));
    NS_CHECK(ns_value_net("192.0.2.1", &x.to) && ns_value_net("192.0.2.1", &y.to) && !ns_connect_overlap(&x, &y));
    y.protocol = 6;
    y.ports = (struct ns_ports){81, 82};
    NS_CHECK(!ns_connect_overlap(&x, &y));
    ns_connect_print(&y, text);
    NS_CHECK(strcmp(text, "tcp/192.0.2.1/32/81-82") == 0 && ns_connect_inside(&y).first == 81);
    y.ports.last = 81;
    y.inside = 8081;
    ns_connect_print(&y, text);
    NS_CHECK(strcmp(text, "tcp/192.0.2.1/32/81-81:8081") == 0 && ns_connect_inside(&y).last == 8081);
}

/* Rules inside see the container's port, translations change it to the one outside and back. */
NS_TEST(a_port_of_the_node_leads_to_another_one_of_the_container) {
    have_lists();
    alpha.listens = 1;
    listens[0].ports.last = 80;
    listens[0].inside = 8080;
    with(&alpha, 1);
    NS_CHECK(
        printed_has(fence, "from-65 ct direction reply meta nfproto ipv4 tcp sport 8080-8080 ct state established"));
    NS_CHECK(printed_has(fence, "to-65 meta nfproto ipv4 tcp dport 8080-8080 ct status dnat accept\n"));
    NS_CHECK(
        printed_has(fence, "ip daddr 192.0.2.1/32 tcp dport 80-80 fib daddr type local dnat ip to 100.64.1.6:8080\n"));
    NS_CHECK(printed_has(fence, "meta nfproto ipv4 tcp sport 8080-8080 snat ip to 192.0.2.1:80\n"));
    NS_CHECK(ns_value_net("2001:db8::1", &listens[0].to));
    NS_CHECK(printed_has(fence, " dnat ip6 to [fd6e:6574:7376:41::2]:8080\n"));
    NS_CHECK(printed_has(fence, " snat ip6 to [2001:db8::1]:80\n"));
    listens[0] = (struct ns_connect){.protocol = 6, .ports = {80, 81}};
    with(NULL, 0);
    alpha.connects = alpha.listens = 0;
}

NS_TEST(a_program_comes_before_the_sampling) {
    static struct ns_filter filter = {.family = 4, .protocol = 17, .queue = 12, .sample = 20};

    rules.filters = 1;
    rules.filter = &filter;
    rules.match = true;
    NS_CHECK(ns_match_read("48:0:0:9,21:0:1:17,6:0:0:65535,6:0:0:0", &filter.match));
    NS_CHECK(has(4, base,
                 "-A NETSERV -p 17 -m bpf --bytecode \"4,48 0 0 9,21 0 1 17,6 0 0 65535,6 0 0 0\" -m mark ! --mark "));
    rules.match = false;
    NS_CHECK(!has(4, base, "bytecode"));
    rules.filters = 0;
}

/* The fast path takes the second filter's samples on eth0. On other interfaces the rule takes them. */
NS_TEST(what_the_fast_path_samples_has_no_rule_on_its_interfaces) {
    static const struct ns_filter filters[] = {{.family = 4, .queue = 10},
                                               {.family = 4, .protocol = 17, .queue = 12, .sample = 20},
                                               {.family = 4, .queue = 14, .sample = 3}};
    static const bool taken[] = {false, true, false};

    rules.filters = 3;
    rules.filter = filters;
    rules.taken = taken;
    NS_CHECK(!has(4, base, "SAMPLE")); /* the fast path is on no interface */
    rules.interfaces = 2;
    rules.interface[0] = "eth0";
    rules.interface[1] = "eth1.7";
    EXPECT(4, base,
           "*raw\n:NETSERV - [0:0]\n:NETSERV-SAMPLE - [0:0]\n" RAW_HEAD
           "-A NETSERV-SAMPLE -i eth0 -j RETURN\n-A NETSERV-SAMPLE -i eth1.7 -j RETURN\n-A NETSERV -j NETSERV-SAMPLE\n"
           "-A NETSERV-SAMPLE -p 17 -m mark ! --mark 0x800000/0x800000 -m statistic --mode nth --every 20 --packet 0"
           " -j NFQUEUE --queue-num 13 --queue-bypass\n"
           "-A NETSERV -m mark ! --mark 0x800000/0x800000 -m statistic --mode nth --every 3 --packet 0"
           " -j NFQUEUE --queue-num 15 --queue-bypass\n"
           "-A NETSERV -j NFQUEUE --queue-num 10 --queue-bypass\nCOMMIT\n" FILTER_HEAD TURNED END);
    NS_CHECK(after.sample);
    rules.interfaces = 0;
    NS_CHECK(has(4, after, "*raw\n:NETSERV - [0:0]\n-F NETSERV-SAMPLE\n-X NETSERV-SAMPLE\n"));
    NS_CHECK(!after.sample);
    rules.taken = NULL;
    rules.filters = 0;
}

NS_TEST(signaling_comes_before_every_filter) {
    static const struct ns_filter filters[] = {{.family = 4, .queue = 12, .sample = 20}, {.family = 6, .queue = 14}};

    rules.gist = true;
    rules.filters = 2;
    rules.filter = filters;
    EXPECT(4, base,
           "*raw\n:NETSERV - [0:0]\n" RAW_HEAD
           "-A NETSERV -p udp -m udp --dport 270 -j NFQUEUE --queue-num 270 --queue-bypass\n"
           "-A NETSERV -p icmp -m icmp --icmp-type port-unreachable -j NFQUEUE --queue-num 270 --queue-bypass\n"
           "-A NETSERV -m mark ! --mark 0x800000/0x800000 -m statistic --mode nth --every 20 --packet 0"
           " -j NFQUEUE --queue-num 13 --queue-bypass\nCOMMIT\n" FILTER_HEAD TURNED END);
    EXPECT(6, base,
           "*raw\n:NETSERV - [0:0]\n" RAW_HEAD
           "-A NETSERV -p udp -m udp --dport 270 -j NFQUEUE --queue-num 270 --queue-bypass\n"
           "-A NETSERV -p icmpv6 -m icmp6 --icmpv6-type port-unreachable -j NFQUEUE --queue-num 270 --queue-bypass\n"
           "-A NETSERV -j NFQUEUE --queue-num 14 --queue-bypass\nCOMMIT\n" FILTER_HEAD TURNED END);
    rules.gist = false;
    rules.filters = 0;
}

NS_TEST(addresses_of_networks) {
    char text[NS_PREFIX_TEXT];
    struct ns_net net = ns_subnet_container(4095, 4);

    ns_value_print_net(&net, text);
    NS_CHECK(strcmp(text, "100.64.63.254/32") == 0);
    net = ns_subnet_container(4095, 6);
    ns_value_print_net(&net, text);
    NS_CHECK(strcmp(text, "fd6e:6574:7376:fff::2/128") == 0);
    /* with another prefix */
    NS_CHECK(ns_value_net("10.77.64.0/18", &net));
    ns_subnet_set_all(&net);
    net = ns_subnet_container(4095, 4);
    ns_value_print_net(&net, text);
    NS_CHECK(strcmp(text, "10.77.127.254/32") == 0);
    NS_CHECK(ns_value_net("100.64.0.0/18", &net));
    ns_subnet_set_all(&net);
    NS_CHECK(ns_value_net("192.0.2.77/25", &net));
    ns_value_print_net(&net, text);
    NS_CHECK(strcmp(text, "192.0.2.0/25") == 0);
    NS_CHECK(!ns_value_net("192.0.2.1/", &net) && !ns_value_net("192.0.2.1/033", &net) && !ns_value_net("", &net));
}

/* A removed hook takes all packets of the node's queues with it, so chains that stand stay. */
NS_TEST(an_apply_replaces_rules_and_no_hook_that_stands) {
    char *printed;

    fence_standing = (struct ns_fence_standing){.whole = true, .leaving = true, .listen = true};
    rules.containers = 0;
    printed = print_with(fence);
    NS_CHECK(strstr(printed, "delete table") == NULL && strstr(printed, "flush table inet netserv\n") != NULL);
    NS_CHECK(strstr(printed, "delete chain inet netserv leaving\n") != NULL); /* no longer needed */
    NS_CHECK(strstr(printed, "delete chain inet netserv listen\n") != NULL);
    free(printed);
    fence_standing = (struct ns_fence_standing){.whole = true};
    printed = print_with(fence);
    NS_CHECK(strstr(printed, "delete") == NULL && strstr(printed, "add counter") == NULL);
    free(printed);
    fence_standing = (struct ns_fence_standing){.counted[NS_FENCE_TURNED_NODE] = {7, 700}};
    printed = print_with(fence);
    NS_CHECK(strstr(printed, "delete table inet netserv\n") != NULL);
    NS_CHECK(strstr(printed, "add counter inet netserv turned-node { packets 7 bytes 700 }\n") != NULL);
    free(printed);
}

NS_TEST(the_chains_of_a_container_go_with_it) {
    char *printed;

    with(&alpha, 1);
    ns_fence_after(&rules, &fence_standing);
    printed = print_with(fence);
    NS_CHECK(strstr(printed, "delete") == NULL);
    free(printed);
    with(NULL, 0);
    printed = print_with(fence);
    NS_CHECK(strstr(printed, "delete chain inet netserv from-65\ndelete chain inet netserv to-65\n") != NULL);
    free(printed);
    fence_standing = (struct ns_fence_standing){.whole = false};
}

/* --- taken connections --- */

#define K "0x100000"
#define TAKEN "ct mark & " K " == " K " ct direction original "

static struct ns_connect takes[2] = {{.protocol = 6, .ports = {80, 80}, .inside = 8080},
                                     {.protocol = 6, .ports = {80, 80}, .inside = 8080}};
static struct ns_filter taken[3] = {{.family = 4,
                                     .protocol = 6,
                                     .queue = 10,
                                     .has_destination = true,
                                     .has_destination_ports = true,
                                     .destination_ports = {80, 80},
                                     .take = 8080}};

static void have_takes(void) {
    alpha.takes = 2;
    alpha.take = takes;
    taken[1] = taken[2] = taken[0];
    taken[1].family = 6;
    taken[2].queue = 12; /* of another container */
    if (!ns_value_net("192.0.2.0/24", &takes[0].to) || !ns_value_net("2001:db8::/64", &takes[1].to) ||
        !ns_value_net("192.0.2.10", &taken[0].destination) || !ns_value_net("2001:db8::/64", &taken[1].destination) ||
        !ns_value_net("192.0.2.10", &taken[2].destination))
        alpha.takes = 0;
    rules.filters = 3;
    rules.filter = taken;
    with(&alpha, 1);
}

static void have_none(void) {
    alpha.takes = 0;
    rules.filters = 0;
    with(NULL, 0);
    fence_standing = (struct ns_fence_standing){.whole = false};
}

NS_TEST(a_connection_is_taken_from_its_first_packet_on_if_the_container_is_there) {
    have_takes();
    EXPECT_PART(fence,
                "add chain inet netserv take { type filter hook prerouting priority mangle + 5; }\n"
                "add chain inet netserv taking\n" R "take iifname \"nsv*\" return\n" R "take " TAKEN
                "meta mark set meta mark | " K " return\n" R
                "take ct state new tcp flags & (fin | syn | rst | ack) == syn jump taking\n"
                "add chain inet netserv take-65\nadd counter inet netserv taken-65\n"
                "add counter inet netserv taken-packets-65\nadd counter inet netserv taken-over-65\n" R
                "take-65 ct count over 5 counter name \"taken-over-65\" return\n" R
                "take-65 meta mark set meta mark | " K " fib daddr . mark oifname \"nsv65\" counter name \"taken-65\""
                " ct mark set ct mark | " K " return\n" R "take-65 meta mark set meta mark & 0xffefffff\n" R
                "taking ip daddr 192.0.2.10/32 tcp dport 80 goto take-65\n" R
                "taking ip6 daddr 2001:db8::/64 tcp dport 80 goto take-65\nadd chain inet netserv forward");
    NS_CHECK(!has(4, base, "--dport 80") && !has(6, base, "--dport 80")); /* nothing goes to the queue */
    have_none();
}

NS_TEST(only_what_the_list_has_is_taken) {
    static const char *const rule = R "taking ip daddr 192.0.2.10/32 tcp dport 80 goto take-65\n";

    have_takes();
    EXPECT_PART(fence, rule);
    taken[0].take = 8081;
    NS_CHECK(!printed_has(fence, rule));
    taken[0].take = 8080;
    taken[0].destination_ports = (struct ns_ports){81, 81};
    NS_CHECK(!printed_has(fence, "tcp dport 81"));
    taken[0].destination_ports = (struct ns_ports){80, 80};
    taken[0].destination.bits = 23; /* wider than the list's */
    NS_CHECK(!printed_has(fence, "192.0.2.0/23"));
    alpha.open = true;
    NS_CHECK(!printed_has(fence, "take"));
    alpha.open = false;
    alpha.takes = 0;
    NS_CHECK(!printed_has(fence, "take"));
    have_none();
}

NS_TEST(a_container_has_foreign_addresses_in_replies_alone) {
    have_takes();
    EXPECT_PART(fence, R "from-65 oifname \"nsv*\" counter drop\n" R "from-65 ct mark & " K " == " K
                         " ct state established ct direction reply ip saddr 192.0.2.0/24 tcp sport 80 accept\n" R
                         "from-65 ct mark & " K " == " K
                         " ct state established ct direction reply ip6 saddr 2001:db8::/64 tcp sport 80 "
                         "accept\n" SOURCE("from-65"));
    EXPECT_PART(fence, R "to-65 iifname \"nsv*\" counter drop\n" R "to-65 " TAKEN
                         "ct state != invalid ip daddr 192.0.2.0/24 tcp dport 80 counter name "
                         "\"taken-packets-65\" accept\n");
    EXPECT_PART(cell, "add chain inet netserv taken { type nat hook prerouting priority dstnat; }\n" R
                      "taken iifname != lo ip daddr 192.0.2.0/24 tcp dport 80 dnat ip to 100.64.1.6:8080\n" R
                      "taken iifname != lo ip6 daddr 2001:db8::/64 tcp dport 80 dnat ip6 to "
                      "[fd6e:6574:7376:41::2]:8080\n");
    EXPECT_PART(cell, R "out meta nfproto ipv4 tcp sport 8080-8080 ct status dnat tcp flags & (rst | ack) == "
                        "(rst | ack) tcp sequence 0 counter drop\n" R
                        "out meta nfproto ipv4 tcp sport 8080-8080 ct status dnat " REPLY "accept\n");
    EXPECT_PART(cell, R "in meta nfproto ipv4 tcp dport 8080-8080 ct status dnat goto enter\n");
    have_none();
}

NS_TEST(the_chains_that_take_go_with_the_last_container) {
    char *printed;

    have_takes();
    ns_fence_after(&rules, &fence_standing);
    NS_CHECK(fence_standing.take && fence_standing.takes[0]);
    alpha.takes = 0; /* the same place, without */
    printed = print_with(fence);
    NS_CHECK(strstr(printed, "delete chain inet netserv take\ndelete chain inet netserv taking\n"
                             "delete chain inet netserv take-65\ndelete counter inet netserv taken-65\n"
                             "delete counter inet netserv taken-packets-65\n"
                             "delete counter inet netserv taken-over-65\n") != NULL);
    NS_CHECK(strstr(printed, "delete chain inet netserv from-65") == NULL);
    free(printed);
    have_none();
}

NS_TEST(its_routes_lead_to_the_container) {
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);

    have_takes();
    ns_takes_print_routes(out, &alpha);
    fclose(out);
    NS_CHECK(strcmp(printed, "route replace 192.0.2.0/24 via 100.64.1.6 dev nsv65 table 20051\n"
                             "route replace 2001:db8::/64 via fd6e:6574:7376:41::2 dev nsv65 table 20051\n") == 0);
    free(printed);
    have_none();
}

int main(void) {
    NS_RUN(the_first_script_makes_the_jumps);
    NS_RUN(a_turned_packet_is_accepted_only_back_out_of_its_interface);
    NS_RUN(filters_keep_their_order_and_samples_come_first);
    NS_RUN(a_container_s_own_table_lets_through_what_is_listed_and_nothing_else);
    NS_RUN(with_other_addresses_of_the_node_no_connection_is_known_to_leave);
    NS_RUN(without_a_container_the_node_s_table_translates_nothing);
    NS_RUN(the_node_s_table_knows_containers_by_their_interface_and_never_by_source_alone);
    NS_RUN(an_open_container_has_no_list_and_reaches_the_node_but_not_a_confined_one);
    NS_RUN(only_our_own_chains_are_ours);
    NS_RUN(what_others_left_of_a_queue_s_chains_is_removed);
    NS_RUN(a_limit_comes_before_the_queue);
    NS_RUN(endpoints_overlap);
    NS_RUN(a_port_of_the_node_leads_to_another_one_of_the_container);
    NS_RUN(a_program_comes_before_the_sampling);
    NS_RUN(what_the_fast_path_samples_has_no_rule_on_its_interfaces);
    NS_RUN(signaling_comes_before_every_filter);
    NS_RUN(addresses_of_networks);
    NS_RUN(an_apply_replaces_rules_and_no_hook_that_stands);
    NS_RUN(the_chains_of_a_container_go_with_it);
    NS_RUN(a_connection_is_taken_from_its_first_packet_on_if_the_container_is_there);
    NS_RUN(only_what_the_list_has_is_taken);
    NS_RUN(a_container_has_foreign_addresses_in_replies_alone);
    NS_RUN(the_chains_that_take_go_with_the_last_container);
    NS_RUN(its_routes_lead_to_the_container);
    return ns_test_end();
}
