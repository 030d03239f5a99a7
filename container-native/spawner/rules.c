/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#include "network.h"
#include "sigio.h"

#define CHAIN "NETSERV"
#define CHAIN_IN "NETSERV-IN"

bool ns_rules_has_ports(uint8_t protocol) {
    return protocol == 6 || protocol == 17 || protocol == 33 || protocol == 132 || protocol == 136;
}

static void print_net(FILE *out, const char *option, const struct ns_net *net) {
    char text[NS_PREFIX_TEXT];

    ns_value_print_net(net, text);
    fprintf(out, " %s %s", option, text);
}

static void print_protocol(FILE *out, uint8_t protocol, bool ports) {
    if (protocol == 0)
        return;
    fprintf(out, " -p %u", protocol);
    if (ports)
        fputs(protocol == 6 ? " -m tcp" : protocol == 17 ? " -m udp" : " -m multiport", out);
}

/* multiport has options of its own names, and takes one range here. */
static void print_ports(FILE *out, uint8_t protocol, bool source, const struct ns_ports *ports) {
    bool own = protocol == 6 || protocol == 17;

    fprintf(out, " --%s%s %u:%u", source ? "sport" : "dport", own ? "" : "s", ports->first, ports->last);
}

static void print_match(FILE *out, const struct ns_filter *filter) {
    if (filter->has_source)
        print_net(out, "-s", &filter->source);
    if (filter->has_destination)
        print_net(out, "-d", &filter->destination);
    print_protocol(out, filter->protocol, filter->has_source_ports || filter->has_destination_ports);
    if (filter->has_source_ports)
        print_ports(out, filter->protocol, true, &filter->source_ports);
    if (filter->has_destination_ports) {
        if (filter->has_source_ports && filter->protocol != 6 && filter->protocol != 17)
            fputs(" -m multiport", out);
        print_ports(out, filter->protocol, false, &filter->destination_ports);
    }
}

static void print_filter(FILE *out, const struct ns_rules *rules, const struct ns_filter *filter) {
    fputs("-A " CHAIN, out);
    print_match(out, filter);
    if (filter->sample != 0)
        fprintf(out, " -m mark ! --mark 0x%x/0x%x -m statistic --mode nth --every %u --packet 0", rules->copy_mark,
                rules->copy_mark, filter->sample);
    fprintf(out, " -j NFQUEUE --queue-num %u --queue-bypass\n",
            filter->sample != 0 ? filter->queue + 1u : (unsigned)filter->queue);
}

/* Before every filter: no container sees signaling, which would also end its way through this table. */
static void print_gist(FILE *out, int family) {
    static const char queue[] = "-j NFQUEUE --queue-num";
    const char *icmp = family == 4 ? "icmp -m icmp --icmp-type" : "icmpv6 -m icmp6 --icmpv6-type";

    fprintf(out, "-A " CHAIN " -p udp -m udp --dport 270 %s %d --queue-bypass\n", queue, NS_SIGIO_QUEUE);
    fprintf(out, "-A " CHAIN " -p %s port-unreachable %s %d --queue-bypass\n", icmp, queue, NS_SIGIO_QUEUE);
}

/* Samples first: a sampled packet comes round again (NF_REPEAT with the copy mark) and then meets the filters. */
static void print_raw(FILE *out, const struct ns_rules *rules, int family, bool jump) {
    fputs("*raw\n:" CHAIN " - [0:0]\n", out);
    if (jump)
        fputs("-I PREROUTING 1 -j " CHAIN "\n", out);
    fprintf(out, "-A " CHAIN " -m mark --mark 0x%x/0x%x -j CT --notrack\n", rules->turned_mark, rules->turned_mark);
    fprintf(out, "-A " CHAIN " -m mark --mark 0x%x/0x%x -j ACCEPT\n", rules->turned_mark, rules->turned_mark);
    if (rules->gist)
        print_gist(out, family);
    for (int samples = 1; samples >= 0; samples--) {
        for (unsigned i = 0; i < rules->filters; i++) {
            if (rules->filter[i].family == family && (rules->filter[i].sample != 0) == samples)
                print_filter(out, rules, &rules->filter[i]);
        }
    }
    fputs("COMMIT\n", out);
}

static void print_network(FILE *out, const struct ns_rules_network *network, int family) {
    struct ns_net own = ns_network_container(network->index, family);
    char text[NS_PREFIX_TEXT];

    ns_value_print_net(&own, text);
    fprintf(out, "-A " CHAIN " -i nsv%u ! -s %s -j DROP\n", network->index, text);
    for (unsigned i = 0; i < network->count; i++) {
        const struct ns_connect *connect = &network->connect[i];

        if (connect->to.family != family)
            continue;
        fprintf(out, "-A " CHAIN " -i nsv%u", network->index);
        print_net(out, "-d", &connect->to);
        print_protocol(out, connect->protocol, true);
        print_ports(out, connect->protocol, false, &connect->ports);
        fputs(" -j ACCEPT\n", out);
    }
    fprintf(out, "-A " CHAIN " -i nsv%u -j DROP\n", network->index);
    fprintf(out, "-A " CHAIN " -o nsv%u -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT\n", network->index);
    fprintf(out, "-A " CHAIN " -o nsv%u -j DROP\n", network->index);
}

static void print_filter_table(FILE *out, const struct ns_rules *rules, int family, bool jump) {
    fputs("*filter\n:" CHAIN " - [0:0]\n:" CHAIN_IN " - [0:0]\n", out);
    if (jump)
        fputs("-I FORWARD 1 -j " CHAIN "\n-I INPUT 1 -j " CHAIN_IN "\n", out);
    fprintf(out, "-A " CHAIN " -m mark --mark 0x%x/0x%x -j ACCEPT\n", rules->turned_mark, rules->turned_mark);
    for (unsigned i = 0; i < rules->networks; i++)
        print_network(out, &rules->network[i], family);
    fputs("-A " CHAIN_IN " -i nsv+ -j DROP\nCOMMIT\n", out);
}

/* A nat chain turns connection tracking on for the whole node: it stands only while a container has a network. */
static void print_nat(FILE *out, int family, bool wanted, bool stands) {
    struct ns_net all = ns_network_all(family);

    if (!wanted && !stands)
        return;
    fputs("*nat\n:" CHAIN " - [0:0]\n", out);
    if (wanted) {
        fputs(stands ? "" : "-I POSTROUTING 1 -j " CHAIN "\n", out);
        fputs("-A " CHAIN, out);
        print_net(out, "-s", &all);
        fputs(" ! -o nsv+ -j MASQUERADE\n", out);
    } else {
        fputs("-D POSTROUTING -j " CHAIN "\n-X " CHAIN "\n", out);
    }
    fputs("COMMIT\n", out);
}

void ns_rules_print(FILE *out, const struct ns_rules *rules, int family, struct ns_rules_jumps jumps,
                    struct ns_rules_jumps *after) {
    *after = (struct ns_rules_jumps){.base = true, .nat = rules->networks > 0};
    print_raw(out, rules, family, !jumps.base);
    print_filter_table(out, rules, family, !jumps.base);
    print_nat(out, family, after->nat, jumps.nat);
}
