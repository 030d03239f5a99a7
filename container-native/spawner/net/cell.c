/* SPDX-License-Identifier: Apache-2.0 */
#include "cell.h"

#include "network.h"
#include "overlap.h"
#include "subnet.h"
#include <inttypes.h>
#include <string.h>

#define ADD "add rule inet " NS_CELL_TABLE " %s "

static const char reply[] = "ct state established ct direction reply";

/*
 * Marks of a connection in the container's namespace: bit 0 if its packets may enter, the other bits the reading of the
 * node's addresses with which its packets may leave.
 */
#define MAY_ENTER 1u
#define LEAVE_SHIFT 1
#define READINGS (UINT32_MAX >> LEAVE_SHIFT)

/* An ICMP error has the mark of the connection that it is about, and its state is `related`. */
static const char tracked[] = "ct state new,established";

static const char *family_of(const struct ns_net *net) {
    return net->family == 4 ? "ip" : "ip6";
}

static void print_net(FILE *out, const struct ns_net *net) {
    char text[NS_PREFIX_TEXT];

    ns_value_print_net(net, text);
    fputs(text, out);
}

/*
 * Prints "ip daddr 192.0.2.0/24 tcp dport 80-81". A prefix of no bits stands for all addresses of its family. Ports are
 * those inside of the container.
 */
static void print_endpoint(FILE *out, const struct ns_connect *to, const char *address, const char *port) {
    struct ns_ports ports = ns_connect_inside(to);

    if (address != NULL && to->to.bits != 0) {
        fprintf(out, "%s %s ", family_of(&to->to), address);
        print_net(out, &to->to);
    } else {
        fprintf(out, "meta nfproto ipv%u", to->to.family);
    }
    fprintf(out, " %s %s %u-%u", to->protocol == 6 ? "tcp" : "udp", port, ports.first, ports.last);
}

/* Loopback, link-local, multicast and higher addresses: no `connect` list reaches them. */
static const struct ns_net never[] = {{4, 8, {127}},        {4, 16, {169, 254}},   {4, 3, {224}},
                                      {6, 128, {[15] = 1}}, {6, 10, {0xfe, 0x80}}, {6, 8, {0xff}}};

#define NEVER (sizeof never / sizeof never[0])

static bool reaches_never(const struct ns_net *to) {
    const struct ns_net all = ns_subnet_all(to->family);

    for (size_t i = 0; i < NEVER; i++) {
        if (ns_overlap_nets(to, &never[i]))
            return true;
    }
    return ns_overlap_nets(to, &all);
}

static void print_drop(FILE *out, const char *chain, const struct ns_net *to) {
    fprintf(out, ADD "%s daddr ", chain, family_of(to));
    print_net(out, to);
    fputs(" counter drop\n", out);
}

/*
 * Drops packets to addresses that are never reached, and to every container's network. Each prefix has a rule, because
 * a set of intervals costs a packet more than all of them.
 */
static void print_never(FILE *out, const char *chain) {
    for (size_t i = 0; i < NEVER; i++)
        print_drop(out, chain, &never[i]);
    for (int family = 4; family <= 6; family += 2) {
        const struct ns_net all = ns_subnet_all(family);

        print_drop(out, chain, &all);
    }
}

/* Prints the rules for the elements of `connect` that reach such an address, or for those that do not. */
static void print_connects(FILE *out, const struct ns_rules_container *container, const char *chain, const char *passes,
                           bool reaching) {
    for (unsigned i = 0; i < container->connects; i++) {
        const struct ns_connect *connect = &container->connect[i];

        if (reaches_never(&connect->to) != reaching)
            continue;
        fprintf(out, ADD, chain);
        print_endpoint(out, connect, "daddr", "dport");
        fprintf(out, " %s\n", passes);
    }
}

/* Prints the rule for packets without a connection. */
static void print_invalid(FILE *out, const char *chain) {
    fprintf(out, ADD "ct state invalid counter drop\n", chain);
}

/* Prints the rule for ICMP errors. The state comes first, because hardly a packet has this one. */
static void print_related(FILE *out, const char *chain) {
    fprintf(out, ADD "ct state related meta l4proto { icmp, ipv6-icmp } accept\n", chain);
}

/*
 * Prints the rules for replies of taken connections, before their source becomes the address that the client asked. A
 * closed port sends no refusal. So a client asks again, and reaches its destination if the container has ended
 * meanwhile.
 */
static void print_taken_replies(FILE *out, const struct ns_rules_container *container, const char *chain) {
    for (unsigned i = 0; i < container->takes; i++) {
        fprintf(out, ADD, chain);
        print_endpoint(out, &container->take[i], NULL, "sport");
        fputs(" ct status dnat tcp flags & (rst | ack) == (rst | ack) tcp sequence 0 counter drop\n", out);
        fprintf(out, ADD, chain);
        print_endpoint(out, &container->take[i], NULL, "sport");
        fprintf(out, " ct status dnat %s accept\n", reply);
    }
}

/* Prints the translation of taken connections to the container's own address and port. */
static void print_taken(FILE *out, const struct ns_rules_container *container) {
    static const char chain[] = "taken";

    if (container->takes == 0)
        return;
    fprintf(out, "add chain inet " NS_CELL_TABLE " %s { type nat hook prerouting priority dstnat; }\n", chain);
    for (unsigned i = 0; i < container->takes; i++) {
        const struct ns_connect *take = &container->take[i];
        struct ns_net own = ns_subnet_container((unsigned)container->network, take->to.family);
        char text[NS_PREFIX_TEXT];

        ns_value_print_net(&own, text);
        *strchr(text, '/') = '\0';
        fprintf(out, ADD "iifname != lo %s daddr ", chain, family_of(&own));
        print_net(out, &take->to);
        fprintf(out, own.family == 4 ? " tcp dport %u dnat ip to %s:%u\n" : " tcp dport %u dnat ip6 to [%s]:%u\n",
                take->ports.first, text, ns_connect_inside(take).first);
    }
}

static void print_sources(FILE *out, const struct ns_rules_container *container, const char *chain) {
    for (int family = 4; family <= 6; family += 2) {
        const struct ns_net own = ns_subnet_container((unsigned)container->network, family);

        fprintf(out, ADD "%s saddr != ", chain, family_of(&own));
        print_net(out, &own);
        fprintf(out, " counter drop comment \"%s:source\"\n", container->name);
    }
}

/*
 * Accepts only packets that the lists allow now. A tracked connection that an older list allowed has no more rights.
 * Outside, each packet passes these rules, and most are sent by `connect`. So its elements come as early as they can.
 */
void ns_cell_print_from(FILE *out, const struct ns_rules_container *container, const char *chain, bool inside) {
    const char *passes = inside ? "goto leave" : "accept";

    print_sources(out, container, chain);
    print_invalid(out, chain);
    if (!inside)
        print_connects(out, container, chain, passes, false);
    print_never(out, chain);
    if (inside)
        fprintf(out, ADD "ip daddr @node4 counter drop\n" ADD "ip6 daddr @node6 counter drop\n", chain, chain);
    print_related(out, chain);
    if (inside)
        print_taken_replies(out, container, chain);
    for (unsigned i = 0; i < container->listens; i++) {
        fprintf(out, ADD "ct direction reply ", chain); /* first: a packet that is none is done with the rule */
        print_endpoint(out, &container->listen[i], NULL, "sport");
        fprintf(out, " ct state established %s\n", passes);
    }
    if (inside)
        print_connects(out, container, chain, passes, false);
    print_connects(out, container, chain, passes, true);
    fprintf(out, ADD "counter drop\n", chain);
}

/*
 * Outside the container's namespace, DNAT has already overwritten the node's own address. There only `ct status dnat`
 * shows that a packet came by way of that address.
 */
void ns_cell_print_to(FILE *out, const struct ns_rules_container *container, const char *chain, bool inside) {
    print_invalid(out, chain);
    print_related(out, chain);
    fprintf(out, ADD "%s %s\n", chain, reply, inside ? "goto enter" : "accept");
    for (unsigned i = 0; i < container->listens; i++) {
        fprintf(out, ADD, chain);
        print_endpoint(out, &container->listen[i], NULL, "dport");
        fputs(inside ? " goto enter\n" : " ct status dnat accept\n", out);
    }
    for (unsigned i = 0; inside && i < container->takes; i++) {
        fprintf(out, ADD, chain);
        print_endpoint(out, &container->take[i], NULL, "dport");
        fputs(" ct status dnat goto enter\n", out);
    }
    fprintf(out, ADD "counter drop\n", chain);
}

/* Prints the chain that drops packets of one connection too many, and returns for all others. */
static void print_new(FILE *out, const struct ns_rules_container *container) {
    fprintf(out, ADD "ct state new ct count over %" PRIu64 " counter drop comment \"%s:connections\"\n", NS_CELL_NEW,
            container->connections, container->name);
}

/* Prints the chains of packets that enter. */
static void print_enter(FILE *out) {
    fprintf(out, ADD "jump " NS_CELL_NEW "\n" ADD "ct mark set ct mark | 0x%x\n" ADD "accept\n", "enter", "enter",
            MAY_ENTER, "enter");
}

/* Prints the chains of packets that leave, in place of the chains of an earlier reading. */
static void print_leave(FILE *out, uint32_t reading) {
    uint32_t mark = (reading % READINGS + 1) << LEAVE_SHIFT; /* 0 is the mark of a connection that has not passed */

    fputs("flush chain inet " NS_CELL_TABLE " known\nflush chain inet " NS_CELL_TABLE " leave\n", out);
    fprintf(out, ADD "%s ct mark & 0x%x == 0x%x accept\n", "known", tracked, ~MAY_ENTER, mark);
    fprintf(out, ADD "jump " NS_CELL_NEW "\n" ADD "ct mark set ct mark & 0x%x | 0x%x\n" ADD "accept\n", "leave",
            "leave", MAY_ENTER, mark, "leave");
}

void ns_cell_print_node(FILE *out, const struct ns_cell_node *node) {
    for (int family = 4; family <= 6; family += 2) {
        const char *comma = "";

        fprintf(out, "flush set inet " NS_CELL_TABLE " node%d\n", family);
        for (unsigned i = 0; i < node->count; i++) {
            char text[NS_PREFIX_TEXT];

            if (node->address[i].family != family)
                continue;
            ns_value_print_net(&node->address[i], text);
            *strchr(text, '/') = '\0';
            if (*comma == '\0')
                fprintf(out, "add element inet " NS_CELL_TABLE " node%d { ", family);
            fprintf(out, "%s%s", comma, text);
            comma = ", ";
        }
        fputs(*comma != '\0' ? " }\n" : "", out);
    }
    print_leave(out, node->reading);
}

void ns_cell_print(FILE *out, const struct ns_rules_container *container, const struct ns_cell_node *node) {
    static const char table[] = "inet " NS_CELL_TABLE;

    fprintf(out, "add table %s\ndelete table %s\nadd table %s\n", table, table, table);
    fprintf(out, "add set %s node4 { type ipv4_addr; }\nadd set %s node6 { type ipv6_addr; }\n", table, table);
    fprintf(out, "add chain %s " NS_CELL_HOLD "\nadd chain %s " NS_CELL_NEW "\n", table, table);
    fprintf(out, "add chain %s known\nadd chain %s leave\nadd chain %s enter\n", table, table, table);
    ns_cell_print_node(out, node);
    print_new(out, container);
    print_enter(out);
    fprintf(out, "add chain %s out { type filter hook output priority 0; policy drop; }\n", table);
    fprintf(out, "add chain %s in { type filter hook input priority 0; policy drop; }\n", table);
    print_taken(out, container);
    fprintf(out, ADD "oifname lo accept\n" ADD "jump " NS_CELL_HOLD "\n" ADD "jump known\n", "out", "out", "out");
    ns_cell_print_from(out, container, "out", true);
    fprintf(out, ADD "iifname lo accept\n" ADD "%s ct mark & 0x%x == 0x%x accept\n", "in", "in", tracked, MAY_ENTER,
            MAY_ENTER);
    ns_cell_print_to(out, container, "in", true);
}
