/* SPDX-License-Identifier: Apache-2.0 */
#include "ruleset.h"

#include "fence.h"
#include "iprule.h"
#include "nft.h"
#include "ns_hash.h"
#include "ns_marks.h"
#include "takes.h"
#include <errno.h>
#include <linux/netfilter.h>
#include <string.h>
#include <sys/socket.h>

#define TRIES 5 /* readings of rules that somebody else changes meanwhile */

const struct ns_ruleset_part ns_ruleset_parts[NS_PARTS] = {
    [NS_RAW4] = {"raw4", NFPROTO_IPV4, "raw", "PREROUTING"},
    [NS_RAW6] = {"raw6", NFPROTO_IPV6, "raw", "PREROUTING"},
    [NS_FORWARD4] = {"forward4", NFPROTO_IPV4, "filter", "FORWARD"},
    [NS_FORWARD6] = {"forward6", NFPROTO_IPV6, "filter", "FORWARD"},
    [NS_FENCE] = {"fence", NFPROTO_INET, NS_FENCE_TABLE, NULL},
    [NS_RULE4] = {"rule4", AF_INET, NULL, NULL},
    [NS_RULE6] = {"rule6", AF_INET6, NULL, NULL},
};

_Static_assert(NFPROTO_IPV4 == AF_INET && NFPROTO_IPV6 == AF_INET6, "families of nf_tables and of sockets");

bool ns_ruleset_has(bool ipv6, int part) {
    return ipv6 || ns_ruleset_parts[part].family != NFPROTO_IPV6;
}

struct looking {
    int part;
    struct ns_ruleset_view view;
};

/* Counts one rule and hashes its handle. A changed rule has another handle. */
static void look(void *context, const struct ns_nft_rule *rule) {
    struct looking *looking = context;
    const char *from = ns_ruleset_parts[looking->part].from;

    if (from != NULL && strcmp(rule->chain, from) == 0) {
        if (!ns_nft_jumps(rule, NS_RULES_CHAIN))
            return;
        looking->view.jumps++;
    } else if (from == NULL || ns_rules_is_chain(rule->chain)) {
        looking->view.rules++;
    } else {
        return;
    }
    looking->view.hash = ns_hash_text(looking->view.hash, rule->chain);
    looking->view.hash = ns_hash(looking->view.hash, &rule->handle, sizeof rule->handle);
}

static int read_rule(uint8_t family, struct ns_ruleset_view *view) {
    int count = ns_iprule_count(family, NS_TAKEN_MARK, NS_TAKES_TABLE);

    *view = (struct ns_ruleset_view){.rules = count < 0 ? 0 : (unsigned)count};
    if (count < 0)
        return -1;
    view->hash = ns_hash(NS_HASH_FIRST, &view->rules, sizeof view->rules);
    return 0;
}

int ns_ruleset_read(int part, struct ns_ruleset_view *view) {
    const struct ns_ruleset_part *which = &ns_ruleset_parts[part];
    struct looking looking = {.part = part};
    int result = -1;

    if (which->table == NULL)
        return read_rule(which->family, view);
    for (int i = 0; i < TRIES && result != 0; i++) {
        looking.view = (struct ns_ruleset_view){.hash = NS_HASH_FIRST};
        result = ns_nft_rules(0, which->family, which->table, NULL, look, &looking);
        if (result != 0 && errno != EAGAIN)
            break;
    }
    *view = looking.view;
    if (result != 0)
        view->hash = 0;
    return result;
}

unsigned ns_ruleset_changed(bool ipv6, const struct ns_ruleset_view before[NS_PARTS],
                            struct ns_ruleset_view now[NS_PARTS]) {
    unsigned changed = 0;

    for (int part = 0; part < NS_PARTS; part++) {
        if (!ns_ruleset_has(ipv6, part))
            continue;
        if ((ns_ruleset_read(part, &now[part]) != 0 || now[part].hash != before[part].hash) && before[part].hash != 0)
            changed |= 1u << part;
    }
    return changed;
}
