/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xdp_out.c - the way out of a packet that came by AF_XDP. It leaves as the router would have sent it:
 *
 *   verdict      addresses        link addresses and port from    TTL
 *   accept       as they came     metadata, forward               one less
 *   repeat       swapped          metadata, back                  one less (a turned packet has 64 before)
 *   accept       rewritten        the kernel: raw socket          one less
 *   drop         -                -                               -
 *
 * The kernel's routing, by a raw socket, also takes what a port cannot: the neighbour is not known, no room in its ring, or the port
 * has been closed. A changed packet that is too long for its route does not leave, the original does.
 */
#include "xdp.h"

#include "ns_checksum.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/netfilter.h>
#include <string.h>
#include <sys/socket.h>

#define AT 2u /* of the link header in a frame that we write anew: the packet behind it is aligned */

static uint8_t *hops(uint8_t *ip) {
    return ip + (ip[0] >> 4 == 4 ? 8 : 7);
}

/* One hop less. False if that was the last: a router sends it no further. */
static bool age(uint8_t *ip) {
    if (*hops(ip) <= 1)
        return false;
    --*hops(ip);
    if (ip[0] >> 4 == 4)
        ns_checksum_ipv4(ip, (size_t)(ip[0] & 15) * 4);
    return true;
}

/* Which of the packet's routes is for this address pair; NULL = neither. `packet` is its checked successor, of the same family. */
static const struct ns_steer_route *route(const struct ns_xdp_packet *original, const uint8_t *was,
                                          const uint8_t *packet) {
    size_t bytes = was[0] >> 4 == 4 ? 4 : 16, at = was[0] >> 4 == 4 ? 12 : 8;

    if (!original->routed)
        return NULL;
    if (memcmp(was + at, packet + at, 2 * bytes) == 0)
        return &original->meta.forward;
    if (memcmp(was + at, packet + at + bytes, bytes) == 0 && memcmp(was + at + bytes, packet + at, bytes) == 0)
        return &original->meta.back;
    return NULL;
}

/* By the kernel's own routing and neighbours. 0 or errno. */
static int send_raw(const struct ns_xdp *xdp, const uint8_t *packet, uint32_t length) {
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    bool four = packet[0] >> 4 == 4;
    const void *to = four ? (const void *)&v4 : (const void *)&v6;
    ssize_t sent;

    memcpy(&v4.sin_addr, packet + 16, 4);
    if (!four)
        memcpy(&v6.sin6_addr, packet + 24, 16);
    do {
        sent = sendto(four ? xdp->raw4 : xdp->raw6, packet, length, MSG_DONTWAIT, to, four ? sizeof v4 : sizeof v6);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? errno : 0;
}

static void put_link(uint8_t *link, const struct ns_steer_route *to, const uint8_t *packet) {
    uint16_t type = packet[0] >> 4 == 4 ? ETH_P_IP : ETH_P_IPV6;

    memcpy(link, to->destination, 6);
    memcpy(link + 6, to->source, 6);
    link[12] = (uint8_t)(type >> 8);
    link[13] = (uint8_t)type;
}

/* The frame has the packet at `ip`, room for a link header before it. False if the port cannot take it. */
static bool transmit(struct ns_xdp *xdp, const struct ns_steer_route *to, uint32_t frame, uint64_t ip,
                     uint32_t length) {
    struct ns_port *port;

    if (to->port == 0 || xdp->port[to->port - 1].fd < 0)
        return false;
    port = &xdp->port[to->port - 1];
    put_link(xdp->umem.area + ip - NS_XDP_LINK, to, xdp->umem.area + ip);
    if (!ns_port_transmit(port, &xdp->umem, frame, ip - NS_XDP_LINK, length + NS_XDP_LINK)) {
        ns_port_kick(port, &xdp->umem, &xdp->pktio->counters->xdp_bad_frame);
        if (!ns_port_transmit(port, &xdp->umem, frame, ip - NS_XDP_LINK, length + NS_XDP_LINK))
            return false;
    }
    ns_count(&xdp->pktio->counters->xdp_sent);
    return true;
}

/* What no port has taken. */
static void leave_to_kernel(struct ns_xdp *xdp, uint32_t frame, const uint8_t *packet, uint32_t length) {
    struct ns_counters *counters = xdp->pktio->counters;

    ns_count(send_raw(xdp, packet, length) == 0 ? &counters->xdp_slow : &counters->xdp_unsent);
    ns_frames_release(&xdp->umem.frames, frame);
}

static void forward(struct ns_xdp *xdp, uint32_t frame) {
    const struct ns_xdp_packet *packet = &xdp->packet[frame];
    uint8_t *ip = xdp->umem.area + packet->at;

    if (!age(ip)) {
        ns_count(&xdp->pktio->counters->xdp_ttl);
        ns_frames_release(&xdp->umem.frames, frame);
    } else if (!packet->routed || !transmit(xdp, &packet->meta.forward, frame, packet->at, packet->length)) {
        leave_to_kernel(xdp, frame, ip, packet->length);
    }
}

/* The frame takes the new packet, at its beginning: it may have grown. */
static uint64_t overwrite(struct ns_xdp *xdp, uint32_t frame, const uint8_t *packet, uint32_t length) {
    uint64_t ip = (uint64_t)frame * NS_FRAME_SIZE + AT + NS_XDP_LINK;

    memcpy(xdp->umem.area + ip, packet, length);
    return ip;
}

static void send_changed(struct ns_xdp *xdp, uint32_t frame, const uint8_t *payload, uint32_t length) {
    const struct ns_xdp_packet *original = &xdp->packet[frame];
    const struct ns_steer_route *to = route(original, xdp->umem.area + original->at, payload);
    uint32_t most = to != NULL && to->port != 0 ? to->mtu : NS_FRAME_SIZE;
    uint64_t ip;

    if (length > most || length > NS_FRAME_SIZE - AT - NS_XDP_LINK) {
        ns_count(&xdp->pktio->counters->egress_too_long);
        forward(xdp, frame);
        return;
    }
    ip = overwrite(xdp, frame, payload, length);
    if (!age(xdp->umem.area + ip)) {
        ns_count(&xdp->pktio->counters->xdp_ttl);
        ns_frames_release(&xdp->umem.frames, frame);
    } else if (to == NULL || !transmit(xdp, to, frame, ip, length)) {
        leave_to_kernel(xdp, frame, xdp->umem.area + ip, length);
    }
}

void ns_xdp_answer(struct ns_xdp *xdp, const struct ns_answer *answer) {
    if (answer->id >= xdp->umem.frames.count || xdp->umem.frames.frame[answer->id].place != NS_FRAME_HELD)
        ns_count(&xdp->pktio->counters->xdp_bad_frame);
    else if (answer->verdict == NF_DROP)
        ns_frames_release(&xdp->umem.frames, answer->id);
    else if (answer->payload != NULL)
        send_changed(xdp, answer->id, answer->payload, answer->length);
    else
        forward(xdp, answer->id);
}
