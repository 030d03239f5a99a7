/* SPDX-License-Identifier: Apache-2.0 */
#include "host_answer.h"

#include "host_send.h"
#include "ns_bytes.h"

static struct ns_sal_opening opening_of(const struct ns_sal_packet *packet, const struct ns_sal_address *client) {
    return (struct ns_sal_opening){.address = *client,
                                   .flow = packet->message.source,
                                   .verno = packet->message.verno,
                                   .nonce = packet->message.nonce,
                                   .service = packet->service};
}

/* Finds the listener of these numbers, and the names of the connection there. Returns false if nobody listens. */
static bool find_names(struct ns_sal_host *host, struct ns_sal_tuple *inner, const struct ns_sal_cookie *cookie,
                       const uint8_t *service) {
    const struct ns_sal_rule *rule =
        ns_sal_services_draw(host->services, service, NS_SAL_LISTENER, host->now, cookie->draw);

    if (rule != NULL)
        ns_sal_client_tuple(inner, &rule->target, host->inside4, cookie->name);
    return rule != NULL;
}

static bool is_free(const struct ns_sal_host *host, const struct ns_sal_cookie *cookie,
                    const struct ns_sal_tuple *inner) {
    return cookie->numbers.id != 0 && ns_sal_flows_by_id(&host->flows, cookie->numbers.id) == NULL &&
           !ns_sal_cookies_is_spent(&host->cookies, cookie->numbers.id, host->now) &&
           ns_sal_flows_by_tuple(&host->flows, inner) == NULL;
}

enum ns_sal_verdict ns_sal_host_answer(struct ns_sal_host *host, const struct ns_sal_packet *packet,
                                       const struct ns_sal_address *client, const struct ns_sal_address *local,
                                       const struct ns_sal_address *to, const uint8_t way[NS_SAL_WAY_MAX]) {
    struct ns_sal_opening syn = opening_of(packet, client);
    struct ns_sal_answer answer = {.from = *local, .to = *to, .until = host->now + NS_SAL_ANSWER_MS};
    struct ns_sal_cookie cookie;
    unsigned choice = 0;

    do {
        if (choice == NS_SAL_COOKIE_CHOICES || host->flows.count == host->flows.room)
            return NS_SAL_VERDICT_FLOWS_FULL;
        ns_sal_cookies_issue(&host->cookies, &cookie, &syn, choice++, host->now);
        if (!find_names(host, &answer.inner, &cookie, syn.service))
            return NS_SAL_VERDICT_NO_LISTENER;
    } while (!is_free(host, &cookie, &answer.inner));
    answer.message = (struct ns_sal_message){.source = cookie.numbers.id,
                                             .destination = syn.flow,
                                             .flags = NS_SAL_SYN | NS_SAL_ACK,
                                             .abilities = host->abilities & (uint8_t)~NS_SAL_ABILITY_NATIVE,
                                             .verno = cookie.numbers.verno,
                                             .ackno = syn.verno + 1,
                                             .nonce = cookie.numbers.nonce};
    memcpy(answer.way, way, sizeof answer.way);
    ns_sal_answers_await(&host->answers, &answer);
    host->stateless_until = host->now + 2 * NS_SAL_COOKIE_MS;
    ns_sal_host_inject(host, &answer.inner, packet->transport, packet->transport_length);
    return NS_SAL_VERDICT_ANSWERED;
}

static void send_answer(struct ns_sal_host *host, const struct ns_sal_answer *answer,
                        const struct ns_sal_segment *segment) {
    struct ns_sal_header header = {.message = answer->message,
                                   .protocol = 6,
                                   .way = answer->way[1] == 0 ? NULL : answer->way,
                                   .tickets = ns_sal_way_tickets(answer->way)};
    uint8_t bytes[NS_SAL_HEADER_MAX + NS_SAL_TCP_MOST];
    size_t length = ns_sal_write(bytes, &header);

    ns_sal_segment_to_wire(bytes + length, segment, answer->message.source, answer->message.destination);
    length += segment->length;
    if (!host->wire->datagram(host->wire->context, &answer->from, &answer->to, bytes, length))
        host->verdicts[NS_SAL_VERDICT_NOT_SENT]++;
}

bool ns_sal_host_answered(struct ns_sal_host *host, const struct ns_sal_segment *segment) {
    bool syn_ack = (segment->flags & (NS_TCP_SYN | NS_TCP_ACK)) == (NS_TCP_SYN | NS_TCP_ACK);
    struct ns_sal_answer answer;

    if (host->now >= host->stateless_until)
        return false;
    if (ns_sal_answers_take(&host->answers, &answer, &segment->tuple, host->now)) {
        if (syn_ack && segment->length == segment->header)
            send_answer(host, &answer, segment);
        return true; /* a RST tells that nobody listens any more: the client's next SYN finds another instance */
    }
    if (syn_ack)
        host->verdicts[NS_SAL_VERDICT_UNPROVEN]++;
    return syn_ack;
}

/* Keeps the SYN-ACK that the acknowledgement answers, as far as a RST for the local stack needs its numbers. */
static void keep_syn_ack(struct ns_sal_kept *kept, const uint8_t *ack) {
    ns_sal_segment_rst(kept->segment, ns_get32(ack + 8) - 1, ns_get32(ack + 4), true);
    kept->segment[13] = NS_TCP_SYN | NS_TCP_ACK;
    kept->segment_length = NS_SAL_TCP_LEAST;
}

struct ns_sal_held *ns_sal_host_prove(struct ns_sal_host *host, const struct ns_sal_packet *packet,
                                      const struct ns_sal_address *from, const struct ns_sal_address *local,
                                      uint32_t interface, enum ns_sal_verdict *why) {
    struct ns_sal_opening opening = opening_of(packet, from);
    struct ns_sal_cookie cookie;
    struct ns_sal_tuple inner;
    struct ns_sal_held *held;

    *why = NS_SAL_VERDICT_NO_FLOW;
    if (host->now >= host->stateless_until || packet->message.flags != NS_SAL_ACK || packet->service == NULL ||
        packet->transport_length < NS_SAL_TCP_LEAST || packet->message.source == 0 ||
        !ns_sal_cookies_proven(&host->cookies, &cookie, &opening, &packet->message, host->now) ||
        ns_sal_cookies_is_spent(&host->cookies, cookie.numbers.id, host->now))
        return NULL;
    *why = NS_SAL_VERDICT_NO_LISTENER;
    if (!find_names(host, &inner, &cookie, packet->service))
        return NULL;
    *why = NS_SAL_VERDICT_FLOWS_FULL;
    held = is_free(host, &cookie, &inner) ? ns_sal_flows_make(&host->flows) : NULL;
    if (held == NULL)
        return NULL;
    if (!ns_sal_cookies_spend(&host->cookies, cookie.numbers.id, host->now)) {
        ns_sal_flows_remove(&host->flows, held);
        return NULL;
    }
    cookie.numbers.abilities = host->abilities & (uint8_t)~NS_SAL_ABILITY_NATIVE; /* its flowID is no port */
    cookie.numbers.verno++;                                                       /* the SYN-ACK had this one */
    ns_sal_flow_begin(&held->kept.flow, &cookie.numbers, false, local, packet->service);
    held->kept.inner = inner;
    held->kept.client = (struct ns_sal_client){*from, opening.flow, opening.nonce};
    held->kept.interface = interface;
    keep_syn_ack(&held->kept, packet->transport);
    ns_sal_flows_enter(&host->flows, held);
    *why = NS_SAL_VERDICT_PROVEN;
    return held;
}
