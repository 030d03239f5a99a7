/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xdp_out.c - sends a packet that came by AF_XDP. It leaves as the router would have sent it.
 *
 *     verdict      addresses        link addresses and port from    TTL
 *     accept       as they came     metadata, forward               one less.
 *     repeat       swapped          metadata, back                  one less (a turned packet has 64 before).
 *     accept       rewritten        the kernel: raw socket          one less.
 *     drop         -                -                               -
 *
 * The steering program takes a packet only if its way back is the interface that it came in by. So a turned packet
 * leaves by that interface, or not at all: without metadata it is refused, and the original leaves.
 *
 * The kernel, by a raw socket, also sends the packets that a port cannot take: the neighbour is not known, the port's
 * ring has no room, or the port has been closed. The kernel sends such a packet by the interface of that port and by
 * no other. If a changed packet is too long for its route, the original leaves instead.
 */
#include "xdp.h"

#include "ns_checksum.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/netfilter.h>
#include <string.h>
#include <sys/socket.h>

#define AT 2u /* offset of the link header in a frame that we write anew: the packet behind it is aligned */

static uint8_t *hops(uint8_t *ip) {
    return ip + (ip[0] >> 4 == 4 ? 8 : 7);
}

/* Decrements the hop limit. Returns false if that was the last hop, because a router sends the packet no further. */
static bool age(uint8_t *ip) {
    if (*hops(ip) <= 1)
        return false;
    --*hops(ip);
    if (ip[0] >> 4 == 4)
        ns_checksum_ipv4(ip, (size_t)(ip[0] & 15) * 4);
    return true;
}

/*
 * Returns the packet's route for this address pair, or NULL if neither route fits. `packet` is the checked packet
 * that replaces the original, of the same family.
 */
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

/* Names the interface by which the kernel must send. */
static void put_interface(struct msghdr *message, bool four, uint32_t ifindex) {
    const struct in_pktinfo v4 = {.ipi_ifindex = (int)ifindex};
    const struct in6_pktinfo v6 = {.ipi6_ifindex = ifindex};
    size_t size = four ? sizeof v4 : sizeof v6;
    struct cmsghdr *control = CMSG_FIRSTHDR(message);

    control->cmsg_level = four ? IPPROTO_IP : IPPROTO_IPV6;
    control->cmsg_type = four ? IP_PKTINFO : IPV6_PKTINFO;
    control->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(control), four ? (const void *)&v4 : (const void *)&v6, size);
    message->msg_controllen = CMSG_SPACE(size);
}

/*
 * Sends by the kernel's routing and neighbours, and only by interface `ifindex` if that is not 0. Returns 0 or errno.
 */
static int send_raw(const struct ns_xdp *xdp, const uint8_t *packet, uint32_t length, uint32_t ifindex) {
    _Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(struct in6_pktinfo))] = {0};
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    bool four = packet[0] >> 4 == 4;
    struct iovec bytes = {(void *)(uintptr_t)packet, length};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
    ssize_t sent;

    memcpy(&v4.sin_addr, packet + 16, 4);
    if (!four)
        memcpy(&v6.sin6_addr, packet + 24, 16);
    message.msg_name = four ? (void *)&v4 : (void *)&v6;
    message.msg_namelen = four ? sizeof v4 : sizeof v6;
    if (ifindex != 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        put_interface(&message, four, ifindex);
    }
    do {
        sent = sendmsg(four ? xdp->raw4 : xdp->raw6, &message, MSG_DONTWAIT);
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

/* Tells whether the neighbour is known. An unknown neighbour has no link address. */
static bool neighbour_known(const struct ns_steer_route *to) {
    static const uint8_t none[6];

    return memcmp(to->destination, none, sizeof none) != 0;
}

/*
 * Sends the packet at `ip` in the frame, which has room for a link header before it. Returns false if the port cannot
 * take the frame.
 */
static bool transmit(struct ns_xdp *xdp, const struct ns_steer_route *to, uint32_t frame, uint64_t ip,
                     uint32_t length) {
    struct ns_port *port;

    if (!neighbour_known(to) || xdp->port[to->port - 1].fd < 0)
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

/*
 * Sends a packet that no port has taken. With `to` NULL the packet was rewritten, or has no metadata, and leaves by
 * any interface.
 */
static void leave_to_kernel(struct ns_xdp *xdp, const struct ns_steer_route *to, uint32_t frame, const uint8_t *packet,
                            uint32_t length) {
    struct ns_counters *counters = xdp->pktio->counters;
    uint32_t ifindex = to == NULL ? 0 : xdp->port[to->port - 1].ifindex;

    ns_count(send_raw(xdp, packet, length, ifindex) == 0 ? &counters->xdp_slow : &counters->xdp_unsent);
    ns_frames_release(&xdp->umem.frames, frame);
}

static void forward(struct ns_xdp *xdp, uint32_t frame) {
    const struct ns_xdp_packet *packet = &xdp->packet[frame];
    const struct ns_steer_route *to = packet->routed ? &packet->meta.forward : NULL;
    uint8_t *ip = xdp->umem.area + packet->at;

    if (!age(ip)) {
        ns_count(&xdp->pktio->counters->xdp_ttl);
        ns_frames_release(&xdp->umem.frames, frame);
    } else if (to == NULL || !transmit(xdp, to, frame, packet->at, packet->length)) {
        leave_to_kernel(xdp, to, frame, ip, packet->length);
    }
}

/* Writes the new packet at the beginning of the frame, because the packet may have grown. */
static uint64_t overwrite(struct ns_xdp *xdp, uint32_t frame, const uint8_t *packet, uint32_t length) {
    uint64_t ip = (uint64_t)frame * NS_FRAME_SIZE + AT + NS_XDP_LINK;

    memcpy(xdp->umem.area + ip, packet, length);
    return ip;
}

/* Counts the reason for the refusal and lets the original leave. */
static void refuse(struct ns_xdp *xdp, uint32_t frame, uint64_t *reason) {
    ns_count(reason);
    forward(xdp, frame);
}

static void send_changed(struct ns_xdp *xdp, uint32_t frame, const struct ns_steer_route *to, const uint8_t *payload,
                         uint32_t length) {
    uint32_t most = to != NULL && neighbour_known(to) ? to->mtu : NS_FRAME_SIZE;
    uint64_t ip;

    if (length > most || length > NS_FRAME_SIZE - AT - NS_XDP_LINK) {
        refuse(xdp, frame, &xdp->pktio->counters->egress_too_long);
        return;
    }
    ip = overwrite(xdp, frame, payload, length);
    if (!age(xdp->umem.area + ip)) {
        ns_count(&xdp->pktio->counters->xdp_ttl);
        ns_frames_release(&xdp->umem.frames, frame);
    } else if (to == NULL || !transmit(xdp, to, frame, ip, length)) {
        leave_to_kernel(xdp, to, frame, xdp->umem.area + ip, length);
    }
}

/*
 * Sends a changed packet. NF_REPEAT tells that the packet is turned; the addresses do not tell it if source and
 * destination are equal.
 */
static void answer_changed(struct ns_xdp *xdp, const struct ns_answer *answer) {
    const struct ns_xdp_packet *original = &xdp->packet[answer->id];

    if (answer->verdict != NF_REPEAT)
        send_changed(xdp, answer->id, route(original, xdp->umem.area + original->at, answer->payload), answer->payload,
                     answer->length);
    else if (original->routed)
        send_changed(xdp, answer->id, &original->meta.back, answer->payload, answer->length);
    else
        refuse(xdp, answer->id, &xdp->pktio->counters->egress_way);
}

void ns_xdp_answer(struct ns_xdp *xdp, const struct ns_answer *answer) {
    if (answer->id >= xdp->umem.frames.count || xdp->umem.frames.frame[answer->id].place != NS_FRAME_HELD)
        ns_count(&xdp->pktio->counters->xdp_bad_frame);
    else if (answer->verdict == NF_DROP)
        ns_frames_release(&xdp->umem.frames, answer->id);
    else if (answer->payload != NULL)
        answer_changed(xdp, answer);
    else
        forward(xdp, answer->id);
}
