// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.port;

import java.net.InetAddress;

/**
 * A UDP datagram that came to, or through, this host.
 *
 * @param token names an intercepted packet until its verdict; 0 = it was addressed to our socket
 *     and needs none
 * @param ttl IPv4 TTL or IPv6 hop limit as it came; 0 = not known
 * @param trafficClass TOS or traffic class byte
 * @param routerAlert value of the router alert option; -1 = none
 * @param interfaceIndex 0 = not known
 * @param local whether the destination is an address of this host
 * @param payload UDP payload, magic number included; never longer than 65,507 bytes
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record InboundDatagram(
    long token,
    InetAddress source,
    int sourcePort,
    InetAddress destination,
    int destinationPort,
    int ttl,
    int trafficClass,
    int flowLabel,
    int routerAlert,
    int interfaceIndex,
    boolean local,
    byte[] payload) {}
