// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/**
 * REQUESTED-TRANSPORT (RFC 8656, 18.8; TCP by RFC 6062): the IP protocol's number, 3 bytes of 0.
 */
public final class RequestedTransport {
  public static final int UDP = 17;
  public static final int TCP = 6;

  private RequestedTransport() {}

  /** Returns the protocol, 0 to 255; -1 if the attribute is absent. */
  public static int get(StunMessage message) {
    int at = message.find(StunAttribute.REQUESTED_TRANSPORT);
    return at < 0 ? -1 : message.buffer().get(message.valueStart(at)) & 0xff;
  }

  public static void put(StunWriter writer, int protocol) {
    writer.put32(StunAttribute.REQUESTED_TRANSPORT, protocol << 24);
  }
}
