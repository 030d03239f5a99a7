/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deliver.c - puts a packet from the kernel into its slot.
 *
 *   slot | headroom >= 128 | beginning, copied from the head | rest, put here by recvmmsg | tailroom >= 128 |
 *        0               start                         NS_DELIVER_AT
 */
#include "pktio.h"

#include <linux/netfilter.h>
#include <string.h>

/* Bytes of the packet that lie in the private head. */
static uint32_t in_head(const struct ns_message *message) {
    uint32_t room = NS_MESSAGE_HEAD - message->payload_offset;

    return message->length < room ? message->length : room;
}

static uint32_t kept_header(const struct ns_message *message) {
    return in_head(message) < NS_TABLE_HEADER ? in_head(message) : NS_TABLE_HEADER;
}

/*
 * Returns the counter of the reason why this packet cannot go to the container. Returns NULL if it can; then `ip` is
 * its header.
 */
static uint64_t *refuse(struct ns_pktio *pktio, const struct ns_arrival *arrival, struct ns_ip *ip) {
    const struct ns_message *message = &arrival->message;
    struct ns_counters *counters = pktio->counters;

    if (pktio->abandoned)
        return &counters->ring_corrupt;
    if (!arrival->understood)
        return &counters->malformed_in;
    if (message->true_length > message->length || message->length > NS_RING_PACKET_MAX)
        return &counters->too_long;
    if (ns_ip_parse(ip, arrival->head + message->payload_offset, kept_header(message), message->length) != NS_IP_OK ||
        (message->family != 0 && ip->family != message->family))
        return &counters->malformed_in;
    if (arrival->slot == NS_TABLE_NONE || pktio->produced - pktio->consumed >= pktio->ring.slots)
        return &counters->ring_full;
    return NULL;
}

/* Makes the packet contiguous and leaves head- and tailroom. Returns the packet's offset in the slot. */
static uint32_t place(const struct ns_arrival *arrival, uint8_t *slot) {
    const struct ns_message *message = &arrival->message;
    uint32_t beginning = in_head(message);
    uint32_t start = message->length == beginning ? NS_RING_HEADROOM : NS_DELIVER_AT - beginning;

    memcpy(slot + start, arrival->head + message->payload_offset, beginning);
    if (start < NS_RING_HEADROOM || start + message->length > NS_RING_SLOT_SIZE - NS_RING_TAILROOM) {
        memmove(slot + NS_RING_HEADROOM, slot + start, message->length);
        start = NS_RING_HEADROOM;
    }
    return start;
}

static uint16_t clamp16(uint32_t value) {
    return value > UINT16_MAX ? UINT16_MAX : (uint16_t)value;
}

static void describe(struct ns_pktio *pktio, const struct ns_arrival *arrival, const struct ns_packet *packet,
                     uint32_t offset, uint64_t now) {
    struct ns_ring_desc desc = {
        .seq = packet->seq,
        .slot = arrival->slot,
        .offset = offset,
        .length = arrival->message.length,
        .mark = arrival->message.mark,
        .ifindex = arrival->message.ifindex,
        .mtu = clamp16(packet->mtu),
        .family = packet->ip.family,
        .flags = arrival->copy ? NS_RING_F_COPY : 0,
        .usec = (uint32_t)((arrival->nsec != 0 ? arrival->nsec : now) / 1000),
    };

    pktio->ring.desc[pktio->produced & (pktio->ring.slots - 1)] = desc;
    pktio->produced++;
}

/* Lets the packet itself go on at once, past the sample rule, because its copy has been made. */
static void let_go(struct ns_pktio *pktio, const struct ns_message *message) {
    struct ns_answer answer = {
        .copy = true,
        .id = message->id,
        .verdict = NF_REPEAT,
        .has_mark = true,
        .mark = message->mark | pktio->limits.copy_mark,
    };

    pktio->kernel.answer(pktio->kernel.context, &answer);
}

bool ns_deliver(struct ns_pktio *pktio, const struct ns_arrival *arrival, uint64_t now) {
    const struct ns_message *message = &arrival->message;
    struct ns_packet *packet;
    struct ns_ip ip;
    uint64_t *reason;

    ns_count(&pktio->counters->received);
    if (arrival->copy)
        ns_count(&pktio->counters->copies);
    if (arrival->taken)
        ns_count(&pktio->counters->sampled);
    else if (arrival->copy)
        let_go(pktio, message);
    reason = refuse(pktio, arrival, &ip);
    if (reason != NULL) {
        ns_count(reason);
        if (!arrival->copy)
            ns_pktio_accept(pktio, arrival->xdp, message->id);
        return false;
    }
    pktio->table.packets[arrival->slot].xdp = arrival->xdp;
    packet = ns_table_lend(&pktio->table, arrival->slot, (uint32_t)pktio->produced,
                           arrival->copy ? NS_PACKET_COPY : NS_PACKET_HELD);
    packet->id = message->id;
    packet->mark = message->mark;
    packet->mtu = pktio->mtu.mtu(pktio->mtu.context, message->ifindex, now);
    packet->deadline = now + pktio->limits.deadline;
    packet->ip = ip;
    packet->kept = (uint16_t)kept_header(message);
    memcpy(packet->header, arrival->head + message->payload_offset, packet->kept);
    describe(pktio, arrival, packet, place(arrival, pktio->ring.slot + (size_t)arrival->slot * NS_RING_SLOT_SIZE), now);
    ns_count(&pktio->counters->delivered);
    return true;
}
