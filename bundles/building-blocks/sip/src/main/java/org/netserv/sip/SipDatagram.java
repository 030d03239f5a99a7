// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import org.netserv.packet.Packet;

/** Looks at a datagram before its message is read. Allocates nothing; from any thread. */
public final class SipDatagram {
  private static final int BROADCAST = 0xffffffff;

  private SipDatagram() {}

  /**
   * Tells whether an answer can go back by the datagram's addresses: both are unicast, and its
   * source has a port. Nobody answers a message that came to a group from here, because its sender
   * expects answers from elsewhere (RFC 3261, 18.1.1).
   */
  public static boolean isAnswerable(Packet packet) {
    boolean unicast =
        packet.family() == 4
            ? isUnicast(packet.source4()) && isUnicast(packet.destination4())
            : isUnicast(packet.sourceHigh(), packet.sourceLow())
                && isUnicast(packet.destinationHigh(), packet.destinationLow());
    return unicast && packet.sourcePort() != 0;
  }

  /**
   * Tells whether the payload starts with a letter, as each SIP method and SIP/2.0 do. Media, DTLS
   * and QUIC do not, and an empty payload does not.
   */
  public static boolean startsWithLetter(Packet packet) {
    int first = packet.payloadLength() == 0 ? 0 : packet.get(packet.payloadOffset()) | 0x20;
    return first >= 'a' && first <= 'z';
  }

  private static boolean isUnicast(int address) {
    return address != 0 && address != BROADCAST && address >>> 28 != 0xe;
  }

  private static boolean isUnicast(long high, long low) {
    return high >>> 56 != 0xff && (high | low) != 0;
  }
}
