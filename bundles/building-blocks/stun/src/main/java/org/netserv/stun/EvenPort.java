// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** EVEN-PORT (RFC 8656, 18.7): one byte, the top bit asks to reserve the next port as well. */
public final class EvenPort {
  private static final int RESERVE = 0x80;

  private EvenPort() {}

  public static boolean isPresent(StunMessage message) {
    return message.has(StunAttribute.EVEN_PORT);
  }

  /** Tells whether the next port is to be reserved. False if the attribute is absent. */
  public static boolean reserves(StunMessage message) {
    int at = message.find(StunAttribute.EVEN_PORT);
    return at >= 0 && (message.buffer().get(message.valueStart(at)) & RESERVE) != 0;
  }

  public static void put(StunWriter writer, boolean reserve) {
    int at = writer.add(StunAttribute.EVEN_PORT, 1);
    if (at >= 0) {
      writer.buffer().put(at, (byte) (reserve ? RESERVE : 0));
    }
  }
}
