/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flow.h - one end of a flow: messages, calls and time become events of the three tables (tables.h), and their actions
 * calls of a port. Does no I/O. A flow is plain data, so that it outlives sald in a map. Times are milliseconds of any
 * clock that does not go back.
 */
#ifndef NS_SALD_FLOW_H
#define NS_SALD_FLOW_H

#include "channel.h"
#include "packet.h"

#define NS_SAL_WAIT_MS 60000u /* of RESPOND, FINWAIT2 and TIMEWAIT */
#define NS_SAL_LEFT 4u        /* addresses that an end has left since the peer's last acknowledgement */

/* The reasons for which a message changes nothing at a flow, as on the page. */
#define NS_SAL_REFUSALS(X)                                                                                             \
    X(OK)                                                                                                              \
    X(FLAGS) X(WRONG_FLOW) X(WRONG_NONCE) X(WRONG_ACKNO) X(STALE) X(ANOTHER_INSTANCE) X(UNEXPECTED)

enum ns_sal_refusal {
#define NS_X(name) NS_SAL_REFUSED_##name,
    NS_SAL_REFUSALS(NS_X)
#undef NS_X
        NS_SAL_REFUSAL_KINDS
};
extern const char *const ns_sal_refusals[];

/* The addresses of a flow, and their moves. */
struct ns_sal_mobility {
    uint8_t state; /* enum ns_move_state */
    uint8_t left_count;
    bool has_pending, has_noted;
    struct ns_sal_address own, pending, peer, noted;
    struct ns_sal_address left[NS_SAL_LEFT];
    uint64_t answer_at, answer_wait;
    uint32_t answers, unexpected;
};

struct ns_sal_flow {
    uint32_t id; /* own flowID */
    uint32_t first;
    uint64_t nonce;
    bool client, moved_early;
    uint8_t state; /* enum ns_flow_state */
    uint8_t abilities, peer_abilities;
    uint8_t service[NS_SAL_ID];
    struct { /* the numbers of the peer */
        bool known;
        uint32_t flow, first, expected;
        uint64_t nonce;
    } remote;
    struct ns_sal_channel channel;
    struct ns_sal_mobility mobility;
    uint64_t wait_until;
    uint32_t unexpected;
};

/* A control message to be sent. */
struct ns_sal_outgoing {
    struct ns_sal_message message;
    struct ns_sal_address from, to; /* no `to` in a SYN, which the service table resolves */
    bool service;                   /* with SERVICE */
    uint32_t capability;
};

enum ns_sal_told {
    NS_SAL_TOLD_CONNECTED,
    NS_SAL_TOLD_PEER_CLOSED,
    NS_SAL_TOLD_RESET,
    NS_SAL_TOLD_SILENT,
    NS_SAL_TOLD_FREEZE,     /* TCP's timer stands still until THAW */
    NS_SAL_TOLD_THAW,       /* TCP's timer fires at once */
    NS_SAL_TOLD_OWN_MOVED,  /* data leave from mobility.own from now on */
    NS_SAL_TOLD_PEER_MOVED, /* data go to mobility.peer from now on */
    NS_SAL_TOLD_FORGET,     /* the flow is over: said once, last */
};

/* The surroundings of a flow. No call of them calls the flow. */
struct ns_sal_port {
    void (*send)(void *context, const struct ns_sal_flow *flow, const struct ns_sal_outgoing *outgoing);
    void (*tell)(void *context, const struct ns_sal_flow *flow, enum ns_sal_told what);
    void *context;
};

struct ns_sal_identity {
    uint32_t id, verno;
    uint64_t nonce;
    uint8_t abilities;
};

/* Makes a flow that has to connect (`client`) or to take a SYN. */
void ns_sal_flow_begin(struct ns_sal_flow *flow, const struct ns_sal_identity *identity, bool client,
                       const struct ns_sal_address *own, const uint8_t *service);

void ns_sal_flow_connect(struct ns_sal_flow *flow, const struct ns_sal_port *port, uint64_t now);
void ns_sal_flow_close(struct ns_sal_flow *flow, const struct ns_sal_port *port, uint64_t now);
void ns_sal_flow_abort(struct ns_sal_flow *flow, const struct ns_sal_port *port, uint64_t now);

/* Sends the message that waits once more, because TCP sends its segment again. */
void ns_sal_flow_again(struct ns_sal_flow *flow, const struct ns_sal_port *port, uint64_t now);

/* Moves to another address of this host. */
void ns_sal_flow_move(struct ns_sal_flow *flow, const struct ns_sal_port *port, const struct ns_sal_address *own,
                      uint64_t now);

/* Takes a control message. `from`: in a SYN-ACK the last address of the way, if it has one, else the IP source. */
enum ns_sal_refusal ns_sal_flow_take(struct ns_sal_flow *flow, const struct ns_sal_port *port,
                                     const struct ns_sal_message *message, uint32_t capability,
                                     const struct ns_sal_address *from, uint64_t now);

/* Takes the handshake ACK for a SYN that was answered without state. The verno of `identity` is the next one. */
enum ns_sal_refusal ns_sal_flow_prove(struct ns_sal_flow *flow, const struct ns_sal_port *port,
                                      const struct ns_sal_message *message, uint32_t capability,
                                      const struct ns_sal_address *from, uint64_t now);

/* Does what is due. */
void ns_sal_flow_due(struct ns_sal_flow *flow, const struct ns_sal_port *port, uint64_t now);
uint64_t ns_sal_flow_due_at(const struct ns_sal_flow *flow);

/* Tells whether the wait of FINWAIT2 is over at this time, and begins it anew. */
bool ns_sal_flow_has_waited(const struct ns_sal_flow *flow, uint64_t now);
void ns_sal_flow_wait_again(struct ns_sal_flow *flow, uint64_t now);

/* Tells whether the handshake is over, so that data may pass. */
bool ns_sal_flow_is_open(const struct ns_sal_flow *flow);

/* Tells whether the peer may send to an address of this end. */
bool ns_sal_flow_uses(const struct ns_sal_flow *flow, const struct ns_sal_address *address);

#endif
