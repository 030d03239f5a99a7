/* SPDX-License-Identifier: Apache-2.0 */
/*
 * permit.h - decides whether a datagram of gist may leave. gist reads the network's bytes all day, so an attacker in
 * control of gist must not be able to send any bytes from any source. These datagrams are GIST's (RFC 5971, sections
 * 5.3.1, 5.3.2, 7.2.1).
 *
 *     Q-mode   to port 270, the C-flag set             any source; router alert.
 *     Error    from port 270, to any port, C-flag 0    any source: through a NAT it must look like
 *                                                      an answer of the Query's destination.
 *     D-mode   from port 270, to any port              a source of this host's.
 *
 * Source and destination are addresses of single hosts, none of them loopback. The magic number stands in front.
 * Pure.
 */
#ifndef NS_PERMIT_H
#define NS_PERMIT_H

#include "packet.h"

enum ns_permit {
    NS_PERMIT_NOT,
    NS_PERMIT_OWN, /* permitted if the source is an address of this host, or left to the kernel */
    NS_PERMIT_ANY,
};

enum ns_permit ns_permit_look(const struct ns_endpoints *ends, const uint8_t *payload, size_t length);

/* Tells whether the source is left to the kernel. */
bool ns_permit_no_source(const struct ns_endpoints *ends);

/* Tells whether an IPv6 address is link-local, and so belongs to an interface. */
bool ns_permit_link_local(uint8_t family, const uint8_t *address);

#endif
