/* SPDX-License-Identifier: Apache-2.0 */
#include "packet.h"

#include "ns_bytes.h"
#include "ns_checksum.h"

#define EXTENSIONS 10u
#define LEAST_EXTENSION 2u
#define WAY_HEAD 4u
#define SOURCE_ENTRY 4u
#define HOPS_ENTRY 20u
#define SOURCE_MOST 20u
#define HOPS_MOST 12u
#define TICKET 8u
#define TICKETS_MOST 11u
#define CAPABILITY 8u /* with the abilities alone */
#define SEEN 36u      /* two ports, two addresses */

#define NS_X(name) #name,
const char *const ns_sal_errors[] = {NS_SAL_ERRORS(NS_X)};
#undef NS_X

/* The lengths that a whole extension may have, and how many of them a packet may have. */
static const struct {
    uint8_t least, most, step, times;
    enum ns_sal_error repeated;
} kinds[] = {
    [NS_SAL_CONTROL] = {20, 20, 1, 1, NS_SAL_ERROR_CONTROL_REPEATED},
    [NS_SAL_SERVICE] = {36, 36, 1, 2, NS_SAL_ERROR_SERVICE_REPEATED},
    [NS_SAL_ADDRESS] = {16, 92, 4, 1, NS_SAL_ERROR_ADDRESS_REPEATED},
    [NS_SAL_SOURCE] = {12, 84, 4, 1, NS_SAL_ERROR_SOURCE_REPEATED},
    [NS_SAL_CAPABILITY] = {8, 252, 4, 1, NS_SAL_ERROR_CAPABILITY_REPEATED},
    [NS_SAL_HOPS] = {WAY_HEAD + HOPS_ENTRY, WAY_HEAD + HOPS_MOST *HOPS_ENTRY, HOPS_ENTRY, 1,
                     NS_SAL_ERROR_HOPS_REPEATED},
    [NS_SAL_TICKETS] = {WAY_HEAD, WAY_HEAD + TICKETS_MOST *TICKET, TICKET, 1, NS_SAL_ERROR_TICKETS_REPEATED},
};

#define KINDS (sizeof kinds / sizeof kinds[0])

struct walk {
    const uint8_t *at, *end;
    unsigned total, counts[KINDS];
};

static unsigned kind_of(const uint8_t *extension) {
    return extension[0] >> 4;
}

static enum ns_sal_error check_kind(struct walk *walk, unsigned kind, unsigned length) {
    if (kind >= KINDS)
        return NS_SAL_ERROR_OK;
    if (length < kinds[kind].least || length > kinds[kind].most || (length - kinds[kind].least) % kinds[kind].step != 0)
        return NS_SAL_ERROR_EXTENSION_LENGTH;
    if (++walk->counts[kind] > kinds[kind].times)
        return kinds[kind].repeated;
    return kind == NS_SAL_CONTROL && walk->total > 1 ? NS_SAL_ERROR_CONTROL_PLACE : NS_SAL_ERROR_OK;
}

static enum ns_sal_error check_next(struct walk *walk) {
    size_t left = (size_t)(walk->end - walk->at), length;

    if (left < LEAST_EXTENSION)
        return NS_SAL_ERROR_EXTENSION_CUT; /* a type without a length */
    length = walk->at[1];
    if (length < LEAST_EXTENSION)
        return NS_SAL_ERROR_EXTENSION_LENGTH;
    if (length > left)
        return NS_SAL_ERROR_EXTENSION_CUT;
    if (++walk->total > EXTENSIONS)
        return NS_SAL_ERROR_EXTENSION_COUNT;
    return check_kind(walk, kind_of(walk->at), (unsigned)length);
}

/* Takes the fields of an extension whose length is right. */
static void take(struct ns_sal_packet *packet, const uint8_t *at) {
    switch (kind_of(at)) {
    case NS_SAL_CONTROL:
        packet->has_message = true;
        packet->message.flags = at[2];
        packet->message.abilities = at[3];
        packet->message.verno = ns_get32(at + 4);
        packet->message.ackno = ns_get32(at + 8);
        packet->message.nonce = ns_get64(at + 12);
        break;
    case NS_SAL_SERVICE:
        *(packet->service == NULL ? &packet->service : &packet->second) = at + 4;
        break;
    case NS_SAL_SOURCE:
        if (packet->way == NULL)
            packet->way = at;
        break;
    case NS_SAL_HOPS:
        packet->way = at;
        break;
    case NS_SAL_TICKETS:
        packet->tickets = at;
        break;
    case NS_SAL_CAPABILITY:
        packet->capability = ns_get32(at + 4);
        packet->has_seen = at[1] >= CAPABILITY + SEEN;
        if (packet->has_seen) {
            packet->seen.client = ns_sal_address_of(6, at + 12, (uint16_t)ns_get16(at + 8));
            packet->seen.server = ns_sal_address_of(6, at + 28, (uint16_t)ns_get16(at + 10));
        }
        break;
    default:
        break;
    }
}

static enum ns_sal_error read_extensions(struct ns_sal_packet *packet, const uint8_t *at, const uint8_t *end) {
    struct walk walk = {.at = at, .end = end};

    while (walk.at < end) {
        enum ns_sal_error error;

        if (kind_of(walk.at) == NS_SAL_PAD) {
            walk.at++;
            continue;
        }
        error = check_next(&walk);
        if (error != NS_SAL_ERROR_OK)
            return error;
        take(packet, walk.at);
        walk.at += walk.at[1];
    }
    return NS_SAL_ERROR_OK;
}

enum ns_sal_error ns_sal_read(struct ns_sal_packet *packet, const uint8_t *bytes, size_t length) {
    size_t header;

    memset(packet, 0, sizeof *packet);
    if (length < NS_SAL_HEADER)
        return NS_SAL_ERROR_SHORT;
    header = bytes[8] * 4u;
    if (header < NS_SAL_HEADER)
        return NS_SAL_ERROR_HEADER_LENGTH;
    if (header > length)
        return NS_SAL_ERROR_HEADER_CUT;
    if (ns_checksum_finish(ns_checksum_add(0, bytes, header)) != 0)
        return NS_SAL_ERROR_CHECKSUM;
    packet->message.source = ns_get32(bytes);
    packet->message.destination = ns_get32(bytes + 4);
    packet->protocol = bytes[9];
    packet->transport = bytes + header;
    packet->transport_length = length - header;
    packet->length = length;
    packet->pseudo[0] = packet->message.source;
    packet->pseudo[1] = packet->message.destination;
    return read_extensions(packet, bytes + NS_SAL_HEADER, bytes + header);
}

/* --- writing --- */

static uint8_t *begin(uint8_t *at, enum ns_sal_extension kind, size_t length) {
    memset(at, 0, length);
    at[0] = (uint8_t)(kind << 4);
    at[1] = (uint8_t)length;
    return at + length;
}

static uint8_t *put_control(uint8_t *at, const struct ns_sal_message *message) {
    uint8_t *end = begin(at, NS_SAL_CONTROL, 20);

    at[2] = message->flags;
    at[3] = message->abilities;
    ns_put32(at + 4, message->verno);
    ns_put32(at + 8, message->ackno);
    ns_put64(at + 12, message->nonce);
    return end;
}

static uint8_t *put_service(uint8_t *at, const uint8_t *id) {
    uint8_t *end = begin(at, NS_SAL_SERVICE, 36);

    memcpy(at + 4, id, NS_SAL_ID);
    return end;
}

static uint8_t *put_capability(uint8_t *at, uint32_t abilities, const struct ns_sal_seen *seen) {
    uint8_t *end = begin(at, NS_SAL_CAPABILITY, seen == NULL ? CAPABILITY : CAPABILITY + SEEN);

    ns_put32(at + 4, abilities);
    if (seen != NULL) {
        ns_put16(at + 8, seen->client.port);
        ns_put16(at + 10, seen->server.port);
        memcpy(at + 12, seen->client.ip, 16);
        memcpy(at + 28, seen->server.ip, 16);
    }
    return end;
}

size_t ns_sal_write(uint8_t *bytes, const struct ns_sal_header *header) {
    uint8_t *at = bytes + NS_SAL_HEADER;
    size_t length;

    memset(bytes, 0, NS_SAL_HEADER);
    ns_put32(bytes, header->message.source);
    ns_put32(bytes + 4, header->message.destination);
    if (header->message.flags != 0)
        at = put_control(at, &header->message);
    if (header->service != NULL)
        at = put_service(at, header->service);
    if (header->second != NULL)
        at = put_service(at, header->second);
    if (header->capability != 0)
        at = put_capability(at, header->capability, header->seen);
    if (header->way != NULL) {
        memcpy(at, header->way, header->way[1]);
        at += header->way[1];
    }
    if (header->tickets != NULL) {
        memcpy(at, header->tickets, header->tickets[1]);
        at += header->tickets[1];
    }
    length = (size_t)(at - bytes);
    bytes[8] = (uint8_t)(length / 4);
    bytes[9] = header->protocol;
    ns_put16(bytes + 10, ns_checksum_finish(ns_checksum_add(0, bytes, length)));
    return length;
}

/* --- the way --- */

static bool in_hops(const uint8_t *way) {
    return kind_of(way) == NS_SAL_HOPS;
}

unsigned ns_sal_way_count(const uint8_t *way) {
    return (way[1] - WAY_HEAD) / (in_hops(way) ? HOPS_ENTRY : SOURCE_ENTRY);
}

struct ns_sal_address ns_sal_way_hop(const uint8_t *way, unsigned index, uint16_t port) {
    const uint8_t *at = way + WAY_HEAD + index * (in_hops(way) ? HOPS_ENTRY : SOURCE_ENTRY);

    return in_hops(way) ? ns_sal_address_of(6, at + 4, (uint16_t)ns_get16(at + 2)) : ns_sal_address_of(4, at, port);
}

bool ns_sal_way_append(uint8_t copy[NS_SAL_WAY_MAX], const uint8_t *way, const struct ns_sal_address *own) {
    bool hops = in_hops(way);
    uint8_t *at = copy + way[1];

    memmove(copy, way, way[1]);
    if (ns_sal_way_count(way) >= (hops ? HOPS_MOST : SOURCE_MOST) || (!hops && !ns_sal_is_ipv4(own)))
        return false;
    if (hops) {
        ns_put16(at, 0);
        ns_put16(at + 2, own->port);
        memcpy(at + 4, own->ip, 16);
    } else {
        memcpy(at, own->ip + 12, 4);
    }
    copy[1] = (uint8_t)(copy[1] + (hops ? HOPS_ENTRY : SOURCE_ENTRY));
    return true;
}

const uint8_t ns_sal_asks[4] = {NS_SAL_TICKETS << 4, WAY_HEAD};

bool ns_sal_has_tickets(const uint8_t *way, const uint8_t *tickets) {
    unsigned hops = way == NULL || !in_hops(way) ? 0 : ns_sal_way_count(way);

    return tickets != NULL && hops > 1 && (tickets[1] - WAY_HEAD) / TICKET == hops - 1;
}

bool ns_sal_way_put_tickets(uint8_t copy[NS_SAL_WAY_MAX], const uint8_t *way, const uint8_t *tickets) {
    if (!ns_sal_has_tickets(way, tickets) || copy[1] + tickets[1] > (int)NS_SAL_WAY_MAX)
        return false;
    memcpy(copy + copy[1], tickets, tickets[1]);
    return true;
}

const uint8_t *ns_sal_way_tickets(const uint8_t copy[NS_SAL_WAY_MAX]) {
    return copy[1] != 0 && kind_of(copy + copy[1]) == NS_SAL_TICKETS ? copy + copy[1] : NULL;
}

/* --- messages --- */

bool ns_sal_flags_sound(unsigned flags) {
    if ((flags & NS_SAL_NACK) != 0 || (flags & (NS_SAL_SYN | NS_SAL_RSYN | NS_SAL_ACK | NS_SAL_RST | NS_SAL_FIN)) == 0)
        return false;
    if ((flags & NS_SAL_SYN) != 0)
        return (flags & (NS_SAL_RSYN | NS_SAL_RST | NS_SAL_FIN)) == 0;
    return (flags & NS_SAL_RST) == 0 || (flags & (NS_SAL_RSYN | NS_SAL_FIN)) == 0;
}

bool ns_sal_is_numbered(unsigned flags) {
    return (flags & NS_SAL_RST) == 0 &&
           ((flags & (NS_SAL_SYN | NS_SAL_FIN)) != 0 || (flags & (NS_SAL_RSYN | NS_SAL_ACK)) == NS_SAL_RSYN);
}

bool ns_sal_refusal(struct ns_sal_message *rst, const struct ns_sal_message *message) {
    if ((message->flags & NS_SAL_RST) != 0 || (message->flags & (NS_SAL_SYN | NS_SAL_ACK)) == NS_SAL_SYN)
        return false;
    *rst = (struct ns_sal_message){.source = message->destination,
                                   .destination = message->source,
                                   .flags = NS_SAL_RST | NS_SAL_ACK,
                                   .verno = message->ackno,
                                   .ackno = message->verno + (ns_sal_is_numbered(message->flags) ? 1 : 0),
                                   .nonce = message->nonce};
    return true;
}
