/* SPDX-License-Identifier: Apache-2.0 */
#include "apply.h"

#include "addresses.h"
#include "container.h"
#include "nft.h"
#include "ns_hash.h"
#include "ns_log.h"
#include "run.h"
#include "spawner.h"
#include "takes.h"
#include "tracked.h"
#include <errno.h>
#include <linux/netfilter.h>
#include <stdlib.h>
#include <string.h>

/* --- containers are held back --- */

bool ns_apply_has_cell(const struct ns_container *container) {
    return container != NULL && container->host > 0 && container->order.network >= 0 &&
           !ns_layer_has(container->missing, NS_LAYER_RULES) && !ns_layer_has(container->missing, NS_LAYER_NET);
}

/*
 * Holds all containers back, or lets them go. Each needs one transaction, and in each the kernel waits for a grace
 * period.
 */
static void hold(const struct ns_spawner *spawner, bool on) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        const struct ns_container *container = spawner->containers[i];

        if (!ns_apply_has_cell(container))
            continue;
        if (ns_nft_hold(container->host, on) != 0 && errno != ENOENT)
            ns_warn("%s: %s: %s", container->order.name, on ? "hold" : "let go", strerror(errno));
    }
    spawner->firewall.state->held = on;
}

/* --- the chains and counters in the kernel --- */

/*
 * Adds one chain of the kernel to the ns_rules_standing. A chain for limits gets serial 0, because its container is
 * unknown. The next script writes this chain anew, or removes it.
 */
static void find_chain(void *context, const struct ns_nft_rule *chain) {
    struct ns_rules_standing *standing = context;
    int queue = ns_rules_queue(chain->chain);

    standing->sample |= strcmp(chain->chain, NS_RULES_CHAIN "-SAMPLE") == 0;
    if (queue >= 0 && standing->count < sizeof standing->chains / sizeof standing->chains[0])
        standing->chains[standing->count++] = (struct ns_rules_chains){.serial = 0, .queue = (unsigned)queue};
}

/* Sets `standing` to the chains of the last apply. If somebody has changed them since, reads them from the kernel. */
static void find_standing(const struct ns_apply_state *state, int v6, const struct ns_ruleset_view now[NS_PARTS],
                          struct ns_rules_standing *standing) {
    const int raw = v6 ? NS_RAW6 : NS_RAW4, forward = v6 ? NS_FORWARD6 : NS_FORWARD4;

    if (now[raw].hash != 0 && now[forward].hash != 0 && now[raw].hash == state->view[raw].hash) {
        *standing = state->standing[v6];
    } else {
        *standing = (struct ns_rules_standing){.sample = false};
        ns_nft_chains(ns_ruleset_parts[raw].family, ns_ruleset_parts[raw].table, find_chain, standing);
    }
    standing->raw = now[raw].jumps > 0;
    standing->forward = now[forward].jumps > 0;
}

/* Reads the fence's counters. If the table has gone, the counters keep the values that were read last. */
static void read_counters(struct ns_apply_state *state) {
    for (int i = 0; i < NS_FENCE_COUNTERS; i++) {
        struct ns_fence_count *count = &state->fence.counted[i];

        ns_nft_counter(NFPROTO_INET, NS_FENCE_TABLE, ns_fence_counters[i], &count->packets, &count->bytes);
    }
}

/* --- writing --- */

static int run_tool(const char *const *argv, const char *text, size_t length, char why[160]) {
    struct ns_run run = {.argv = argv, .input = text, .input_length = length};
    int result = ns_run(&run);

    if (result != 0)
        snprintf(why, 160, "%s: %.120s", strrchr(argv[0], '/') + 1, run.error);
    return result == 0 ? 0 : -1;
}

/* --- scripts that need not run --- */

enum { SCRIPT_FENCE = 2 }; /* of ns_apply_state: behind IPv4 and IPv6 */

static uint64_t hash_of(const char *text, size_t length) {
    uint64_t hash = ns_hash(NS_HASH_FIRST, text, length);

    return hash == 0 ? 1 : hash;
}

/* Tells whether the kernel has this part as it was read back after the last apply. */
static bool untouched(const struct ns_apply_state *state, const struct ns_ruleset_view now[NS_PARTS], int part) {
    return now[part].hash != 0 && now[part].hash == state->view[part].hash;
}

/*
 * Tells whether the kernel would be the same after this script: it was the last one that the kernel took, and nobody
 * has changed its rules since. A tool needs some 10 ms, and a packet of a new module waits for all of them.
 */
static bool is_in_force(const struct ns_apply_state *state, const struct ns_ruleset_view now[NS_PARTS], int script,
                        const char *text, size_t length) {
    static const int parts[3][2] = {{NS_RAW4, NS_FORWARD4}, {NS_RAW6, NS_FORWARD6}, {NS_FENCE, NS_FENCE}};

    return state->script[script] == hash_of(text, length) && untouched(state, now, parts[script][0]) &&
           untouched(state, now, parts[script][1]);
}

static int run_script(struct ns_apply_state *state, const struct ns_ruleset_view now[NS_PARTS], int script,
                      const char *const *argv, const char *text, size_t length, char why[160]) {
    if (is_in_force(state, now, script, text, length))
        return 0;
    state->script[script] = 0;
    if (run_tool(argv, text, length, why) != 0)
        return -1;
    state->script[script] = hash_of(text, length);
    return 0;
}

static int restore(struct ns_apply_state *state, const struct ns_rules *rules, int v6,
                   const struct ns_ruleset_view now[NS_PARTS], char why[160]) {
    const char *const argv[] = {NS_RUN_RESTORE(v6), "-w", "--noflush", NULL};
    static struct ns_rules_standing standing, after;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    int result = -1;

    if (out == NULL)
        return -1;
    find_standing(state, v6, now, &standing);
    ns_rules_print(out, rules, v6 ? 6 : 4, &standing, &after);
    if (fclose(out) == 0)
        result = run_script(state, now, v6, argv, text, length, why);
    free(text);
    if (result == 0)
        state->standing[v6] = after;
    return result;
}

static int write_fence(struct ns_apply_state *state, const struct ns_rules *rules,
                       const struct ns_ruleset_view now[NS_PARTS], unsigned *count, char why[160]) {
    static const char *const argv[] = {NS_RUN_NFT, "-f", "-", NULL};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    int result = -1;

    if (out == NULL)
        return -1;
    *count = ns_fence_print(out, rules, &state->fence);
    state->fence.whole = false;
    if (fclose(out) == 0)
        result = run_script(state, now, SCRIPT_FENCE, argv, text, length, why);
    free(text);
    if (result == 0)
        ns_fence_after(rules, &state->fence);
    return result;
}

/* Writes the fence, and after a failure once more from scratch: somebody may have removed a chain that is to go. */
static int fence(struct ns_apply_state *state, const struct ns_rules *rules, const struct ns_ruleset_view now[NS_PARTS],
                 unsigned *count, char why[160]) {
    bool stood = state->fence.whole;

    if (write_fence(state, rules, now, count, why) == 0)
        return 0;
    return stood ? write_fence(state, rules, now, count, why) : -1;
}

/* --- reading back --- */

/* Returns true if a container may take connections, so that its packets need the rule of routing. */
static bool taking(const struct ns_rules *rules) {
    for (unsigned i = 0; i < rules->containers; i++) {
        if (ns_takes_has(&rules->container[i]))
            return true;
    }
    return false;
}

static unsigned expected(const struct ns_rules *rules, int part, unsigned fence_rules) {
    switch (part) {
    case NS_FENCE:
        return fence_rules;
    case NS_RULE4:
    case NS_RULE6:
        return taking(rules);
    case NS_RAW4:
    case NS_RAW6:
        return ns_rules_count(rules, part == NS_RAW4 ? 4 : 6, true);
    default:
        return ns_rules_count(rules, part == NS_FORWARD4 ? 4 : 6, false);
    }
}

static int read_back(struct ns_apply_state *state, bool ipv6, const struct ns_rules *rules, unsigned fence_rules,
                     char why[160]) {
    for (int part = 0; part < NS_PARTS; part++) {
        const struct ns_ruleset_part *which = &ns_ruleset_parts[part];
        struct ns_ruleset_view *view = &state->view[part];
        unsigned rules_wanted;

        if (!ns_ruleset_has(ipv6, part))
            continue;
        if (ns_ruleset_read(part, view) != 0) {
            snprintf(why, 160, "%s: reading back: %s", which->name, strerror(errno));
            return -1;
        }
        rules_wanted = expected(rules, part, fence_rules);
        if (view->rules != rules_wanted || (which->from != NULL && view->jumps == 0)) {
            snprintf(why, 160, "%s: read back %u of %u rules and %u jumps", which->name, view->rules, rules_wanted,
                     view->jumps);
            return -1;
        }
    }
    return 0;
}

/* --- the whole --- */

/* Has the rule for marked packets while a container may take connections. */
static int lead_taken(const struct ns_firewall *firewall, const struct ns_rules *rules,
                      const struct ns_ruleset_view now[NS_PARTS], char why[160]) {
    const bool wanted = taking(rules);

    for (int v6 = 0; v6 <= firewall->ipv6; v6++) {
        const struct ns_ruleset_view *there = &now[v6 ? NS_RULE6 : NS_RULE4];

        if ((there->hash == 0 || there->rules != wanted) && ns_takes_rule(v6, wanted, why) != 0)
            return -1;
    }
    return 0;
}

static int write_all(struct ns_firewall *firewall, const struct ns_rules *rules,
                     const struct ns_ruleset_view now[NS_PARTS], char why[160]) {
    unsigned fence_rules = 0;

    if (fence(firewall->state, rules, now, &fence_rules, why) != 0)
        return -1;
    for (int v6 = 0; v6 <= firewall->ipv6; v6++) {
        if (restore(firewall->state, rules, v6, now, why) != 0)
            return -1;
    }
    if (lead_taken(firewall, rules, now, why) != 0)
        return -1;
    return read_back(firewall->state, firewall->ipv6, rules, fence_rules, why);
}

/* Has clients of UDP that have sent before reach the containers that have the ports now. */
static void forget_flows(const struct ns_rules *rules) {
    static struct ns_cell_node node;

    ns_addresses_read(&node);
    if (ns_tracked_forget(rules, &node) < 0)
        ns_warn("flows of UDP that are older than their container: %s", strerror(errno));
}

void ns_apply_forget(struct ns_apply_state *state) {
    memset(state->script, 0, sizeof state->script);
    for (int part = 0; part < NS_PARTS; part++)
        state->view[part].hash = 0;
}

int ns_apply(void *context, char why[160]) {
    struct ns_spawner *spawner = context;
    struct ns_firewall *firewall = &spawner->firewall;
    struct ns_apply_state *state = firewall->state;
    struct ns_ruleset_view now[NS_PARTS];
    static struct ns_rules rules;
    uint64_t fence_before;

    state->whole = false;
    state->changed = ns_ruleset_changed(firewall->ipv6, state->view, now);
    if ((firewall->damaged | state->changed) != 0)
        memset(state->script, 0, sizeof state->script); /* somebody else writes as well: nothing is left out */
    if ((firewall->damaged | state->changed) & 1u << NS_FENCE && !state->held)
        hold(spawner, true);
    read_counters(state);
    firewall->source->rules(spawner, &rules);
    fence_before = state->script[SCRIPT_FENCE];
    if (write_all(firewall, &rules, now, why) != 0)
        return -1;
    state->whole = true;
    if (state->script[SCRIPT_FENCE] != fence_before) /* the ports of containers are in this script */
        forget_flows(&rules);
    if (state->held)
        hold(spawner, false);
    return 0;
}

int ns_apply_check(void *context, char why[160]) {
    const struct ns_spawner *spawner = context;
    struct ns_ruleset_view now[NS_PARTS];

    (void)why;
    read_counters(spawner->firewall.state);
    return (int)ns_ruleset_changed(spawner->firewall.ipv6, spawner->firewall.state->view, now);
}
