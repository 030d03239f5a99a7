/* SPDX-License-Identifier: Apache-2.0 */
#include "host_made.h"

#include "host_send.h"
#include "ns_bytes.h"
#include <arpa/inet.h>

static struct ns_sal_address address_of(const uint32_t words[4], unsigned family, uint16_t port) {
    return ns_sal_address_of(family, words, ntohs(port));
}

static uint64_t nonce_of(uint64_t nonce) {
    return ns_get64((const uint8_t *)&nonce);
}

/* --- the handshake once more --- */

static void on_send(void *context, const struct ns_sal_flow *flow, const struct ns_sal_outgoing *outgoing) {
    (void)flow;
    *(struct ns_sal_outgoing *)context = *outgoing;
}

static void on_tell(void *context, const struct ns_sal_flow *flow, enum ns_sal_told what) {
    (void)context;
    (void)flow;
    (void)what;
}

/* The message of the peer with these flags. */
static struct ns_sal_message message_of(const struct ns_sal_slot *slot, uint8_t flags) {
    struct ns_sal_message message = {.source = ntohl(slot->peer_flow),
                                     .flags = flags,
                                     .verno = slot->peer_verno,
                                     .nonce = nonce_of(slot->peer_nonce)};

    if (flags == NS_SAL_SYN)
        return message;
    message.destination = ntohl(slot->own);
    message.ackno = slot->verno + 1;
    if (flags == NS_SAL_ACK)
        message.verno++;
    else
        message.abilities = slot->peer_abilities;
    return message;
}

static uint64_t ms(uint64_t ns) {
    return ns / 1000000;
}

static void connect_again(struct ns_sal_kept *kept, const struct ns_sal_slot *slot, const struct ns_sal_port *port,
                          const struct ns_sal_address *peer, bool answered) {
    struct ns_sal_message answer = message_of(slot, NS_SAL_SYN | NS_SAL_ACK);

    ns_sal_flow_connect(&kept->flow, port, ms(slot->began_ns));
    kept->flow.mobility.peer = *peer;
    if (answered)
        ns_sal_flow_take(&kept->flow, port, &answer, 0, peer, ms(slot->answered_ns));
}

static void accept_again(struct ns_sal_kept *kept, const struct ns_sal_slot *slot, const struct ns_sal_port *port,
                         const struct ns_sal_address *peer, bool open) {
    struct ns_sal_message syn = message_of(slot, NS_SAL_SYN), ack = message_of(slot, NS_SAL_ACK);

    kept->client = (struct ns_sal_client){*peer, syn.source, syn.nonce};
    memcpy(kept->way, slot->list, slot->list_length);
    ns_sal_flow_take(&kept->flow, port, &syn, 0, peer, ms(slot->began_ns));
    if (open)
        ns_sal_flow_take(&kept->flow, port, &ack, slot->capability, peer, ms(slot->opened_ns));
}

/*
 * A message waits for its segment when the local TCP has its packet and has not answered. A client's acknowledgement
 * goes again until the server sends, as one that sald has sent.
 */
static void note_message(struct ns_sal_kept *kept, const struct ns_sal_slot *slot, enum ns_sal_stage stage,
                         bool client) {
    if (stage == (client ? NS_SAL_STAGE_ANSWERED : NS_SAL_STAGE_SYN))
        kept->has_message = true;
    if (client && stage == NS_SAL_STAGE_OPEN)
        kept->again_at = ms(slot->opened_ns) + NS_SAL_AGAIN_MS;
}

void ns_sal_made(struct ns_sal_kept *kept, const struct ns_sal_slot *slot, enum ns_sal_stage stage, bool client,
                 uint8_t abilities) {
    struct ns_sal_identity numbers = {ntohl(slot->own), slot->verno, nonce_of(slot->nonce), abilities};
    struct ns_sal_address own = address_of(slot->own_address, slot->family, slot->own_port);
    struct ns_sal_address peer = address_of(slot->peer_address, slot->family, slot->peer_port);
    struct ns_sal_port port = {.send = on_send, .tell = on_tell};

    memset(kept, 0, sizeof *kept);
    kept->wake_at = kept->again_at = NS_SAL_NEVER;
    kept->inner = slot->inner;
    kept->interface = slot->interface;
    kept->segment_length = slot->segment_length;
    memcpy(kept->segment, slot->segment, slot->segment_length);
    port.context = &kept->message;
    ns_sal_flow_begin(&kept->flow, &numbers, client, &own, slot->service);
    kept->syns = client;
    if (client)
        connect_again(kept, slot, &port, &peer, stage != NS_SAL_STAGE_SYN);
    else
        accept_again(kept, slot, &port, &peer, stage == NS_SAL_STAGE_OPEN);
    note_message(kept, slot, stage, client);
}

/* --- the host --- */

/*
 * Tells whether the client of a request is another host. The programs do not know all addresses of this one, and sald
 * would answer a forged request to one of its own sockets.
 */
static bool is_elsewhere(const struct ns_sal_host *host, const struct ns_sal_kept *kept) {
    struct ns_sal_address own = {0};
    uint32_t interface;

    return kept->flow.state != NS_FLOW_RESPOND ||
           host->wire->route(host->wire->context, &kept->client.address, &own, &interface);
}

static bool refuse(struct ns_sal_host *host, enum ns_sal_verdict why) {
    host->verdicts[why]++;
    return false;
}

bool ns_sal_host_take_made(struct ns_sal_host *host, const struct ns_sal_kept *kept, uint64_t now) {
    bool has_number = ns_sal_flows_by_id(&host->flows, kept->flow.id) != NULL;
    bool has_names = ns_sal_flows_by_tuple(&host->flows, &kept->inner) != NULL;
    struct ns_sal_held *held;

    if (!is_elsewhere(host, kept))
        return refuse(host, NS_SAL_VERDICT_SENDER);
    held = has_number || has_names ? NULL : ns_sal_flows_make(&host->flows);
    if (held == NULL)
        return refuse(host, NS_SAL_VERDICT_FLOWS_FULL);
    host->now = now;
    held->kept = *kept;
    held->kept.mtu_step = host->flows.mtu_step;
    held->request = kept->flow.state == NS_FLOW_RESPOND;
    host->requests += held->request;
    host->verdicts[kept->flow.client ? NS_SAL_VERDICT_CONNECT : NS_SAL_VERDICT_REQUEST]++;
    ns_sal_flows_enter(&host->flows, held);
    host->wire->save(host->wire->context, &held->kept);
    if (ns_sal_host_is_published(&held->kept))
        ns_sal_host_publish(host, held);
    ns_sal_services_draw(host->services, kept->flow.service, kept->flow.client ? NS_SAL_ELSEWHERE : NS_SAL_LISTENER,
                         now, 0); /* counts it at its rule */
    return true;
}

bool ns_sal_is_sought(const struct ns_sal_slot *slot, bool client, const struct ns_sal_sought *sought) {
    struct ns_sal_address peer;

    if (sought->id != 0)
        return ntohl(slot->own) == sought->id;
    if (sought->tuple != NULL)
        return memcmp(&slot->inner, sought->tuple, sizeof slot->inner) == 0;
    if (client || ntohl(slot->peer_flow) != sought->client->flow || nonce_of(slot->peer_nonce) != sought->client->nonce)
        return false;
    peer = address_of(slot->peer_address, slot->family, slot->peer_port);
    return ns_sal_same(&peer, &sought->client->address);
}
