/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packet.h - the SAL header of one packet (docs/protocols/serval.md, "Packets"). Reads and writes it, and no more.
 *
 *     | source flowID 4 | destination flowID 4 | words 1 | protocol 1 | checksum 2 | extensions | transport |
 *
 * The reader checks each length once. It reads no byte beyond the given length and allocates nothing.
 */
#ifndef NS_SALD_PACKET_H
#define NS_SALD_PACKET_H

#include "address.h"
#include <stddef.h>

#define NS_SAL_HEADER 12u
#define NS_SAL_HEADER_MAX 1020u /* bytes of header and extensions */
#define NS_SAL_ID 32u           /* bytes of a serviceID */
#define NS_SAL_WAY_MAX 256u     /* bytes that hold any SOURCE or HOPS */

#define NS_SAL_SYN 0x80u
#define NS_SAL_RSYN 0x40u
#define NS_SAL_ACK 0x20u
#define NS_SAL_NACK 0x10u
#define NS_SAL_RST 0x08u
#define NS_SAL_FIN 0x04u

#define NS_SAL_ABILITY_EXTENSIONS 0x01u
#define NS_SAL_ABILITY_NATIVE 0x02u
#define NS_SAL_ABILITY_HOPS 0x04u

enum ns_sal_extension {
    NS_SAL_PAD,
    NS_SAL_CONTROL,
    NS_SAL_SERVICE,
    NS_SAL_ADDRESS,
    NS_SAL_SOURCE,
    NS_SAL_CAPABILITY,
    NS_SAL_HOPS,
    NS_SAL_TICKETS
};

/* The refusals of a packet, as on the page. */
/* clang-format off */
#define NS_SAL_ERRORS(X) \
    X(OK) \
    X(SHORT) \
    X(HEADER_LENGTH) \
    X(HEADER_CUT) \
    X(CHECKSUM) \
    X(EXTENSION_CUT) \
    X(EXTENSION_LENGTH) \
    X(EXTENSION_COUNT) \
    X(CONTROL_PLACE) \
    X(CONTROL_REPEATED) \
    X(SERVICE_REPEATED) \
    X(ADDRESS_REPEATED) \
    X(SOURCE_REPEATED) \
    X(CAPABILITY_REPEATED) \
    X(HOPS_REPEATED) \
    X(TICKETS_REPEATED)
/* clang-format on */

enum ns_sal_error {
#define NS_X(name) NS_SAL_ERROR_##name,
    NS_SAL_ERRORS(NS_X)
#undef NS_X
        NS_SAL_ERROR_KINDS
};
extern const char *const ns_sal_errors[];

/* A message of the control channel with its flowIDs. Numbers are in host order; equal on the wire means equal here. */
struct ns_sal_message {
    uint32_t source, destination; /* flowIDs */
    uint8_t flags, abilities;
    uint32_t verno, ackno;
    uint64_t nonce;
};

/* Both addresses as the client sees them, behind the abilities of CAPABILITY. */
struct ns_sal_seen {
    struct ns_sal_address client, server;
};

/* A packet that was read. Pointers are into its bytes, NULL where an extension is absent. */
struct ns_sal_packet {
    bool has_message;
    struct ns_sal_message message; /* its flowIDs are those of the packet, with or without a message */
    uint8_t protocol;
    const uint8_t *service, *second; /* serviceIDs of 32 bytes */
    const uint8_t *way;              /* SOURCE or HOPS as a whole extension; HOPS counts if there are both */
    const uint8_t *tickets;          /* TICKETS as a whole extension */
    uint32_t capability;             /* 0 if absent */
    bool has_seen;
    struct ns_sal_seen seen; /* of CAPABILITY */
    const uint8_t *transport;
    size_t transport_length, length; /* `length` is that of the whole packet */
    bool for_many;                   /* it came to a group or broadcast address; the reader leaves that to the caller */
    uint32_t pseudo[2]; /* of the checksum of the transport, host order: the flowIDs, or the addresses of raw IP */
};

/* Reads a packet. Only an OK packet may be used. */
enum ns_sal_error ns_sal_read(struct ns_sal_packet *packet, const uint8_t *bytes, size_t length);

/* The content of a header to be written. NULL and 0 leave an extension out. */
struct ns_sal_header {
    struct ns_sal_message message; /* flags 0 = no CONTROL */
    uint8_t protocol;
    const uint8_t *service, *second;
    const uint8_t *way, *tickets;
    uint32_t capability;
    const struct ns_sal_seen *seen; /* goes with a capability */
};

/* Writes the header into NS_SAL_HEADER_MAX bytes. Returns its length. */
size_t ns_sal_write(uint8_t *bytes, const struct ns_sal_header *header);

/* --- the way of a SYN over service routers --- */

unsigned ns_sal_way_count(const uint8_t *way);

/* Returns a hop of the way; one of SOURCE has the port that is given. */
struct ns_sal_address ns_sal_way_hop(const uint8_t *way, unsigned index, uint16_t port);

/*
 * Appends this host's address to a copy of the way. Returns false if the list has no room, or is IPv4's alone and the
 * address is not.
 */
bool ns_sal_way_append(uint8_t copy[NS_SAL_WAY_MAX], const uint8_t *way, const struct ns_sal_address *own);

/* TICKETS without a ticket: a client asks for the answer to its SYN by the routers. */
extern const uint8_t ns_sal_asks[4];

/* Tells whether each router of a way has given a ticket, so that the answer goes back over them. */
bool ns_sal_has_tickets(const uint8_t *way, const uint8_t *tickets);

/* Puts all tickets of a SYN behind the copy of its way, if there is room. Returns whether they are there. */
bool ns_sal_way_put_tickets(uint8_t copy[NS_SAL_WAY_MAX], const uint8_t *way, const uint8_t *tickets);

/* Returns the tickets behind a copy of a way, NULL if there are none. */
const uint8_t *ns_sal_way_tickets(const uint8_t copy[NS_SAL_WAY_MAX]);

/* Tells whether the flags of a message go together. */
bool ns_sal_flags_sound(unsigned flags);

/* Tells whether a message takes a verno of its own. */
bool ns_sal_is_numbered(unsigned flags);

/* Makes the RST for a message of an unknown flow. Returns false if the message gets none. */
bool ns_sal_refusal(struct ns_sal_message *rst, const struct ns_sal_message *message);

#endif
