// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/**
 * REQUESTED-ADDRESS-FAMILY and ADDITIONAL-ADDRESS-FAMILY (RFC 8656, 18.6 and 18.11): the family in
 * the first of four bytes. The others are reserved, and are not looked at.
 */
public final class AddressFamily {
  public static final int IPV4 = 1;
  public static final int IPV6 = 2;

  private AddressFamily() {}

  /** Returns the family, any byte; -1 if the attribute is absent. */
  public static int get(StunMessage message, StunAttribute type) {
    int at = message.find(type);
    return at < 0 ? -1 : message.buffer().get(message.valueStart(at)) & 0xff;
  }

  public static void put(StunWriter writer, StunAttribute type, int family) {
    writer.put32(type, family << 24);
  }
}
