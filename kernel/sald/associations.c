/* SPDX-License-Identifier: Apache-2.0 */
#include "associations.h"

#include "ns_hash.h"
#include <stdlib.h>

#define BUCKETS 2048u

enum { BY_TUPLE, BY_PEER_NAME, BY_IDS, BY_OWN, INDEXES };

bool ns_sal_associations_open(struct ns_sal_associations *associations, uint64_t seed) {
    *associations = (struct ns_sal_associations){.seed = seed};
    associations->places = calloc(NS_SAL_ASSOCIATIONS, sizeof associations->places[0]);
    associations->index = calloc((size_t)INDEXES * BUCKETS, sizeof associations->index[0]);
    TAILQ_INIT(&associations->free);
    TAILQ_INIT(&associations->ages[false]);
    TAILQ_INIT(&associations->ages[true]);
    for (unsigned i = 0; associations->places != NULL && i < NS_SAL_ASSOCIATIONS; i++)
        TAILQ_INSERT_TAIL(&associations->free, &associations->places[i], age);
    return associations->places != NULL && associations->index != NULL;
}

void ns_sal_associations_close(struct ns_sal_associations *associations) {
    free(associations->places);
    free(associations->index);
}

/* --- the indexes --- */

static uint64_t mix(const struct ns_sal_associations *associations, const void *key, size_t size) {
    return ns_hash(ns_hash(NS_HASH_FIRST, &associations->seed, sizeof associations->seed), key, size);
}

static struct ns_sal_association **bucket(const struct ns_sal_associations *associations, unsigned index,
                                          uint64_t hash) {
    return &associations->index[index * BUCKETS + (hash ^ hash >> 32) % BUCKETS];
}

static struct ns_sal_association **tuple_bucket(const struct ns_sal_associations *associations,
                                                const struct ns_sal_tuple *tuple) {
    return bucket(associations, BY_TUPLE, mix(associations, tuple, sizeof *tuple));
}

static uint16_t peer_port(const struct ns_sal_tuple *tuple) {
    uint16_t port;

    memcpy(&port, (const uint8_t *)&tuple->ports + 2, sizeof port);
    return port;
}

static bool same_peer_name(const struct ns_sal_tuple *a, const struct ns_sal_tuple *b) {
    return a->family == b->family && peer_port(a) == peer_port(b) &&
           memcmp(a->destination, b->destination, sizeof a->destination) == 0;
}

static struct ns_sal_association **name_bucket(const struct ns_sal_associations *associations,
                                               const struct ns_sal_tuple *tuple) {
    uint16_t port = peer_port(tuple);
    uint64_t hash = mix(associations, tuple->destination, sizeof tuple->destination);

    return bucket(associations, BY_PEER_NAME, ns_hash(hash, &port, sizeof port));
}

static struct ns_sal_association **ids_bucket(const struct ns_sal_associations *associations, const uint8_t *own_id,
                                              const uint8_t *peer_id) {
    return bucket(associations, BY_IDS, ns_hash(mix(associations, own_id, NS_SAL_ID), peer_id, NS_SAL_ID));
}

static struct ns_sal_association **own_bucket(const struct ns_sal_associations *associations, const uint8_t *own_id) {
    return bucket(associations, BY_OWN, mix(associations, own_id, NS_SAL_ID));
}

/* Returns the chain of an association in an index, NULL if it is not in this one. */
static struct ns_sal_association **chain_of(const struct ns_sal_associations *associations,
                                            const struct ns_sal_association *association, unsigned index) {
    switch (index) {
    case BY_TUPLE:
        return tuple_bucket(associations, &association->inner);
    case BY_PEER_NAME:
        return ns_sal_is_none(&association->peer) ? NULL : name_bucket(associations, &association->inner);
    case BY_IDS:
        return ids_bucket(associations, association->own_id, association->peer_id);
    default:
        return association->made ? own_bucket(associations, association->own_id) : NULL;
    }
}

struct ns_sal_association *ns_sal_associations_by_tuple(const struct ns_sal_associations *associations,
                                                        const struct ns_sal_tuple *tuple) {
    struct ns_sal_association *at = *tuple_bucket(associations, tuple);

    while (at != NULL && memcmp(&at->inner, tuple, sizeof *tuple) != 0)
        at = at->next[BY_TUPLE];
    return at;
}

struct ns_sal_association *ns_sal_associations_by_peer_name(const struct ns_sal_associations *associations,
                                                            const struct ns_sal_tuple *tuple) {
    struct ns_sal_association *at = *name_bucket(associations, tuple);

    while (at != NULL && !same_peer_name(&at->inner, tuple))
        at = at->next[BY_PEER_NAME];
    return at;
}

struct ns_sal_association *ns_sal_associations_by_ids(const struct ns_sal_associations *associations,
                                                      const uint8_t *own_id, const uint8_t *peer_id,
                                                      const struct ns_sal_address *peer) {
    struct ns_sal_association *at = *ids_bucket(associations, own_id, peer_id);

    while (at != NULL && (memcmp(at->own_id, own_id, NS_SAL_ID) != 0 || memcmp(at->peer_id, peer_id, NS_SAL_ID) != 0 ||
                          !(ns_sal_is_none(&at->peer) || ns_sal_same(&at->peer, peer))))
        at = at->next[BY_IDS];
    return at;
}

struct ns_sal_association *ns_sal_associations_by_own(const struct ns_sal_associations *associations,
                                                      const uint8_t *own_id) {
    struct ns_sal_association *at = *own_bucket(associations, own_id);

    while (at != NULL && memcmp(at->own_id, own_id, NS_SAL_ID) != 0)
        at = at->next[BY_OWN];
    return at;
}

/* --- life --- */

/* Returns the association that gives its place away, NULL if all are in use. */
static struct ns_sal_association *least(const struct ns_sal_associations *associations, uint64_t now) {
    struct ns_sal_association *one_way = TAILQ_FIRST(&associations->ages[false]);
    struct ns_sal_association *both = TAILQ_FIRST(&associations->ages[true]);

    if (one_way != NULL)
        return one_way;
    return both != NULL && now - both->used_at >= NS_SAL_ASSOCIATION_REST_MS ? both : NULL;
}

struct ns_sal_association *ns_sal_associations_make(struct ns_sal_associations *associations, uint64_t now) {
    struct ns_sal_association *made = TAILQ_FIRST(&associations->free);

    if (made == NULL) {
        made = least(associations, now);
        if (made == NULL)
            return NULL;
        ns_sal_associations_remove(associations, made);
    }
    TAILQ_REMOVE(&associations->free, made, age);
    *made = (struct ns_sal_association){.used_at = now};
    TAILQ_INSERT_TAIL(&associations->ages[false], made, age);
    associations->count++;
    return made;
}

void ns_sal_associations_enter(struct ns_sal_associations *associations, struct ns_sal_association *association) {
    for (unsigned i = 0; i < INDEXES; i++) {
        struct ns_sal_association **chain = chain_of(associations, association, i);

        if (chain == NULL)
            continue;
        association->next[i] = *chain;
        *chain = association;
    }
    association->listed = true;
}

static void unlink_from(struct ns_sal_association **chain, struct ns_sal_association *association, unsigned index) {
    while (*chain != NULL && *chain != association)
        chain = &(*chain)->next[index];
    if (*chain != NULL)
        *chain = association->next[index];
}

void ns_sal_associations_remove(struct ns_sal_associations *associations, struct ns_sal_association *association) {
    for (unsigned i = 0; association->listed && i < INDEXES; i++) {
        struct ns_sal_association **chain = chain_of(associations, association, i);

        if (chain != NULL)
            unlink_from(chain, association, i);
    }
    TAILQ_REMOVE(&associations->ages[association->both], association, age);
    TAILQ_INSERT_HEAD(&associations->free, association, age);
    associations->count--;
}

void ns_sal_associations_use(struct ns_sal_associations *associations, struct ns_sal_association *association,
                             bool sent, uint64_t now) {
    TAILQ_REMOVE(&associations->ages[association->both], association, age);
    association->used_at = now;
    *(sent ? &association->sent : &association->taken) = true;
    association->both = association->sent && association->taken;
    TAILQ_INSERT_TAIL(&associations->ages[association->both], association, age);
}

uint64_t ns_sal_associations_expire(struct ns_sal_associations *associations, uint64_t now) {
    uint64_t next = UINT64_MAX;

    for (unsigned both = 0; both < 2; both++) {
        struct ns_sal_association *oldest;

        while ((oldest = TAILQ_FIRST(&associations->ages[both])) != NULL &&
               now - oldest->used_at >= NS_SAL_ASSOCIATION_MS)
            ns_sal_associations_remove(associations, oldest);
        if (oldest != NULL && oldest->used_at + NS_SAL_ASSOCIATION_MS < next)
            next = oldest->used_at + NS_SAL_ASSOCIATION_MS;
    }
    return next;
}
