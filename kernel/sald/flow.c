/* SPDX-License-Identifier: Apache-2.0 */
#include "flow.h"

#include "mobility.h"

#define NS_X(name) #name,
const char *const ns_sal_refusals[] = {NS_SAL_REFUSALS(NS_X)};
#undef NS_X

static enum ns_sal_refusal fire(struct ns_sal_work *work, enum ns_flow_event event);
static void transmit(void *context, unsigned flags);
static void give_up(void *context);

static void start(struct ns_sal_work *work, struct ns_sal_flow *flow, const struct ns_sal_port *port, uint64_t now) {
    *work = (struct ns_sal_work){.flow = flow, .port = port, .now = now};
    work->channel = (struct ns_sal_channel_port){transmit, give_up, work};
}

void ns_sal_flow_begin(struct ns_sal_flow *flow, const struct ns_sal_identity *identity, bool client,
                       const struct ns_sal_address *own, const uint8_t *service) {
    memset(flow, 0, sizeof *flow);
    flow->id = identity->id;
    flow->first = identity->verno;
    flow->nonce = identity->nonce;
    flow->abilities = identity->abilities;
    flow->client = client;
    flow->wait_until = NS_SAL_NEVER;
    memcpy(flow->service, service, NS_SAL_ID);
    ns_sal_channel_begin(&flow->channel, identity->verno);
    ns_sal_mobility_begin(&flow->mobility, own);
}

bool ns_sal_flow_is_open(const struct ns_sal_flow *flow) {
    return flow->state >= NS_FLOW_CONNECTED && flow->state <= NS_FLOW_LASTACK;
}

bool ns_sal_flow_uses(const struct ns_sal_flow *flow, const struct ns_sal_address *address) {
    const struct ns_sal_mobility *mobility = &flow->mobility;

    if (ns_sal_same(address, &mobility->own) || (mobility->has_pending && ns_sal_same(address, &mobility->pending)))
        return true;
    for (unsigned i = 0; i < mobility->left_count; i++) {
        if (ns_sal_same(address, &mobility->left[i]))
            return true;
    }
    return false;
}

/* --- sending --- */

static void send(struct ns_sal_work *work, unsigned flags, uint32_t verno, const struct ns_sal_address *from,
                 const struct ns_sal_address *to, bool service, uint32_t capability) {
    const struct ns_sal_flow *flow = work->flow;
    struct ns_sal_outgoing outgoing = {.from = *from, .service = service, .capability = capability};

    if (to != NULL)
        outgoing.to = *to;
    outgoing.message = (struct ns_sal_message){.source = flow->id,
                                               .destination = flow->remote.flow,
                                               .flags = (uint8_t)flags,
                                               .verno = verno,
                                               .ackno = flow->remote.known ? flow->remote.expected : 0,
                                               .nonce = flow->nonce};
    if (flags == (NS_SAL_SYN | NS_SAL_ACK))
        outgoing.message.abilities = flow->abilities;
    work->port->send(work->port->context, flow, &outgoing);
}

void ns_sal_flow_plain(struct ns_sal_work *work, unsigned flags, const struct ns_sal_address *from,
                       const struct ns_sal_address *to) {
    send(work, flags, work->flow->channel.next, from, to, false, 0);
}

/* Sends the message that waits. One with a RSYN leaves from the new address. */
static void transmit(void *context, unsigned flags) {
    struct ns_sal_work *work = context;
    struct ns_sal_mobility *mobility = &work->flow->mobility;
    bool moves = (flags & NS_SAL_RSYN) != 0, first = flags == NS_SAL_SYN;

    send(work, flags, ns_sal_channel_last(&work->flow->channel),
         moves ? ns_sal_mobility_newest(mobility) : &mobility->own, first ? NULL : ns_sal_mobility_control(mobility),
         first, 0);
}

static void give_up(void *context) {
    fire(context, NS_FLOW_ON_TRIES_OVER);
}

static void plain(struct ns_sal_work *work, unsigned flags) {
    ns_sal_flow_plain(work, flags, &work->flow->mobility.own, ns_sal_mobility_control(&work->flow->mobility));
}

static void handshake(struct ns_sal_work *work) {
    const struct ns_sal_flow *flow = work->flow;

    send(work, NS_SAL_ACK, flow->channel.next, &flow->mobility.own, ns_sal_mobility_control(&flow->mobility), true,
         flow->peer_abilities == 0 ? 0 : flow->abilities);
}

static void post(struct ns_sal_work *work, unsigned flags) {
    ns_sal_channel_post(&work->flow->channel, &work->channel, flags, work->now);
}

static void syn_ack(struct ns_sal_work *work) {
    if (ns_sal_channel_waiting(&work->flow->channel) == 0)
        post(work, NS_SAL_SYN | NS_SAL_ACK);
    else
        ns_sal_channel_again(&work->flow->channel, &work->channel);
}

/* --- the table --- */

static void tell(struct ns_sal_work *work, enum ns_sal_told what) {
    work->port->tell(work->port->context, work->flow, what);
}

/* A client may have taken the SYN-ACK from before a move, so the move is told again. */
static void connected(struct ns_sal_work *work) {
    const struct ns_sal_address own = work->flow->mobility.own;

    tell(work, NS_SAL_TOLD_CONNECTED);
    if (work->flow->moved_early)
        ns_sal_mobility_move(work, &own);
}

static void forget(struct ns_sal_work *work) {
    ns_sal_channel_stop(&work->flow->channel, &work->channel);
    work->flow->mobility.answer_at = NS_SAL_NEVER;
    tell(work, NS_SAL_TOLD_FORGET);
}

static void act(struct ns_sal_work *work, enum ns_flow_action action) {
    switch (action) {
    case NS_FLOW_DO_SEND_SYN:
        post(work, NS_SAL_SYN);
        break;
    case NS_FLOW_DO_SEND_SYN_ACK:
        syn_ack(work);
        break;
    case NS_FLOW_DO_SEND_HANDSHAKE_ACK:
        handshake(work);
        break;
    case NS_FLOW_DO_SEND_FIN:
        post(work, NS_SAL_FIN);
        break;
    case NS_FLOW_DO_SEND_ACK:
        plain(work, NS_SAL_ACK);
        break;
    case NS_FLOW_DO_SEND_RST:
        plain(work, NS_SAL_RST | NS_SAL_ACK);
        break;
    case NS_FLOW_DO_START_WAIT:
        work->flow->wait_until = work->now + NS_SAL_WAIT_MS;
        break;
    case NS_FLOW_DO_TELL_CONNECTED:
        connected(work);
        break;
    case NS_FLOW_DO_TELL_PEER_CLOSED:
        tell(work, NS_SAL_TOLD_PEER_CLOSED);
        break;
    case NS_FLOW_DO_TELL_RESET:
        tell(work, NS_SAL_TOLD_RESET);
        break;
    case NS_FLOW_DO_TELL_SILENT:
        tell(work, NS_SAL_TOLD_SILENT);
        break;
    case NS_FLOW_DO_FORGET:
        forget(work);
        break;
    default:
        break;
    }
}

static enum ns_sal_refusal fire(struct ns_sal_work *work, enum ns_flow_event event) {
    struct ns_sal_flow *flow = work->flow;
    const struct ns_transition *line = &ns_flow_table[flow->state][event];

    if (!line->expected) {
        flow->unexpected++;
        return NS_SAL_REFUSED_UNEXPECTED;
    }
    if (line->next != flow->state) {
        flow->state = line->next;
        flow->wait_until = NS_SAL_NEVER;
    }
    for (unsigned i = 0; i < NS_SAL_ACTIONS && line->actions[i] != NS_FLOW_DO_NOTHING; i++)
        act(work, (enum ns_flow_action)line->actions[i]);
    return NS_SAL_REFUSED_OK;
}

/* --- calls --- */

static void call(struct ns_sal_flow *flow, const struct ns_sal_port *port, enum ns_flow_event event, uint64_t now) {
    struct ns_sal_work work;

    start(&work, flow, port, now);
    fire(&work, event);
}

void ns_sal_flow_connect(struct ns_sal_flow *flow, const struct ns_sal_port *port, uint64_t now) {
    if (flow->client)
        call(flow, port, NS_FLOW_ON_CONNECT, now);
}

void ns_sal_flow_close(struct ns_sal_flow *flow, const struct ns_sal_port *port, uint64_t now) {
    call(flow, port, NS_FLOW_ON_CLOSE, now);
}

void ns_sal_flow_abort(struct ns_sal_flow *flow, const struct ns_sal_port *port, uint64_t now) {
    call(flow, port, NS_FLOW_ON_ABORT, now);
}

void ns_sal_flow_again(struct ns_sal_flow *flow, const struct ns_sal_port *port, uint64_t now) {
    struct ns_sal_work work;

    start(&work, flow, port, now);
    ns_sal_channel_again(&flow->channel, &work.channel);
}

void ns_sal_flow_move(struct ns_sal_flow *flow, const struct ns_sal_port *port, const struct ns_sal_address *own,
                      uint64_t now) {
    struct ns_sal_work work;

    start(&work, flow, port, now);
    if (ns_sal_flow_is_open(flow)) {
        ns_sal_mobility_move(&work, own);
        return;
    }
    flow->moved_early = flow->state == NS_FLOW_RESPOND;
    if (flow->moved_early)
        ns_sal_mobility_leave(&flow->mobility, own);
    else
        flow->mobility.own = *own;
    ns_sal_channel_again(&flow->channel, &work.channel);
}

void ns_sal_flow_due(struct ns_sal_flow *flow, const struct ns_sal_port *port, uint64_t now) {
    struct ns_sal_work work;

    start(&work, flow, port, now);
    ns_sal_channel_due(&flow->channel, &work.channel, now);
    ns_sal_mobility_due(&work);
    if (flow->wait_until <= now) {
        flow->wait_until = NS_SAL_NEVER;
        fire(&work, NS_FLOW_ON_LATE);
    }
}

bool ns_sal_flow_has_waited(const struct ns_sal_flow *flow, uint64_t now) {
    return flow->state == NS_FLOW_FINWAIT2 && flow->wait_until <= now;
}

void ns_sal_flow_wait_again(struct ns_sal_flow *flow, uint64_t now) {
    flow->wait_until = now + NS_SAL_WAIT_MS;
}

uint64_t ns_sal_flow_due_at(const struct ns_sal_flow *flow) {
    uint64_t at = flow->wait_until;

    if (flow->channel.due_at < at)
        at = flow->channel.due_at;
    return flow->mobility.answer_at < at ? flow->mobility.answer_at : at;
}

/* --- messages --- */

static void learn(struct ns_sal_flow *flow, const struct ns_sal_message *message) {
    flow->remote.known = true;
    flow->remote.flow = message->source;
    flow->remote.nonce = message->nonce;
    flow->remote.first = message->verno;
    flow->remote.expected = message->verno + 1;
}

static bool has_nonce(const struct ns_sal_flow *flow, const struct ns_sal_message *message) {
    return flow->remote.known && message->nonce == flow->remote.nonce;
}

static bool has_flow(const struct ns_sal_flow *flow, const struct ns_sal_message *message) {
    return flow->remote.known && message->source == flow->remote.flow;
}

/* A RST has the sender's nonce, or that of this end if the peer does not know the flow. */
static enum ns_sal_refusal take_rst(struct ns_sal_work *work, const struct ns_sal_message *message) {
    if (message->nonce != work->flow->nonce && !has_nonce(work->flow, message))
        return NS_SAL_REFUSED_WRONG_NONCE;
    return fire(work, NS_FLOW_ON_RST);
}

static enum ns_sal_refusal take_syn(struct ns_sal_work *work, const struct ns_sal_message *message,
                                    const struct ns_sal_address *from) {
    struct ns_sal_flow *flow = work->flow;

    if (flow->client || flow->state == NS_FLOW_OVER)
        return NS_SAL_REFUSED_UNEXPECTED;
    if (flow->state == NS_FLOW_CLOSED) {
        learn(flow, message);
        flow->mobility.peer = *from;
        return fire(work, NS_FLOW_ON_SYN);
    }
    if (!has_flow(flow, message))
        return NS_SAL_REFUSED_WRONG_FLOW;
    if (!has_nonce(flow, message))
        return NS_SAL_REFUSED_WRONG_NONCE;
    if (message->verno != flow->remote.first)
        return NS_SAL_REFUSED_STALE;
    if (flow->state == NS_FLOW_RESPOND)
        flow->mobility.peer = *from; /* the client may have moved since */
    return fire(work, NS_FLOW_ON_SYN);
}

static enum ns_sal_refusal refuse_instance(struct ns_sal_work *work, const struct ns_sal_message *message,
                                           const struct ns_sal_address *from) {
    struct ns_sal_outgoing outgoing = {.from = work->flow->mobility.own, .to = *from};

    if (ns_sal_refusal(&outgoing.message, message))
        work->port->send(work->port->context, work->flow, &outgoing);
    return NS_SAL_REFUSED_ANOTHER_INSTANCE;
}

static enum ns_sal_refusal take_syn_ack(struct ns_sal_work *work, const struct ns_sal_message *message,
                                        const struct ns_sal_address *from) {
    struct ns_sal_flow *flow = work->flow;

    if (!flow->client || flow->state == NS_FLOW_CLOSED || flow->state == NS_FLOW_OVER)
        return NS_SAL_REFUSED_UNEXPECTED;
    if (flow->state == NS_FLOW_REQUEST) {
        if (ns_sal_channel_acked(&flow->channel, &work->channel, message->ackno, work->now) == 0)
            return NS_SAL_REFUSED_WRONG_ACKNO;
        learn(flow, message);
        flow->mobility.peer = *from;
        flow->peer_abilities = message->abilities;
        return fire(work, NS_FLOW_ON_SYN_ACK);
    }
    if (has_flow(flow, message) && has_nonce(flow, message))
        return message->verno == flow->remote.first ? fire(work, NS_FLOW_ON_SYN_ACK) : NS_SAL_REFUSED_STALE;
    if (message->ackno == flow->first + 1)
        return refuse_instance(work, message, from);
    return NS_SAL_REFUSED_WRONG_NONCE;
}

static enum ns_sal_refusal check(const struct ns_sal_flow *flow, const struct ns_sal_message *message) {
    if (flow->state == NS_FLOW_CLOSED || flow->state == NS_FLOW_REQUEST || flow->state == NS_FLOW_OVER)
        return NS_SAL_REFUSED_UNEXPECTED;
    if (!has_flow(flow, message))
        return NS_SAL_REFUSED_WRONG_FLOW;
    if (!has_nonce(flow, message))
        return NS_SAL_REFUSED_WRONG_NONCE;
    if (!ns_sal_channel_covers(&flow->channel, message->ackno))
        return NS_SAL_REFUSED_WRONG_ACKNO;
    if (flow->state != NS_FLOW_RESPOND)
        return NS_SAL_REFUSED_OK;
    if (message->ackno != flow->channel.next)
        return NS_SAL_REFUSED_WRONG_ACKNO;
    return (int32_t)(message->verno - flow->remote.expected) < 0 ? NS_SAL_REFUSED_STALE : NS_SAL_REFUSED_OK;
}

static void take_ackno(struct ns_sal_work *work, const struct ns_sal_message *message,
                       const struct ns_sal_address *from) {
    struct ns_sal_flow *flow = work->flow;
    unsigned acked = ns_sal_channel_acked(&flow->channel, &work->channel, message->ackno, work->now);

    if ((acked & NS_SAL_SYN) != 0 && (message->flags & NS_SAL_RSYN) == 0)
        flow->mobility.peer = *from;
    if ((acked & (NS_SAL_SYN | NS_SAL_FIN)) != 0)
        fire(work, NS_FLOW_ON_ACKED);
    if ((acked & NS_SAL_RSYN) != 0)
        ns_sal_mobility_acked(work, false);
    else if ((message->flags & NS_SAL_RSYN) != 0 && (message->flags & NS_SAL_ACK) != 0 &&
             message->ackno == flow->channel.next)
        ns_sal_mobility_acked(work, true);
}

/* Takes a message that came before. */
static enum ns_sal_refusal take_again(struct ns_sal_work *work, const struct ns_sal_message *message, int32_t ahead,
                                      const struct ns_sal_address *from) {
    bool last_move = (message->flags & NS_SAL_RSYN) != 0 && ahead == -1;

    if (!last_move || !ns_sal_mobility_moved_again(work, from))
        plain(work, NS_SAL_ACK);
    return NS_SAL_REFUSED_STALE;
}

static enum ns_sal_refusal take_next(struct ns_sal_work *work, const struct ns_sal_message *message,
                                     const struct ns_sal_address *from) {
    work->flow->remote.expected = message->verno + 1;
    if ((message->flags & NS_SAL_RSYN) != 0)
        ns_sal_mobility_moved(work, from);
    return (message->flags & NS_SAL_FIN) != 0 ? fire(work, NS_FLOW_ON_FIN) : NS_SAL_REFUSED_OK;
}

/* Takes ACK, FIN, RSYN and their combinations. */
static enum ns_sal_refusal take_other(struct ns_sal_work *work, const struct ns_sal_message *message,
                                      uint32_t capability, const struct ns_sal_address *from) {
    struct ns_sal_flow *flow = work->flow;
    enum ns_sal_refusal refusal = check(flow, message);
    int32_t ahead;

    if (refusal != NS_SAL_REFUSED_OK)
        return refusal;
    if (!flow->client && capability != 0 && flow->abilities != 0)
        flow->peer_abilities = (uint8_t)capability;
    ahead = (int32_t)(message->verno - flow->remote.expected);
    take_ackno(work, message, from);
    if (flow->state == NS_FLOW_OVER)
        return NS_SAL_REFUSED_OK;
    if (ns_sal_is_numbered(message->flags))
        return ahead < 0 ? take_again(work, message, ahead, from) : take_next(work, message, from);
    if (ahead == 0 && message->flags == NS_SAL_ACK)
        ns_sal_mobility_confirm(work, from);
    return NS_SAL_REFUSED_OK;
}

enum ns_sal_refusal ns_sal_flow_take(struct ns_sal_flow *flow, const struct ns_sal_port *port,
                                     const struct ns_sal_message *message, uint32_t capability,
                                     const struct ns_sal_address *from, uint64_t now) {
    bool syn = (message->flags & (NS_SAL_SYN | NS_SAL_ACK)) == NS_SAL_SYN;
    struct ns_sal_work work;

    if (!ns_sal_flags_sound(message->flags))
        return NS_SAL_REFUSED_FLAGS;
    if (message->destination != (syn ? 0 : flow->id))
        return NS_SAL_REFUSED_WRONG_FLOW;
    start(&work, flow, port, now);
    if ((message->flags & NS_SAL_RST) != 0)
        return take_rst(&work, message);
    if (message->source == 0)
        return NS_SAL_REFUSED_WRONG_FLOW;
    if ((message->flags & NS_SAL_SYN) != 0)
        return syn ? take_syn(&work, message, from) : take_syn_ack(&work, message, from);
    return take_other(&work, message, capability, from);
}

enum ns_sal_refusal ns_sal_flow_prove(struct ns_sal_flow *flow, const struct ns_sal_port *port,
                                      const struct ns_sal_message *message, uint32_t capability,
                                      const struct ns_sal_address *from, uint64_t now) {
    struct ns_sal_work work;

    if (flow->client || flow->state != NS_FLOW_CLOSED)
        return NS_SAL_REFUSED_UNEXPECTED;
    learn(flow, message);
    flow->remote.first--; /* the SYN had it, and the ACK shows the next one */
    flow->remote.expected--;
    flow->mobility.peer = *from;
    flow->peer_abilities = flow->abilities == 0 ? 0 : (uint8_t)capability;
    start(&work, flow, port, now);
    return fire(&work, NS_FLOW_ON_PROVEN);
}
