/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include "ns_libbpf.h"
#include "ns_line.h"
#include "ns_time.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000ull

/* --- records --- */

static struct ns_ring_relay *record_of(const struct ns_granted *granted, unsigned place) {
    return (struct ns_ring_relay *)&granted->records[NS_RECORD_RELAYS + place];
}

static void answer(const struct ns_granted *granted, unsigned place, uint32_t number, enum ns_relay_state state,
                   enum ns_answer_refused refused) {
    __atomic_store_n(&record_of(granted, place)->answer, ns_ring_relay_answer(number, (uint8_t)state, (uint8_t)refused),
                     __ATOMIC_RELEASE);
}

static uint32_t counter(const struct ns_granted *granted, unsigned reason) {
    return granted->slot * (uint32_t)NS_ANSWER_COUNTS + reason;
}

void ns_answers_begin(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    int counts = ns_programs_map(&bpfd->programs, "ns_answer_counts");
    const uint64_t none = 0;

    for (unsigned reason = 0; reason < NS_ANSWER_COUNTS; reason++) {
        uint32_t at = counter(granted, reason);

        bpf_map_update_elem(counts, &at, &none, BPF_ANY);
    }
}

/* --- the kernel's maps --- */

static struct ns_asker asker(const struct ns_bpfd *bpfd, const struct ns_granted *granted) {
    return (struct ns_asker){granted->name, &granted->rewrite, &bpfd->filters, bpfd->offload_mark, bpfd->turned_mark};
}

static int map_of(const struct ns_bpfd *bpfd, uint8_t family) {
    return ns_programs_map(&bpfd->programs, family == 4 ? "ns_answers4" : "ns_answers6");
}

static struct ns_granted_answer *found(const struct ns_granted *granted, unsigned place) {
    return granted->answers.place == NULL ? NULL : granted->answers.place[place];
}

static void finish(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned place) {
    struct ns_granted_answer *entry = found(granted, place);

    bpf_map_delete_elem(map_of(bpfd, entry->entry.family), &entry->accepted.key);
    free(entry);
    granted->answers.place[place] = NULL;
    granted->answers.used--;
    bpfd->answers--;
}

/* --- ends --- */

static void end(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned place, uint64_t *count) {
    uint32_t number = found(granted, place)->number;

    finish(bpfd, granted, place);
    answer(granted, place, number, NS_RELAY_ENDED, NS_ANSWER_REFUSED_NOT);
    ++*count;
}

void ns_answers_revoke(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    for (unsigned i = 0; i < NS_RING_RELAYS && granted->answers.used != 0; i++) {
        if (found(granted, i) != NULL)
            end(bpfd, granted, i, &granted->answers.ended_revoked);
    }
    free(granted->answers.place);
    granted->answers.place = NULL;
}

void ns_answers_check_again(struct ns_bpfd *bpfd, const struct ns_way_filters *before) {
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        struct ns_granted *granted = bpfd->granted[i];

        for (unsigned at = 0; granted != NULL && at < NS_RING_RELAYS && granted->answers.used != 0; at++) {
            struct ns_asker who = asker(bpfd, granted);

            if (found(granted, at) != NULL && !ns_answer_check_again(&found(granted, at)->entry, &who, before))
                end(bpfd, granted, at, &granted->answers.ended_revoked);
        }
    }
}

void ns_answers_sweep(struct ns_bpfd *bpfd, struct ns_granted *granted, uint64_t now) {
    for (unsigned i = 0; i < NS_RING_RELAYS && granted->answers.used != 0; i++) {
        if (found(granted, i) != NULL && now >= found(granted, i)->accepted.answer.expires)
            end(bpfd, granted, i, &granted->answers.ended_time);
    }
}

/* --- questions --- */

static bool is_full(const struct ns_bpfd *bpfd, const struct ns_granted *granted) {
    return granted->answers.used >= granted->quota * NS_ANSWERS_PER_FLOW || bpfd->answers >= NS_ANSWERS_MAX;
}

/* Writes the entry into the kernel. The program goes into its slot first. */
static enum ns_answer_refused put(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned place,
                                  struct ns_granted_answer *entry) {
    struct ns_answer *value = &entry->accepted.answer;

    value->container = (uint16_t)granted->slot;
    value->record = (uint16_t)(NS_RECORD_RELAYS + place);
    value->expires = ns_now_ns() + entry->entry.seconds * SECOND;
    ns_programs_answers(&bpfd->programs, true);
    record_of(granted, place)->to_peer = record_of(granted, place)->to_client = (struct ns_ring_way){0, 0, 0};
    if (bpf_map_update_elem(map_of(bpfd, entry->entry.family), &entry->accepted.key, value, BPF_NOEXIST) != 0)
        return errno == EEXIST ? NS_ANSWER_REFUSED_taken : NS_ANSWER_REFUSED_failed;
    granted->answers.place[place] = entry;
    granted->answers.used++;
    bpfd->answers++;
    return NS_ANSWER_REFUSED_NOT;
}

/* Takes a whole entry. What had the place before ends. */
static enum ns_answer_refused take(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned place, uint32_t number) {
    struct ns_granted_answers *answers = &granted->answers;
    struct ns_granted_answer *entry = calloc(1, sizeof *entry);
    struct ns_asker who = asker(bpfd, granted);
    enum ns_answer_refused refused = NS_ANSWER_REFUSED_failed;

    if (found(granted, place) != NULL)
        finish(bpfd, granted, place);
    if (entry == NULL || !bpfd->programs.features[NS_FEATURE_answer]) {
        free(entry);
        return refused;
    }
    entry->number = number;
    entry->entry = answers->pieces.text.entry;
    refused = ns_answer_check(&entry->accepted, &who, &answers->pieces.text, answers->pieces.length);
    if (refused == NS_ANSWER_REFUSED_NOT && is_full(bpfd, granted))
        refused = NS_ANSWER_REFUSED_quota;
    if (refused == NS_ANSWER_REFUSED_NOT)
        refused = put(bpfd, granted, place, entry);
    if (refused != NS_ANSWER_REFUSED_NOT)
        free(entry);
    return refused;
}

static void tell(struct ns_granted *granted, unsigned place, uint32_t number, enum ns_answer_refused refused) {
    if (refused == NS_ANSWER_REFUSED_NOT)
        granted->answers.taken++;
    else
        granted->answers.refused[refused]++;
    answer(granted, place, number, refused == NS_ANSWER_REFUSED_NOT ? NS_RELAY_ACTIVE : NS_RELAY_REFUSED, refused);
}

/* Collects a piece. Pieces of one question come in order, and nothing between them. */
static void collect(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_answer_ask *ask) {
    struct ns_answer_pieces *pieces = &granted->answers.pieces;
    size_t rest = (size_t)(ask->length - ask->at), count = rest < sizeof ask->bytes ? rest : sizeof ask->bytes;

    if (ask->at == 0) {
        granted->answers.asked++;
        *pieces = (struct ns_answer_pieces){.number = ask->number, .place = ask->place, .length = ask->length};
    }
    if (pieces->number != ask->number || pieces->place != ask->place || pieces->length != ask->length ||
        pieces->have != ask->at) {
        pieces->length = 0;
        return tell(granted, ask->place, ask->number, NS_ANSWER_REFUSED_malformed);
    }
    memcpy((uint8_t *)&pieces->text + ask->at, ask->bytes, count);
    pieces->have = (uint16_t)(pieces->have + count);
    if (pieces->have != pieces->length)
        return;
    tell(granted, ask->place, ask->number, take(bpfd, granted, ask->place, ask->number));
    pieces->length = 0;
}

/* Begins an entry anew. A packet that comes meanwhile meets the entry as it was, or as it is. */
static enum ns_answer_refused arm(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_answer_ask *ask) {
    struct ns_granted_answer *entry = found(granted, ask->place);
    struct ns_answer_arm arm;

    if (entry == NULL)
        return NS_ANSWER_REFUSED_gone;
    memcpy(&arm, ask->bytes, sizeof arm);
    entry->number = ask->number;
    entry->accepted.answer.budget = arm.budget;
    entry->accepted.answer.expires = ns_now_ns() + arm.seconds * SECOND;
    if (bpf_map_update_elem(map_of(bpfd, entry->entry.family), &entry->accepted.key, &entry->accepted.answer,
                            BPF_EXIST) == 0)
        return NS_ANSWER_REFUSED_NOT;
    finish(bpfd, granted, ask->place);
    return NS_ANSWER_REFUSED_failed;
}

void ns_answers_ask(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_answer_ask *ask) {
    struct ns_granted_answers *answers = &granted->answers;

    if (!ns_answer_well_formed(ask)) {
        answers->asked++;
        answers->refused[NS_ANSWER_REFUSED_malformed]++;
        if (ask->place < NS_RING_RELAYS && found(granted, ask->place) == NULL)
            answer(granted, ask->place, ask->number, NS_RELAY_REFUSED, NS_ANSWER_REFUSED_malformed);
        return;
    }
    if (answers->place == NULL)
        answers->place = calloc(NS_RING_RELAYS, sizeof *answers->place);
    if (answers->place == NULL)
        return tell(granted, ask->place, ask->number, NS_ANSWER_REFUSED_failed);
    switch (ask->what) {
    case NS_ANSWER_PUT:
        return collect(bpfd, granted, ask);
    case NS_ANSWER_ARM:
        answers->asked++;
        return tell(granted, ask->place, ask->number, arm(bpfd, granted, ask));
    default:
        if (found(granted, ask->place) != NULL)
            finish(bpfd, granted, ask->place);
        return answer(granted, ask->place, ask->number, NS_RELAY_FREE, NS_ANSWER_REFUSED_NOT);
    }
}

/* --- counters --- */

static uint64_t read_counter(const struct ns_bpfd *bpfd, const struct ns_granted *granted, unsigned reason) {
    uint32_t at = counter(granted, reason);
    uint64_t value = 0;

    bpf_map_lookup_elem(ns_programs_map(&bpfd->programs, "ns_answer_counts"), &at, &value);
    return value;
}

void ns_answers_print(const struct ns_bpfd *bpfd, const struct ns_granted *granted, FILE *out) {
    static const char *const names[] = {
#define NS_X(name, key, text) key,
        NS_ANSWER_REASONS(NS_X)
#undef NS_X
    };
    const struct ns_granted_answers *answers = &granted->answers;

    ns_line_put_number(out, "answers", answers->used);
    ns_line_put_number(out, "answers-asked", answers->asked);
    ns_line_put_number(out, "answers-taken", answers->taken);
    ns_line_put_number(out, "answers-ended-time", answers->ended_time);
    ns_line_put_number(out, "answers-ended-revoked", answers->ended_revoked);
    for (unsigned i = 0; i < NS_ANSWER_COUNTS; i++)
        ns_line_put_number(out, names[i], read_counter(bpfd, granted, i));
#define NS_X(name, text) ns_line_put_number(out, "answers-refused-" #name, answers->refused[NS_ANSWER_REFUSED_##name]);
    NS_ANSWER_REFUSALS(NS_X)
#undef NS_X
}
