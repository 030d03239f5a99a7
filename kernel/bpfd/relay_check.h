/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay_check.h - decides whether the kernel may relay a channel of a TURN server. Neither pktio nor the container is
 * trusted. Pure.
 *
 *     client -> server    the server is in the container's listen grants, and an address of the node
 *     relayed -> peer     the relayed address likewise; the peer is in the connect grants
 *
 * The firewall lets a container answer everybody who has sent to it, and open flows to its connect grants only. A
 * client that is in no connect grant therefore gets data of the peer only while it sends ChannelData itself; the
 * programs see to that.
 */
#ifndef NS_BPFD_RELAY_CHECK_H
#define NS_BPFD_RELAY_CHECK_H

#include "check.h"
#include "reach.h"

struct ns_relay_asker {
    const struct ns_reach *listen, *connect;
    const struct ns_node *node;
    const struct ns_way_filters *filters;
    uint32_t mark;   /* of relayed packets, in tc */
    uint32_t secret; /* makes the flow labels of IPv6 hard to guess */
};

/* One direction for the programs: its key, and its decision without expires, container and record. */
struct ns_relay_way {
    uint8_t family; /* of the packets as they arrive: chooses the map and the key */
    union {
        struct ns_key4 v4;
        struct ns_key6 v6;
    } key;
    struct ns_relay relay;
};

struct ns_relay_accepted {
    struct ns_relay_way to_peer, to_client;
};

/*
 * Tells whether a question is well formed. Only then its place and number are valid, and the record can be answered.
 */
bool ns_relay_well_formed(const struct ns_ring_ask *ask);

/* Checks a well-formed BIND or REFRESH. Fills in `accepted` if it returns NS_RELAY_REFUSED_NOT. */
enum ns_relay_refused ns_relay_check(struct ns_relay_accepted *accepted, const struct ns_relay_asker *asker,
                                     const struct ns_ring_ask *ask);

/* Fills in both directions, without any check. */
void ns_relay_compile(struct ns_relay_accepted *accepted, const struct ns_relay_asker *asker,
                      const struct ns_ring_ask *ask);

/* Tells whether two questions are about the same channel, in all addresses. */
bool ns_relay_same(const struct ns_ring_ask *a, const struct ns_ring_ask *b);

/* Tells whether two questions want the same packets: of the client by the channel, or of the peer. */
bool ns_relay_clashes(const struct ns_ring_ask *a, const struct ns_ring_ask *b);

#endif
