// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** CHANGE-REQUEST (RFC 5780, 7.2): the answer is to come from another address (4) or port (2). */
public final class ChangeRequest {
  private static final int ADDRESS = 4;
  private static final int PORT = 2;

  private ChangeRequest() {}

  /** Tells whether another address is asked for. False if the attribute is absent. */
  public static boolean address(StunMessage message) {
    return (flags(message) & ADDRESS) != 0;
  }

  /** Tells whether another port is asked for. False if the attribute is absent. */
  public static boolean port(StunMessage message) {
    return (flags(message) & PORT) != 0;
  }

  private static int flags(StunMessage message) {
    int at = message.find(StunAttribute.CHANGE_REQUEST);
    return at < 0 ? 0 : message.buffer().getInt(message.valueStart(at));
  }

  public static void put(StunWriter writer, boolean address, boolean port) {
    writer.put32(StunAttribute.CHANGE_REQUEST, (address ? ADDRESS : 0) | (port ? PORT : 0));
  }
}
