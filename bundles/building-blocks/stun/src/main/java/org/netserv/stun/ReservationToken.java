// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** RESERVATION-TOKEN (RFC 8656, 18.10): eight bytes that only the server understands. */
public final class ReservationToken {
  private ReservationToken() {}

  public static boolean isPresent(StunMessage message) {
    return message.has(StunAttribute.RESERVATION_TOKEN);
  }

  /** Returns the token. The attribute {@link #isPresent}. */
  public static long get(StunMessage message) {
    int at = message.find(StunAttribute.RESERVATION_TOKEN);
    return message.buffer().getLong(message.valueStart(at));
  }

  public static void put(StunWriter writer, long token) {
    writer.put64(StunAttribute.RESERVATION_TOKEN, token);
  }
}
