/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"
#include "ns_log.h"
#include "route.h"
#include "sigio.h"
#include "socket.h"

#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

static void accept_id(struct ns_sigio *sigio, uint32_t id, uint64_t *reason) {
    struct ns_answer answer = {.id = id, .verdict = NF_ACCEPT};

    ns_nfq_answer(&sigio->queue, &answer);
    if (reason != NULL)
        ns_sigio_count(reason);
}

void ns_intake_let_go(struct ns_sigio *sigio, struct ns_held_packet *packet, uint64_t *reason) {
    uint32_t id = packet->id;

    ns_held_free(&sigio->held, packet);
    accept_id(sigio, id, reason);
}

unsigned ns_intake_expire(struct ns_sigio *sigio, uint64_t until) {
    struct ns_held_packet *packet;
    unsigned count = 0;

    for (; (packet = ns_held_due(&sigio->held, until)) != NULL; count++) {
        ns_held_judged(&sigio->held, packet, packet->deadline);
        ns_intake_let_go(sigio, packet, &sigio->counters->timed_out);
    }
    return count;
}

static uint16_t mtu_of(struct ns_sigio *sigio, uint32_t interface, uint64_t now) {
    uint32_t mtu = ns_mtu_get(&sigio->mtu, interface, now);

    return mtu > UINT16_MAX ? UINT16_MAX : (uint16_t)mtu;
}

static void report(struct ns_sigio *sigio, const struct ns_packet *packet, uint32_t mtu, uint64_t now) {
    uint8_t *room = NULL;

    if (!sigio->client.greeted) {
        ns_sigio_count(&sigio->counters->lost);
        return;
    }
    if (ns_bucket_take(&sigio->errors, now))
        room = ns_sig_client_room(&sigio->client, NS_FRAME_ENDPOINTS + 24u + packet->payload_length);
    ns_sigio_count(room == NULL ? &sigio->counters->icmp_limited : &sigio->counters->icmp);
    if (room != NULL)
        ns_sig_client_queue(&sigio->client, ns_frame_icmp(room, packet, mtu));
}

/* --- the queue --- */

/*
 * Returns the counter of the reason why a Q-mode message does not go to gist. Returns NULL if it does; then `held`
 * and `room` are for it.
 */
static uint64_t *obstacle(struct ns_sigio *sigio, const struct ns_packet *packet, uint64_t now,
                          struct ns_held_packet **held, uint8_t **room) {
    uint64_t source = ns_source_of(&packet->ends);

    if (!sigio->client.greeted)
        return &sigio->counters->no_client;
    if (!ns_fair_take(&sigio->packets, source, now))
        return &sigio->counters->rate_limited;
    if (ns_held_room(&sigio->held, source) == NS_HELD_OVER_SHARE)
        return &sigio->counters->over_share;
    *room = ns_sig_client_room(&sigio->client, NS_FRAME_ENDPOINTS + (size_t)packet->payload_length);
    if (*room == NULL)
        return &sigio->counters->overflow;
    *held = ns_held_take(&sigio->held, source, now, now + sigio->deadline);
    return *held == NULL ? &sigio->counters->overflow : NULL;
}

static void offer(struct ns_sigio *sigio, const struct ns_message *message, const uint8_t *bytes,
                  struct ns_packet *packet, uint64_t now) {
    struct ns_held_packet *held = NULL;
    struct ns_route route;
    uint8_t *room = NULL;
    uint64_t *why = obstacle(sigio, packet, now, &held, &room);

    if (why != NULL) {
        accept_id(sigio, message->id, why);
        return;
    }
    held->id = message->id;
    held->length = message->length;
    held->family = packet->ends.family;
    held->header_length = packet->header_length;
    memcpy(held->headers, bytes, packet->header_length);
    memcpy(held->destination, packet->ends.destination, 16);
    packet->ends.token = held->token;
    packet->ends.interface = message->ifindex;
    packet->ends.mtu = mtu_of(sigio, message->ifindex, now);
    packet->ends.local =
        ns_route_get(&sigio->routes, &route, packet->ends.family, packet->ends.destination, 0, now) == 0 && route.local;
    ns_sig_client_queue(&sigio->client, ns_frame_packet(room, &packet->ends, packet->payload, packet->payload_length));
}

static void take_packet(struct ns_sigio *sigio, const struct ns_message *message, const uint8_t *bytes, uint64_t now) {
    struct ns_sigio_counters *counters = sigio->counters;
    struct ns_packet packet;

    ns_sigio_count(&counters->intercepted);
    if (message->true_length != message->length) {
        accept_id(sigio, message->id, &counters->not_gist);
        return;
    }
    switch (ns_packet_look(&packet, bytes, message->length)) {
    case NS_PACKET_OTHER:
        accept_id(sigio, message->id, &counters->not_gist);
        break;
    case NS_PACKET_FRAGMENT:
        accept_id(sigio, message->id, &counters->fragment);
        break;
    case NS_PACKET_BAD_CHECKSUM:
        accept_id(sigio, message->id, &counters->bad_checksum);
        break;
    case NS_PACKET_ICMP:
        accept_id(sigio, message->id, NULL);
        report(sigio, &packet, 0, now);
        break;
    case NS_PACKET_GIST:
        offer(sigio, message, bytes, &packet, now);
        break;
    }
}

/* Handles the kernel's refusal of one of our requests. Returns false if sigio cannot go on. */
static bool refused(const struct ns_message *message) {
    if (message->error == 0)
        return true;
    if (message->request == (NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_CONFIG) && message->sequence == NS_NFQ_BIND) {
        ns_error("queue refused: %s", strerror(message->error));
        return false;
    }
    ns_warn("request %u of the queue refused: %s", message->sequence, strerror(message->error));
    return true;
}

static bool take_message(struct ns_sigio *sigio, size_t length, uint64_t now) {
    struct ns_message message;

    switch (ns_message_parse(&message, sigio->buffer, length)) {
    case NS_MESSAGE_PACKET:
        take_packet(sigio, &message, sigio->buffer + message.payload_offset, now);
        return true;
    case NS_MESSAGE_BAD_BUT:
        ns_sigio_count(&sigio->counters->intercepted);
        accept_id(sigio, message.id, &sigio->counters->not_gist);
        return true;
    case NS_MESSAGE_ERROR:
        return refused(&message);
    case NS_MESSAGE_OTHER:
        break;
    }
    return true;
}

int ns_intake_queue(struct ns_sigio *sigio, unsigned most, uint64_t now) {
    unsigned count = 0;

    while (count < most) {
        struct sockaddr_nl sender = {0};
        socklen_t size = sizeof sender;
        ssize_t n = recvfrom(sigio->queue.fd, sigio->buffer, sizeof sigio->buffer, MSG_DONTWAIT,
                             (struct sockaddr *)&sender, &size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == ENOBUFS) {
            ns_sigio_count(&sigio->counters->overrun);
            continue;
        }
        if (n < 0)
            return errno == EAGAIN ? (int)count : -1;
        if (size == sizeof sender && sender.nl_pid == 0 && !take_message(sigio, (size_t)n, now))
            return -1;
        count++;
    }
    return (int)count;
}

/* --- the sockets --- */

static void hand_up(struct ns_sigio *sigio, struct ns_endpoints *ends, size_t length, uint64_t now) {
    uint8_t *room;

    if (!ns_packet_is_gist(sigio->buffer, length)) {
        ns_sigio_count(&sigio->counters->not_gist);
        return;
    }
    if (ns_packet_is_query_mode(sigio->buffer, length)) {
        ns_sigio_count(&sigio->counters->second_look);
        return;
    }
    room = sigio->client.greeted ? ns_sig_client_room(&sigio->client, NS_FRAME_ENDPOINTS + length) : NULL;
    if (room == NULL) {
        ns_sigio_count(&sigio->counters->lost);
        return;
    }
    if (!ns_bucket_take(&sigio->datagrams, now)) {
        ns_sigio_count(&sigio->counters->rate_limited);
        return;
    }
    ends->mtu = mtu_of(sigio, ends->interface, now);
    ns_sig_client_queue(&sigio->client, ns_frame_packet(room, ends, sigio->buffer, length));
    ns_sigio_count(&sigio->counters->received);
}

void ns_intake_socket(struct ns_sigio *sigio, unsigned which, unsigned most, uint64_t now) {
    uint8_t family = which == 0 ? 4 : 6;
    int fd = sigio->sockets[which];
    struct ns_endpoints ends;
    struct ns_packet packet;
    uint32_t mtu;
    long length;

    for (unsigned i = 0; i < most && ns_socket_error(fd, family, &packet, &mtu, sigio->buffer); i++) {
        if (packet.ends.family != 0)
            report(sigio, &packet, mtu, now);
    }
    for (unsigned i = 0; i < most && (length = ns_socket_receive(fd, family, &ends, sigio->buffer)) >= 0; i++)
        hand_up(sigio, &ends, (size_t)length, now);
}
