/* SPDX-License-Identifier: Apache-2.0 */
/* host_local.c - of host.h: what a host does with packets of its local stack. */
#include "host_answer.h"
#include "host_datagrams.h"
#include "host_flows.h"
#include "host_send.h"

/* Ends a flow without a word to its peer's program: a new connection has its names. */
static void replace(struct ns_sal_host *host, struct ns_sal_held *held) {
    struct ns_sal_port port = ns_sal_host_port(host, held);

    ns_sal_flow_abort(&held->kept.flow, &port, host->now);
    if (host->over != held) {
        ns_sal_host_forget(host, held); /* TIMEWAIT has nothing to break off */
        host->over = held;
    }
    ns_sal_host_done(host, held);
}

static void refuse_local(struct ns_sal_host *host, const struct ns_sal_segment *segment) {
    bool has_ack = (segment->flags & NS_TCP_ACK) != 0;
    uint32_t behind = segment->seq + (uint32_t)(segment->length - segment->header) +
                      ((segment->flags & NS_TCP_SYN) != 0) + ((segment->flags & NS_TCP_FIN) != 0);
    uint8_t rst[NS_SAL_TCP_LEAST];

    if ((segment->flags & NS_TCP_RST) != 0)
        return;
    ns_sal_segment_rst(rst, has_ack ? segment->ack : 0, behind, !has_ack);
    ns_sal_host_inject(host, &segment->tuple, rst, sizeof rst);
}

/* Finds the target of a SYN and the way there. Each SYN is resolved anew. */
static bool resolve(struct ns_sal_host *host, struct ns_sal_kept *kept, enum ns_sal_verdict *why) {
    struct ns_sal_address own = {0};
    const struct ns_sal_rule *rule;
    uint32_t random;

    host->wire->random(host->wire->context, &random, sizeof random);
    rule = ns_sal_services_draw(host->services, kept->flow.service, NS_SAL_ELSEWHERE, host->now, random);
    *why = rule == NULL ? NS_SAL_VERDICT_NO_RULE : NS_SAL_VERDICT_NO_ROUTE;
    if (rule == NULL || !host->wire->route(host->wire->context, &rule->target, &own, &kept->interface))
        return false;
    own.port = ns_sal_is_raw(&rule->target) ? 0 : host->port;
    kept->flow.mobility.own = own;
    kept->flow.mobility.peer = rule->target;
    return true;
}

static void open_flow(struct ns_sal_host *host, const struct ns_sal_segment *segment) {
    int place = ns_sal_surrogate_find(host->names, segment->tuple.destination, segment->tuple.family, host->now);
    const struct ns_sal_address none = {0};
    enum ns_sal_verdict why = NS_SAL_VERDICT_NO_NAME;
    struct ns_sal_identity numbers = ns_sal_host_identity(host);
    struct ns_sal_held *held = place < 0 ? NULL : ns_sal_flows_make(&host->flows);
    struct ns_sal_port port;

    if (held != NULL) {
        ns_sal_flow_begin(&held->kept.flow, &numbers, true, &none, host->names->places[place].id);
        held->kept.inner = segment->tuple;
    }
    if (held == NULL || !resolve(host, &held->kept, &why)) {
        ns_sal_host_count(host, place >= 0 && held == NULL ? NS_SAL_VERDICT_FLOWS_FULL : why);
        if (held != NULL)
            ns_sal_flows_remove(&host->flows, held);
        if (why != NS_SAL_VERDICT_NO_ROUTE)
            refuse_local(host, segment);
        return;
    }
    ns_sal_flows_enter(&host->flows, held);
    ns_sal_host_enter_names(host, held);
    if (!ns_sal_host_returns(host, &held->kept.flow.mobility.peer)) /* the programs' SYNs ask for nothing */
        ns_sal_host_prepare(host, &held->kept);
    ns_sal_host_keep_segment(&held->kept, segment);
    port = ns_sal_host_port(host, held);
    ns_sal_host_count(host, NS_SAL_VERDICT_CONNECT);
    ns_sal_flow_connect(&held->kept.flow, &port, host->now);
    ns_sal_host_done(host, held);
}

static bool is_again(const struct ns_sal_kept *kept, const struct ns_sal_segment *segment) {
    struct ns_sal_segment last;

    return kept->flow.state == NS_FLOW_REQUEST && ns_sal_segment_read(&last, kept->segment, kept->segment_length) &&
           last.seq == segment->seq;
}

/*
 * Tells whether a SYN is of the connection that a flow has by now. sald reads a copy late if the programs have taken
 * the next one meanwhile.
 */
static bool is_late(const struct ns_sal_kept *kept, const struct ns_sal_segment *segment) {
    struct ns_sal_segment last; /* the SYN itself, or the acknowledgement behind it */

    return kept->flow.client && kept->flow.state != NS_FLOW_REQUEST &&
           ns_sal_segment_read(&last, kept->segment, kept->segment_length) &&
           (last.seq == segment->seq || last.seq == segment->seq + 1);
}

static void take_syn(struct ns_sal_host *host, struct ns_sal_held *held, const struct ns_sal_segment *segment) {
    struct ns_sal_port port;
    enum ns_sal_verdict why;

    if (held != NULL && is_late(&held->kept, segment))
        return;
    if (held == NULL || !is_again(&held->kept, segment)) {
        if (held != NULL)
            replace(host, held);
        open_flow(host, segment);
        return;
    }
    if (!resolve(host, &held->kept, &why)) {
        ns_sal_host_count(host, why);
        return;
    }
    port = ns_sal_host_port(host, held);
    ns_sal_flow_again(&held->kept.flow, &port, host->now);
    ns_sal_host_done(host, held);
}

/*
 * Sends a packet of the local stack once more, now that the kernel's programs have its flow. If they have it not, it
 * comes back, so a flow has few of them.
 */
static void send_again(struct ns_sal_host *host, struct ns_sal_held *held, uint8_t *packet, size_t length) {
    if (held->again_second != host->now / 1000) {
        held->again_second = host->now / 1000;
        held->again = 0;
    }
    if (held->again++ >= NS_SAL_AGAIN) {
        ns_sal_host_count(host, NS_SAL_VERDICT_NOT_TAKEN);
        return;
    }
    ns_sal_segment_finish(packet, length);
    host->wire->again(host->wire->context, packet, length);
}

/* Takes a segment for which a control message waits, or which has gone and comes again. */
static void take_set_up(struct ns_sal_host *host, struct ns_sal_held *held, const struct ns_sal_segment *segment,
                        uint8_t *packet, size_t length) {
    struct ns_sal_port port = ns_sal_host_port(host, held);

    ns_sal_host_keep_segment(&held->kept, segment);
    if (held->kept.has_message) {
        held->kept.has_message = false;
        ns_sal_host_send(host, held, &held->kept.message);
    } else {
        ns_sal_flow_again(&held->kept.flow, &port, host->now);
    }
    if (ns_sal_flow_is_open(&held->kept.flow)) {
        ns_sal_host_publish(host, held);
        if (segment->length > segment->header)
            send_again(host, held, packet, length); /* the message had its header alone */
    }
    ns_sal_host_done(host, held);
}

/* Takes a packet of the local stack that is no TCP. */
static enum ns_sal_verdict take_other(struct ns_sal_host *host, const uint8_t *packet, size_t length) {
    struct ns_sal_datagram datagram;
    enum ns_sal_local_kind kind = ns_sal_datagram_local(&datagram, packet, length);

    if (kind == NS_SAL_LOCAL_DATAGRAM)
        return ns_sal_host_send_datagram(host, &datagram);
    return kind == NS_SAL_LOCAL_FRAGMENT ? NS_SAL_VERDICT_FRAGMENT : NS_SAL_VERDICT_LOCAL_OTHER;
}

void ns_sal_host_segment(struct ns_sal_host *host, uint8_t *packet, size_t length, uint64_t now) {
    struct ns_sal_segment segment;
    struct ns_sal_held *held;

    host->now = now;
    if (!ns_sal_segment_local(&segment, packet, length)) {
        ns_sal_host_count(host, take_other(host, packet, length));
        return;
    }
    held = ns_sal_host_by_tuple(host, &segment.tuple);
    if (held != NULL && held->kept.datagrams)
        held = NULL; /* the names are UDP's */
    if ((segment.flags & (NS_TCP_SYN | NS_TCP_ACK)) == NS_TCP_SYN) {
        take_syn(host, held, &segment);
    } else if (held == NULL) {
        if (ns_sal_host_answered(host, &segment))
            return;
        ns_sal_host_count(host, NS_SAL_VERDICT_NO_CONNECTION);
        refuse_local(host, &segment);
    } else if ((segment.flags & NS_TCP_RST) != 0 && !ns_sal_host_is_published(&held->kept)) {
        ns_sal_host_abort(host, held);
    } else if (ns_sal_host_waits_for(&held->kept, &segment)) {
        take_set_up(host, held, &segment, packet, length);
    } else if (ns_sal_host_is_published(&held->kept) && (segment.flags & NS_TCP_SYN) == 0) {
        send_again(host, held, packet, length); /* a SYN-ACK would come back: the kernel's programs take none */
    }
}
