/* SPDX-License-Identifier: Apache-2.0 */
#include "firewall.h"

#include "ns_log.h"
#include "run.h"
#include <stdlib.h>
#include <unistd.h>

#define JUMPS_MAX 8 /* of one kind, left by predecessors that were killed */

static const char *const tools[2] = {"/usr/sbin/iptables-nft", "/usr/sbin/ip6tables-nft"};
static const char *const restorers[2] = {"/usr/sbin/iptables-nft-restore", "/usr/sbin/ip6tables-nft-restore"};

static const struct {
    const char *table, *from, *chain;
} chains[] = {
    {"raw", "PREROUTING", "NETSERV"},
    {"filter", "FORWARD", "NETSERV"},
    {"filter", "INPUT", "NETSERV-IN"},
    {"nat", "POSTROUTING", "NETSERV"},
};
#define CHAINS (sizeof chains / sizeof chains[0])

static int quietly(const char *const *argv) {
    struct ns_run run = {.argv = argv, .quiet = 1};

    return ns_run(&run);
}

/* Deletes jumps until there is none, then the chain. A chain that is not there is not looked for again. */
static void remove_chain(int v6, size_t i) {
    const char *tool = tools[v6], *table = chains[i].table, *chain = chains[i].chain;
    const char *const list[] = {tool, "-w", "-t", table, "-n", "-L", chain, NULL};
    const char *const jump[] = {tool, "-w", "-t", table, "-D", chains[i].from, "-j", chain, NULL};
    const char *const flush[] = {tool, "-w", "-t", table, "-F", chain, NULL};
    const char *const delete[] = {tool, "-w", "-t", table, "-X", chain, NULL};

    if (quietly(list) != 0)
        return;
    for (int n = 0; n < JUMPS_MAX && quietly(jump) == 0; n++)
        ;
    if (quietly(flush) != 0 || quietly(delete) != 0)
        ns_warn("%s: chain %s of table %s stays", tool, chain, table);
}

static void remove_all(struct ns_firewall *firewall) {
    for (int v6 = 0; v6 <= firewall->ipv6; v6++) {
        for (size_t i = 0; i < CHAINS; i++)
            remove_chain(v6, i);
        firewall->jumps[v6] = (struct ns_rules_jumps){false, false};
    }
}

void ns_firewall_open(struct ns_firewall *firewall) {
    firewall->ipv6 = access("/proc/sys/net/ipv6/conf/all", F_OK) == 0;
    remove_all(firewall);
}

static int restore(struct ns_firewall *firewall, const struct ns_rules *rules, int v6, int quiet) {
    const char *const argv[] = {restorers[v6], "-w", "--noflush", NULL};
    struct ns_run run = {.argv = argv, .quiet = quiet};
    struct ns_rules_jumps after;
    char *text = NULL;
    FILE *out = open_memstream(&text, &run.input_length);
    int result;

    if (out == NULL)
        return -1;
    ns_rules_print(out, rules, v6 ? 6 : 4, firewall->jumps[v6], &after);
    if (fclose(out) != 0) {
        free(text);
        return -1;
    }
    run.input = text;
    result = ns_run(&run);
    free(text);
    if (result == 0)
        firewall->jumps[v6] = after;
    return result == 0 ? 0 : -1;
}

int ns_firewall_apply(struct ns_firewall *firewall, const struct ns_rules *rules) {
    for (int v6 = 0; v6 <= firewall->ipv6; v6++) {
        if (restore(firewall, rules, v6, 1) == 0)
            continue;
        /* somebody has flushed or removed our chains: begin anew */
        ns_warn("%s: refused; making our chains anew", restorers[v6]);
        for (size_t i = 0; i < CHAINS; i++)
            remove_chain(v6, i);
        firewall->jumps[v6] = (struct ns_rules_jumps){false, false};
        if (restore(firewall, rules, v6, 0) != 0)
            return -1;
    }
    return 0;
}

void ns_firewall_close(struct ns_firewall *firewall) {
    remove_all(firewall);
}
