// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;

/**
 * Finds where one message ends on a stream (RFC 8656, 12.5 and RFC 8489, 6.2.2). The two top bits
 * of the first byte tell STUN (0) from ChannelData (1). On a stream ChannelData is padded to 4
 * bytes.
 */
public final class StunFrames {
  /** More bytes are needed to tell. */
  public static final int MORE = 0;

  /** Neither of the two. Nobody knows where the next message begins, so close the stream. */
  public static final int BROKEN = -1;

  private StunFrames() {}

  /**
   * Returns the bytes that the message at {@code start} takes, padding included, at least 4 and at
   * most 65,555; or MORE, or BROKEN. The message itself may still be longer than what has come.
   */
  public static int length(ByteBuffer buffer, int start, int end) {
    if (end - start < 4) {
      return end > start && (buffer.get(start) & 0x80) != 0 ? BROKEN : MORE;
    }
    int length = buffer.getShort(start + 2) & 0xffff;
    int top = (buffer.get(start) >>> 6) & 3;
    if (top == 0) {
      boolean strange = end - start >= 8 && buffer.getInt(start + 4) != StunMessage.COOKIE;
      return strange || length % 4 != 0 ? BROKEN : StunMessage.HEADER + length;
    }
    return top == 1 ? ChannelData.HEADER + StunMessage.padded(length) : BROKEN;
  }
}
