// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/**
 * ICMP (RFC 8656, 18.13):
 *
 * <pre>
 *   0  reserved, 2 bytes      2  type      3  code      4  error data: the MTU, or 0
 * </pre>
 *
 * Type and code are those of ICMPv4 or ICMPv6, as the peer's family is.
 */
public final class Icmp {
  private Icmp() {}

  public static boolean isPresent(StunMessage message) {
    return message.has(StunAttribute.ICMP);
  }

  /** Returns the ICMP type. The attribute {@link #isPresent}. */
  public static int type(StunMessage message) {
    return message.buffer().get(value(message) + 2) & 0xff;
  }

  /** Returns the ICMP code. The attribute {@link #isPresent}. */
  public static int code(StunMessage message) {
    return message.buffer().get(value(message) + 3) & 0xff;
  }

  /** Returns the error data. The attribute {@link #isPresent}. */
  public static int data(StunMessage message) {
    return message.buffer().getInt(value(message) + 4);
  }

  private static int value(StunMessage message) {
    return message.valueStart(message.find(StunAttribute.ICMP));
  }

  public static void put(StunWriter writer, int type, int code, int data) {
    writer.put64(
        StunAttribute.ICMP, ((type & 0xffL) << 40) | ((code & 0xffL) << 32) | (data & 0xffffffffL));
  }
}
