/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xdp_in.c - moves packets from a port's rx ring into the ring of the container.
 *
 *   frame | headroom 256          | link header | packet        |
 *         |         metadata 32 ->|             at              at + length
 */
#include "xdp.h"

#include <string.h>

#define BATCH 64u /* packets of one port in a turn */
#define BEFORE                                                                                                         \
    96u /* bytes in front of the packet that count as its head: its first 160 then end where the rest begins */
#define HEADROOM 256u /* XDP_PACKET_HEADROOM */

/*
 * Returns the length by the IP header, because a short frame is padded. If the header claims more bytes than there
 * are, or is not IP, the function returns the available bytes, and ns_ip_parse refuses the packet.
 */
static uint32_t ip_length(const uint8_t *ip, uint32_t available) {
    uint32_t length = available;

    if (available >= 40 && ip[0] >> 4 == 6)
        length = 40 + ((uint32_t)ip[4] << 8 | ip[5]);
    else if (available >= 20 && ip[0] >> 4 == 4)
        length = (uint32_t)ip[2] << 8 | ip[3];
    return length < available ? length : available;
}

static bool routed(const struct ns_xdp *xdp, const struct ns_steer_meta *meta) {
    const struct ns_steer_route *routes[] = {&meta->forward, &meta->back};

    for (int i = 0; i < 2; i++) {
        if (routes[i]->magic != NS_STEER_MAGIC || routes[i]->port == 0 || routes[i]->port > xdp->ports)
            return false;
    }
    return true;
}

/*
 * Notes the packet in a frame. Returns false if there is no room for headers and metadata, because such a frame is
 * not from our program.
 */
static bool describe(struct ns_xdp *xdp, uint32_t frame, const struct xdp_desc *desc) {
    struct ns_xdp_packet *packet = &xdp->packet[frame];

    if (desc->addr % NS_FRAME_SIZE < HEADROOM || desc->len <= NS_XDP_LINK)
        return false;
    packet->at = desc->addr + NS_XDP_LINK;
    packet->length = ip_length(xdp->umem.area + packet->at, desc->len - NS_XDP_LINK);
    memcpy(&packet->meta, xdp->umem.area + desc->addr - sizeof packet->meta, sizeof packet->meta);
    packet->routed = routed(xdp, &packet->meta);
    if (!packet->routed)
        ns_count(&xdp->pktio->counters->xdp_bad_meta);
    return true;
}

static void deliver(struct ns_xdp *xdp, const struct ns_port *port, uint32_t frame, uint64_t now) {
    struct ns_pktio *pktio = xdp->pktio;
    const struct ns_xdp_packet *packet = &xdp->packet[frame];
    const uint8_t *ip = xdp->umem.area + packet->at;
    struct ns_arrival arrival = {
        .xdp = true,
        .understood = true,
        .message = {.id = frame,
                    .ifindex = port->ifindex,
                    .length = packet->length,
                    .true_length = packet->length,
                    .payload_offset = BEFORE},
        .head = ip - BEFORE,
        .slot = ns_table_take(&pktio->table),
    };
    uint32_t in_head = NS_MESSAGE_HEAD - BEFORE;

    if (arrival.slot != NS_TABLE_NONE && packet->length > in_head)
        memcpy(pktio->ring.slot + (size_t)arrival.slot * NS_RING_SLOT_SIZE + NS_DELIVER_AT, ip + in_head,
               packet->length - in_head);
    if (!ns_deliver(pktio, &arrival, now) && arrival.slot != NS_TABLE_NONE)
        ns_table_give_back(&pktio->table, arrival.slot);
}

static unsigned receive(struct ns_xdp *xdp, struct ns_port *port, uint64_t now) {
    struct ns_counters *counters = xdp->pktio->counters;
    struct xdp_desc desc;
    unsigned count = 0;

    for (uint32_t frame;
         count < BATCH && (frame = ns_port_receive(port, &xdp->umem, &desc, &counters->xdp_bad_frame)) != NS_FRAME_NONE;
         count++) {
        ns_count(&counters->xdp_received);
        if (describe(xdp, frame, &desc)) {
            deliver(xdp, port, frame, now);
        } else {
            ns_count(&counters->xdp_unsent);
            ns_frames_release(&xdp->umem.frames, frame);
        }
    }
    return count;
}

unsigned ns_xdp_receive(struct ns_xdp *xdp, uint64_t now) {
    unsigned count = 0;

    for (unsigned i = 0; i < xdp->ports; i++) {
        if (xdp->port[i].fd >= 0)
            count += receive(xdp, &xdp->port[i], now);
    }
    return count;
}
