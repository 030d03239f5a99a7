/* SPDX-License-Identifier: Apache-2.0 */
/* The rules' text, byte for byte, and which jumps a script makes and removes. */
#include "../spawner/network.h"
#include "../spawner/rules.h"
#include "ns_test.h"

#include <stdlib.h>
#include <string.h>

#define T "0x400000/0x400000"
#define RAW_HEAD                                                                                                       \
    "-A NETSERV -m mark --mark " T " -j CT --notrack\n"                                                                \
    "-A NETSERV -m mark --mark " T " -j ACCEPT\n"

static struct ns_rules rules = {.turned_mark = 0x400000, .copy_mark = 0x800000};
static struct ns_rules_standing after;
static const struct ns_rules_standing none = {.base = false}, base = {.base = true},
                                      masquerade = {.base = true, .masquerade = true};

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

/* The text is too long for the message of a failed check. */
#define EXPECT(family, standing, expected)                                                                             \
    do {                                                                                                               \
        bool as_expected = prints(family, standing, expected);                                                         \
        NS_CHECK(as_expected);                                                                                         \
    } while (0)

NS_TEST(the_first_script_makes_the_jumps) {
    EXPECT(4, none,
           "*raw\n:NETSERV - [0:0]\n-I PREROUTING 1 -j NETSERV\n" RAW_HEAD "COMMIT\n"
           "*filter\n:NETSERV - [0:0]\n:NETSERV-IN - [0:0]\n"
           "-I FORWARD 1 -j NETSERV\n-I INPUT 1 -j NETSERV-IN\n"
           "-A NETSERV -m mark --mark " T " -j ACCEPT\n"
           "-A NETSERV-IN -i nsv+ -j DROP\nCOMMIT\n");
    NS_CHECK(after.base && !after.masquerade && !after.listen && after.count == 0);
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
           " -j NFQUEUE --queue-num 16 --queue-bypass\nCOMMIT\n"
           "*filter\n:NETSERV - [0:0]\n:NETSERV-IN - [0:0]\n-A NETSERV -m mark --mark " T " -j ACCEPT\n"
           "-A NETSERV-IN -i nsv+ -j DROP\nCOMMIT\n");
    EXPECT(6, base,
           "*raw\n:NETSERV - [0:0]\n" RAW_HEAD
           "-A NETSERV -p 6 -m tcp --sport 1:1 -j NFQUEUE --queue-num 14 --queue-bypass\nCOMMIT\n"
           "*filter\n:NETSERV - [0:0]\n:NETSERV-IN - [0:0]\n-A NETSERV -m mark --mark " T " -j ACCEPT\n"
           "-A NETSERV-IN -i nsv+ -j DROP\nCOMMIT\n");
    rules.filters = 0;
}

#define FILTER_HEAD "*filter\n:NETSERV - [0:0]\n:NETSERV-IN - [0:0]\n"
#define TURNED "-A NETSERV -m mark --mark " T " -j ACCEPT\n"
#define NEVER4                                                                                                         \
    "-A NETSERV-65 -i nsv65 -d 127.0.0.0/8 -j DROP\n"                                                                  \
    "-A NETSERV-65 -i nsv65 -d 169.254.0.0/16 -j DROP\n"                                                               \
    "-A NETSERV-65 -i nsv65 -d 224.0.0.0/3 -j DROP\n"                                                                  \
    "-A NETSERV-65 -i nsv65 -d 100.64.0.0/18 -j DROP\n"                                                                \
    "-A NETSERV-65 -i nsv65 -o nsv+ -j DROP\n"
#define NEVER6                                                                                                         \
    "-A NETSERV-65 -i nsv65 -d ::1/128 -j DROP\n"                                                                      \
    "-A NETSERV-65 -i nsv65 -d fe80::/10 -j DROP\n"                                                                    \
    "-A NETSERV-65 -i nsv65 -d ff00::/8 -j DROP\n"                                                                     \
    "-A NETSERV-65 -i nsv65 -d fd6e:6574:7376::/48 -j DROP\n"                                                          \
    "-A NETSERV-65 -i nsv65 -o nsv+ -j DROP\n"
#define NOT_IN "-A NETSERV-IN -i nsv+ -j DROP\nCOMMIT\n"
#define RAW_NETWORK "*raw\n:NETSERV - [0:0]\n-A NETSERV -i nsv+ -j RETURN\n" RAW_HEAD "COMMIT\n"
#define REPLY " -m conntrack --ctstate ESTABLISHED --ctdir REPLY -j ACCEPT\n"
#define NEW65                                                                                                          \
    "-A NETSERV-65 -j DROP\n"                                                                                          \
    "-A NETSERV-65-NEW -m conntrack ! --ctstate NEW -j ACCEPT\n"                                                       \
    "-A NETSERV-65-NEW -m connlimit --connlimit-above 10 --connlimit-mask 0 -m comment --comment alpha:connections"    \
    " -j DROP\n"                                                                                                       \
    "-A NETSERV-65-NEW -j ACCEPT\n"

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

NS_TEST(a_network_reaches_what_it_may_and_nothing_else) {
    NS_CHECK(ns_value_net("198.51.100.0/24", &connects[0].to) && ns_value_net("::/0", &connects[1].to));
    alpha.connects = 2;
    with(&alpha, 1);
    EXPECT(4, base,
           RAW_NETWORK FILTER_HEAD
           ":NETSERV-65 - [0:0]\n:NETSERV-65-NEW - [0:0]\n"
           "-A NETSERV-65 -i nsv65 ! -s 100.64.1.6/32 -j DROP\n" NEVER4
           "-A NETSERV-65 -m conntrack --ctstate INVALID -j DROP\n"
           "-A NETSERV-65 -p icmp -m conntrack --ctstate RELATED -j ACCEPT\n"
           "-A NETSERV-65 -o nsv65" REPLY "-A NETSERV-65 -i nsv65 -d 198.51.100.0/24 -p 6 -m tcp --dport 443:443"
           " -j NETSERV-65-NEW\n" NEW65 TURNED "-A NETSERV -o nsv65 -j NETSERV-65\n"
           "-A NETSERV -i nsv65 -j NETSERV-65\n" NOT_IN "*nat\n:NETSERV - [0:0]\n-I POSTROUTING 1 -j NETSERV\n"
           "-A NETSERV -s 100.64.0.0/18 ! -o nsv+ -j MASQUERADE\nCOMMIT\n");
    NS_CHECK(after.masquerade && !after.listen && after.count == 1 && after.chains[0].network == 65);
    EXPECT(6, base,
           RAW_NETWORK FILTER_HEAD
           ":NETSERV-65 - [0:0]\n:NETSERV-65-NEW - [0:0]\n"
           "-A NETSERV-65 -i nsv65 ! -s fd6e:6574:7376:41::2/128 -j DROP\n" NEVER6
           "-A NETSERV-65 -m conntrack --ctstate INVALID -j DROP\n"
           "-A NETSERV-65 -p icmpv6 -m conntrack --ctstate RELATED -j ACCEPT\n"
           "-A NETSERV-65 -o nsv65" REPLY "-A NETSERV-65 -i nsv65 -d ::/0 -p 17 -m udp --dport 53:53"
           " -j NETSERV-65-NEW\n" NEW65 TURNED "-A NETSERV -o nsv65 -j NETSERV-65\n"
           "-A NETSERV -i nsv65 -j NETSERV-65\n" NOT_IN "*nat\n:NETSERV - [0:0]\n-I POSTROUTING 1 -j NETSERV\n"
           "-A NETSERV -s fd6e:6574:7376::/48 ! -o nsv+ -j MASQUERADE\nCOMMIT\n");
    alpha.connects = 0;
    with(NULL, 0);
}

NS_TEST(a_listen_is_dnat_to_the_container_and_only_that_comes_in) {
    NS_CHECK(ns_value_net("192.0.2.1", &listens[0].to) && ns_value_net("::/0", &listens[1].to));
    alpha.listens = 2;
    with(&alpha, 1);
    EXPECT(
        4, masquerade,
        RAW_NETWORK FILTER_HEAD
        ":NETSERV-65 - [0:0]\n:NETSERV-65-NEW - [0:0]\n"
        "-A NETSERV-65 -i nsv65 ! -s 100.64.1.6/32 -j DROP\n" NEVER4
        "-A NETSERV-65 -m conntrack --ctstate INVALID -j DROP\n"
        "-A NETSERV-65 -p icmp -m conntrack --ctstate RELATED -j ACCEPT\n"
        "-A NETSERV-65 -o nsv65" REPLY "-A NETSERV-65 -i nsv65 -p 6 -m tcp --sport 80:81" REPLY
        "-A NETSERV-65 -o nsv65 -p 6 -m tcp --dport 80:81 -m conntrack --ctstate DNAT -j NETSERV-65-NEW\n" NEW65 TURNED
        "-A NETSERV -o nsv65 -j NETSERV-65\n"
        "-A NETSERV -i nsv65 -j NETSERV-65\n" NOT_IN
        "*nat\n:NETSERV - [0:0]\n:NETSERV-LISTEN - [0:0]\n-I PREROUTING 1 -j NETSERV-LISTEN\n"
        "-A NETSERV -s 100.64.0.0/18 ! -o nsv+ -j MASQUERADE\n"
        "-A NETSERV-LISTEN ! -i nsv+ -d 192.0.2.1/32 -p 6 -m tcp --dport 80:81"
        " -m addrtype --dst-type LOCAL -j DNAT --to-destination 100.64.1.6\nCOMMIT\n");
    NS_CHECK(after.listen);
    EXPECT(6, after,
           RAW_NETWORK FILTER_HEAD TURNED
           "-A NETSERV -o nsv65 -j NETSERV-65\n"
           "-A NETSERV -i nsv65 -j NETSERV-65\n" NOT_IN "*nat\n:NETSERV - [0:0]\n:NETSERV-LISTEN - [0:0]\n"
           "-A NETSERV -s fd6e:6574:7376::/48 ! -o nsv+ -j MASQUERADE\n"
           "-A NETSERV-LISTEN ! -i nsv+ -p 17 -m udp --dport 53:53"
           " -m addrtype --dst-type LOCAL -j DNAT --to-destination fd6e:6574:7376:41::2\nCOMMIT\n");
    alpha.listens = 0;
    with(NULL, 0);
}

NS_TEST(what_stands_of_a_container_goes_with_it) {
    static struct ns_rules_standing standing = {
        .base = true,
        .masquerade = true,
        .listen = true,
        .count = 2,
        .chains = {{.serial = 4, .network = 65, .queue = 10}, {.serial = 5, .network = -1, .queue = -1}}};

    EXPECT(6, standing,
           "*raw\n:NETSERV - [0:0]\n-F NETSERV-Q10\n-X NETSERV-Q10\n-F NETSERV-Q11\n-X NETSERV-Q11\n" RAW_HEAD
           "COMMIT\n" FILTER_HEAD "-F NETSERV-65\n-X NETSERV-65\n-F NETSERV-65-NEW\n-X NETSERV-65-NEW\n" TURNED NOT_IN
           "*nat\n:NETSERV - [0:0]\n:NETSERV-LISTEN - [0:0]\n-D POSTROUTING -j NETSERV\n-X NETSERV\n"
           "-D PREROUTING -j NETSERV-LISTEN\n-X NETSERV-LISTEN\nCOMMIT\n");
    NS_CHECK(!after.masquerade && !after.listen && after.count == 0);
    /* the same index under another serial: its chains are named, and so flushed, and written */
    with(&alpha, 1);
    standing.count = 1;
    NS_CHECK(has(4, standing, "\n:NETSERV-65 - [0:0]\n") && !has(4, standing, "-X NETSERV-65\n"));
    NS_CHECK(after.count == 1 && after.chains[0].serial == 5 && after.chains[0].queue == -1);
    with(NULL, 0);
}

NS_TEST(an_open_container_is_forwarded_both_ways_but_not_to_a_confined_one) {
    struct ns_rules_container both[2] = {alpha, alpha};
    const struct ns_rules_standing standing = {
        .base = true, .masquerade = true, .count = 1, .chains = {{.serial = 5, .network = 65, .queue = -1}}};

    both[1].name = "open";
    both[1].serial = 6;
    both[1].queue = 12;
    both[1].network = 7;
    both[1].open = true;
    with(both, 2);
    EXPECT(4, standing,
           RAW_NETWORK FILTER_HEAD TURNED
           "-A NETSERV -o nsv65 -j NETSERV-65\n-A NETSERV -i nsv65 -j NETSERV-65\n"
           "-A NETSERV -i nsv7 -j ACCEPT\n-A NETSERV -o nsv7 -j ACCEPT\n"
           "-A NETSERV-IN -i nsv7 -j RETURN\n" NOT_IN
           "*nat\n:NETSERV - [0:0]\n-A NETSERV -s 100.64.0.0/18 ! -o nsv+ -j MASQUERADE\nCOMMIT\n");
    with(NULL, 0);
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
             "-A NETSERV -p 17 -j NFQUEUE --queue-num 14 --queue-bypass\nCOMMIT\n" FILTER_HEAD TURNED NOT_IN

    rules.filters = 3;
    rules.filter = filters;
    with(&limited, 1);
    EXPECT(4, base,
           "*raw\n:NETSERV - [0:0]\n:NETSERV-Q10 - [0:0]\n" PACKETS("10", "ACCEPT") BYTES(
               "10", "ACCEPT") "-A NETSERV-Q10 -j NFQUEUE --queue-num 10 --queue-bypass\n"
                               ":NETSERV-Q11 - [0:0]\n" PACKETS("11", "RETURN") BYTES(
                                   "11", "RETURN") "-A NETSERV-Q11 -j NFQUEUE --queue-num 11 --queue-bypass\n" FILTERS);
    EXPECT(4, after, "*raw\n:NETSERV - [0:0]\n" FILTERS);
    /* more than the kernel can count is no limit */
    limited.packets = NS_PACKETS_MOST + 1;
    limited.bytes = 0;
    limited.serial++;
    NS_CHECK(!has(4, base, "hashlimit") && after.chains[0].queue == -1);
    rules.filters = 0;
    with(NULL, 0);
}

NS_TEST(counts_are_summed_by_container_and_kind) {
    static const char saved[] = "*raw\n:NETSERV - [9:9]\n"
                                "[7:700] -A NETSERV-Q10 -m hashlimit --hashlimit-above 1000/sec -m comment --comment "
                                "\"a.b:packets\" -j ACCEPT\n"
                                "[4:4] -A NETSERV-Q10 -m comment --comment \"a.bc:packets\" -j ACCEPT\n"
                                "[5:90] -A NETSERV-Q11 -m comment --comment \"a.b:packets\" -j RETURN\nCOMMIT\n";

    NS_EQUAL(12, ns_rules_counted(saved, "a.b", "packets"));
    NS_EQUAL(4, ns_rules_counted(saved, "a.bc", "packets"));
    NS_EQUAL(0, ns_rules_counted(saved, "a.b", "bytes"));
    NS_EQUAL(0, ns_rules_counted("", "a.b", "packets"));
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
    NS_CHECK(strcmp(text, "tcp/192.0.2.1/32/81-82") == 0);
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

/* The second filter's samples are the fast path's on eth0; on other interfaces the rule takes them. */
NS_TEST(what_the_fast_path_samples_has_no_rule_on_its_interfaces) {
    static const struct ns_filter filters[] = {{.family = 4, .queue = 10},
                                               {.family = 4, .protocol = 17, .queue = 12, .sample = 20},
                                               {.family = 4, .queue = 14, .sample = 3}};
    static const bool taken[] = {false, true, false};

    rules.filters = 3;
    rules.filter = filters;
    rules.taken = taken;
    NS_CHECK(!has(4, base, "SAMPLE")); /* it is nowhere */
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
           "-A NETSERV -j NFQUEUE --queue-num 10 --queue-bypass\nCOMMIT\n"
           "*filter\n:NETSERV - [0:0]\n:NETSERV-IN - [0:0]\n-A NETSERV -m mark --mark " T " -j ACCEPT\n"
           "-A NETSERV-IN -i nsv+ -j DROP\nCOMMIT\n");
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
           " -j NFQUEUE --queue-num 13 --queue-bypass\nCOMMIT\n"
           "*filter\n:NETSERV - [0:0]\n:NETSERV-IN - [0:0]\n-A NETSERV -m mark --mark " T " -j ACCEPT\n"
           "-A NETSERV-IN -i nsv+ -j DROP\nCOMMIT\n");
    EXPECT(6, base,
           "*raw\n:NETSERV - [0:0]\n" RAW_HEAD
           "-A NETSERV -p udp -m udp --dport 270 -j NFQUEUE --queue-num 270 --queue-bypass\n"
           "-A NETSERV -p icmpv6 -m icmp6 --icmpv6-type port-unreachable -j NFQUEUE --queue-num 270 --queue-bypass\n"
           "-A NETSERV -j NFQUEUE --queue-num 14 --queue-bypass\nCOMMIT\n"
           "*filter\n:NETSERV - [0:0]\n:NETSERV-IN - [0:0]\n-A NETSERV -m mark --mark " T " -j ACCEPT\n"
           "-A NETSERV-IN -i nsv+ -j DROP\nCOMMIT\n");
    rules.gist = false;
    rules.filters = 0;
}

NS_TEST(addresses_of_networks) {
    char text[NS_PREFIX_TEXT];
    struct ns_net net = ns_network_container(4095, 4);

    ns_value_print_net(&net, text);
    NS_CHECK(strcmp(text, "100.64.63.254/32") == 0);
    net = ns_network_container(4095, 6);
    ns_value_print_net(&net, text);
    NS_CHECK(strcmp(text, "fd6e:6574:7376:fff::2/128") == 0);
    NS_CHECK(ns_value_net("192.0.2.77/25", &net));
    ns_value_print_net(&net, text);
    NS_CHECK(strcmp(text, "192.0.2.0/25") == 0);
    NS_CHECK(!ns_value_net("192.0.2.1/", &net) && !ns_value_net("192.0.2.1/033", &net) && !ns_value_net("", &net));
}

int main(void) {
    NS_RUN(the_first_script_makes_the_jumps);
    NS_RUN(filters_keep_their_order_and_samples_come_first);
    NS_RUN(a_network_reaches_what_it_may_and_nothing_else);
    NS_RUN(a_listen_is_dnat_to_the_container_and_only_that_comes_in);
    NS_RUN(what_stands_of_a_container_goes_with_it);
    NS_RUN(an_open_container_is_forwarded_both_ways_but_not_to_a_confined_one);
    NS_RUN(a_limit_comes_before_the_queue);
    NS_RUN(counts_are_summed_by_container_and_kind);
    NS_RUN(endpoints_overlap);
    NS_RUN(a_program_comes_before_the_sampling);
    NS_RUN(what_the_fast_path_samples_has_no_rule_on_its_interfaces);
    NS_RUN(signaling_comes_before_every_filter);
    NS_RUN(addresses_of_networks);
    return ns_test_end();
}
