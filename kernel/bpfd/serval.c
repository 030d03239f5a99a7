/* SPDX-License-Identifier: Apache-2.0 */
#include "serval.h"
#include "serval_table.h"

#include "ns_line.h"
#include "ns_time.h"
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#define SECOND 1000000000ull

static void answer(const struct ns_granted *granted, const struct ns_serval_ask *ask, enum ns_relay_state state,
                   enum ns_serval_refused refused) {
    struct ns_ring_relay *record = (struct ns_ring_relay *)&granted->records[NS_RECORD_RELAYS + ask->place];

    __atomic_store_n(&record->answer, ns_ring_relay_answer(ask->number, (uint8_t)state, (uint8_t)refused),
                     __ATOMIC_RELEASE);
}

static uint32_t counter(const struct ns_granted *granted, unsigned reason) {
    return granted->slot * (uint32_t)NS_SERVAL_COUNTS + reason;
}

void ns_serval_begin(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    int counts = ns_programs_map(&bpfd->programs, "ns_serval_counts");
    const uint64_t none = 0;

    for (unsigned reason = 0; reason < NS_SERVAL_COUNTS; reason++) {
        uint32_t at = counter(granted, reason);

        bpf_map_update_elem(counts, &at, &none, BPF_ANY);
    }
}

static enum ns_serval_refused check(const struct ns_bpfd *bpfd, const struct ns_granted *granted,
                                    const struct ns_serval_ask *ask) {
    const struct ns_serval_asker who = {.listen = &granted->relays.listen,
                                        .connect = &granted->relays.connect,
                                        .grants = &granted->serval.grants,
                                        .node = &bpfd->node,
                                        .filters = &bpfd->filters};

    return bpfd->programs.direct ? ns_serval_check(&who, ask) : NS_SERVAL_REFUSED_direct;
}

/* --- ends --- */

static void finish(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned place) {
    struct ns_granted_rule *rule = &granted->serval.place[place];

    ns_serval_table_remove(bpfd, &rule->ask);
    rule->used = false;
    granted->serval.used--;
}

static void end(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned place, uint64_t *count) {
    finish(bpfd, granted, place);
    answer(granted, &granted->serval.place[place].ask, NS_RELAY_ENDED, NS_SERVAL_REFUSED_NOT);
    ++*count;
}

void ns_serval_revoke(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    for (unsigned i = 0; i < NS_RING_RELAYS && granted->serval.used != 0; i++) {
        if (granted->serval.place[i].used)
            end(bpfd, granted, i, &granted->serval.ended_revoked);
    }
    free(granted->serval.place);
    granted->serval.place = NULL;
}

static void check_container(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    for (unsigned i = 0; i < NS_RING_RELAYS && granted->serval.used != 0; i++) {
        if (granted->serval.place[i].used &&
            check(bpfd, granted, &granted->serval.place[i].ask) != NS_SERVAL_REFUSED_NOT)
            end(bpfd, granted, i, &granted->serval.ended_revoked);
    }
}

void ns_serval_check_again(struct ns_bpfd *bpfd) {
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        if (bpfd->granted[i] != NULL)
            check_container(bpfd, bpfd->granted[i]);
    }
}

void ns_serval_sweep(struct ns_bpfd *bpfd, struct ns_granted *granted, uint64_t now) {
    for (unsigned i = 0; i < NS_RING_RELAYS && granted->serval.used != 0; i++) {
        if (granted->serval.place[i].used && now >= granted->serval.place[i].expires)
            end(bpfd, granted, i, &granted->serval.ended_time);
    }
}

/* --- questions --- */

static bool is_full(const struct ns_granted *granted) {
    return granted->serval.used >= granted->quota * NS_SERVAL_PER_FLOW;
}

/*
 * Takes a rule. A rule that had the place before ends, unless it is the same and goes on. One whose time is over begins
 * anew, because the programs may have looked up something without it.
 */
static enum ns_serval_refused take(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_serval_ask *ask) {
    struct ns_granted_rule *rule = &granted->serval.place[ask->place];
    uint64_t now = ns_now_ns(), expires = now + ask->seconds * SECOND;
    bool again = rule->used && now < rule->expires && ns_serval_same(&rule->ask, ask);
    enum ns_serval_refused refused = check(bpfd, granted, ask);

    if (rule->used && (!again || refused != NS_SERVAL_REFUSED_NOT))
        finish(bpfd, granted, ask->place);
    if (refused == NS_SERVAL_REFUSED_NOT && !again && is_full(granted))
        refused = NS_SERVAL_REFUSED_quota;
    if (refused == NS_SERVAL_REFUSED_NOT)
        refused = ns_serval_table_put(bpfd, granted->slot, ask, expires, again);
    if (refused != NS_SERVAL_REFUSED_NOT) {
        if (rule->used)
            finish(bpfd, granted, ask->place);
        return refused;
    }
    *rule = (struct ns_granted_rule){true, expires, *ask};
    granted->serval.used += !again;
    return NS_SERVAL_REFUSED_NOT;
}

static void remove_place(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_serval_ask *ask) {
    if (granted->serval.place != NULL && granted->serval.place[ask->place].used)
        finish(bpfd, granted, ask->place);
    answer(granted, ask, NS_RELAY_FREE, NS_SERVAL_REFUSED_NOT);
}

void ns_serval_ask(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_serval_ask *ask) {
    struct ns_granted_serval *serval = &granted->serval;
    enum ns_serval_refused refused = NS_SERVAL_REFUSED_failed;

    serval->asked++;
    if (!ns_serval_well_formed(ask)) {
        serval->refused[NS_SERVAL_REFUSED_malformed]++;
        if (ask->place < NS_RING_RELAYS && (serval->place == NULL || !serval->place[ask->place].used))
            answer(granted, ask, NS_RELAY_REFUSED, NS_SERVAL_REFUSED_malformed);
        return;
    }
    if (ask->what == NS_SERVAL_ASK_REMOVE)
        return remove_place(bpfd, granted, ask);
    if (serval->place == NULL)
        serval->place = calloc(NS_RING_RELAYS, sizeof *serval->place);
    if (serval->place != NULL)
        refused = take(bpfd, granted, ask);
    if (refused == NS_SERVAL_REFUSED_NOT)
        serval->taken++;
    else
        serval->refused[refused]++;
    answer(granted, ask, refused == NS_SERVAL_REFUSED_NOT ? NS_RELAY_ACTIVE : NS_RELAY_REFUSED, refused);
}

/* --- counters --- */

static uint64_t read_counter(const struct ns_bpfd *bpfd, const struct ns_granted *granted, unsigned reason) {
    uint32_t at = counter(granted, reason);
    uint64_t value = 0;

    bpf_map_lookup_elem(ns_programs_map(&bpfd->programs, "ns_serval_counts"), &at, &value);
    return value;
}

void ns_serval_print(const struct ns_bpfd *bpfd, const struct ns_granted *granted, FILE *out) {
    static const char *const names[] = {
#define NS_X(name, key, text) key,
        NS_SERVAL_REASONS(NS_X)
#undef NS_X
    };
    const struct ns_granted_serval *serval = &granted->serval;

    ns_line_put_number(out, "serval-rules", serval->used);
    ns_line_put_number(out, "serval-asked", serval->asked);
    ns_line_put_number(out, "serval-taken", serval->taken);
    ns_line_put_number(out, "serval-ended-time", serval->ended_time);
    ns_line_put_number(out, "serval-ended-revoked", serval->ended_revoked);
    for (unsigned i = 0; i < NS_SERVAL_COUNTS; i++)
        ns_line_put_number(out, names[i], read_counter(bpfd, granted, i));
#define NS_X(name, text) ns_line_put_number(out, "serval-refused-" #name, serval->refused[NS_SERVAL_REFUSED_##name]);
    NS_SERVAL_REFUSALS(NS_X)
#undef NS_X
}
