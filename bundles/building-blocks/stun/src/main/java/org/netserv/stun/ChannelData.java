// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;

/**
 * A view of ChannelData (RFC 8656, 12.4). Padding behind the data is no error, whatever the
 * transport:
 *
 * <pre>
 *   0  channel number, 0x4000 to 0x4fff      2  length of the data      4  data
 * </pre>
 */
public final class ChannelData {
  /** Bytes in front of the data. */
  public static final int HEADER = 4;

  private int start;
  private int number;
  private int length;

  /** Tells whether the range begins as ChannelData does. */
  public static boolean isLikely(ByteBuffer buffer, int first, int stop) {
    return stop - first >= HEADER && (buffer.get(first) & 0xf0) == 0x40;
  }

  /** Points the view at a datagram or frame. Returns false if it is none, or longer than that. */
  public boolean reset(ByteBuffer buffer, int first, int stop) {
    if (!isLikely(buffer, first, stop)) {
      return false;
    }
    start = first;
    number = buffer.getShort(first) & 0xffff;
    length = buffer.getShort(first + 2) & 0xffff;
    return length <= stop - first - HEADER;
  }

  public int number() {
    return number;
  }

  /** Bytes of the data, without padding. */
  public int length() {
    return length;
  }

  public int dataStart() {
    return start + HEADER;
  }

  public int dataEnd() {
    return start + HEADER + length;
  }

  /** Writes the header for so many bytes of data that stand, or will stand, behind it. */
  public static void put(ByteBuffer buffer, int at, int number, int length) {
    buffer.putShort(at, (short) number);
    buffer.putShort(at + 2, (short) length);
  }
}
