/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#include "network.h"
#include "sigio.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN "NETSERV"
#define CHAIN_IN "NETSERV-IN"
#define CHAIN_SAMPLE "NETSERV-SAMPLE"
#define CHAIN_LISTEN "NETSERV-LISTEN"

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

/* Are its samples left to the fast path, where that is? */
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

/* Before every filter: no container sees signaling, which would also end its way through this table. */
static void print_gist(FILE *out, int family) {
    static const char queue[] = "-j NFQUEUE --queue-num";
    const char *icmp = family == 4 ? "icmp -m icmp --icmp-type" : "icmpv6 -m icmp6 --icmpv6-type";

    fprintf(out, "-A " CHAIN " -p udp -m udp --dport 270 %s %d --queue-bypass\n", queue, NS_SIGIO_QUEUE);
    fprintf(out, "-A " CHAIN " -p %s port-unreachable %s %d --queue-bypass\n", icmp, queue, NS_SIGIO_QUEUE);
}

/* --- the chains of one container --- */

static const struct ns_rules_chains *find_chains(const struct ns_rules_standing *standing, uint64_t serial) {
    for (unsigned i = 0; i < standing->count; i++) {
        if (standing->chains[i].serial == serial)
            return &standing->chains[i];
    }
    return NULL;
}

/* A script flushes chains that it names, so a name that is used again needs no removal before. */
static void print_removed(FILE *out, const char *chain) {
    fprintf(out, "-F %s\n-X %s\n", chain, chain);
}

/*
 * What is over the limit goes on unseen by the module: past all other filters if it was for the module itself, on to the next
 * filter if it was only to be copied. Both chains spend from one bucket, which has its name and its rate, and is as deep as
 * one second.
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

        /* no burst: in bytes it would be so many seconds more */
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
        int queue = standing->chains[i].queue;

        for (int q = queue; queue >= 0 && !queue_limited(rules, (uint16_t)queue) && q < queue + 2; q++) {
            snprintf(chain, sizeof chain, CHAIN "-Q%d", q);
            print_removed(out, chain);
        }
    }
    for (unsigned i = 0; i < rules->containers; i++) {
        const struct ns_rules_container *container = &rules->container[i];

        if (!limited(container) || find_chains(standing, container->serial) != NULL)
            continue;
        for (unsigned q = container->queue; q < container->queue + 2u; q++) {
            fprintf(out, ":" CHAIN "-Q%u - [0:0]\n", q);
            print_limits(out, container, q, q == container->queue ? "ACCEPT" : "RETURN");
        }
    }
}

static void print_endpoint(FILE *out, const struct ns_connect *to, bool source) {
    print_protocol(out, to->protocol, true);
    print_ports(out, to->protocol, source, &to->ports);
}

/* Loopback, link-local, multicast and beyond, and every container's network: whatever a list of `connect` says. */
static void print_never(FILE *out, const char *chain, int network, int family) {
    static const char *const never[2][3] = {{"127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3"},
                                            {"::1/128", "fe80::/10", "ff00::/8"}};
    struct ns_net all = ns_network_all(family);

    for (size_t i = 0; i < sizeof never[0] / sizeof never[0][0]; i++)
        fprintf(out, "-A %s -i nsv%d -d %s -j DROP\n", chain, network, never[family == 6][i]);
    fprintf(out, "-A %s -i nsv%d", chain, network);
    print_net(out, "-d", &all);
    fprintf(out, " -j DROP\n-A %s -i nsv%d -o nsv+ -j DROP\n", chain, network);
}

/*
 * Everything that enters or leaves by its interface. Only what the lists allow now goes on, in either direction: what was
 * allowed once and is still tracked has no right of its own. Only what opens a connection is looked up among its connections.
 */
static void print_network(FILE *out, const struct ns_rules_container *container, int family) {
    static const char reply[] = "-m conntrack --ctstate ESTABLISHED --ctdir REPLY";
    struct ns_net own = ns_network_container((unsigned)container->network, family);
    char text[NS_PREFIX_TEXT], chain[32];
    int n = container->network;

    snprintf(chain, sizeof chain, CHAIN "-%d", n);
    ns_value_print_net(&own, text);
    fprintf(out, ":%s - [0:0]\n:%s-NEW - [0:0]\n", chain, chain);
    fprintf(out, "-A %s -i nsv%d ! -s %s -j DROP\n", chain, n, text);
    print_never(out, chain, n, family);
    fprintf(out, "-A %s -m conntrack --ctstate INVALID -j DROP\n", chain);
    fprintf(out, "-A %s -p %s -m conntrack --ctstate RELATED -j ACCEPT\n", chain, family == 4 ? "icmp" : "icmpv6");
    fprintf(out, "-A %s -o nsv%d %s -j ACCEPT\n", chain, n, reply);
    for (unsigned i = 0; i < container->listens; i++) {
        const struct ns_connect *listen = &container->listen[i];

        if (listen->to.family != family)
            continue;
        fprintf(out, "-A %s -i nsv%d", chain, n);
        print_endpoint(out, listen, true);
        fprintf(out, " %s -j ACCEPT\n-A %s -o nsv%d", reply, chain, n);
        print_endpoint(out, listen, false);
        fprintf(out, " -m conntrack --ctstate DNAT -j %s-NEW\n", chain);
    }
    for (unsigned i = 0; i < container->connects; i++) {
        const struct ns_connect *connect = &container->connect[i];

        if (connect->to.family != family)
            continue;
        fprintf(out, "-A %s -i nsv%d", chain, n);
        print_net(out, "-d", &connect->to);
        print_endpoint(out, connect, false);
        fprintf(out, " -j %s-NEW\n", chain);
    }
    fprintf(out, "-A %s -j DROP\n", chain);
    fprintf(out, "-A %s-NEW -m conntrack ! --ctstate NEW -j ACCEPT\n", chain);
    fprintf(out,
            "-A %s-NEW -m connlimit --connlimit-above %" PRIu64
            " --connlimit-mask 0 -m comment --comment %s:connections -j DROP\n",
            chain, container->connections, container->name);
    fprintf(out, "-A %s-NEW -j ACCEPT\n", chain);
}

static bool confined(const struct ns_rules_container *container) {
    return container->network >= 0 && !container->open;
}

static bool network_used(const struct ns_rules *rules, int network) {
    for (unsigned i = 0; i < rules->containers; i++) {
        if (confined(&rules->container[i]) && rules->container[i].network == network)
            return true;
    }
    return false;
}

static void print_networks(FILE *out, const struct ns_rules *rules, int family,
                           const struct ns_rules_standing *standing) {
    char chain[32];

    for (unsigned i = 0; i < standing->count; i++) {
        if (standing->chains[i].network < 0 || network_used(rules, standing->chains[i].network))
            continue;
        snprintf(chain, sizeof chain, CHAIN "-%d", standing->chains[i].network);
        print_removed(out, chain);
        strcat(chain, "-NEW");
        print_removed(out, chain);
    }
    for (unsigned i = 0; i < rules->containers; i++) {
        const struct ns_rules_container *container = &rules->container[i];

        if (confined(container) && find_chains(standing, container->serial) == NULL)
            print_network(out, container, family);
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

static bool any_listen(const struct ns_rules *rules, int family) {
    for (unsigned i = 0; i < rules->containers; i++) {
        for (unsigned j = 0; rules->container[i].network >= 0 && j < rules->container[i].listens; j++) {
            if (rules->container[i].listen[j].to.family == family)
                return true;
        }
    }
    return false;
}

static void print_filters(FILE *out, const struct ns_rules *rules, int family, bool samples) {
    for (unsigned i = 0; i < rules->filters; i++) {
        if (rules->filter[i].family == family && rules->filter[i].count[0] == '\0' &&
            (rules->filter[i].sample != 0) == samples)
            print_filter(out, rules, i);
    }
}

/* What the fast path has looked at leaves the chain before its rules. */
static void print_taken(FILE *out, const struct ns_rules *rules) {
    for (unsigned i = 0; i < rules->interfaces; i++)
        fprintf(out, "-A " CHAIN_SAMPLE " -i %s -j RETURN\n", rules->interface[i]);
    fputs("-A " CHAIN " -j " CHAIN_SAMPLE "\n", out);
}

/*
 * What containers send is no packet on its way through the node: it meets neither signaling nor modules, whatever its
 * destination. Samples before filters: a sampled packet comes round again (NF_REPEAT with the copy mark) and then meets them.
 */
static void print_raw(FILE *out, const struct ns_rules *rules, int family, const struct ns_rules_standing *standing) {
    fputs("*raw\n:" CHAIN " - [0:0]\n", out);
    if (any_taken(rules))
        fputs(":" CHAIN_SAMPLE " - [0:0]\n", out);
    else if (standing->sample)
        print_removed(out, CHAIN_SAMPLE);
    print_queues(out, rules, standing);
    if (!standing->base)
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

/* The confined first: what may not reach or leave them does not reach them from an open one, nor leave them for it. */
static void print_forward(FILE *out, const struct ns_rules *rules) {
    static const char ways[] = "oi";

    for (const char *way = ways; *way != '\0'; way++) {
        for (unsigned i = 0; i < rules->containers; i++) {
            if (confined(&rules->container[i]))
                fprintf(out, "-A " CHAIN " -%c nsv%d -j " CHAIN "-%d\n", *way, rules->container[i].network,
                        rules->container[i].network);
        }
    }
    for (unsigned i = 0; i < rules->containers; i++) {
        if (rules->container[i].open && rules->container[i].network >= 0)
            fprintf(out, "-A " CHAIN " -i nsv%d -j ACCEPT\n-A " CHAIN " -o nsv%d -j ACCEPT\n",
                    rules->container[i].network, rules->container[i].network);
    }
}

static void print_filter_table(FILE *out, const struct ns_rules *rules, int family,
                               const struct ns_rules_standing *standing) {
    fputs("*filter\n:" CHAIN " - [0:0]\n:" CHAIN_IN " - [0:0]\n", out);
    print_networks(out, rules, family, standing);
    if (!standing->base)
        fputs("-I FORWARD 1 -j " CHAIN "\n-I INPUT 1 -j " CHAIN_IN "\n", out);
    fprintf(out, "-A " CHAIN " -m mark --mark 0x%x/0x%x -j ACCEPT\n", rules->turned_mark, rules->turned_mark);
    print_forward(out, rules);
    for (unsigned i = 0; i < rules->containers; i++) {
        if (rules->container[i].open && rules->container[i].network >= 0)
            fprintf(out, "-A " CHAIN_IN " -i nsv%d -j RETURN\n", rules->container[i].network);
    }
    fputs("-A " CHAIN_IN " -i nsv+ -j DROP\nCOMMIT\n", out);
}

/* The port stays as it is. An address that is not the node's is never taken, whatever the list says. */
static void print_listens(FILE *out, const struct ns_rules_container *container, int family) {
    struct ns_net own = ns_network_container((unsigned)container->network, family);
    char text[NS_PREFIX_TEXT];

    ns_value_print_net(&own, text);
    *strchr(text, '/') = '\0';
    for (unsigned i = 0; i < container->listens; i++) {
        const struct ns_connect *listen = &container->listen[i];

        if (listen->to.family != family)
            continue;
        fputs("-A " CHAIN_LISTEN " ! -i nsv+", out);
        if (listen->to.bits != 0)
            print_net(out, "-d", &listen->to);
        print_endpoint(out, listen, false);
        fprintf(out, " -m addrtype --dst-type LOCAL -j DNAT --to-destination %s\n", text);
    }
}

static void print_jump(FILE *out, const char *from, const char *chain, bool wanted, bool stands) {
    if (wanted && !stands)
        fprintf(out, "-I %s 1 -j %s\n", from, chain);
    if (!wanted && stands)
        fprintf(out, "-D %s -j %s\n-X %s\n", from, chain, chain);
}

/* A nat chain turns connection tracking on for the whole node: each stands only while a container needs it. */
static void print_nat(FILE *out, const struct ns_rules *rules, int family, const struct ns_rules_standing *standing,
                      const struct ns_rules_standing *after) {
    struct ns_net all = ns_network_all(family);

    if (!after->masquerade && !standing->masquerade && !after->listen && !standing->listen)
        return;
    fputs("*nat\n", out);
    if (after->masquerade || standing->masquerade)
        fputs(":" CHAIN " - [0:0]\n", out);
    if (after->listen || standing->listen)
        fputs(":" CHAIN_LISTEN " - [0:0]\n", out);
    print_jump(out, "POSTROUTING", CHAIN, after->masquerade, standing->masquerade);
    print_jump(out, "PREROUTING", CHAIN_LISTEN, after->listen, standing->listen);
    if (after->masquerade) {
        fputs("-A " CHAIN, out);
        print_net(out, "-s", &all);
        fputs(" ! -o nsv+ -j MASQUERADE\n", out);
    }
    for (unsigned i = 0; i < rules->containers; i++) {
        if (rules->container[i].network >= 0)
            print_listens(out, &rules->container[i], family);
    }
    fputs("COMMIT\n", out);
}

static void stand(const struct ns_rules *rules, int family, struct ns_rules_standing *after) {
    *after = (struct ns_rules_standing){.base = true,
                                        .masquerade = any_network(rules),
                                        .listen = any_listen(rules, family),
                                        .sample = any_taken(rules)};
    for (unsigned i = 0; i < rules->containers; i++) {
        const struct ns_rules_container *container = &rules->container[i];

        after->chains[after->count++] =
            (struct ns_rules_chains){.serial = container->serial,
                                     .network = confined(container) ? container->network : -1,
                                     .queue = limited(container) ? container->queue : -1};
    }
}

void ns_rules_print(FILE *out, const struct ns_rules *rules, int family, const struct ns_rules_standing *standing,
                    struct ns_rules_standing *after) {
    stand(rules, family, after);
    print_raw(out, rules, family, standing);
    print_filter_table(out, rules, family, standing);
    print_nat(out, rules, family, standing, after);
}

uint64_t ns_rules_counted(const char *saved, const char *container, const char *what) {
    char comment[NS_NAME_MAX + 32];
    uint64_t sum = 0;

    snprintf(comment, sizeof comment, "--comment \"%s:%s\"", container, what);
    for (const char *at = saved; (at = strstr(at, comment)) != NULL; at++) {
        const char *line = at;

        while (line > saved && line[-1] != '\n')
            line--;
        if (*line == '[')
            sum += strtoull(line + 1, NULL, 10);
    }
    return sum;
}
