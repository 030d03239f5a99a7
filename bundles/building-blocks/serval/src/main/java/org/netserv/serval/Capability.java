// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

/**
 * CAPABILITY: the client's abilities, in the handshake's ACK to a server that announced some.
 *
 * <pre>
 *   0  0x50     1  8 + 4n     2  reserved, 16 bits
 *   4      abilities, 32 bits: {@link Ability}
 *   8      n words of a later version, passed over
 * </pre>
 */
public final class Capability {
  private static final int LENGTH = 8;

  private Capability() {}

  /** Returns the abilities, 0 if the extension is absent. */
  public static int get(SalPacket packet) {
    int at = packet.find(ExtensionType.CAPABILITY);
    return at < 0 ? 0 : packet.buffer().getInt(at + 4);
  }

  public static void put(SalWriter writer, int abilities) {
    int at = writer.add(ExtensionType.CAPABILITY, LENGTH);
    if (at >= 0) {
      writer.buffer().putShort(at + 2, (short) 0);
      writer.buffer().putInt(at + 4, abilities);
    }
  }
}
