// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** LIFETIME (RFC 8656, 18.2): seconds for which the server keeps an allocation, 32 bits. */
public final class Lifetime {
  private Lifetime() {}

  /** Returns the seconds, 0 to 2^32 - 1; -1 if the attribute is absent. */
  public static long get(StunMessage message) {
    int at = message.find(StunAttribute.LIFETIME);
    return at < 0 ? -1 : message.buffer().getInt(message.valueStart(at)) & 0xffffffffL;
  }

  public static void put(StunWriter writer, long seconds) {
    writer.put32(StunAttribute.LIFETIME, (int) seconds);
  }
}
