/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket.h - the UDP socket on port 270 of one family. It receives datagrams to this host, and errors about datagrams
 * that sigio sent.
 */
#ifndef NS_SOCKET_H
#define NS_SOCKET_H

#include "packet.h"

/*
 * Binds to port 270 of all addresses, IPv6 without IPv4. Needs CAP_NET_BIND_SERVICE. Returns the descriptor, or -1
 * with errno.
 */
int ns_socket_open(uint8_t family);

/*
 * Takes one datagram. Its payload goes into `buffer`, of 65,536 bytes. token and mtu of the endpoints are left 0.
 * Returns the length of the payload, or -1 if there is no datagram.
 */
long ns_socket_receive(int fd, uint8_t family, struct ns_endpoints *ends, uint8_t *buffer);

/*
 * Takes one ICMP error about a datagram sent from port 270. The quoted payload goes into `buffer`. Returns false if
 * there is no error. `packet` is filled in as by ns_packet_look; an error that is not to be reported has family 0.
 */
bool ns_socket_error(int fd, uint8_t family, struct ns_packet *packet, uint32_t *mtu, uint8_t *buffer);

#endif
