/* SPDX-License-Identifier: Apache-2.0 */
#include "takes.h"

#include "fence.h"
#include "ns_marks.h"
#include "run.h"
#include "subnet.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TABLE "inet " NS_FENCE_TABLE
#define ADD "add rule " TABLE " "

static const char *const counters[NS_TAKES_COUNTERS] = {
    [NS_TAKES_TAKEN] = "taken", [NS_TAKES_PACKETS] = "taken-packets", [NS_TAKES_OVER] = "taken-over"};

void ns_takes_counter(int which, unsigned index, char name[NS_TAKES_COUNTER_TEXT]) {
    snprintf(name, NS_TAKES_COUNTER_TEXT, "%s-%u", counters[which], index);
}

bool ns_takes_has(const struct ns_rules_container *container) {
    return container->network >= 0 && !container->open && container->takes > 0;
}

/* Prints "ip daddr 192.0.2.0/24 tcp dport 80" with the outside port. */
static void print_outside(FILE *out, const struct ns_net *to, const char *address, const char *port, unsigned number) {
    char text[NS_PREFIX_TEXT];

    ns_value_print_net(to, text);
    fprintf(out, "%s %s %s tcp %s %u", to->family == 4 ? "ip" : "ip6", address, text, port, number);
}

/* --- the taking --- */

/* Returns true if the list of the container has this filter's connections. */
static bool granted(const struct ns_rules_container *container, const struct ns_filter *filter) {
    for (unsigned i = 0; i < container->takes; i++) {
        const struct ns_connect *take = &container->take[i];
        const struct ns_connect asked = {6, filter->destination, filter->destination_ports, 0};

        if (ns_connect_overlap(take, &asked) && take->to.bits <= filter->destination.bits &&
            ns_connect_inside(take).first == filter->take)
            return true;
    }
    return false;
}

/*
 * Prints the rules of one container. Half of its connections are for taken ones: more go on to their destination, and
 * the module keeps the other half for its own. A connection is marked only if the interface is there.
 */
static void print_container(FILE *out, const struct ns_rules_container *container) {
    unsigned index = (unsigned)container->network;
    uint64_t most = container->connections < 2 ? 1 : container->connections / 2;

    fprintf(out, "add chain " TABLE " take-%u\n", index);
    for (int i = 0; i < NS_TAKES_COUNTERS; i++)
        fprintf(out, "add counter " TABLE " %s-%u\n", counters[i], index);
    fprintf(out, ADD "take-%u ct count over %" PRIu64 " counter name \"%s-%u\" return\n", index, most,
            counters[NS_TAKES_OVER], index);
    fprintf(out, ADD "take-%u meta mark set meta mark | 0x%x fib daddr . mark oifname \"nsv%u\" ", index, NS_TAKEN_MARK,
            index);
    fprintf(out, "counter name \"%s-%u\" ct mark set ct mark | 0x%x return\n", counters[NS_TAKES_TAKEN], index,
            NS_TAKEN_MARK);
    fprintf(out, ADD "take-%u meta mark set meta mark & 0x%x\n", index, ~NS_TAKEN_MARK);
}

static void print_filters(FILE *out, const struct ns_rules *rules, const struct ns_rules_container *container) {
    for (unsigned i = 0; i < rules->filters; i++) {
        const struct ns_filter *filter = &rules->filter[i];

        if (filter->take == 0 || filter->queue != container->queue || !granted(container, filter))
            continue;
        fputs(ADD "taking ", out);
        print_outside(out, &filter->destination, "daddr", "dport", filter->destination_ports.first);
        fprintf(out, " goto take-%d\n", container->network);
    }
}

/*
 * A container's own packets are never taken, so a module reaches the web server that it answers for. Connections that
 * were there before are not taken either: only one that begins is marked.
 */
void ns_takes_print(FILE *out, const struct ns_rules *rules) {
    fputs("add chain " TABLE " take { type filter hook prerouting priority mangle + 5; }\n"
          "add chain " TABLE " taking\n" ADD "take iifname \"nsv*\" return\n",
          out);
    fprintf(out, ADD "take ct mark & 0x%x == 0x%x ct direction original meta mark set meta mark | 0x%x return\n",
            NS_TAKEN_MARK, NS_TAKEN_MARK, NS_TAKEN_MARK);
    fputs(ADD "take ct state new tcp flags & (fin | syn | rst | ack) == syn jump taking\n", out);
    for (unsigned i = 0; i < rules->containers; i++) {
        if (!ns_takes_has(&rules->container[i]))
            continue;
        print_container(out, &rules->container[i]);
        print_filters(out, rules, &rules->container[i]);
    }
}

void ns_takes_print_end(FILE *out, unsigned index) {
    fprintf(out, "delete chain " TABLE " take-%u\n", index);
    for (int i = 0; i < NS_TAKES_COUNTERS; i++)
        fprintf(out, "delete counter " TABLE " %s-%u\n", counters[i], index);
}

/* --- taken connections --- */

void ns_takes_print_to(FILE *out, const struct ns_rules_container *container, const char *chain) {
    for (unsigned i = 0; i < container->takes; i++) {
        const struct ns_connect *take = &container->take[i];

        fprintf(out, ADD "%s ct mark & 0x%x == 0x%x ct direction original ct state != invalid ", chain, NS_TAKEN_MARK,
                NS_TAKEN_MARK);
        print_outside(out, &take->to, "daddr", "dport", take->ports.first);
        fprintf(out, " counter name \"%s-%d\" accept\n", counters[NS_TAKES_PACKETS], container->network);
    }
}

void ns_takes_print_from(FILE *out, const struct ns_rules_container *container, const char *chain) {
    for (unsigned i = 0; i < container->takes; i++) {
        const struct ns_connect *take = &container->take[i];

        fprintf(out, ADD "%s ct mark & 0x%x == 0x%x ct state established ct direction reply ", chain, NS_TAKEN_MARK,
                NS_TAKEN_MARK);
        print_outside(out, &take->to, "saddr", "sport", take->ports.first);
        fputs(" accept\n", out);
    }
}

/* --- the way to the container --- */

void ns_takes_print_routes(FILE *out, const struct ns_rules_container *container) {
    for (unsigned i = 0; i < container->takes; i++) {
        const struct ns_net *to = &container->take[i].to;
        const struct ns_net own = ns_subnet_container((unsigned)container->network, to->family);
        char prefix[NS_PREFIX_TEXT], gateway[NS_PREFIX_TEXT];

        ns_value_print_net(to, prefix);
        ns_value_print_net(&own, gateway);
        *strchr(gateway, '/') = '\0';
        fprintf(out, "route replace %s via %s dev nsv%d table %d\n", prefix, gateway, container->network,
                NS_TAKES_TABLE);
    }
}

static int run_rule(const char *family, const char *verb, bool quiet, char why[160]) {
    char mark[32], number[16];
    const char *const argv[] = {"/usr/sbin/ip", family, "rule",   verb,   "pref", number,
                                "fwmark",       mark,   "lookup", number, NULL};
    struct ns_run run = {.argv = argv, .quiet = quiet};

    snprintf(mark, sizeof mark, "0x%x/0x%x", NS_TAKEN_MARK, NS_TAKEN_MARK);
    snprintf(number, sizeof number, "%d", NS_TAKES_TABLE);
    if (ns_run(&run) == 0)
        return 0;
    snprintf(why, 160, "ip rule: %.120s", run.error);
    return -1;
}

/* A rule that is there already cannot be added, so it is removed and added again. */
int ns_takes_rule(bool v6, bool on, char why[160]) {
    const char *family = v6 ? "-6" : "-4";

    if (!on) {
        run_rule(family, "del", true, why);
        return 0;
    }
    if (run_rule(family, "add", true, why) == 0)
        return 0;
    run_rule(family, "del", true, why);
    return run_rule(family, "add", false, why);
}
