// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * TICKETS: a client asks for the answer to its SYN by the routers. Each router appends a number by
 * which it knows the SYN-ACK that it shall take back.
 *
 * <pre>
 *   0  0x70     1  4 + 8n, n = 0 to 11     2  reserved, 16 bits
 *   4      n tickets of 8 bytes, in the order of the routers in {@link HopList}
 * </pre>
 */
public final class TicketList {
  /** Bytes of a ticket. */
  static final int ENTRY = 8;

  /** Tickets that a list may have. The client in HOPS has none. */
  public static final int MOST = HopList.MOST - 1;

  static final int HEAD = 4;

  private TicketList() {}

  /** Returns the tickets, null if the extension is absent. */
  public static List<Long> get(SalPacket packet) {
    int at = packet.find(ExtensionType.TICKETS);
    if (at < 0) {
      return null;
    }
    List<Long> tickets = new ArrayList<>();
    for (int next = at + HEAD; next < at + packet.length(at); next += ENTRY) {
      tickets.add(packet.buffer().getLong(next));
    }
    return tickets;
  }

  public static void put(SalWriter writer, List<Long> tickets) {
    int extension = writer.add(ExtensionType.TICKETS, HEAD + ENTRY * tickets.size());
    if (extension < 0) {
      return;
    }
    ByteBuffer buffer = writer.buffer();
    buffer.putShort(extension + 2, (short) 0);
    for (int i = 0; i < tickets.size(); i++) {
      buffer.putLong(extension + HEAD + ENTRY * i, tickets.get(i));
    }
  }
}
