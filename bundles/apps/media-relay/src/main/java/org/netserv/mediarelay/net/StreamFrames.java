// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.nio.ByteBuffer;

/**
 * Finds the messages in a byte stream. STUN has no padding (RFC 8489, 6.2.2), and ChannelData is
 * padded to four bytes (RFC 8656, 12.5).
 */
final class StreamFrames {
  /** Too few bytes are there to tell. */
  static final int UNKNOWN = -1;

  /** No message begins so, and where the next one begins cannot be known. */
  static final int BROKEN = -2;

  private static final int STUN_HEADER = 20;
  private static final int CHANNEL_HEADER = 4;
  private static final int COOKIE_AT = 4;
  private static final int COOKIE = 0x2112_a442;

  private StreamFrames() {}

  /**
   * Returns the bytes of the message that begins here, with padding: at most 65,556. Also returns
   * {@link #UNKNOWN} or {@link #BROKEN}.
   *
   * @param at index of the first byte
   * @param available bytes that are there, from {@code at} on
   */
  static int span(ByteBuffer bytes, int at, int available) {
    if (available < 1) {
      return UNKNOWN;
    }
    int kind = bytes.get(at) & 0xc0;
    if (kind > 0x40) {
      return BROKEN;
    }
    if (available < CHANNEL_HEADER) {
      return UNKNOWN;
    }
    int length = bytes.getShort(at + 2) & 0xffff;
    if (kind == 0x40) {
      return CHANNEL_HEADER + padded(length);
    }
    if (length % 4 != 0) {
      return BROKEN;
    }
    if (available < COOKIE_AT + Integer.BYTES) {
      return UNKNOWN;
    }
    return bytes.getInt(at + COOKIE_AT) == COOKIE ? STUN_HEADER + length : BROKEN;
  }

  /** Returns the bytes of a message without padding. {@link #span} has found the message whole. */
  static int length(ByteBuffer bytes, int at, int span) {
    return isChannelData(bytes, at) ? CHANNEL_HEADER + (bytes.getShort(at + 2) & 0xffff) : span;
  }

  static boolean isChannelData(ByteBuffer bytes, int at) {
    return (bytes.get(at) & 0xc0) == 0x40;
  }

  /** Tells whether a message is media, ChannelData or an indication, and can be lost. */
  static boolean isData(ByteBuffer bytes, int at) {
    boolean indication = (bytes.get(at) & 0x01) == 0 && (bytes.get(at + 1) & 0x10) != 0;
    return isChannelData(bytes, at) || indication;
  }

  static int padded(int length) {
    return (length + 3) & ~3;
  }
}
