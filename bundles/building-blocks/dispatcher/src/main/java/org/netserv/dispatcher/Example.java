// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import org.netserv.packet.Packet;
import org.netserv.packet.Packets;

/** Synthetic packets. */
final class Example {
  private static final int SYN = 2;

  private Example() {}

  static Packet of(
      int family,
      int protocol,
      String source,
      int sourcePort,
      String target,
      int port,
      byte[] payload) {
    boolean v4 = family == 4;
    return switch (protocol) {
      case 0, Packet.UDP ->
          v4
              ? Packets.udp4(source, sourcePort, target, port, payload)
              : Packets.udp6(source, sourcePort, target, port, payload);
      case Packet.TCP ->
          v4
              ? Packets.tcp4(source, sourcePort, target, port, SYN, payload)
              : Packets.tcp6(source, sourcePort, target, port, SYN, payload);
      default ->
          v4
              ? Packets.raw4(source, target, protocol, payload)
              : Packets.raw6(source, target, protocol, payload);
    };
  }
}
