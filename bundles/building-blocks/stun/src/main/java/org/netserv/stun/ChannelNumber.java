// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** CHANNEL-NUMBER (RFC 8656, 18.1): the number in the upper half of four bytes. */
public final class ChannelNumber {
  /** The lowest number that a client may bind. */
  public static final int LEAST = 0x4000;

  /** The highest number that a client may bind. */
  public static final int MOST = 0x4fff;

  private ChannelNumber() {}

  /** Returns the number, 0 to 65535; -1 if the attribute is absent. */
  public static int get(StunMessage message) {
    int at = message.find(StunAttribute.CHANNEL_NUMBER);
    return at < 0 ? -1 : message.buffer().getShort(message.valueStart(at)) & 0xffff;
  }

  public static boolean isValid(int number) {
    return number >= LEAST && number <= MOST;
  }

  public static void put(StunWriter writer, int number) {
    writer.put32(StunAttribute.CHANNEL_NUMBER, number << 16);
  }
}
