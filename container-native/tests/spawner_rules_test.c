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
static struct ns_rules_jumps after;
static const struct ns_rules_jumps none = {false, false}, base = {true, false}, both = {true, true};

static bool prints(int family, struct ns_rules_jumps jumps, const char *expected) {
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    bool same;

    ns_rules_print(out, &rules, family, jumps, &after);
    fclose(out);
    same = strcmp(printed, expected) == 0;
    if (!same)
        printf("# %s", printed);
    free(printed);
    return same;
}

/* The text is too long for the message of a failed check. */
#define EXPECT(family, jumps, expected)                                                                                \
    do {                                                                                                               \
        bool as_expected = prints(family, jumps, expected);                                                            \
        NS_CHECK(as_expected);                                                                                         \
    } while (0)

NS_TEST(the_first_script_makes_the_jumps) {
    EXPECT(4, none,
           "*raw\n:NETSERV - [0:0]\n-I PREROUTING 1 -j NETSERV\n" RAW_HEAD "COMMIT\n"
           "*filter\n:NETSERV - [0:0]\n:NETSERV-IN - [0:0]\n"
           "-I FORWARD 1 -j NETSERV\n-I INPUT 1 -j NETSERV-IN\n"
           "-A NETSERV -m mark --mark " T " -j ACCEPT\n"
           "-A NETSERV-IN -i nsv+ -j DROP\nCOMMIT\n");
    NS_CHECK(after.base && !after.nat);
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

NS_TEST(a_network_reaches_what_it_may_and_nothing_else) {
    static struct ns_connect connect = {.protocol = 6, .ports = {443, 443}};
    static const struct ns_rules_network network = {65, 1, &connect};

    NS_CHECK(ns_value_net("198.51.100.0/24", &connect.to));
    rules.networks = 1;
    rules.network = &network;
    EXPECT(4, base,
           "*raw\n:NETSERV - [0:0]\n" RAW_HEAD "COMMIT\n"
           "*filter\n:NETSERV - [0:0]\n:NETSERV-IN - [0:0]\n-A NETSERV -m mark --mark " T " -j ACCEPT\n"
           "-A NETSERV -i nsv65 ! -s 100.64.1.6/32 -j DROP\n"
           "-A NETSERV -i nsv65 -d 198.51.100.0/24 -p 6 -m tcp --dport 443:443 -j ACCEPT\n"
           "-A NETSERV -i nsv65 -j DROP\n"
           "-A NETSERV -o nsv65 -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT\n"
           "-A NETSERV -o nsv65 -j DROP\n"
           "-A NETSERV-IN -i nsv+ -j DROP\nCOMMIT\n"
           "*nat\n:NETSERV - [0:0]\n-I POSTROUTING 1 -j NETSERV\n"
           "-A NETSERV -s 100.64.0.0/18 ! -o nsv+ -j MASQUERADE\nCOMMIT\n");
    NS_CHECK(after.nat);
    rules.networks = 0;
}

NS_TEST(the_nat_chain_goes_with_the_last_network) {
    EXPECT(6, both,
           "*raw\n:NETSERV - [0:0]\n" RAW_HEAD "COMMIT\n"
           "*filter\n:NETSERV - [0:0]\n:NETSERV-IN - [0:0]\n-A NETSERV -m mark --mark " T " -j ACCEPT\n"
           "-A NETSERV-IN -i nsv+ -j DROP\nCOMMIT\n"
           "*nat\n:NETSERV - [0:0]\n-D POSTROUTING -j NETSERV\n-X NETSERV\nCOMMIT\n");
    NS_CHECK(!after.nat);
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
    NS_RUN(the_nat_chain_goes_with_the_last_network);
    NS_RUN(signaling_comes_before_every_filter);
    NS_RUN(addresses_of_networks);
    return ns_test_end();
}
