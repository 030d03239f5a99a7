// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** RESPONSE-PORT (RFC 5780, 7.5): the port for the answer, in the upper half of four bytes. */
public final class ResponsePort {
  private ResponsePort() {}

  /** Returns the port, 0 to 65535; -1 if the attribute is absent. */
  public static int get(StunMessage message) {
    int at = message.find(StunAttribute.RESPONSE_PORT);
    return at < 0 ? -1 : message.buffer().getShort(message.valueStart(at)) & 0xffff;
  }

  public static void put(StunWriter writer, int port) {
    writer.put32(StunAttribute.RESPONSE_PORT, port << 16);
  }
}
