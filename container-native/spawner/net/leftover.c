/* SPDX-License-Identifier: Apache-2.0 */
#include "leftover.h"

#include "fence.h"
#include "nft.h"
#include "ns_log.h"
#include "run.h"
#include "takes.h"
#include <linux/netfilter.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *table, *from, *chain;
} jumps[] = {
    {"raw", "PREROUTING", NS_RULES_CHAIN},           {"filter", "FORWARD", NS_RULES_CHAIN},
    {"filter", "INPUT", NS_RULES_CHAIN "-IN"},       {"nat", "POSTROUTING", NS_RULES_CHAIN},
    {"nat", "PREROUTING", NS_RULES_CHAIN "-LISTEN"},
};

struct removal {
    FILE *out;
    const char *form; /* option that is printed before each chain */
    size_t jump;
    unsigned lines;
};

static void remove_jump(void *context, const struct ns_nft_rule *rule) {
    struct removal *removal = context;

    if (!ns_nft_jumps(rule, jumps[removal->jump].chain))
        return;
    fprintf(removal->out, "-D %s -j %s\n", jumps[removal->jump].from, jumps[removal->jump].chain);
    removal->lines++;
}

static void remove_chain(void *context, const struct ns_nft_rule *chain) {
    struct removal *removal = context;

    if (!ns_rules_is_chain(chain->chain))
        return;
    fprintf(removal->out, "%s %s\n", removal->form, chain->chain);
    removal->lines++;
}

/* Prints the removal of our jumps, then of the rules of all chains (chains name each other), then of the chains. */
static unsigned print_removal(FILE *out, uint8_t family, const char *table) {
    struct removal removal = {.out = out};

    fprintf(out, "*%s\n", table);
    for (; removal.jump < sizeof jumps / sizeof jumps[0]; removal.jump++) {
        if (strcmp(jumps[removal.jump].table, table) == 0)
            ns_nft_rules(0, family, table, jumps[removal.jump].from, remove_jump, &removal);
    }
    removal.form = "-F";
    ns_nft_chains(family, table, remove_chain, &removal);
    removal.form = "-X";
    ns_nft_chains(family, table, remove_chain, &removal);
    fputs("COMMIT\n", out);
    return removal.lines;
}

static void clear_table(int v6, const char *table) {
    const char *const argv[] = {NS_RUN_RESTORE(v6), "-w", "--noflush", NULL};
    struct ns_run run = {.argv = argv};
    unsigned lines = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &run.input_length);

    if (out != NULL)
        lines = print_removal(out, v6 ? NFPROTO_IPV6 : NFPROTO_IPV4, table);
    if (out != NULL && fclose(out) == 0 && lines > 0) {
        run.input = text;
        if (ns_run(&run) != 0)
            ns_warn("%s: our chains of table %s stay", argv[0], table);
    }
    free(text);
}

void ns_leftover_clear(bool ipv6) {
    static const char *const tables[] = {"raw", "filter", "nat"};
    static const char *const argv[] = {NS_RUN_NFT, "-f", "-", NULL};
    static const char script[] = "add table inet " NS_FENCE_TABLE "\ndelete table inet " NS_FENCE_TABLE "\n";
    struct ns_run run = {.argv = argv, .input = script, .input_length = sizeof script - 1};
    char why[160];

    for (int v6 = 0; v6 <= ipv6; v6++) {
        ns_takes_rule(v6, false, why);
        for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
            clear_table(v6, tables[i]);
    }
    if (ns_run(&run) != 0)
        ns_error("nft: our table stays, or cannot be made: no container gets a network");
}
