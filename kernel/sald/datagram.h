/* SPDX-License-Identifier: Apache-2.0 */
/*
 * datagram.h - datagrams of UDP in their two forms, as segment.h has those of TCP.
 *
 *     local   IP, UDP with ports; names of the local stack
 *     wire    UDP behind SAL: ports 0, and two words in the pseudo-header of the checksum
 */
#ifndef NS_SALD_DATAGRAM_H
#define NS_SALD_DATAGRAM_H

#include "ns_sal.h"
#include <stdbool.h>
#include <stddef.h>

#define NS_SAL_UDP 17u
#define NS_SAL_UDP_HEADER 8u

struct ns_sal_datagram {
    struct ns_sal_tuple tuple; /* of a local packet: as it leaves the local stack */
    const uint8_t *udp;        /* the header */
    const uint8_t *payload;
    size_t length; /* of the payload */
};

enum ns_sal_local_kind {
    NS_SAL_LOCAL_DATAGRAM,
    NS_SAL_LOCAL_FRAGMENT, /* of a datagram, the first or a later one */
    NS_SAL_LOCAL_OTHER     /* no UDP, or not sound */
};

/* Reads a local packet. Only a whole datagram is written. */
enum ns_sal_local_kind ns_sal_datagram_local(struct ns_sal_datagram *datagram, const uint8_t *packet, size_t length);

/* Reads UDP of the wire. Returns false if its length is not that of the bytes. */
bool ns_sal_datagram_read(struct ns_sal_datagram *datagram, const uint8_t *udp, size_t length);

/* Writes UDP of the wire. `words` are those of the pseudo-header, in host order. Returns its length. */
size_t ns_sal_datagram_to_wire(uint8_t *udp, const uint8_t *payload, size_t length, const uint32_t words[2]);

/* Tells whether the checksum of UDP of the wire is right, or there is none. */
bool ns_sal_datagram_is_right(const uint8_t *udp, size_t length, const uint32_t words[2]);

/*
 * Writes the local packet that goes to the local stack: from the tuple's destination to its source. `packet` holds
 * NS_SAL_PACKET_MAX bytes. Returns its length, or 0 if it is too long.
 */
size_t ns_sal_datagram_to_local(uint8_t *packet, const struct ns_sal_tuple *tuple, const uint8_t *payload,
                                size_t length);

#endif
