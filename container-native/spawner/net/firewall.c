/* SPDX-License-Identifier: Apache-2.0 */
#include "firewall.h"

#include "addresses.h"
#include "container.h"
#include "iprule.h"
#include "leftover.h"
#include "network.h"
#include "nft.h"
#include "ns_log.h"
#include "reply.h"
#include "run.h"
#include "spawner.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK_MS 50 /* between two checks, however many changes are told */

/*
 * Returns true if the kernel takes programs. Tries a rule with one in a chain that no jump leads to, because one
 * unknown rule spoils a whole transaction. ns_leftover_clear() removes the chain.
 */
static bool takes_programs(int v6) {
    static const char rule[] = "*raw\n:" NS_RULES_CHAIN "-TRY - [0:0]\n-A " NS_RULES_CHAIN
                               "-TRY -m bpf --bytecode \"1,6 0 0 0\" -j RETURN\nCOMMIT\n";
    const char *const argv[] = {NS_RUN_RESTORE(v6), "-w", "--noflush", NULL};
    struct ns_run run = {.argv = argv, .quiet = 1, .input = rule, .input_length = sizeof rule - 1};

    return ns_run(&run) == 0;
}

void ns_firewall_open(struct ns_firewall *firewall, const struct ns_firewall_source *source) {
    firewall->source = source;
    firewall->ipv6 = access("/proc/sys/net/ipv6/conf/all", F_OK) == 0;
    firewall->match = true;
    firewall->state = ns_task_share(sizeof *firewall->state);
    for (int v6 = 0; v6 <= firewall->ipv6; v6++)
        firewall->match &= takes_programs(v6);
    ns_leftover_clear(firewall->ipv6);
    firewall->watch = ns_nft_watch();
    if (firewall->watch < 0)
        ns_error("nf_tables: %s: a change of our rules by others is not noticed", strerror(errno));
    firewall->leads = ns_iprule_watch();
    if (firewall->leads < 0)
        ns_error("rtnetlink: %s: a change of our `ip rule` by others is not noticed", strerror(errno));
    if (!firewall->match)
        ns_warn("this kernel's firewall takes no programs: modules with filter-match cost more");
}

void ns_firewall_close(struct ns_firewall *firewall) {
    ns_leftover_clear(firewall->ipv6);
    if (firewall->watch >= 0)
        close(firewall->watch);
    if (firewall->leads >= 0)
        close(firewall->leads);
    firewall->watch = firewall->leads = -1;
}

/* --- messages to the client --- */

void ns_firewall_put(const struct ns_firewall *firewall, FILE *out) {
    const char *comma = "";

    fputs(" firewall-missing=", out);
    for (int part = 0; part < NS_PARTS; part++) {
        if (firewall->damaged & 1u << part) {
            fprintf(out, "%s%s", comma, ns_ruleset_parts[part].name);
            comma = ",";
        }
    }
    ns_line_put_number(out, "firewall-healed", firewall->healed);
    ns_line_put(out, "firewall-why", firewall->why);
}

static void tell(struct ns_spawner *spawner) {
    char *pairs = NULL;
    size_t size;
    FILE *out = open_memstream(&pairs, &size);

    if (out == NULL)
        return;
    ns_firewall_put(&spawner->firewall, out);
    if (fclose(out) == 0)
        ns_reply_event(spawner, "firewall", pairs);
    free(pairs);
}

static void note_damage(struct ns_spawner *spawner, unsigned damaged) {
    struct ns_firewall *firewall = &spawner->firewall;

    if ((firewall->damaged | damaged) == firewall->damaged)
        return;
    firewall->damaged |= damaged;
    for (int part = 0; part < NS_PARTS; part++) {
        if (damaged & 1u << part)
            ns_warn("firewall: somebody has changed our rules in %s; they are put back", ns_ruleset_parts[part].name);
    }
    tell(spawner);
}

/* --- an apply --- */

static void begin(struct ns_spawner *spawner);
static void check_soon(struct ns_spawner *spawner);

/*
 * Tells the waiters of the last apply its result. Some waiters may ask for more at once, and the next apply answers
 * that. When this turn of the loop is late, the other waiters are told in the next turn.
 */
static void answer(struct ns_spawner *spawner) {
    struct ns_firewall *firewall = &spawner->firewall;

    for (bool late = false; firewall->taken > 0 && !late; late = ns_clock_late(&spawner->clock)) {
        ns_firewall_done done = firewall->waiter[0].done;
        uint64_t token = firewall->waiter[0].token;

        firewall->taken--;
        memmove(firewall->waiter, firewall->waiter + 1, --firewall->waiters * sizeof firewall->waiter[0]);
        done(spawner, token, firewall->answer);
    }
    firewall->answering = firewall->taken > 0;
    if (firewall->answering)
        return;
    firewall->applying = false;
    if (firewall->wanted)
        begin(spawner);
    else
        check_soon(spawner);
}

static void answer_all(struct ns_spawner *spawner, const char *why) {
    struct ns_firewall *firewall = &spawner->firewall;

    snprintf(firewall->answer, sizeof firewall->answer, "%s", why);
    firewall->applying = firewall->answering = true;
    answer(spawner);
}

static void whole(struct ns_spawner *spawner) {
    struct ns_firewall *firewall = &spawner->firewall;
    bool damaged = firewall->damaged != 0;

    firewall->retry_at = 0;
    firewall->why[0] = '\0';
    if (firewall->damaged != 0) {
        firewall->healed++;
        ns_info("firewall: our rules are there again");
    }
    firewall->damaged = 0;
    if (damaged)
        tell(spawner);
}

static void failed(struct ns_spawner *spawner, const char *why) {
    struct ns_firewall *firewall = &spawner->firewall;
    bool news = strcmp(firewall->why, why) != 0;

    ns_apply_forget(firewall->state);
    firewall->retry_at = ns_now() + NS_FIREWALL_RETRY_MS;
    snprintf(firewall->why, sizeof firewall->why, "%s", why);
    if (!news)
        return;
    ns_error("firewall: %s", why);
    tell(spawner);
}

static void applied(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct ns_firewall *firewall = &spawner->firewall;
    bool good = result == 0 && firewall->state->whole;
    char text[160];

    (void)context;
    snprintf(text, sizeof text, "%s", good ? "" : why[0] != '\0' ? why : "rules: not written");
    note_damage(spawner, firewall->state->changed);
    if (good)
        whole(spawner);
    else
        failed(spawner, text);
    answer_all(spawner, text);
}

static void begin(struct ns_spawner *spawner) {
    struct ns_firewall *firewall = &spawner->firewall;

    if (firewall->applying)
        return;
    firewall->wanted = false;
    firewall->made = true;
    firewall->retry_at = 0;
    firewall->applies++;
    firewall->taken = firewall->waiters;
    firewall->state->changed = 0;
    firewall->source->settle(spawner); /* before the fork: the rules and bpfd get the same choice */
    firewall->applying = ns_task_begin(spawner, "rules", ns_apply, spawner, NS_FIREWALL_MS, applied) == 0;
    if (firewall->applying)
        return;
    failed(spawner, strerror(errno));
    answer_all(spawner, "rules: no task for them");
}

void ns_firewall_want(struct ns_spawner *spawner, ns_firewall_done done, uint64_t token) {
    struct ns_firewall *firewall = &spawner->firewall;

    if (done != NULL && firewall->waiters == NS_FIREWALL_WAITERS)
        return done(spawner, token, "rules: too many orders wait for them");
    if (done != NULL) {
        firewall->waiter[firewall->waiters].done = done;
        firewall->waiter[firewall->waiters++].token = token;
    }
    firewall->wanted = true;
    begin(spawner);
}

/* --- a check --- */

/*
 * Tells the client of damage and begins an apply, which repairs it. If the fence is damaged, the apply holds
 * containers back first. Traffic that is not of containers goes on meanwhile.
 */
static void checked(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct ns_firewall *firewall = &spawner->firewall;

    (void)context, (void)why; /* if the check was killed, the log says so */
    firewall->checking = false;
    firewall->check_at = ns_now() + (result < 0 ? NS_FIREWALL_RETRY_MS : CHECK_MS);
    if (result < 0)
        firewall->check = true;
    if (result <= 0 || firewall->looked_at != firewall->applies || spawner->stopping)
        return;
    note_damage(spawner, (unsigned)result);
    firewall->wanted = true;
    begin(spawner);
}

static void begin_check(struct ns_spawner *spawner) {
    struct ns_firewall *firewall = &spawner->firewall;

    firewall->check = false;
    firewall->looked_at = firewall->applies;
    firewall->checking =
        ns_task_begin(spawner, "check of rules", ns_apply_check, spawner, NS_FIREWALL_CHECK_MS, checked) == 0;
    if (firewall->checking)
        return;
    firewall->check = true;
    firewall->check_at = ns_now() + NS_FIREWALL_RETRY_MS;
}

/* Begins a check if it is time. Returns the time of the next check, 0 = not by the clock. */
static uint64_t tick_check(struct ns_spawner *spawner, uint64_t now) {
    struct ns_firewall *firewall = &spawner->firewall;

    if (!firewall->check || firewall->checking || firewall->applying || !firewall->made || spawner->stopping)
        return 0;
    if (now < firewall->check_at)
        return firewall->check_at;
    begin_check(spawner);
    return firewall->check ? firewall->check_at : 0;
}

/* Has the rules checked. Changes told while a task is under way are checked after it. */
static void check_soon(struct ns_spawner *spawner) {
    spawner->firewall.check = true;
    tick_check(spawner, ns_now());
}

void ns_firewall_heard(struct ns_spawner *spawner) {
    const bool tables = ns_nft_heard(spawner->firewall.watch), leads = ns_nft_heard(spawner->firewall.leads);

    if (tables || leads)
        check_soon(spawner);
}

/* --- the node's addresses --- */

/* Tells all containers the node's addresses, in a task. A container that ends meanwhile is no failure. */
static int tell_addresses(void *context, char why[160]) {
    struct ns_spawner *spawner = context;

    (void)why;
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        if (ns_apply_has_cell(spawner->containers[i]))
            ns_network_renew(spawner->containers[i]->host);
    }
    return 0;
}

static void begin_telling(struct ns_spawner *spawner);

static void told(struct ns_spawner *spawner, void *context, int result, const char *why) {
    (void)context;
    spawner->firewall.telling = false;
    if (result != 0)
        ns_error("addresses of the node: %s", why);
    if (spawner->firewall.tell)
        begin_telling(spawner);
}

static void begin_telling(struct ns_spawner *spawner) {
    struct ns_firewall *firewall = &spawner->firewall;

    firewall->tell = firewall->telling;
    if (firewall->telling)
        return;
    ns_addresses_changed();
    firewall->telling = ns_task_begin(spawner, "addresses", tell_addresses, spawner, NS_FIREWALL_MS, told) == 0;
}

void ns_firewall_links(struct ns_spawner *spawner, struct ns_links_change change) {
    if (spawner->stopping)
        return;
    if (change.names && spawner->firewall.made)
        ns_firewall_want(spawner, NULL, 0);
    if (change.addresses)
        begin_telling(spawner);
}

uint64_t ns_firewall_tick(struct ns_spawner *spawner, uint64_t now) {
    struct ns_firewall *firewall = &spawner->firewall;
    uint64_t next;

    if (firewall->answering)
        answer(spawner);
    if (firewall->answering)
        return now;
    if (spawner->stopping)
        return UINT64_MAX;
    if (firewall->retry_at != 0 && now >= firewall->retry_at)
        begin(spawner);
    next = ns_sooner(UINT64_MAX, tick_check(spawner, now));
    return ns_sooner(next, firewall->applying ? 0 : firewall->retry_at);
}
