/* SPDX-License-Identifier: Apache-2.0 */
#include "serval.h"
#include "serval_table.h"

#include "ns_libbpf.h"
#include "ns_line.h"
#include "ns_time.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000ull

#define REASONS 16u /* in a word of the record: 4 bits each */

static_assert(NS_SERVAL_REFUSED_KINDS <= 16, "a reason has 4 bits");
static_assert(sizeof(struct ns_ring_rules) == sizeof(struct ns_ring_record), "a record");

/* --- records --- */

static struct ns_ring_rules *record_of(const struct ns_granted *granted, unsigned place) {
    return (struct ns_ring_rules *)&granted->records[NS_RECORD_RELAYS + place];
}

static void set_word(uint64_t *word, unsigned shift, uint64_t mask, uint64_t value) {
    __atomic_store_n(word, (*word & ~(mask << shift)) | value << shift, __ATOMIC_RELAXED);
}

/* Begins the record of a place whose last user was a relay, or nobody. */
static void begin_record(struct ns_ring_rules *record) {
    if (record->mark == NS_RULES_MARK)
        return;
    __atomic_store_n(&record->active, 0, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < sizeof record->refused / sizeof *record->refused; i++)
        __atomic_store_n(&record->refused[i], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&record->mark, NS_RULES_MARK, __ATOMIC_RELAXED);
}

/* Answers about a rule: first its bits, then the answer, because the module reads that first. */
static void answer(const struct ns_granted *granted, const struct ns_serval_ask *ask, enum ns_relay_state state,
                   enum ns_serval_refused refused) {
    struct ns_ring_rules *record = record_of(granted, ask->place);

    begin_record(record);
    set_word(&record->active, ask->rule, 1, state == NS_RELAY_ACTIVE);
    set_word(&record->refused[ask->rule / REASONS], 4 * (ask->rule % REASONS), 15, refused);
    __atomic_store_n(&record->answer, ns_ring_relay_answer(ask->number, (uint8_t)state, (uint8_t)refused),
                     __ATOMIC_RELEASE);
}

/* --- counters --- */

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
    /* the rules that an earlier bpfd had went with it */
    for (unsigned i = 0; i < NS_RING_RELAYS; i++) {
        struct ns_ring_rules *record = record_of(granted, i);

        if (record->mark == NS_RULES_MARK)
            __atomic_store_n(&record->active, 0, __ATOMIC_RELEASE);
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

/* --- rules --- */

/* Returns the question that would make the rule. Its weight is not kept. */
static struct ns_serval_ask ask_of(const struct ns_bpfd *bpfd, const struct ns_granted *granted, unsigned place,
                                   unsigned number) {
    const struct ns_granted_place *held = granted->serval.place[place];
    const struct ns_granted_rule *rule = &held->rule[number];
    struct ns_serval_ask ask = {.number = held->number,
                                .place = (uint16_t)place,
                                .what = rule->what,
                                .family = rule->family,
                                .bits = rule->bits,
                                .target_port = rule->target_port,
                                .rule = (uint16_t)number};

    memcpy(ask.id, rule->id, sizeof ask.id);
    memcpy(ask.target, rule->target, sizeof ask.target);
    ns_serval_table_address(bpfd, rule->router, &ask);
    return ask;
}

static void keep_rule(const struct ns_bpfd *bpfd, struct ns_granted_rule *rule, const struct ns_serval_ask *ask,
                      uint64_t expires) {
    *rule = (struct ns_granted_rule){.expires = expires,
                                     .target_port = ask->target_port,
                                     .bits = ask->bits,
                                     .router = (uint16_t)ns_serval_table_router(bpfd, ask),
                                     .what = ask->what,
                                     .family = ask->family};
    memcpy(rule->id, ask->id, sizeof rule->id);
    memcpy(rule->target, ask->target, sizeof rule->target);
}

/* Tells whether a question is about the same rule: router, prefix, target and kind. */
static bool is_same(const struct ns_bpfd *bpfd, const struct ns_granted_rule *rule, const struct ns_serval_ask *ask) {
    return rule->what == ask->what && rule->family == ask->family && rule->bits == ask->bits &&
           rule->router == ns_serval_table_router(bpfd, ask) && rule->target_port == ask->target_port &&
           memcmp(rule->target, ask->target, sizeof rule->target) == 0 &&
           memcmp(rule->id, ask->id, sizeof rule->id) == 0;
}

/* Returns the place, and makes it before its first rule. Returns NULL without memory. */
static struct ns_granted_place *open_place(struct ns_granted *granted, const struct ns_serval_ask *ask) {
    struct ns_granted_place **place = &granted->serval.place[ask->place];

    if (*place == NULL) {
        *place = calloc(1, sizeof **place);
        if (*place == NULL)
            return NULL;
        (*place)->next = UINT64_MAX;
    }
    (*place)->number = ask->number;
    return *place;
}

/* Gives the memory of a place back that has no rule. */
static void close_place(struct ns_granted *granted, unsigned place) {
    struct ns_granted_place *held = granted->serval.place[place];

    if (held == NULL || held->used != 0)
        return;
    free(held);
    granted->serval.place[place] = NULL;
}

/* --- ends --- */

static void finish(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned place, unsigned number) {
    struct ns_serval_ask ask = ask_of(bpfd, granted, place, number);

    ns_serval_table_remove(bpfd, &ask);
    granted->serval.place[place]->rule[number].expires = 0;
    granted->serval.place[place]->used--;
    granted->serval.used--;
}

static void end(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned place, unsigned number, uint64_t *count) {
    struct ns_serval_ask ask = ask_of(bpfd, granted, place, number);

    finish(bpfd, granted, place, number);
    answer(granted, &ask, NS_RELAY_ENDED, NS_SERVAL_REFUSED_NOT);
    ++*count;
}

void ns_serval_revoke(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    ns_serval_table_close(bpfd, granted->slot);
    for (unsigned i = 0; i < NS_RING_RELAYS; i++) {
        struct ns_granted_place *place = granted->serval.place[i];

        if (place == NULL)
            continue;
        ns_serval_table_forget(bpfd, place);
        for (unsigned j = 0; j < NS_SERVAL_PLACE; j++) {
            struct ns_serval_ask ask = {.number = place->number, .place = (uint16_t)i, .rule = (uint16_t)j};

            if (place->rule[j].expires != 0)
                answer(granted, &ask, NS_RELAY_ENDED, NS_SERVAL_REFUSED_NOT);
        }
        granted->serval.ended_revoked += place->used;
        place->used = 0;
        close_place(granted, i);
    }
    granted->serval.used = 0;
}

static void check_place(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned place) {
    for (unsigned j = 0; j < NS_SERVAL_PLACE; j++) {
        struct ns_serval_ask ask;

        if (granted->serval.place[place]->rule[j].expires == 0)
            continue;
        ask = ask_of(bpfd, granted, place, j);
        if (check(bpfd, granted, &ask) != NS_SERVAL_REFUSED_NOT)
            end(bpfd, granted, place, j, &granted->serval.ended_revoked);
    }
    close_place(granted, place);
}

static void check_container(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    for (unsigned i = 0; i < NS_RING_RELAYS && granted->serval.used != 0; i++) {
        if (granted->serval.place[i] != NULL)
            check_place(bpfd, granted, i);
    }
}

void ns_serval_check_again(struct ns_bpfd *bpfd) {
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        if (bpfd->granted[i] != NULL)
            check_container(bpfd, bpfd->granted[i]);
    }
}

static void sweep_place(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned number, uint64_t now) {
    struct ns_granted_place *place = granted->serval.place[number];

    place->next = UINT64_MAX;
    for (unsigned j = 0; j < NS_SERVAL_PLACE; j++) {
        uint64_t expires = place->rule[j].expires;

        if (expires != 0 && now >= expires)
            end(bpfd, granted, number, j, &granted->serval.ended_time);
        else if (expires != 0 && expires < place->next)
            place->next = expires;
    }
    close_place(granted, number);
}

void ns_serval_sweep(struct ns_bpfd *bpfd, struct ns_granted *granted, uint64_t now) {
    for (unsigned i = 0; i < NS_RING_RELAYS && granted->serval.used != 0; i++) {
        if (granted->serval.place[i] != NULL && now >= granted->serval.place[i]->next)
            sweep_place(bpfd, granted, i, now);
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
static enum ns_serval_refused take(struct ns_bpfd *bpfd, struct ns_granted *granted, struct ns_granted_place *place,
                                   const struct ns_serval_ask *ask) {
    struct ns_granted_rule *rule = &place->rule[ask->rule];
    uint64_t now = ns_now_ns(), expires = now + ask->seconds * SECOND;
    bool again = rule->expires != 0 && now < rule->expires && is_same(bpfd, rule, ask);
    enum ns_serval_refused refused = check(bpfd, granted, ask);

    if (rule->expires != 0 && (!again || refused != NS_SERVAL_REFUSED_NOT))
        finish(bpfd, granted, ask->place, ask->rule);
    if (refused == NS_SERVAL_REFUSED_NOT && !again && is_full(granted))
        refused = NS_SERVAL_REFUSED_quota;
    if (refused == NS_SERVAL_REFUSED_NOT)
        refused = ns_serval_table_put(bpfd, granted->slot, ask, expires, again);
    if (refused != NS_SERVAL_REFUSED_NOT) {
        if (rule->expires != 0)
            finish(bpfd, granted, ask->place, ask->rule);
        return refused;
    }
    keep_rule(bpfd, rule, ask, expires);
    if (expires < place->next)
        place->next = expires;
    place->used += !again;
    granted->serval.used += !again;
    return NS_SERVAL_REFUSED_NOT;
}

static void remove_rule(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_serval_ask *ask) {
    struct ns_granted_place *place = granted->serval.place[ask->place];

    if (place != NULL) {
        place->number = ask->number;
        if (place->rule[ask->rule].expires != 0)
            finish(bpfd, granted, ask->place, ask->rule);
    }
    answer(granted, ask, NS_RELAY_FREE, NS_SERVAL_REFUSED_NOT);
    close_place(granted, ask->place);
}

void ns_serval_ask(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_serval_ask *ask) {
    struct ns_granted_serval *serval = &granted->serval;
    enum ns_serval_refused refused = NS_SERVAL_REFUSED_failed;
    struct ns_granted_place *place;

    serval->asked++;
    if (!ns_serval_well_formed(ask)) {
        serval->refused[NS_SERVAL_REFUSED_malformed]++;
        if (ask->place < NS_RING_RELAYS && ask->rule < NS_SERVAL_PLACE && serval->place[ask->place] == NULL)
            answer(granted, ask, NS_RELAY_REFUSED, NS_SERVAL_REFUSED_malformed);
        return;
    }
    if (ask->what == NS_SERVAL_ASK_REMOVE)
        return remove_rule(bpfd, granted, ask);
    place = open_place(granted, ask);
    if (place != NULL)
        refused = take(bpfd, granted, place, ask);
    if (refused == NS_SERVAL_REFUSED_NOT)
        serval->taken++;
    else
        serval->refused[refused]++;
    answer(granted, ask, refused == NS_SERVAL_REFUSED_NOT ? NS_RELAY_ACTIVE : NS_RELAY_REFUSED, refused);
    close_place(granted, ask->place);
}

/* --- stats --- */

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
