// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.nio.ByteBuffer;

/**
 * ADDRESS: the IPv4 addresses of a host with several links. The published stack passes over it.
 *
 * <pre>
 *   0  0x30     1  12 + 4n, n = 1 to 20     2  reserved, 16 bits
 *   4      verno, 32 bits
 *   8      ackno, 32 bits
 *   12     n IPv4 addresses
 * </pre>
 */
public final class AddressList {
  private static final int HEAD = 12;

  private AddressList() {}

  /** Returns the number of addresses, 0 if the extension is absent. */
  public static int count(SalPacket packet) {
    int at = packet.find(ExtensionType.ADDRESS);
    return at < 0 ? 0 : (packet.length(at) - HEAD) / 4;
  }

  /** Returns the verno. Only for a packet with the extension. */
  public static int verno(SalPacket packet) {
    return packet.buffer().getInt(packet.find(ExtensionType.ADDRESS) + 4);
  }

  /** Returns the ackno. Only for a packet with the extension. */
  public static int ackno(SalPacket packet) {
    return packet.buffer().getInt(packet.find(ExtensionType.ADDRESS) + 8);
  }

  /** Returns an address. The index is below {@link #count}. */
  public static int address(SalPacket packet, int index) {
    return packet.buffer().getInt(packet.find(ExtensionType.ADDRESS) + HEAD + 4 * index);
  }

  public static void put(SalWriter writer, int verno, int ackno, int... addresses) {
    int at = writer.add(ExtensionType.ADDRESS, HEAD + 4 * addresses.length);
    if (at < 0) {
      return;
    }
    ByteBuffer buffer = writer.buffer();
    buffer.putShort(at + 2, (short) 0);
    buffer.putInt(at + 4, verno);
    buffer.putInt(at + 8, ackno);
    for (int i = 0; i < addresses.length; i++) {
      buffer.putInt(at + HEAD + 4 * i, addresses[i]);
    }
  }
}
