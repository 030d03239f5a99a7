/* SPDX-License-Identifier: Apache-2.0 */
#include "relays.h"
#include "kept.h"

#include "ns_libbpf.h"
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
                   enum ns_relay_refused refused) {
    __atomic_store_n(&record_of(granted, place)->answer, ns_ring_relay_answer(number, (uint8_t)state, (uint8_t)refused),
                     __ATOMIC_RELEASE);
}

/* Begins the numbers with 0. No relay uses the record meanwhile. */
static void clear_numbers(const struct ns_granted *granted, unsigned place) {
    struct ns_ring_relay *record = record_of(granted, place);

    record->to_peer = record->to_client = (struct ns_ring_way){0, 0, 0};
}

static uint32_t counter(const struct ns_granted *granted, unsigned reason) {
    return granted->slot * (uint32_t)NS_RELAY_COUNTS + reason;
}

void ns_relays_begin(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    int counts = ns_programs_map(&bpfd->programs, "ns_relay_counts");
    const uint64_t none = 0;

    for (unsigned i = 0; i < NS_RING_RELAYS; i++) {
        uint64_t said = record_of(granted, i)->answer;

        if (((said >> 32) & 0xff) == NS_RELAY_ACTIVE)
            answer(granted, i, (uint32_t)said, NS_RELAY_ENDED, NS_RELAY_REFUSED_NOT);
    }
    for (unsigned reason = 0; reason < NS_RELAY_COUNTS; reason++) {
        uint32_t at = counter(granted, reason);

        bpf_map_update_elem(counts, &at, &none, BPF_ANY);
    }
}

/* --- the kernel's maps --- */

static int map_of(const struct ns_bpfd *bpfd, const struct ns_relay_way *way) {
    return ns_programs_map(&bpfd->programs, way->family == 4 ? "ns_relays4" : "ns_relays6");
}

static struct ns_relay_asker asker(const struct ns_bpfd *bpfd, const struct ns_granted *granted) {
    return (struct ns_relay_asker){.listen = &granted->relays.listen,
                                   .connect = &granted->relays.connect,
                                   .node = &bpfd->node,
                                   .filters = &bpfd->filters,
                                   .mark = bpfd->turned_mark | bpfd->offload_mark,
                                   .secret = bpfd->secret};
}

/* Writes one direction. A direction that is there keeps its times, which the programs have written. */
static int write_way(const struct ns_bpfd *bpfd, struct ns_relay_way *way, uint64_t expires, uint64_t now, bool again) {
    int map = map_of(bpfd, way);
    struct ns_relay old;

    way->relay.expires = expires;
    way->relay.let_go = now;
    if (again && bpf_map_lookup_elem(map, &way->key, &old) == 0) {
        way->relay.let_go = old.let_go;
        way->relay.home = old.home;
    }
    return bpf_map_update_elem(map, &way->key, &way->relay, again ? BPF_ANY : BPF_NOEXIST);
}

static void remove_ways(const struct ns_bpfd *bpfd, const struct ns_granted *granted, const struct ns_ring_ask *ask) {
    static const struct ns_reach none;
    const struct ns_relay_asker who = {
        .listen = &none, .connect = &none, .node = &bpfd->node, .filters = &bpfd->filters};
    struct ns_relay_accepted ways;

    (void)granted;
    ns_relay_compile(&ways, &who, ask);
    bpf_map_delete_elem(map_of(bpfd, &ways.to_client), &ways.to_client.key);
    bpf_map_delete_elem(map_of(bpfd, &ways.to_peer), &ways.to_peer.key);
}

/* Adds what a relay has relayed. */
static void add_numbers(const struct ns_granted *granted, unsigned place, uint64_t *to_peer, uint64_t *to_client,
                        uint64_t *bytes) {
    const struct ns_ring_relay *record = record_of(granted, place);

    *to_peer += __atomic_load_n(&record->to_peer.packets, __ATOMIC_RELAXED);
    *to_client += __atomic_load_n(&record->to_client.packets, __ATOMIC_RELAXED);
    *bytes += __atomic_load_n(&record->to_peer.bytes, __ATOMIC_RELAXED);
    *bytes += __atomic_load_n(&record->to_client.bytes, __ATOMIC_RELAXED);
}

/* Takes the numbers of the record out of the sums, because the relay that has it from now on goes on with them. */
static void go_on_with_numbers(struct ns_granted *granted, unsigned place) {
    struct ns_granted_relays *relays = &granted->relays;
    uint64_t to_peer = 0, to_client = 0, bytes = 0;

    add_numbers(granted, place, &to_peer, &to_client, &bytes);
    relays->to_peer -= to_peer;
    relays->to_client -= to_client;
    relays->bytes -= bytes;
}

static void finish(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned place) {
    struct ns_granted_relays *relays = &granted->relays;
    struct ns_granted_relay *relay = &relays->place[place];

    remove_ways(bpfd, granted, &relay->ask);
    add_numbers(granted, place, &relays->to_peer, &relays->to_client, &relays->bytes);
    relay->used = false;
    granted->relays.used--;
    bpfd->relays--;
}

void ns_relays_end(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned place, uint64_t *count) {
    finish(bpfd, granted, place);
    answer(granted, place, granted->relays.place[place].ask.number, NS_RELAY_ENDED, NS_RELAY_REFUSED_NOT);
    ++*count;
}

/* --- questions --- */

static enum ns_relay_refused insert(struct ns_bpfd *bpfd, struct ns_relay_accepted *ways, uint64_t expires,
                                    uint64_t now, bool again) {
    if (write_way(bpfd, &ways->to_peer, expires, now, again) != 0)
        return errno == EEXIST ? NS_RELAY_REFUSED_taken : NS_RELAY_REFUSED_failed;
    if (write_way(bpfd, &ways->to_client, expires, now, again) == 0)
        return NS_RELAY_REFUSED_NOT;
    if (again)
        return NS_RELAY_REFUSED_failed;
    now = (uint64_t)errno;
    bpf_map_delete_elem(map_of(bpfd, &ways->to_peer), &ways->to_peer.key);
    return now == EEXIST ? NS_RELAY_REFUSED_taken : NS_RELAY_REFUSED_failed;
}

/*
 * Tells whether the container, or the node, has as many relays as it may. Kept relays count, too. One that is taken
 * over is not a further one.
 */
static bool is_full(const struct ns_bpfd *bpfd, const struct ns_granted *granted, bool taken_over) {
    unsigned used = granted->relays.used + (taken_over ? 0 : ns_kept_used(bpfd, granted->name));

    return used >= granted->quota * NS_RELAYS_PER_FLOW || (!taken_over && bpfd->relays >= NS_FLOWS_MAX / 2);
}

/* Puts the relay into the kernel. A relay that is kept gives way to a question of its own publisher. */
static enum ns_relay_refused put(struct ns_bpfd *bpfd, const struct ns_granted *granted, struct ns_relay_accepted *ways,
                                 const struct ns_ring_ask *ask, uint64_t expires, bool again) {
    uint64_t now = ns_now_ns();
    enum ns_relay_refused refused;

    ways->to_peer.relay.container = ways->to_client.relay.container = (uint16_t)granted->slot;
    ways->to_peer.relay.record = ways->to_client.relay.record = (uint16_t)(NS_RECORD_RELAYS + ask->place);
    ns_programs_relays(&bpfd->programs, true);
    refused = insert(bpfd, ways, expires, now, again);
    if (refused == NS_RELAY_REFUSED_taken && ns_kept_yield(bpfd, granted->name, ask))
        refused = insert(bpfd, ways, expires, now, again);
    return refused;
}

/* --- taking over: the record goes on with what the relay has relayed since the container's end --- */

/* Hands on the times, before the programs use the new record: they relay to a client only while it is heard. */
static void hand_on_times(const struct ns_ring_relay *from, struct ns_ring_relay *to) {
    to->to_peer.last_usec = __atomic_load_n(&from->to_peer.last_usec, __ATOMIC_RELAXED);
    to->to_client.last_usec = __atomic_load_n(&from->to_client.last_usec, __ATOMIC_RELAXED);
}

static void move_number(uint64_t *from, uint64_t *to) {
    __atomic_fetch_add(to, __atomic_exchange_n(from, 0, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

/* Hands on the numbers, when the programs use the new record. They may have begun to count there. */
static void hand_on_numbers(struct ns_ring_relay *from, struct ns_ring_relay *to) {
    move_number(&from->to_peer.packets, &to->to_peer.packets);
    move_number(&from->to_peer.bytes, &to->to_peer.bytes);
    move_number(&from->to_client.packets, &to->to_client.packets);
    move_number(&from->to_client.bytes, &to->to_client.bytes);
}

/* Takes a relay. What had the place before ends, unless it is refreshed. */
static enum ns_relay_refused take(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_ring_ask *ask) {
    struct ns_granted_relays *relays = &granted->relays;
    struct ns_relay_asker who = asker(bpfd, granted);
    struct ns_granted_relay *relay = &relays->place[ask->place];
    bool again = relay->used && ask->what == NS_RELAY_REFRESH && ns_relay_same(&relay->ask, ask);
    uint64_t now = ns_now_ns(), expires = now + ask->seconds * SECOND;
    struct ns_kept_relay kept = {NULL, 0};
    struct ns_relay_accepted ways;
    enum ns_relay_refused refused;

    if (relay->used && !again)
        finish(bpfd, granted, ask->place);
    if (ask->what == NS_RELAY_BIND)
        clear_numbers(granted, ask->place);
    refused = ns_relay_check(&ways, &who, ask);
    if (!again)
        kept = ns_kept_find(bpfd, granted->name, ask);
    if (refused == NS_RELAY_REFUSED_NOT && !again && is_full(bpfd, granted, kept.granted != NULL))
        refused = NS_RELAY_REFUSED_quota;
    if (kept.granted != NULL)
        hand_on_times(record_of(kept.granted, kept.place), record_of(granted, ask->place));
    if (refused == NS_RELAY_REFUSED_NOT)
        refused = put(bpfd, granted, &ways, ask, expires, again || kept.granted != NULL);
    if (refused != NS_RELAY_REFUSED_NOT) {
        if (again)
            finish(bpfd, granted, ask->place);
        if (kept.granted != NULL)
            ns_relays_end(bpfd, kept.granted, kept.place, &kept.granted->relays.ended_revoked);
        return refused;
    }
    if (!again)
        go_on_with_numbers(granted, ask->place);
    *relay = (struct ns_granted_relay){true, expires, *ask};
    relays->used += !again;
    bpfd->relays += !again;
    if (kept.granted != NULL) {
        hand_on_numbers(record_of(kept.granted, kept.place), record_of(granted, ask->place));
        ns_kept_taken_over(bpfd, kept);
    }
    return NS_RELAY_REFUSED_NOT;
}

static void unbind(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_ring_ask *ask) {
    if (granted->relays.place != NULL && granted->relays.place[ask->place].used)
        finish(bpfd, granted, ask->place);
    answer(granted, ask->place, ask->number, NS_RELAY_FREE, NS_RELAY_REFUSED_NOT);
}

void ns_relays_ask(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_ring_ask *ask) {
    struct ns_granted_relays *relays = &granted->relays;
    enum ns_relay_refused refused = NS_RELAY_REFUSED_failed;

    relays->asked++;
    if (!ns_relay_well_formed(ask)) {
        relays->refused[NS_RELAY_REFUSED_malformed]++;
        if (ask->magic == NS_RELAY_MAGIC && ask->place < NS_RING_RELAYS &&
            (relays->place == NULL || !relays->place[ask->place].used))
            answer(granted, ask->place, ask->number, NS_RELAY_REFUSED, NS_RELAY_REFUSED_malformed);
        return;
    }
    if (ask->what == NS_RELAY_UNBIND)
        return unbind(bpfd, granted, ask);
    if (relays->place == NULL)
        relays->place = calloc(NS_RING_RELAYS, sizeof *relays->place);
    if (relays->place != NULL)
        refused = take(bpfd, granted, ask);
    if (refused == NS_RELAY_REFUSED_NOT)
        relays->taken++;
    else
        relays->refused[refused]++;
    answer(granted, ask->place, ask->number, refused == NS_RELAY_REFUSED_NOT ? NS_RELAY_ACTIVE : NS_RELAY_REFUSED,
           refused);
}

/* --- ends --- */

void ns_relays_revoke(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    for (unsigned i = 0; i < NS_RING_RELAYS && granted->relays.used != 0; i++) {
        if (granted->relays.place[i].used)
            ns_relays_end(bpfd, granted, i, &granted->relays.ended_revoked);
    }
    free(granted->relays.place);
    granted->relays.place = NULL;
}

void ns_relays_check_container(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    struct ns_relay_asker who = asker(bpfd, granted);
    struct ns_relay_accepted ways;

    for (unsigned at = 0; at < NS_RING_RELAYS && granted->relays.used != 0; at++) {
        struct ns_granted_relay *relay = &granted->relays.place[at];

        if (relay->used && ns_relay_check(&ways, &who, &relay->ask) != NS_RELAY_REFUSED_NOT)
            ns_relays_end(bpfd, granted, at, &granted->relays.ended_revoked);
    }
}

void ns_relays_check_again(struct ns_bpfd *bpfd) {
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        if (bpfd->granted[i] != NULL)
            ns_relays_check_container(bpfd, bpfd->granted[i]);
    }
}

void ns_relays_yield(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_reach *listen) {
    for (unsigned at = 0; at < NS_RING_RELAYS && granted->relays.used != 0; at++) {
        const struct ns_granted_relay *relay = &granted->relays.place[at];
        const struct ns_ring_ask *ask = &relay->ask;

        if (relay->used && (ns_reach_has(listen, ask->client, ask->server_address, ask->server_port) ||
                            ns_reach_has(listen, ask->peer, ask->relayed_address, ask->relayed_port)))
            ns_relays_end(bpfd, granted, at, &granted->relays.ended_revoked);
    }
}

void ns_relays_begin_numbers(const struct ns_granted *granted) {
    for (unsigned at = 0; at < NS_RING_RELAYS && granted->relays.place != NULL; at++) {
        struct ns_ring_relay none = {0};

        if (granted->relays.place[at].used)
            hand_on_numbers(record_of(granted, at), &none);
    }
}

static void bound_way(const struct ns_bpfd *bpfd, const struct ns_relay_way *way, uint64_t expires, uint64_t now) {
    int map = map_of(bpfd, way);
    struct ns_relay relay;

    if (bpf_map_lookup_elem(map, &way->key, &relay) != 0)
        return;
    relay.expires = expires;
    relay.let_go = now;
    relay.unasked = way->relay.unasked;
    bpf_map_update_elem(map, &way->key, &relay, BPF_EXIST);
}

void ns_relays_bound(struct ns_bpfd *bpfd, struct ns_granted *granted, uint64_t until, uint64_t now) {
    struct ns_relay_asker who = asker(bpfd, granted);

    for (unsigned at = 0; at < NS_RING_RELAYS && granted->relays.place != NULL; at++) {
        struct ns_granted_relay *relay = &granted->relays.place[at];
        struct ns_relay_accepted ways;

        if (!relay->used)
            continue;
        relay->expires = relay->expires < until ? relay->expires : until;
        ns_relay_compile(&ways, &who, &relay->ask);
        bound_way(bpfd, &ways.to_peer, relay->expires, now);
        bound_way(bpfd, &ways.to_client, relay->expires, now);
    }
}

void ns_relays_sweep(struct ns_bpfd *bpfd, struct ns_granted *granted, uint64_t now) {
    for (unsigned i = 0; i < NS_RING_RELAYS && granted->relays.used != 0; i++) {
        if (granted->relays.place[i].used && now >= granted->relays.place[i].expires)
            ns_relays_end(bpfd, granted, i, &granted->relays.ended_time);
    }
}

/* --- counters --- */

static uint64_t read_counter(const struct ns_bpfd *bpfd, const struct ns_granted *granted, unsigned reason) {
    uint32_t at = counter(granted, reason);
    uint64_t value = 0;

    bpf_map_lookup_elem(ns_programs_map(&bpfd->programs, "ns_relay_counts"), &at, &value);
    return value;
}

void ns_relays_print(const struct ns_bpfd *bpfd, const struct ns_granted *granted, FILE *out) {
    static const char *const names[] = {
#define NS_X(name, key, text) key,
        NS_RELAY_REASONS(NS_X)
#undef NS_X
    };
    const struct ns_granted_relays *relays = &granted->relays;
    uint64_t to_peer = relays->to_peer, to_client = relays->to_client, bytes = relays->bytes;

    for (unsigned i = 0; relays->used != 0 && i < NS_RING_RELAYS; i++) {
        if (relays->place[i].used)
            add_numbers(granted, i, &to_peer, &to_client, &bytes);
    }
    ns_line_put_number(out, "relays", relays->used);
    ns_line_put_number(out, "relay-to-peer", to_peer);
    ns_line_put_number(out, "relay-to-client", to_client);
    ns_line_put_number(out, "relay-bytes", bytes);
    ns_line_put_number(out, "relay-asked", relays->asked);
    ns_line_put_number(out, "relay-taken", relays->taken);
    ns_line_put_number(out, "relay-ended-time", relays->ended_time);
    ns_line_put_number(out, "relay-ended-revoked", relays->ended_revoked);
    ns_kept_print(bpfd, granted->name, out);
    for (unsigned i = 0; i < NS_RELAY_COUNTS; i++)
        ns_line_put_number(out, names[i], read_counter(bpfd, granted, i));
#define NS_X(name, text) ns_line_put_number(out, "relay-refused-" #name, relays->refused[NS_RELAY_REFUSED_##name]);
    NS_RELAY_REFUSALS(NS_X)
#undef NS_X
}
