// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** CONNECTION-ID (RFC 6062, 6.2.1): 32 bits that name a connection between server and peer. */
public final class ConnectionId {
  private ConnectionId() {}

  public static boolean isPresent(StunMessage message) {
    return message.has(StunAttribute.CONNECTION_ID);
  }

  /** Returns the id. The attribute {@link #isPresent}. */
  public static int get(StunMessage message) {
    int at = message.find(StunAttribute.CONNECTION_ID);
    return message.buffer().getInt(message.valueStart(at));
  }

  public static void put(StunWriter writer, int id) {
    writer.put32(StunAttribute.CONNECTION_ID, id);
  }
}
