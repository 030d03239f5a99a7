/* SPDX-License-Identifier: Apache-2.0 */
#include "fence.h"

#include "cell.h"
#include "network.h"
#include "subnet.h"
#include "takes.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TABLE "inet " NS_FENCE_TABLE
#define ADD "add rule " TABLE " "

const char *const ns_fence_counters[NS_FENCE_COUNTERS] = {[NS_FENCE_TURNED_CONTAINER] = "turned-container",
                                                          [NS_FENCE_TURNED_NODE] = "turned-node",
                                                          [NS_FENCE_CONTAINER_NODE] = "container-node"};

static bool confined(const struct ns_rules_container *container) {
    return container->network >= 0 && !container->open;
}

static bool any(const struct ns_rules *rules, bool (*is)(const struct ns_rules_container *)) {
    for (unsigned i = 0; i < rules->containers; i++) {
        if (is(&rules->container[i]))
            return true;
    }
    return false;
}

static bool networked(const struct ns_rules_container *container) {
    return container->network >= 0;
}

static bool listening(const struct ns_rules_container *container) {
    return container->network >= 0 && container->listens > 0;
}

/*
 * Prints one verdict map by interface. So each forwarded packet needs one lookup for each of its two interfaces,
 * however many containers there are.
 */
static void print_ways(FILE *out, const struct ns_rules *rules, const char *key, const char *chain) {
    const char *comma = "";

    fprintf(out, ADD "forward %s vmap { ", key);
    for (unsigned i = 0; i < rules->containers; i++) {
        if (!confined(&rules->container[i]))
            continue;
        fprintf(out, "%s\"nsv%d\" : jump %s-%d", comma, rules->container[i].network, chain,
                rules->container[i].network);
        comma = ", ";
    }
    fputs(" }\n", out);
}

static void print_container(FILE *out, const struct ns_rules_container *container) {
    char from[16], to[16];

    snprintf(from, sizeof from, "from-%d", container->network);
    snprintf(to, sizeof to, "to-%d", container->network);
    fprintf(out, "add chain " TABLE " %s\nadd chain " TABLE " %s\n", from, to);
    fprintf(out, ADD "%s oifname \"nsv*\" counter drop\n", from);
    ns_takes_print_from(out, container, from);
    ns_cell_print_from(out, container, from, false);
    fprintf(out, ADD "%s iifname \"nsv*\" counter drop\n", to);
    ns_takes_print_to(out, container, to);
    ns_cell_print_to(out, container, to, false);
}

/* A container's packet meets the chain of its container first. A turned packet comes by a queue, and from none. */
static void print_forward(FILE *out, const struct ns_rules *rules) {
    for (unsigned i = 0; i < rules->containers; i++) {
        if (confined(&rules->container[i]))
            print_container(out, &rules->container[i]);
    }
    if (any(rules, confined))
        print_ways(out, rules, "iifname", "from");
    fprintf(out,
            ADD
            "forward oifname \"nsv*\" meta mark & 0x%x == 0x%x counter name \"%s\" drop comment \"turned:container\"\n",
            rules->turned_mark, rules->turned_mark, ns_fence_counters[NS_FENCE_TURNED_CONTAINER]);
    if (any(rules, confined))
        print_ways(out, rules, "oifname", "to");
}

static void print_input(FILE *out, const struct ns_rules *rules) {
    fprintf(out,
            ADD "input iifname != \"lo\" meta mark & 0x%x == 0x%x counter name \"%s\" drop comment \"turned:node\"\n",
            rules->turned_mark, rules->turned_mark, ns_fence_counters[NS_FENCE_TURNED_NODE]);
    for (unsigned i = 0; i < rules->containers; i++) {
        if (networked(&rules->container[i]) && rules->container[i].open)
            fprintf(out, ADD "input iifname \"nsv%d\" accept\n", rules->container[i].network);
    }
    fprintf(out, ADD "input iifname \"nsv*\" counter name \"%s\" drop comment \"container:node\"\n",
            ns_fence_counters[NS_FENCE_CONTAINER_NODE]);
}

/* Prints the end of a translation: an address, with a port unless that is 0 and so stays. */
static void print_to(FILE *out, uint8_t family, const char *address, unsigned port) {
    if (port == 0)
        fprintf(out, "%s\n", address);
    else
        fprintf(out, family == 4 ? "%s:%u\n" : "[%s]:%u\n", address, port);
}

/*
 * Prints the translation of the node's ports to the container. The port stays the same, unless the element has one of
 * the container's own. Only addresses of the node are translated, whatever the list says.
 */
static void print_listens(FILE *out, const struct ns_rules_container *container) {
    for (unsigned i = 0; i < container->listens; i++) {
        const struct ns_connect *listen = &container->listen[i];
        struct ns_net own = ns_subnet_container((unsigned)container->network, listen->to.family);
        char text[NS_PREFIX_TEXT];

        fputs(ADD "listen iifname != \"nsv*\" ", out);
        if (listen->to.bits != 0) {
            ns_value_print_net(&listen->to, text);
            fprintf(out, "%s daddr %s", listen->to.family == 4 ? "ip" : "ip6", text);
        } else {
            fprintf(out, "meta nfproto ipv%u", listen->to.family);
        }
        ns_value_print_net(&own, text);
        *strchr(text, '/') = '\0';
        fprintf(out, " %s dport %u-%u fib daddr type local dnat %s to ", listen->protocol == 6 ? "tcp" : "udp",
                listen->ports.first, listen->ports.last, own.family == 4 ? "ip" : "ip6");
        print_to(out, own.family, text, listen->inside);
    }
}

/*
 * Prints the translation of packets that leave from a port of `listen`: the address becomes the one of the list, and
 * the port the one outside. So a server that speaks first, such as a relay to its peers, speaks from the address at
 * which it is reached. An element for all addresses leaves the choice to `masquerade`.
 */
static void print_leaving(FILE *out, const struct ns_rules_container *container) {
    for (unsigned i = 0; i < container->listens; i++) {
        const struct ns_connect *listen = &container->listen[i];
        struct ns_ports inside = ns_connect_inside(listen);
        char text[NS_PREFIX_TEXT];

        if (listen->to.bits == 0)
            continue;
        ns_value_print_net(&listen->to, text);
        *strchr(text, '/') = '\0';
        fprintf(out, ADD "leaving iifname \"nsv%d\" oifname != \"nsv*\" meta nfproto ipv%u %s sport %u-%u snat %s to ",
                container->network, listen->to.family, listen->protocol == 6 ? "tcp" : "udp", inside.first, inside.last,
                listen->to.family == 4 ? "ip" : "ip6");
        print_to(out, listen->to.family, text, listen->inside == 0 ? 0 : listen->ports.first);
    }
}

/*
 * Prints the chains of type nat. Such a chain turns connection tracking on for the whole node, so each exists only
 * while a container needs it.
 */
static void print_nat(FILE *out, const struct ns_rules *rules) {
    if (any(rules, networked)) {
        fputs("add chain " TABLE " leaving { type nat hook postrouting priority srcnat - 5; }\n", out);
        for (unsigned i = 0; i < rules->containers; i++) {
            if (networked(&rules->container[i]))
                print_leaving(out, &rules->container[i]);
        }
        fputs(ADD "leaving iifname \"nsv*\" oifname != \"nsv*\" masquerade\n", out);
    }
    if (!any(rules, listening))
        return;
    fputs("add chain " TABLE " listen { type nat hook prerouting priority dstnat - 5; }\n", out);
    for (unsigned i = 0; i < rules->containers; i++) {
        if (networked(&rules->container[i]))
            print_listens(out, &rules->container[i]);
    }
}

static void print_counters(FILE *out, const struct ns_fence_standing *standing) {
    for (int i = 0; i < NS_FENCE_COUNTERS; i++)
        fprintf(out, "add counter " TABLE " %s { packets %" PRIu64 " bytes %" PRIu64 " }\n", ns_fence_counters[i],
                standing->counted[i].packets, standing->counted[i].bytes);
}

static bool has(const struct ns_rules *rules, int network, bool (*is)(const struct ns_rules_container *)) {
    for (unsigned i = 0; i < rules->containers; i++) {
        if (is(&rules->container[i]) && rules->container[i].network == network)
            return true;
    }
    return false;
}

/*
 * Prints the removal of old chains and rules. When a chain with a hook is removed, all packets that wait in any queue
 * of the node are dropped (nf_queue_nf_hook_drop). So rules are replaced and their chains stay. A chain of type nat
 * goes only when no container needs it, and so does the chain that takes connections. The chains of a container have
 * no hook and go with the container.
 */
static void print_start(FILE *out, const struct ns_rules *rules, const struct ns_fence_standing *standing) {
    fputs("add table " TABLE "\n", out);
    if (!standing->whole) {
        fputs("delete table " TABLE "\nadd table " TABLE "\n", out);
        return print_counters(out, standing);
    }
    fputs("flush table " TABLE "\n", out);
    if (standing->leaving && !any(rules, networked))
        fputs("delete chain " TABLE " leaving\n", out);
    if (standing->listen && !any(rules, listening))
        fputs("delete chain " TABLE " listen\n", out);
    if (standing->take && !any(rules, ns_takes_has))
        fputs("delete chain " TABLE " take\ndelete chain " TABLE " taking\n", out);
    for (unsigned i = 0; i < standing->count; i++) {
        int network = standing->network[i];

        if (!has(rules, network, confined))
            fprintf(out, "delete chain " TABLE " from-%d\ndelete chain " TABLE " to-%d\n", network, network);
        if (standing->takes[i] && !has(rules, network, ns_takes_has))
            ns_takes_print_end(out, (unsigned)network);
    }
}

void ns_fence_after(const struct ns_rules *rules, struct ns_fence_standing *standing) {
    standing->whole = true;
    standing->leaving = any(rules, networked);
    standing->listen = any(rules, listening);
    standing->take = any(rules, ns_takes_has);
    standing->count = 0;
    for (unsigned i = 0; i < rules->containers; i++) {
        if (!confined(&rules->container[i]))
            continue;
        standing->takes[standing->count] = ns_takes_has(&rules->container[i]);
        standing->network[standing->count++] = rules->container[i].network;
    }
}

static void print(FILE *out, const struct ns_rules *rules, const struct ns_fence_standing *standing) {
    print_start(out, rules, standing);
    if (any(rules, ns_takes_has))
        ns_takes_print(out, rules);
    fputs("add chain " TABLE " forward { type filter hook forward priority filter - 5; }\n"
          "add chain " TABLE " input { type filter hook input priority filter - 5; }\n",
          out);
    print_forward(out, rules);
    print_input(out, rules);
    print_nat(out, rules);
}

static unsigned count_rules(const char *text) {
    unsigned count = 0;

    for (const char *at = text; (at = strstr(at, ADD)) != NULL; at++)
        count++;
    return count;
}

unsigned ns_fence_print(FILE *out, const struct ns_rules *rules, const struct ns_fence_standing *standing) {
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    unsigned count = 0;

    if (memory == NULL)
        return 0;
    print(memory, rules, standing);
    if (fclose(memory) == 0) {
        fputs(text, out);
        count = count_rules(text);
    }
    free(text);
    return count;
}
