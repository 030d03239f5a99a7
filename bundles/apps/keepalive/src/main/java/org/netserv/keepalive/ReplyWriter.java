// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;

/**
 * Collects the bytes of a reply in memory that is allocated once. Bytes beyond the capacity are
 * left out, and the writer remembers that. Write everything, then ask {@link #fits} once.
 */
final class ReplyWriter {
  private static final long MAPPED = 0xffff;

  private static final int COPIES_MOST = 32;

  private final byte[] bytes;
  private int length;

  // ranges of the request that were copied: begin there, begin here, length
  private final int[] copies = new int[3 * COPIES_MOST];
  private int copied;

  private boolean fits;

  ReplyWriter(int capacity) {
    bytes = new byte[capacity];
  }

  void clear() {
    length = 0;
    copied = 0;
    fits = true;
  }

  boolean fits() {
    return fits;
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  private boolean room(int count) {
    fits &= bytes.length - length >= count;
    return fits;
  }

  void put(int value) {
    if (room(1)) {
      bytes[length++] = (byte) value;
    }
  }

  void put(byte[] source) {
    if (room(source.length)) {
      System.arraycopy(source, 0, bytes, length, source.length);
      length += source.length;
    }
  }

  void put(ByteBuffer source, int start, int end) {
    if (room(end - start)) {
      source.get(start, bytes, length, end - start);
      if (copied < COPIES_MOST) {
        copies[3 * copied] = start;
        copies[3 * copied + 1] = length;
        copies[3 * copied++ + 2] = end - start;
      }
      length += end - start;
    }
  }

  /** Returns where this range of the request stands in the reply, or -1 if not in one piece. */
  int placeOf(int start, int count) {
    for (int i = 0; i < 3 * copied; i += 3) {
      int inside = start - copies[i];
      if (inside >= 0 && inside + count <= copies[i + 2]) {
        return copies[i + 1] + inside;
      }
    }
    return -1;
  }

  /** {@code value} is not negative. */
  void decimal(int value) {
    int divisor = 1;
    while (value / divisor >= 10) {
      divisor *= 10;
    }
    for (; divisor > 0; divisor /= 10) {
      put('0' + value / divisor % 10);
    }
  }

  /** {@code digits} hexadecimal digits, lower case. */
  void hex(long value, int digits) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      put(Character.forDigit((int) (value >>> shift) & 0xf, 16));
    }
  }

  /** An address in text: IPv4 dotted, IPv6 as RFC 5952 wants it, without brackets. */
  void address(long high, long low) {
    if (high == 0 && low >>> 32 == MAPPED) {
      for (int shift = 24; shift >= 0; shift -= 8) {
        decimal((int) (low >>> shift) & 0xff);
        if (shift > 0) {
          put('.');
        }
      }
      return;
    }
    int gap = longestZeros(high, low);
    int gapLength = gap < 8 ? zeros(high, low, gap) : 0;
    for (int i = 0; i < 8; i++) {
      if (i == gap) {
        put(':');
        put(':');
        i += gapLength - 1;
        continue;
      }
      if (i > 0 && i != gap + gapLength) {
        put(':');
      }
      int group = group(high, low, i);
      hex(group, group > 0xfff ? 4 : group > 0xff ? 3 : group > 0xf ? 2 : 1);
    }
  }

  /** First group of the longest run of two or more zero groups, the first of equals; 8 = none. */
  private static int longestZeros(long high, long low) {
    int best = 8;
    int most = 1;
    for (int i = 0; i < 8; i++) {
      int run = zeros(high, low, i);
      if (run > most) {
        best = i;
        most = run;
      }
    }
    return best;
  }

  private static int zeros(long high, long low, int first) {
    int i = first;
    while (i < 8 && group(high, low, i) == 0) {
      i++;
    }
    return i - first;
  }

  private static int group(long high, long low, int i) {
    return (int) ((i < 4 ? high >>> (48 - 16 * i) : low >>> (112 - 16 * i)) & 0xffff);
  }
}
