/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * ns_sal_set_up.h - the maps by which the programs set flows up without a wake of sald (docs/protocols/sald.md,
 * "Set-up by the programs"). The numbers of such a flow are in a slot that sald has filled with random ones:
 *
 *     sald: FREE --> program: SYN --> ANSWERED --> OPEN --> sald: FREE again, and the flow is one of its own
 *
 * A program and sald change the stage by compare-and-swap, so each slot has one owner at a time. sald may take a slot
 * over in any stage but BUSY. Programs hand it all packets of a slot that they do not expect.
 *
 * Addresses, ports, flowIDs and nonces are in network order, as in ns_sal.h; vernos are in host order.
 */
#ifndef NS_SAL_SET_UP_H
#define NS_SAL_SET_UP_H

#include "ns_sal.h"

#define NS_SAL_OUT_SLOTS                                                                                               \
    128u                    /* flows of this host's programs that are set up at once, and no more than sald has seen */
#define NS_SAL_IN_SLOTS 64u /* the same of clients: the bound of half-open flows; the last slots */
#define NS_SAL_SLOTS (NS_SAL_OUT_SLOTS + NS_SAL_IN_SLOTS)
#define NS_SAL_PREPARED 1024u    /* surrogates with a target, and services with a listener */
#define NS_SAL_LIST_MOST 84u     /* bytes of a list of hops that a program reads: 4 entries of HOPS */
#define NS_SAL_LIST_ROOM 128u    /* with the own address behind it */
#define NS_SAL_SEGMENT_ROOM 64u  /* bytes that hold any header of TCP */
#define NS_SAL_MESSAGE_BYTES 32u /* of a SAL header with CONTROL */
#define NS_SAL_OPENING_BYTES 68u /* of one with CONTROL and SERVICE */

enum ns_sal_stage {
    NS_SAL_STAGE_FREE,     /* sald has filled it, and its number is in the queue */
    NS_SAL_STAGE_BUSY,     /* a program writes it at this moment */
    NS_SAL_STAGE_FAILED,   /* no flow came of it */
    NS_SAL_STAGE_SYN,      /* client: the SYN has left; server: the local TCP has it */
    NS_SAL_STAGE_ANSWERED, /* client: the local TCP has the SYN-ACK; server: the SYN-ACK has left */
    NS_SAL_STAGE_OPEN,     /* the acknowledgement has passed */
    NS_SAL_STAGE_TAKEN,    /* sald makes the flow its own */
};

struct ns_sal_slot {
    uint32_t stage; /* enum ns_sal_stage */
    /* by sald */
    uint32_t own;   /* flowID */
    uint32_t verno; /* of this end's SYN or SYN-ACK */
    uint32_t client4;
    uint64_t nonce;
    uint32_t client6[4]; /* the client's name for a local server, in both families, */
    uint16_t client_port;
    /* by the programs */
    uint16_t own_port, peer_port;
    uint8_t family; /* of the addresses */
    uint8_t peer_abilities;
    uint64_t began_ns, answered_ns, opened_ns; /* CLOCK_MONOTONIC */
    struct ns_sal_tuple inner;
    uint32_t own_address[4], peer_address[4]; /* the peer is the target until the SYN-ACK has come */
    uint32_t interface;
    uint32_t peer_flow, peer_verno;
    uint32_t capability; /* of the client, as in its acknowledgement */
    uint64_t peer_nonce;
    uint8_t list_length, segment_length, zero[6];
    uint8_t service[32];
    uint8_t list[NS_SAL_LIST_ROOM];       /* SOURCE or HOPS of the SYN, and the own address behind it */
    uint8_t segment[NS_SAL_SEGMENT_ROOM]; /* the last header of TCP that the local stack sent */
};

/* The one element of ns_set_state. */
struct ns_sal_set_up {
    uint32_t generation; /* targets and listeners of another one do not count */
    uint32_t serve;      /* 0: sald has too many requests, so all SYNs are its own */
    uint32_t armed;      /* the next slot in use wakes sald */
    uint32_t abilities;  /* of this end */
};

/* The way of a SYN to the service of a surrogate. Key of ns_set_targets is the surrogate's number. */
struct ns_sal_target {
    uint64_t until_ns;
    uint32_t generation, interface;
    uint32_t own_address[4], peer_address[4];
    uint16_t own_port, peer_port;
    uint32_t family;
    uint8_t service[32];
};

/* Key of ns_set_listeners: a whole serviceID, and the address of this host to which its SYN comes. */
struct ns_sal_listener_key {
    uint8_t service[32];
    uint32_t address[4];
};

struct ns_sal_listener {
    uint64_t until_ns;
    uint32_t generation;
    uint32_t address[4]; /* of the listener's stack */
    uint32_t family;
    uint16_t port;
    uint16_t zero[3];
};

/* Key of ns_set_clients, whose value is the own flowID: a copy of a SYN is no SYN of a new flow. */
struct ns_sal_client_key {
    uint32_t address[4];
    uint32_t flow, port;
    uint64_t nonce;
};

/* Key of ns_set_routers, whose value means nothing. */
struct ns_sal_router_key {
    uint32_t address[4];
    uint32_t port; /* 16 bits in network order, as in a client's key */
};

enum ns_sal_call { NS_SAL_CALL_OUT, NS_SAL_CALL_IN, NS_SAL_CALLS };

#endif
