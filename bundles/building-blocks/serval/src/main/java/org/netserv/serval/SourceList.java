// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.nio.ByteBuffer;

/**
 * SOURCE: the way of a SYN over service routers. The client comes first, then each SAL hop by the
 * address to which the packet came. The instance sends the list back in the SYN-ACK, with its own
 * address at the end.
 *
 * <pre>
 *   0  0x40     1  4 + 4n, n = 2 to 20     2  reserved, 16 bits
 *   4      n IPv4 addresses
 * </pre>
 */
public final class SourceList {
  /** Addresses that a list may have. */
  public static final int MOST = 20;

  private static final int HEAD = 4;

  private SourceList() {}

  /** Returns the number of addresses, 0 if the extension is absent. */
  public static int count(SalPacket packet) {
    int at = packet.find(ExtensionType.SOURCE);
    return at < 0 ? 0 : (packet.length(at) - HEAD) / 4;
  }

  /** Returns an address. The index is below {@link #count}. */
  public static int address(SalPacket packet, int index) {
    return packet.buffer().getInt(packet.find(ExtensionType.SOURCE) + HEAD + 4 * index);
  }

  public static boolean has(SalPacket packet, int address) {
    for (int i = count(packet) - 1; i >= 0; i--) {
      if (address(packet, i) == address) {
        return true;
      }
    }
    return false;
  }

  public static void put(SalWriter writer, int... addresses) {
    int at = writer.add(ExtensionType.SOURCE, HEAD + 4 * addresses.length);
    if (at < 0) {
      return;
    }
    writer.buffer().putShort(at + 2, (short) 0);
    for (int i = 0; i < addresses.length; i++) {
      writer.buffer().putInt(at + HEAD + 4 * i, addresses[i]);
    }
  }

  /**
   * Adds the list of a packet with one more address. A packet without a list begins one with its
   * sender.
   *
   * @param sender the IPv4 source of the packet
   * @return false if the list is full
   */
  public static boolean putAppended(SalWriter writer, SalPacket packet, int sender, int address) {
    int count = count(packet);
    if (count == 0) {
      put(writer, sender, address);
      return true;
    }
    if (count == MOST) {
      return false;
    }
    int at = writer.add(ExtensionType.SOURCE, HEAD + 4 * (count + 1));
    if (at >= 0) {
      ByteBuffer buffer = writer.buffer();
      int from = packet.find(ExtensionType.SOURCE);
      buffer.putShort(at + 2, (short) 0);
      buffer.put(at + HEAD, packet.buffer(), from + HEAD, 4 * count);
      buffer.putInt(at + HEAD + 4 * count, address);
    }
    return true;
  }
}
