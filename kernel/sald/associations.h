/* SPDX-License-Identifier: Apache-2.0 */
/*
 * associations.h - the conversations of datagrams: each joins a socket of a local program with one of a peer. An
 * association has a serviceID and an address at each end, and the names under which the local stack knows both.
 *
 *     program's socket  <-- inner.source   own_id,  own  |  peer_id, peer   inner.destination -->  stand-in of the peer
 *
 * They are bounded. If there is no room, the oldest one goes that has seen datagrams of one direction alone. So a flood
 * of datagrams takes no place from a program that answers. If the program has answered the flood, the oldest one goes
 * that is at rest, so that new peers wait for 30 s at most.
 */
#ifndef NS_SALD_ASSOCIATIONS_H
#define NS_SALD_ASSOCIATIONS_H

#include "ns_sal.h"
#include "packet.h"
#include <sys/queue.h>

#define NS_SAL_ASSOCIATIONS 4096u
#define NS_SAL_ASSOCIATION_MS 180000u /* without a datagram, after which it is over: beyond a NAT's 2 min (RFC 4787) */
#define NS_SAL_ASSOCIATION_REST_MS 30000u /* after which one that has answered gives its place to a new one */

struct ns_sal_association {
    struct ns_sal_tuple inner; /* as the local stack sends */
    uint8_t own_id[NS_SAL_ID], peer_id[NS_SAL_ID];
    struct ns_sal_address own;      /* none: by the route to the peer */
    struct ns_sal_address peer;     /* none: by the service table, each datagram anew */
    struct ns_sal_address instance; /* the last one to answer, for a connected socket */
    uint32_t flow;                  /* the source flowID of its datagrams, which is no flow */
    bool made;                      /* sald has made own_id, so that only peers of this association know it */
    bool connected;                 /* the program's socket is */
    bool sent, taken;               /* it has had datagrams of this direction */
    uint64_t used_at, answered_at;
    /* of the table alone */
    struct ns_sal_association *next[4];
    TAILQ_ENTRY(ns_sal_association) age;
    bool both, listed;
};

TAILQ_HEAD(ns_sal_ages, ns_sal_association);

struct ns_sal_associations {
    struct ns_sal_association *places;
    struct ns_sal_association **index; /* four times as many chains as buckets */
    struct ns_sal_ages free, ages[2];  /* the least recently used first: of one direction, of both */
    unsigned count;
    uint64_t seed;  /* of the hashes, so that no peer makes long chains */
    unsigned names; /* given to peers so far */
};

/* Returns false without memory. */
bool ns_sal_associations_open(struct ns_sal_associations *associations, uint64_t seed);
void ns_sal_associations_close(struct ns_sal_associations *associations);

/* Makes an association that no index has. Returns NULL if all have had both directions lately. */
struct ns_sal_association *ns_sal_associations_make(struct ns_sal_associations *associations, uint64_t now);

/* Enters it in the indexes by its keys as they are now. */
void ns_sal_associations_enter(struct ns_sal_associations *associations, struct ns_sal_association *association);

/* Notes a datagram of an association that is entered. */
void ns_sal_associations_use(struct ns_sal_associations *associations, struct ns_sal_association *association,
                             bool sent, uint64_t now);

/* Takes it out of all indexes. Its place is free again. */
void ns_sal_associations_remove(struct ns_sal_associations *associations, struct ns_sal_association *association);

/* Finds the association of these names of the local stack. */
struct ns_sal_association *ns_sal_associations_by_tuple(const struct ns_sal_associations *associations,
                                                        const struct ns_sal_tuple *tuple);

/* Finds an association with this stand-in for a peer of one address, whatever the local socket. */
struct ns_sal_association *ns_sal_associations_by_peer_name(const struct ns_sal_associations *associations,
                                                            const struct ns_sal_tuple *tuple);

/* Finds the association of both serviceIDs, whose peer has this address or any. */
struct ns_sal_association *ns_sal_associations_by_ids(const struct ns_sal_associations *associations,
                                                      const uint8_t *own_id, const uint8_t *peer_id,
                                                      const struct ns_sal_address *peer);

/* Finds an association for which sald has made this serviceID, whatever the peer. */
struct ns_sal_association *ns_sal_associations_by_own(const struct ns_sal_associations *associations,
                                                      const uint8_t *own_id);

/* Ends what was not used for long. Returns when to call again, UINT64_MAX if there are none. */
uint64_t ns_sal_associations_expire(struct ns_sal_associations *associations, uint64_t now);

#endif
