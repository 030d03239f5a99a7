/* SPDX-License-Identifier: Apache-2.0 */
/* socket.h - the UDP socket on port 270 of one family: what is addressed to this host, and errors about what we sent. */
#ifndef NS_SOCKET_H
#define NS_SOCKET_H

#include "packet.h"

/* Bound to port 270 of all addresses, IPv6 without IPv4. Needs CAP_NET_BIND_SERVICE. The descriptor, or -1 with errno. */
int ns_socket_open(uint8_t family);

/*
 * Takes one datagram; its payload goes into `buffer`, of 65,536 bytes. token and mtu of the endpoints are left 0. Length of the
 * payload, or -1: nothing there.
 */
long ns_socket_receive(int fd, uint8_t family, struct ns_endpoints *ends, uint8_t *buffer);

/*
 * Takes one ICMP error about a datagram sent from port 270; quoted payload into `buffer`. False: nothing there. `packet` is as
 * ns_packet_look gives it; an error that is not to be reported has family 0.
 */
bool ns_socket_error(int fd, uint8_t family, struct ns_packet *packet, uint32_t *mtu, uint8_t *buffer);

#endif
