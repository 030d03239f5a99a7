/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_log.h"
#include "route.h"
#include "sigio.h"

#include <errno.h>
#include <linux/netfilter.h>
#include <string.h>

/*
 * Returns the greatest length for a packet to this destination. If the route is not known, that is the packet's own
 * length.
 */
static size_t length_limit(struct ns_sigio *sigio, const struct ns_held_packet *held, uint64_t now) {
    struct ns_route route;
    uint32_t mtu;

    if (ns_route_get(&sigio->routes, &route, held->family, held->destination, 0, now) != 0)
        return held->length;
    mtu = ns_mtu_get(&sigio->mtu, route.interface, now);
    if (route.mtu != 0 && (mtu == 0 || route.mtu < mtu))
        mtu = route.mtu;
    if (mtu < held->length) /* a packet may always keep its length */
        mtu = held->length;
    return mtu > NS_NFQ_PACKET_MAX ? NS_NFQ_PACKET_MAX : mtu;
}

static void go_on_with(struct ns_sigio *sigio, struct ns_held_packet *held, const struct ns_frame *frame,
                       uint64_t now) {
    struct ns_answer answer = {.id = held->id, .verdict = NF_ACCEPT, .payload = sigio->buffer};
    size_t length = ns_packet_rebuild(sigio->buffer, length_limit(sigio, held, now), held->headers, held->header_length,
                                      frame->payload, frame->length);

    if (length == 0) {
        ns_intake_let_go(sigio, held, &sigio->counters->too_long);
        return;
    }
    answer.length = (uint32_t)length;
    ns_held_free(&sigio->held, held);
    ns_nfq_answer(&sigio->queue, &answer);
    ns_sigio_count(&sigio->counters->rewritten);
}

static void verdict(struct ns_sigio *sigio, const struct ns_frame *frame, uint64_t now) {
    struct ns_held_packet *held = ns_held_find(&sigio->held, frame->token);
    struct ns_answer answer = {.verdict = NF_DROP};

    if (held == NULL) {
        ns_sigio_count(&sigio->counters->unknown_token);
        return;
    }
    ns_held_judged(&sigio->held, held, now);
    switch (frame->answer) {
    case NS_VERDICT_ON:
        ns_intake_let_go(sigio, held, &sigio->counters->forwarded);
        break;
    case NS_VERDICT_TAKEN:
        answer.id = held->id;
        ns_held_free(&sigio->held, held);
        ns_nfq_answer(&sigio->queue, &answer);
        ns_sigio_count(&sigio->counters->taken);
        break;
    case NS_VERDICT_PAYLOAD:
        go_on_with(sigio, held, frame, now);
        break;
    }
}

static void send_one(struct ns_sigio *sigio, const struct ns_frame *frame, uint64_t now) {
    uint32_t mtu = 0;
    int error = EAGAIN;
    uint8_t *room;

    if (ns_bucket_take(&sigio->sends, now))
        error = ns_send(&sigio->sender, &frame->ends, frame->payload, frame->length, now, &mtu);
    if (error == 0) {
        ns_sigio_count(&sigio->counters->sent);
        return;
    }
    ns_sigio_count(error == EACCES ? &sigio->counters->refused : &sigio->counters->send_failed);
    room = ns_sig_client_room(&sigio->client, 16);
    if (room == NULL)
        ns_sigio_count(&sigio->counters->lost);
    else
        ns_sig_client_queue(&sigio->client, ns_frame_failed(room, frame->ends.token, (uint32_t)error, mtu));
}

/* Obeys a frame. Returns the reason to end the connection, or NULL to go on. */
static const char *obey(struct ns_sigio *sigio, const struct ns_frame *frame, uint64_t now) {
    if (!sigio->client.greeted && frame->type != NS_FRAME_HELLO)
        return "did not say hello";
    switch (frame->type) {
    case NS_FRAME_HELLO:
        if (frame->major != NS_FRAME_MAJOR)
            return "speaks another major version";
        if (!sigio->client.greeted)
            ns_info("client: connected");
        sigio->client.greeted = true;
        break;
    case NS_FRAME_VERDICT:
        verdict(sigio, frame, now);
        break;
    case NS_FRAME_SEND:
        send_one(sigio, frame, now);
        break;
    case NS_FRAME_LIMIT:
        ns_fair_set(&sigio->packets, frame->packets, 0);
        sigio->datagrams = ns_bucket_of(frame->datagrams);
        break;
    default:
        break;
    }
    return NULL;
}

void ns_orders_drop(struct ns_sigio *sigio, const char *why) {
    ns_sig_client_drop(&sigio->client, why);
    ns_intake_expire(sigio, UINT64_MAX);
}

void ns_orders_read(struct ns_sigio *sigio, uint64_t now) {
    bool open = ns_sig_client_read(&sigio->client);
    const char *why = NULL;
    struct ns_frame frame;

    while (why == NULL) {
        switch (ns_sig_client_next(&sigio->client, &frame)) {
        case NS_FRAME_OK:
            why = obey(sigio, &frame, now);
            break;
        case NS_FRAME_UNKNOWN:
            ns_sigio_count(&sigio->counters->bad_frame);
            break;
        case NS_FRAME_BAD:
            ns_sigio_count(&sigio->counters->bad_frame);
            why = "sent a frame that makes no sense";
            break;
        case NS_FRAME_MORE:
            if (open)
                return;
            why = "left";
            break;
        }
    }
    ns_orders_drop(sigio, why);
}

void ns_orders_report(struct ns_sigio *sigio) {
    uint8_t *room = ns_sig_client_room(&sigio->client, 4 + NS_SIGIO_COUNTER_COUNT * 8);

    if (room != NULL && sigio->client.greeted)
        ns_sig_client_queue(&sigio->client, ns_frame_counters(room, sigio->counters));
}
