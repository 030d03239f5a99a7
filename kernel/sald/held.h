/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held.h - the flows of a host, found by flowID, by the names of their connection and by their client, and in the order
 * in which they are due. The content of a flow is plain data, which a map keeps for the next sald.
 */
#ifndef NS_SALD_HELD_H
#define NS_SALD_HELD_H

#include "flow.h"
#include "segment.h"

/* The key of a server's flow. The nonce counts because the published stack begins with flowID 2 at each start. */
struct ns_sal_client {
    struct ns_sal_address address;
    uint32_t flow;
    uint64_t nonce;
};

struct ns_sal_kept {
    struct ns_sal_flow flow;
    struct ns_sal_tuple inner;
    bool datagrams;                   /* UDP is the transport, and sald carries it itself */
    bool ordered;                     /* an order has moved it to its address, where it stays */
    bool moved;                       /* data leave in UDP again: no firewall on the new way has seen a SYN */
    struct ns_sal_tuple native;       /* names of the peer's segments in the native form, family 0 = it has none */
    struct ns_sal_client client;      /* of a server */
    uint32_t interface;               /* by which data leave */
    bool elsewhere;                   /* they came by another one, by which the programs would answer */
    struct ns_sal_address told_peer;  /* to which the kernel sends data, */
    uint32_t told_interface;          /* and by which interface */
    bool has_message;                 /* `message` waits for its segment */
    struct ns_sal_outgoing message;   /* SYN, SYN-ACK or handshake ACK */
    uint8_t way[NS_SAL_WAY_MAX];      /* of the SYN with this host's address, way[1] is 0 without one; then tickets */
    struct ns_sal_address back;       /* sender of the last SYN, if its way has tickets: the SYN-ACK goes there */
    unsigned syns;                    /* of a client, that have been sent */
    uint8_t segment[NS_SAL_TCP_MOST]; /* the last one of the set-up that the local stack sent */
    uint8_t segment_length;
    uint64_t again_at;  /* when a client's acknowledgement goes once more, unless its server has sent by then */
    unsigned agains;    /* times that it went once more */
    unsigned wakes;     /* times that the local TCP was woken */
    unsigned mtu_step;  /* of the MTU that the local TCP was told last, or may have begun with */
    uint64_t wake_at;   /* when to look whether it has sent, */
    uint64_t woken;     /* and its bytes until it was woken */
    bool silent;        /* nothing came from the peer for a while before the move, so what was under way is lost */
    uint64_t active_ms; /* when the flow was last seen to be used */
    uint64_t packets;   /* as counted then */
};

struct ns_sal_held {
    struct ns_sal_kept kept;
    struct ns_sal_held *next[3];        /* in the three indexes */
    struct ns_sal_held *before, *after; /* in the order of making */
    size_t place;                       /* in the heap */
    bool listed;
    bool request; /* its client has not acknowledged */
    bool cut;     /* there was no route to its peer */
    uint64_t again_second;
    unsigned again; /* packets in that second that went to the kernel's programs once more */
};

struct ns_sal_flows {
    struct ns_sal_held **index[3]; /* NS_SAL_BUCKETS chains each */
    struct ns_sal_held **heap;     /* the flow that is due first comes first */
    struct ns_sal_held *first, *last;
    size_t count, room;
    uint64_t seed;     /* of the hashes, so that no peer makes long chains */
    unsigned mtu_step; /* of the smallest MTU that any local TCP was told */
    uint64_t mtu_at;   /* when, in milliseconds */
};

#define NS_SAL_BUCKETS 16384u

/* Returns false without memory. */
bool ns_sal_flows_open(struct ns_sal_flows *flows, uint64_t seed, size_t room);
void ns_sal_flows_close(struct ns_sal_flows *flows);

/* Makes a flow that no index has. Returns NULL if there are as many as there may be. */
struct ns_sal_held *ns_sal_flows_make(struct ns_sal_flows *flows);

/* Enters a flow in the indexes by its keys as they are now. A key of zeros is not entered. */
void ns_sal_flows_enter(struct ns_sal_flows *flows, struct ns_sal_held *held);

/* Takes a flow out of all indexes and frees it. */
void ns_sal_flows_remove(struct ns_sal_flows *flows, struct ns_sal_held *held);

struct ns_sal_held *ns_sal_flows_by_id(const struct ns_sal_flows *flows, uint32_t id);
struct ns_sal_held *ns_sal_flows_by_tuple(const struct ns_sal_flows *flows, const struct ns_sal_tuple *tuple);
struct ns_sal_held *ns_sal_flows_by_client(const struct ns_sal_flows *flows, const struct ns_sal_client *client);

/*
 * Returns the flow that was made next, or the oldest one for NULL. A flow keeps its place in this order until it is
 * removed, while the heap changes with each call of a flow. So all flows are visited in this order.
 */
struct ns_sal_held *ns_sal_flows_after(const struct ns_sal_flows *flows, const struct ns_sal_held *held);

/* Puts a flow to its place in time after its machines have changed. */
void ns_sal_flows_schedule(struct ns_sal_flows *flows, struct ns_sal_held *held);

/* Returns when a flow is due, NS_SAL_NEVER if it is not. */
uint64_t ns_sal_held_due_at(const struct ns_sal_held *held);

/* Returns the flow that is due first, NULL if there is none. */
struct ns_sal_held *ns_sal_flows_first(const struct ns_sal_flows *flows);

#endif
