/* SPDX-License-Identifier: Apache-2.0 */
#include "held.h"

#include "ns_hash.h"
#include <stdlib.h>

enum { BY_ID, BY_TUPLE, BY_CLIENT, INDEXES };

bool ns_sal_flows_open(struct ns_sal_flows *flows, uint64_t seed, size_t room) {
    *flows = (struct ns_sal_flows){.seed = seed, .room = room, .heap = calloc(room, sizeof(struct ns_sal_held *))};
    for (unsigned i = 0; i < INDEXES; i++)
        flows->index[i] = calloc(NS_SAL_BUCKETS, sizeof(struct ns_sal_held *));
    return flows->heap != NULL && flows->index[0] != NULL && flows->index[1] != NULL && flows->index[2] != NULL;
}

void ns_sal_flows_close(struct ns_sal_flows *flows) {
    while (flows->count > 0)
        ns_sal_flows_remove(flows, flows->heap[0]);
    for (unsigned i = 0; i < INDEXES; i++)
        free(flows->index[i]);
    free(flows->heap);
}

/* --- the indexes --- */

static struct ns_sal_held **bucket(const struct ns_sal_flows *flows, unsigned index, const void *key, size_t size) {
    uint64_t hash = ns_hash(ns_hash(NS_HASH_FIRST, &flows->seed, sizeof flows->seed), key, size);

    return &flows->index[index][(hash ^ hash >> 32) % NS_SAL_BUCKETS];
}

static struct ns_sal_held **client_bucket(const struct ns_sal_flows *flows, const struct ns_sal_client *client) {
    uint8_t key[30];

    memcpy(key, client->address.ip, 16);
    memcpy(key + 16, &client->address.port, 2);
    memcpy(key + 18, &client->flow, 4);
    memcpy(key + 22, &client->nonce, 8);
    return bucket(flows, BY_CLIENT, key, sizeof key);
}

static bool same_client(const struct ns_sal_client *a, const struct ns_sal_client *b) {
    return a->flow == b->flow && a->nonce == b->nonce && ns_sal_same(&a->address, &b->address);
}

static struct ns_sal_held **chain_of(const struct ns_sal_flows *flows, const struct ns_sal_held *held, unsigned index) {
    const struct ns_sal_kept *kept = &held->kept;

    switch (index) {
    case BY_ID:
        return bucket(flows, BY_ID, &kept->flow.id, sizeof kept->flow.id);
    case BY_TUPLE:
        return kept->inner.family == 0 ? NULL : bucket(flows, BY_TUPLE, &kept->inner, sizeof kept->inner);
    default:
        return kept->client.flow == 0 ? NULL : client_bucket(flows, &kept->client);
    }
}

struct ns_sal_held *ns_sal_flows_by_id(const struct ns_sal_flows *flows, uint32_t id) {
    struct ns_sal_held *held = *bucket(flows, BY_ID, &id, sizeof id);

    while (held != NULL && held->kept.flow.id != id)
        held = held->next[BY_ID];
    return held;
}

struct ns_sal_held *ns_sal_flows_by_tuple(const struct ns_sal_flows *flows, const struct ns_sal_tuple *tuple) {
    struct ns_sal_held *held = *bucket(flows, BY_TUPLE, tuple, sizeof *tuple);

    while (held != NULL && memcmp(&held->kept.inner, tuple, sizeof *tuple) != 0)
        held = held->next[BY_TUPLE];
    return held;
}

struct ns_sal_held *ns_sal_flows_by_client(const struct ns_sal_flows *flows, const struct ns_sal_client *client) {
    struct ns_sal_held *held = *client_bucket(flows, client);

    while (held != NULL && !same_client(&held->kept.client, client))
        held = held->next[BY_CLIENT];
    return held;
}

/* --- the heap --- */

uint64_t ns_sal_held_due_at(const struct ns_sal_held *held) {
    uint64_t at = ns_sal_flow_due_at(&held->kept.flow);

    if (held->kept.wake_at < at)
        at = held->kept.wake_at;
    return held->kept.again_at < at ? held->kept.again_at : at;
}

static void put(struct ns_sal_flows *flows, size_t place, struct ns_sal_held *held) {
    flows->heap[place] = held;
    held->place = place;
}

static void sink(struct ns_sal_flows *flows, struct ns_sal_held *held) {
    size_t place = held->place;

    for (size_t child; (child = 2 * place + 1) < flows->count; place = child) {
        if (child + 1 < flows->count &&
            ns_sal_held_due_at(flows->heap[child + 1]) < ns_sal_held_due_at(flows->heap[child]))
            child++;
        if (ns_sal_held_due_at(held) <= ns_sal_held_due_at(flows->heap[child]))
            break;
        put(flows, place, flows->heap[child]);
    }
    put(flows, place, held);
}

static void rise(struct ns_sal_flows *flows, struct ns_sal_held *held) {
    size_t place = held->place;

    for (size_t parent;
         place > 0 && ns_sal_held_due_at(held) < ns_sal_held_due_at(flows->heap[parent = (place - 1) / 2]);
         place = parent)
        put(flows, place, flows->heap[parent]);
    put(flows, place, held);
}

void ns_sal_flows_schedule(struct ns_sal_flows *flows, struct ns_sal_held *held) {
    rise(flows, held);
    sink(flows, held);
}

struct ns_sal_held *ns_sal_flows_first(const struct ns_sal_flows *flows) {
    return flows->count == 0 ? NULL : flows->heap[0];
}

/* --- life --- */

struct ns_sal_held *ns_sal_flows_after(const struct ns_sal_flows *flows, const struct ns_sal_held *held) {
    return held == NULL ? flows->first : held->after;
}

static void append(struct ns_sal_flows *flows, struct ns_sal_held *held) {
    held->before = flows->last;
    *(flows->last == NULL ? &flows->first : &flows->last->after) = held;
    flows->last = held;
}

static void take_out(struct ns_sal_flows *flows, const struct ns_sal_held *held) {
    *(held->before == NULL ? &flows->first : &held->before->after) = held->after;
    *(held->after == NULL ? &flows->last : &held->after->before) = held->before;
}

struct ns_sal_held *ns_sal_flows_make(struct ns_sal_flows *flows) {
    struct ns_sal_held *held = flows->count == flows->room ? NULL : calloc(1, sizeof *held);

    if (held != NULL) {
        held->kept.flow.channel.due_at = held->kept.flow.mobility.answer_at = held->kept.flow.wait_until = NS_SAL_NEVER;
        held->kept.wake_at = held->kept.again_at = NS_SAL_NEVER;
        held->kept.mtu_step = flows->mtu_step;
        put(flows, flows->count++, held);
        append(flows, held);
    }
    return held;
}

void ns_sal_flows_enter(struct ns_sal_flows *flows, struct ns_sal_held *held) {
    for (unsigned i = 0; i < INDEXES; i++) {
        struct ns_sal_held **chain = chain_of(flows, held, i);

        if (chain == NULL)
            continue;
        held->next[i] = *chain;
        *chain = held;
    }
    held->listed = true;
    ns_sal_flows_schedule(flows, held);
}

static void unlink_from(struct ns_sal_held **chain, struct ns_sal_held *held, unsigned index) {
    while (*chain != NULL && *chain != held)
        chain = &(*chain)->next[index];
    if (*chain != NULL)
        *chain = held->next[index];
}

void ns_sal_flows_remove(struct ns_sal_flows *flows, struct ns_sal_held *held) {
    struct ns_sal_held *last;

    for (unsigned i = 0; held->listed && i < INDEXES; i++) {
        struct ns_sal_held **chain = chain_of(flows, held, i);

        if (chain != NULL)
            unlink_from(chain, held, i);
    }
    take_out(flows, held);
    last = flows->heap[--flows->count];
    if (last != held) {
        put(flows, held->place, last);
        ns_sal_flows_schedule(flows, last);
    }
    free(held);
}
