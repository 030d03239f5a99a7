/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h - Serval for the programs of a host: the flows of their connections, and the answers to packets that the
 * kernel's programs leave to sald. Does no I/O but by its wire, so that tests join two hosts in memory.
 *
 *     local stack -- segment --> ns_sal_host_segment          wire.datagram --> network
 *     local stack <-- wire.inject                       ns_sal_host_datagram <-- network
 *
 * The third table of a host is that of set-up segments. TCP's three packets ride in SAL's:
 *
 *     client's stack           client's sald              server's sald            server's stack
 *       SYN      ------------>   SYN      ------------->    SYN      ------------>   SYN
 *                                                           (waits for its segment)
 *       SYN-ACK  <------------   SYN-ACK  <-------------    SYN-ACK  <------------   SYN-ACK
 *                       (waits for its segment)
 *       ACK      ------------>   ACK      ------------->    ACK      ------------>   ACK
 */
#ifndef NS_SALD_HOST_H
#define NS_SALD_HOST_H

#include "answers.h"
#include "associations.h"
#include "cookies.h"
#include "held.h"
#include "names.h"
#include "services.h"

#define NS_SAL_REQUESTS 256u    /* flows whose client has not acknowledged; SYNs beyond are answered without state */
#define NS_SAL_IDLE_MS 8100000u /* after which a flow without a packet is over: beyond TCP's keep-alive */
#define NS_SAL_AGAIN 32u        /* packets of a flow that go to the kernel's programs once more, each second */
#define NS_SAL_SILENCE_MS 40u   /* without a packet of the peer, after which the old way counts as dead */
#define NS_SAL_AGAIN_MS 200u    /* after which a client's acknowledgement is sent again, then twice as long each time */
#define NS_SAL_AGAINS 5u
#define NS_SAL_RETURNING_MS 600000u /* for which a router is asked at once */
#define NS_SAL_WAKE_MS 3u           /* after which TCP that was woken has sent, if it has something to send */
#define NS_SAL_WAKE_BYTES 240u      /* at most, of acknowledgements alone in that time */
#define NS_SAL_RESETS 100u          /* RSTs for packets without a flow, each second */

/* The fates of packets that reach sald, by their name in `status`. */
#define NS_SAL_VERDICTS(X)                                                                                             \
    X(CONTROL, "control messages that a flow has taken")                                                               \
    X(DATA, "early data that sald handed on itself")                                                                   \
    X(REQUEST, "SYNs that made a request")                                                                             \
    X(FLOW_REFUSES, "control messages that their flow refused")                                                        \
    X(MALFORMED, "packets whose header or segment is not sound")                                                       \
    X(SENDER, "packets from an address that no other host has, and SYN-ACKs that lead to one")                         \
    X(GROUP, "packets of raw IP to a group or broadcast address that are no SYN and no datagram")                      \
    X(PROTOCOL, "packets of another transport than TCP and UDP, or than that of their flow")                           \
    X(NO_SERVICE, "SYNs without a serviceID")                                                                          \
    X(NO_LISTENER, "SYNs for which nobody listens here")                                                               \
    X(LISTENER_FULL, "SYNs of UDP or by raw IP beyond the limit of requests")                                          \
    X(ANSWERED, "SYNs answered without state, because there are too many requests")                                    \
    X(PROVEN, "flows made by the acknowledgement of an answer without state")                                          \
    X(UNPROVEN, "SYN-ACKs that TCP repeats for an answer without state; the client's next SYN is answered")            \
    X(FLOWS_FULL, "SYNs beyond the limit of flows")                                                                    \
    X(TOO_MANY_HOPS, "SYNs whose list of hops has no room for this host")                                              \
    X(NO_FLOW, "packets for a flow that is not there; most get a RST")                                                 \
    X(EARLY, "data for a flow that is not open yet")                                                                   \
    X(WRONG_FLOW, "data whose source is not the peer's flowID")                                                        \
    X(CONNECT, "connections of programs that made a flow")                                                             \
    X(NO_NAME, "connections to a surrogate without a service; the program gets a RST")                                 \
    X(NO_RULE, "connections to a service without a rule; the program gets a RST")                                      \
    X(NO_ROUTE, "SYNs that did not leave, because the kernel has no route to the target")                              \
    X(NO_CONNECTION, "segments of a connection without a flow; the program gets a RST")                                \
    X(NOT_TAKEN, "packets of an open flow that the kernel's programs did not take, beyond 32 of a flow in a second")   \
    X(DATAGRAM_OUT, "datagrams of programs that left")                                                                 \
    X(DATAGRAM_IN, "datagrams for a program")                                                                          \
    X(NO_SOCKET, "datagrams to a service for which no program has a socket here; most get a RST")                      \
    X(EMPTY, "datagrams without payload, which SAL has not")                                                           \
    X(TOO_LONG, "datagrams of a peer that are longer than the MTU of sal0")                                            \
    X(FRAGMENT, "fragments of datagrams that are longer than the MTU of sal0")                                         \
    X(ASSOCIATIONS_FULL, "datagrams of new associations beyond their limit")                                           \
    X(LOCAL_OTHER, "packets to sal0 that are neither TCP nor UDP, or not sound")                                       \
    X(NOT_SENT, "packets that the socket did not take")                                                                \
    X(REGISTRATION, "answers of routers to signed registrations")                                                      \
    X(IDLE, "flows that ended because no packet passed for 135 minutes")

enum ns_sal_verdict {
#define NS_X(name, text) NS_SAL_VERDICT_##name,
    NS_SAL_VERDICTS(NS_X)
#undef NS_X
        NS_SAL_VERDICT_KINDS
};
extern const char *const ns_sal_verdicts[];

/* A flow that the programs may have set up, by one of its names: the flowID if it is not 0, or a pointer. */
struct ns_sal_sought {
    uint32_t id;
    const struct ns_sal_tuple *tuple;
    const struct ns_sal_client *client;
};

/* The surroundings of a host. */
struct ns_sal_wire {
    /* Finds the interface toward an address, and the own address unless one is given. False if there is no route. */
    bool (*route)(void *context, const struct ns_sal_address *to, struct ns_sal_address *own, uint32_t *interface);
    bool (*datagram)(void *context, const struct ns_sal_address *from, const struct ns_sal_address *to,
                     const uint8_t *bytes, size_t length);
    /* Hands a packet to the local stack. */
    void (*inject)(void *context, const uint8_t *packet, size_t length);
    /* Sends a packet of the local stack once more, now that the kernel has its flow. */
    void (*again)(void *context, const uint8_t *packet, size_t length);
    /* Gives the flow's way to the kernel, or the state of a flow to the map. */
    void (*publish)(void *context, const struct ns_sal_way *way);
    void (*save)(void *context, const struct ns_sal_kept *kept);
    void (*forget)(void *context, const struct ns_sal_kept *kept);
    bool (*use)(void *context, uint32_t id, struct ns_sal_use *use);
    /*
     * Drops all that waits for the link address of the next hop toward a peer. TCP sends none of it again as long as it
     * waits, and the kernel asks for the address once a second.
     */
    void (*unblock)(void *context, const struct ns_sal_address *peer, uint32_t interface);
    /* Has the local TCP of this flow send at once, because its peer has moved. */
    void (*wake)(void *context, const struct ns_sal_kept *kept);
    void (*random)(void *context, void *bytes, size_t length);
    /* Tells whether a program has a connected socket, of UDP or TCP, with these names. */
    bool (*connected)(void *context, const struct ns_sal_tuple *tuple, bool datagrams);
    /* The set-up by the programs; NULL without it. Enters a flow that the programs have set up, if there is one. */
    bool (*seek)(void *context, const struct ns_sal_sought *sought);
    /* Notes the names of a flow in use, so that the programs set no other up with them. */
    void (*enter)(void *context, const struct ns_sal_kept *kept);
    /* The next connections to this service may be set up by the programs: `rule` is the only one for it. */
    void (*prepare)(void *context, const struct ns_sal_kept *kept, const struct ns_sal_rule *rule);
    /* Takes the payload of a datagram that is a router's answer to the controller of this host. NULL = none is. */
    bool (*heard)(void *context, const struct ns_sal_address *from, const struct ns_sal_packet *packet,
                  const uint8_t *bytes, size_t length);
    void *context;
};

/* A router that has brought a SYN-ACK, because a NAT keeps direct ones away. The next SYN asks it at once. */
struct ns_sal_returning {
    struct ns_sal_address router;
    uint64_t until;
};

struct ns_sal_host {
    const struct ns_sal_wire *wire;
    struct ns_sal_services *services;
    struct ns_sal_names *names;
    struct ns_sal_flows flows;
    struct ns_sal_associations associations;
    struct ns_sal_address routers[NS_SAL_ROUTERS];
    bool router_signed[NS_SAL_ROUTERS]; /* the controller registers there */
    unsigned router_count;
    struct ns_sal_returning returning[NS_SAL_ROUTERS];
    unsigned returning_next;
    uint32_t inside4, inside6[4]; /* addresses of sal0, network order */
    uint16_t port;                /* of UDP */
    uint32_t mtu;                 /* of sal0, 0 = not known */
    uint8_t abilities;
    unsigned requests, clients;
    unsigned request_room; /* requests beyond are answered without state */
    struct ns_sal_cookies cookies;
    struct ns_sal_answers answers;
    uint64_t stateless_until; /* until when an acknowledgement of an answer without state may come */
    uint64_t resets_second;
    unsigned resets;
    uint64_t now;
    struct ns_sal_held *over; /* the flow at work has ended */
    uint64_t verdicts[NS_SAL_VERDICT_KINDS], refusals[NS_SAL_REFUSAL_KINDS], errors[NS_SAL_ERROR_KINDS];
};

/* Returns false without memory. `wire`, `services` and `names` stay the caller's. */
bool ns_sal_host_open(struct ns_sal_host *host, const struct ns_sal_wire *wire, struct ns_sal_services *services,
                      struct ns_sal_names *names, size_t flows);
void ns_sal_host_close(struct ns_sal_host *host);

/* Takes over a flow of the sald before. Returns false if there is no room. */
bool ns_sal_host_adopt(struct ns_sal_host *host, const struct ns_sal_kept *kept, uint64_t now);

/* Takes a packet that the local stack sent into sal0. The bytes may be changed. */
void ns_sal_host_segment(struct ns_sal_host *host, uint8_t *packet, size_t length, uint64_t now);

/* Takes a datagram to the host's UDP port. `local` has the address to which it came. */
void ns_sal_host_datagram(struct ns_sal_host *host, const struct ns_sal_address *from,
                          const struct ns_sal_address *local, uint32_t interface, const uint8_t *bytes, size_t length,
                          uint64_t now);

/*
 * Takes a packet of raw IP. `to` is its destination, a group's or the broadcast address if it is not `local`. None of
 * the addresses has a port.
 */
void ns_sal_host_raw(struct ns_sal_host *host, const struct ns_sal_address *from, const struct ns_sal_address *to,
                     const struct ns_sal_address *local, uint32_t interface, const uint8_t *bytes, size_t length,
                     uint64_t now);

/* Takes the end of a connection, as a program of the kernel has seen it. */
void ns_sal_host_event(struct ns_sal_host *host, const struct ns_sal_event *event, uint64_t now);

/* Moves a flow to another address of this host. Returns false if there is no such flow, or no route from there. */
bool ns_sal_host_move(struct ns_sal_host *host, uint32_t id, const struct ns_sal_address *own, uint64_t now);

/* Moves all flows away from an address that has gone, or toward a better route. Returns the number of moves. */
unsigned ns_sal_host_reroute(struct ns_sal_host *host, uint64_t now);

/* Does what is due. Returns when something is due again, NS_SAL_NEVER if nothing is. */
uint64_t ns_sal_host_due(struct ns_sal_host *host, uint64_t now);

/* Ends flows that no packet has used for long. Looks at all flows: call it once a minute. */
void ns_sal_host_sweep(struct ns_sal_host *host, uint64_t now);

#endif
