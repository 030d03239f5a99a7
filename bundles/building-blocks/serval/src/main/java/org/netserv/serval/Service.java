// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

/**
 * SERVICE: a serviceID. A SYN and the handshake's ACK have the target's. An unconnected datagram
 * has the destination's and then the source's.
 *
 * <pre>
 *   0  0x20     1  36     2  reserved, 16 bits
 *   4      serviceID, 32 bytes
 * </pre>
 */
public final class Service {
  private static final int LENGTH = 36;

  private Service() {}

  /** Returns the target or destination, or null if the packet has none. */
  public static ServiceId get(SalPacket packet) {
    int at = packet.find(ExtensionType.SERVICE);
    return at < 0 ? null : ServiceId.get(packet.buffer(), at + 4);
  }

  /** Returns the source of an unconnected datagram, or null if the packet has none. */
  public static ServiceId getSource(SalPacket packet) {
    int at = packet.find(ExtensionType.SERVICE);
    at = at < 0 ? at : packet.next(at);
    return at < 0 ? null : ServiceId.get(packet.buffer(), at + 4);
  }

  public static void put(SalWriter writer, ServiceId id) {
    int at = writer.add(ExtensionType.SERVICE, LENGTH);
    if (at >= 0) {
      writer.buffer().putShort(at + 2, (short) 0);
      id.put(writer.buffer(), at + 4);
    }
  }
}
