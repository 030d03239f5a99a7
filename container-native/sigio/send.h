/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send.h - sends datagrams with any source, TTL, router alert, traffic class and flow label, through one raw socket
 * per family. Errors about datagrams sent from port 270 reach the UDP socket on that port.
 *
 *   IPv4 20 | 94 04 vv vv |                   UDP 8 | payload      DF set
 *   IPv6 40 | 11 00 05 02 vv vv 01 00 |       UDP 8 | payload
 */
#ifndef NS_SEND_H
#define NS_SEND_H

#include "mtu.h"
#include "packet.h"
#include "route.h"

#define NS_SEND_HEADERS 56u /* bytes: the longest headers above */

struct ns_sender {
    int v4, v6; /* raw sockets */
    struct ns_routes *routes;
    struct ns_mtu_cache *mtu;
};

/* Opens the raw sockets; needs CAP_NET_RAW. v6 stays -1 on a host without IPv6. Returns 0, or -1 with errno. */
int ns_sender_open(struct ns_sender *sender, struct ns_routes *routes, struct ns_mtu_cache *mtu);

/* Writes the packet with the given addresses. Returns its length, at most NS_SEND_HEADERS + length. Pure. */
size_t ns_send_build(uint8_t *out, const struct ns_endpoints *ends, const uint8_t *payload, size_t length);

/*
 * Sends a datagram. Returns 0 or an errno. EACCES means that it is not a datagram of GIST (permit.h). With EMSGSIZE,
 * *mtu is the MTU of the path. Never blocks.
 */
int ns_send(const struct ns_sender *sender, const struct ns_endpoints *ends, const uint8_t *payload, size_t length,
            uint64_t now, uint32_t *mtu);

#endif
