// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * HOPS: as SOURCE, with ports and both families. Only toward peers with {@link Ability#HOPS}.
 *
 * <pre>
 *   0  0x60     1  4 + 20n, n = 1 to 12     2  reserved, 16 bits
 *   4      n times:
 *          0  reserved, 16 bits     2  port
 *          4  address, 16 bytes; IPv4 as ::ffff:a.b.c.d
 * </pre>
 */
public final class HopList {
  /** Bytes of an entry. */
  static final int ENTRY = 20;

  /** Entries that a list may have. */
  public static final int MOST = 12;

  private static final int HEAD = 4;

  private HopList() {}

  /** Returns the number of hops, 0 if the extension is absent. */
  public static int count(SalPacket packet) {
    int at = packet.find(ExtensionType.HOPS);
    return at < 0 ? 0 : (packet.length(at) - HEAD) / ENTRY;
  }

  /** Returns a hop. The index is below {@link #count}. */
  public static Endpoint hop(SalPacket packet, int index) {
    int at = packet.find(ExtensionType.HOPS) + HEAD + ENTRY * index;
    ByteBuffer buffer = packet.buffer();
    return new Endpoint(
        buffer.getLong(at + 4), buffer.getLong(at + 12), buffer.getShort(at + 2) & 0xffff);
  }

  /** Tells whether a socket is in the list. Port 0 stands for any port. */
  public static boolean has(SalPacket packet, Endpoint address) {
    for (int i = count(packet) - 1; i >= 0; i--) {
      if (hop(packet, i).isSocketOf(address)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Adds the list of a packet with one more hop. A packet without a list begins one with its
   * sender. The list has room.
   */
  public static void putAppended(
      SalWriter writer, SalPacket packet, Endpoint sender, Endpoint hop) {
    List<Endpoint> hops = new ArrayList<>();
    for (int i = 0; i < count(packet); i++) {
      hops.add(hop(packet, i));
    }
    if (hops.isEmpty()) {
      hops.add(sender);
    }
    hops.add(hop);
    put(writer, hops);
  }

  public static void put(SalWriter writer, List<Endpoint> hops) {
    int extension = writer.add(ExtensionType.HOPS, HEAD + ENTRY * hops.size());
    if (extension < 0) {
      return;
    }
    ByteBuffer buffer = writer.buffer();
    buffer.putShort(extension + 2, (short) 0);
    int at = extension + HEAD;
    for (Endpoint hop : hops) {
      buffer.putShort(at, (short) 0);
      buffer.putShort(at + 2, (short) hop.port());
      buffer.putLong(at + 4, hop.high());
      buffer.putLong(at + 12, hop.low());
      at += ENTRY;
    }
  }
}
