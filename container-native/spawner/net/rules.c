/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#include "sigio.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN NS_RULES_CHAIN
#define CHAIN_SAMPLE "NETSERV-SAMPLE"
#define CHAIN_TURNED "NETSERV-TURNED"

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

/* Prints a range of ports. The options of multiport have other names, and it takes one range here. */
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

static bool limited(const struct ns_rules_container *container) {
    return (container->packets != 0 && container->packets <= NS_PACKETS_MOST) || container->bytes != 0;
}

static bool queue_limited(const struct ns_rules *rules, uint16_t queue) {
    for (unsigned i = 0; i < rules->containers; i++) {
        if (rules->container[i].queue == queue)
            return limited(&rules->container[i]);
    }
    return false;
}

/* Returns true if the samples of the filter are left to the fast path, on the interfaces that have it. */
static bool taken(const struct ns_rules *rules, unsigned filter) {
    return rules->taken != NULL && rules->taken[filter] && rules->interfaces != 0;
}

static bool any_taken(const struct ns_rules *rules) {
    for (unsigned i = 0; i < rules->filters; i++) {
        if (taken(rules, i))
            return true;
    }
    return false;
}

static void print_filter(FILE *out, const struct ns_rules *rules, unsigned number) {
    const struct ns_filter *filter = &rules->filter[number];
    unsigned queue = filter->sample != 0 ? filter->queue + 1u : (unsigned)filter->queue;

    fprintf(out, "-A %s", taken(rules, number) ? CHAIN_SAMPLE : CHAIN);
    print_match(out, filter);
    if (rules->match)
        ns_match_print(out, &filter->match);
    if (filter->sample != 0)
        fprintf(out, " -m mark ! --mark 0x%x/0x%x -m statistic --mode nth --every %u --packet 0", rules->copy_mark,
                rules->copy_mark, filter->sample);
    if (queue_limited(rules, filter->queue))
        fprintf(out, " -j " CHAIN "-Q%u\n", queue);
    else
        fprintf(out, " -j NFQUEUE --queue-num %u --queue-bypass\n", queue);
}

/*
 * Prints the rules for signaling, before every filter. So no container sees signaling, because a container would also
 * end its way through this table.
 */
static void print_gist(FILE *out, int family) {
    static const char queue[] = "-j NFQUEUE --queue-num";
    const char *icmp = family == 4 ? "icmp -m icmp --icmp-type" : "icmpv6 -m icmp6 --icmpv6-type";

    fprintf(out, "-A " CHAIN " -p udp -m udp --dport 270 %s %d --queue-bypass\n", queue, NS_SIGIO_QUEUE);
    fprintf(out, "-A " CHAIN " -p %s port-unreachable %s %d --queue-bypass\n", icmp, queue, NS_SIGIO_QUEUE);
}

/* --- the chains of one container --- */

static bool stands(const struct ns_rules_standing *standing, uint64_t serial) {
    for (unsigned i = 0; i < standing->count; i++) {
        if (standing->chains[i].serial == serial)
            return true;
    }
    return false;
}

/*
 * Prints the removal of a chain. A chain that is used again needs none, because a script flushes the chains that it
 * names.
 */
static void print_removed(FILE *out, const char *chain) {
    fprintf(out, "-F %s\n-X %s\n", chain, chain);
}

/*
 * Prints the limits of a queue's chain. Packets over the limit pass by the module unseen. From the chain of the
 * module's own queue they go past all other filters. From the chain for copies they go on to the next filter. Both
 * chains spend from one bucket, which has a common name and rate, and is as deep as one second.
 */
static void print_limits(FILE *out, const struct ns_rules_container *container, unsigned queue, const char *over) {
    if (container->packets != 0 && container->packets <= NS_PACKETS_MOST)
        fprintf(out,
                "-A " CHAIN "-Q%u -m hashlimit --hashlimit-above %" PRIu64 "/sec --hashlimit-burst %" PRIu64
                " --hashlimit-name " CHAIN "-Q%u-p%" PRIu64
                " --hashlimit-htable-size 16 -m comment --comment %s:packets -j %s\n",
                queue, container->packets, container->packets, container->queue, container->packets, container->name,
                over);
    if (container->bytes != 0) {
        uint64_t bytes = container->bytes < NS_BYTES_LEAST ? NS_BYTES_LEAST : container->bytes;

        /* no burst: in byte mode a burst of N stands for N more seconds of the rate */
        fprintf(out,
                "-A " CHAIN "-Q%u -m hashlimit --hashlimit-above %" PRIu64 "b/s --hashlimit-name " CHAIN
                "-Q%u-b%" PRIu64 " --hashlimit-htable-size 16 -m comment --comment %s:bytes -j %s\n",
                queue, bytes, container->queue, bytes, container->name, over);
    }
    fprintf(out, "-A " CHAIN "-Q%u -j NFQUEUE --queue-num %u --queue-bypass\n", queue, queue);
}

static void print_queues(FILE *out, const struct ns_rules *rules, const struct ns_rules_standing *standing) {
    char chain[32];

    for (unsigned i = 0; i < standing->count; i++) {
        unsigned queue = standing->chains[i].queue;

        if (queue_limited(rules, (uint16_t)(queue & ~1u)))
            continue;
        snprintf(chain, sizeof chain, CHAIN "-Q%u", queue);
        print_removed(out, chain);
    }
    for (unsigned i = 0; i < rules->containers; i++) {
        const struct ns_rules_container *container = &rules->container[i];

        if (!limited(container) || stands(standing, container->serial))
            continue;
        for (unsigned q = container->queue; q < container->queue + 2u; q++) {
            fprintf(out, ":" CHAIN "-Q%u - [0:0]\n", q);
            print_limits(out, container, q, q == container->queue ? "ACCEPT" : "RETURN");
        }
    }
}

/* --- the tables --- */

static bool any_network(const struct ns_rules *rules) {
    for (unsigned i = 0; i < rules->containers; i++) {
        if (rules->container[i].network >= 0)
            return true;
    }
    return false;
}

static void print_filters(FILE *out, const struct ns_rules *rules, int family, bool samples) {
    for (unsigned i = 0; i < rules->filters; i++) {
        if (rules->filter[i].family == family && rules->filter[i].count[0] == '\0' && rules->filter[i].take == 0 &&
            (rules->filter[i].sample != 0) == samples)
            print_filter(out, rules, i);
    }
}

/*
 * Prints the exits from the chain of samples, before its rules: the fast path has sampled on these interfaces
 * already.
 */
static void print_taken(FILE *out, const struct ns_rules *rules) {
    for (unsigned i = 0; i < rules->interfaces; i++)
        fprintf(out, "-A " CHAIN_SAMPLE " -i %s -j RETURN\n", rules->interface[i]);
    fputs("-A " CHAIN " -j " CHAIN_SAMPLE "\n", out);
}

/*
 * Prints table raw. Packets from containers are not in transit through the node, so they meet neither signaling nor
 * modules, whatever their destination. Samples come before filters: a sampled packet comes round again (NF_REPEAT
 * with the copy mark) and then meets the filters.
 */
static void print_raw(FILE *out, const struct ns_rules *rules, int family, const struct ns_rules_standing *standing) {
    fputs("*raw\n:" CHAIN " - [0:0]\n", out);
    if (any_taken(rules))
        fputs(":" CHAIN_SAMPLE " - [0:0]\n", out);
    else if (standing->sample)
        print_removed(out, CHAIN_SAMPLE);
    print_queues(out, rules, standing);
    if (!standing->raw)
        fputs("-I PREROUTING 1 -j " CHAIN "\n", out);
    if (any_network(rules))
        fputs("-A " CHAIN " -i nsv+ -j RETURN\n", out);
    fprintf(out, "-A " CHAIN " -m mark --mark 0x%x/0x%x -j CT --notrack\n", rules->turned_mark, rules->turned_mark);
    fprintf(out, "-A " CHAIN " -m mark --mark 0x%x/0x%x -j ACCEPT\n", rules->turned_mark, rules->turned_mark);
    if (rules->gist)
        print_gist(out, family);
    if (rules->offload_mark != 0)
        fprintf(out, "-A " CHAIN " -m mark --mark 0x%x/0x%x -j RETURN\n", rules->offload_mark, rules->offload_mark);
    if (any_taken(rules))
        print_taken(out, rules);
    print_filters(out, rules, family, true);
    print_filters(out, rules, family, false);
    fputs("COMMIT\n", out);
}

/*
 * Prints the rules for turned packets. The sender chooses the source of a packet, and so the destination of a turned
 * one. A turned packet is accepted only back out of the interface by which it came in, and never toward a container.
 * Elsewhere the operator's own rules decide. iptables cannot compare two interfaces, so each interface has its own
 * rule. A packet of a relay has both marks. bpfd has held it to the lists of its container, so it goes on like packets
 * of the container itself.
 */
static void print_turned(FILE *out, const struct ns_rules *rules) {
    uint32_t mark = rules->turned_mark, relayed = mark | rules->offload_mark;

    fprintf(out, "-A " CHAIN " -o nsv+ -m mark --mark 0x%x/0x%x -m comment --comment turned:container -j DROP\n", mark,
            mark);
    if (rules->offload_mark != 0)
        fprintf(out, "-A " CHAIN " -m mark --mark 0x%x/0x%x -m comment --comment relayed -j ACCEPT\n", relayed,
                relayed);
    fprintf(out, "-A " CHAIN " -m mark --mark 0x%x/0x%x -j " CHAIN_TURNED "\n", mark, mark);
    for (unsigned i = 0; i < rules->links; i++)
        fprintf(out, "-A " CHAIN_TURNED " -i %s -o %s -j ACCEPT\n", rules->link[i], rules->link[i]);
}

/*
 * Packets from and to containers are accepted even if the operator's policy is to drop: the containers' own tables have
 * decided which packets there are. Two rules do for all containers, because every packet that the node forwards passes
 * them.
 */
static void print_filter_table(FILE *out, const struct ns_rules *rules, const struct ns_rules_standing *standing) {
    fputs("*filter\n:" CHAIN " - [0:0]\n:" CHAIN_TURNED " - [0:0]\n", out);
    if (!standing->forward)
        fputs("-I FORWARD 1 -j " CHAIN "\n", out);
    if (any_network(rules))
        fputs("-A " CHAIN " -i nsv+ -j ACCEPT\n", out);
    print_turned(out, rules);
    if (any_network(rules))
        fputs("-A " CHAIN " -o nsv+ -j ACCEPT\n", out);
    fputs("COMMIT\n", out);
}

static void stand(const struct ns_rules *rules, struct ns_rules_standing *after) {
    *after = (struct ns_rules_standing){.raw = true, .forward = true, .sample = any_taken(rules)};
    for (unsigned i = 0; i < rules->containers; i++) {
        const struct ns_rules_container *container = &rules->container[i];

        for (unsigned q = 0; limited(container) && q < 2; q++)
            after->chains[after->count++] =
                (struct ns_rules_chains){.serial = container->serial, .queue = container->queue + q};
    }
}

void ns_rules_print(FILE *out, const struct ns_rules *rules, int family, const struct ns_rules_standing *standing,
                    struct ns_rules_standing *after) {
    stand(rules, after);
    print_raw(out, rules, family, standing);
    print_filter_table(out, rules, standing);
}

/* Returns true for "7" and "7-NEW" of NETSERV-7 and NETSERV-7-NEW: a former version's chains of a container. */
static bool is_number(const char *text, const char *suffix) {
    size_t digits = strspn(text, "0123456789");

    return digits > 0 && digits < 6 && strcmp(text + digits, suffix) == 0;
}

bool ns_rules_is_chain(const char *name) {
    static const char *const exact[] = {CHAIN, CHAIN_TURNED, CHAIN_SAMPLE, CHAIN "-TRY", CHAIN "-IN", CHAIN "-LISTEN"};

    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        if (strcmp(name, exact[i]) == 0)
            return true;
    }
    if (strncmp(name, CHAIN "-Q", strlen(CHAIN "-Q")) == 0)
        return is_number(name + strlen(CHAIN "-Q"), "");
    if (strncmp(name, CHAIN "-", strlen(CHAIN "-")) != 0)
        return false;
    name += strlen(CHAIN "-");
    return is_number(name, "") || is_number(name, "-NEW");
}

unsigned ns_rules_count(const struct ns_rules *rules, int family, bool raw) {
    static const struct ns_rules_standing none;
    unsigned count = 0;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return 0;
    if (raw)
        print_raw(out, rules, family, &none);
    else
        print_filter_table(out, rules, &none);
    if (fclose(out) == 0) {
        for (const char *at = text; (at = strstr(at, "\n-A " CHAIN)) != NULL; at++)
            count++;
    }
    free(text);
    return count;
}

int ns_rules_queue(const char *name) {
    return ns_rules_is_chain(name) && strncmp(name, CHAIN "-Q", strlen(CHAIN "-Q")) == 0
               ? atoi(name + strlen(CHAIN "-Q"))
               : -1;
}
