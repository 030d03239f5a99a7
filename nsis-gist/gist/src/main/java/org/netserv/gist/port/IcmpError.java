// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.port;

import java.net.InetAddress;

/**
 * An ICMP or ICMPv6 error about a UDP datagram to port 270, for us or passing through.
 *
 * @param type type and code of the ICMP version that belongs to the addresses
 * @param mtu of "packet too big" and "fragmentation needed", else 0
 * @param offender who sent the error; null = not known, but the kernel has found the socket that it
 *     belongs to by its addresses and ports
 * @param payload the beginning of the quoted UDP payload; may be empty
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record IcmpError(
    int type,
    int code,
    int mtu,
    InetAddress offender,
    InetAddress source,
    int sourcePort,
    InetAddress destination,
    int destinationPort,
    byte[] payload) {
  /** Port unreachable: ICMP 3/3, ICMPv6 1/4. */
  public boolean portUnreachable() {
    return destination.getAddress().length == 4 ? type == 3 && code == 3 : type == 1 && code == 4;
  }
}
