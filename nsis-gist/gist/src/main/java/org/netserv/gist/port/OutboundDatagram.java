// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.port;

import java.net.InetAddress;

/**
 * A UDP datagram to send; IPv4 with DF, UDP with its checksum.
 *
 * @param source may be foreign (Q-mode with the flow's source); null = the kernel's choice
 * @param sourcePort 0 = the port at which we receive
 * @param ttl 1 to 255
 * @param routerAlert value of the option to add; -1 = none
 * @param flowLabel IPv6, 0 = none
 * @param payload UDP payload, magic number included
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record OutboundDatagram(
    InetAddress source,
    int sourcePort,
    InetAddress destination,
    int destinationPort,
    int ttl,
    int trafficClass,
    int flowLabel,
    int routerAlert,
    byte[] payload) {}
