// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;

/**
 * Collects the bytes of a message in memory that is allocated once. Bytes beyond the capacity are
 * left out, and the writer remembers that. Write everything, then ask {@link #fits} once.
 */
public final class SipWriter {
  private static final long MAPPED = 0xffff;
  private static final int GROUPS = 8;

  private final byte[] bytes;
  private int length;
  private boolean fits = true;

  /**
   * Makes an empty writer.
   *
   * @param capacity in bytes
   */
  public SipWriter(int capacity) {
    bytes = new byte[capacity];
  }

  public void clear() {
    length = 0;
    fits = true;
  }

  /** Tells whether all bytes since {@link #clear} had room. */
  public boolean fits() {
    return fits;
  }

  /** Returns the memory; the message is its first {@link #length} bytes. */
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  private boolean room(int count) {
    fits &= bytes.length - length >= count;
    return fits;
  }

  public void put(char ascii) {
    if (room(1)) {
      bytes[length++] = (byte) ascii;
    }
  }

  public void put(byte[] source) {
    if (room(source.length)) {
      System.arraycopy(source, 0, bytes, length, source.length);
      length += source.length;
    }
  }

  /** Copies {@code [start, end)} of a buffer. */
  public void put(ByteBuffer source, int start, int end) {
    if (room(end - start)) {
      source.get(start, bytes, length, end - start);
      length += end - start;
    }
  }

  /** Writes a number that is not negative. */
  public void decimal(long value) {
    long divisor = 1;
    while (value / divisor >= 10) {
      divisor *= 10;
    }
    for (; divisor > 0; divisor /= 10) {
      put((char) ('0' + value / divisor % 10));
    }
  }

  /** Writes the low {@code digits} hexadecimal digits, in lower case. */
  public void hex(long value, int digits) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      put(Character.forDigit((int) (value >>> shift) & 0xf, 16));
    }
  }

  /**
   * Writes an address in text, without brackets: IPv4 (::ffff:a.b.c.d in the two halves) dotted,
   * IPv6 as RFC 5952 wants it.
   */
  public void address(long high, long low) {
    if (high == 0 && low >>> 32 == MAPPED) {
      for (int shift = 24; shift >= 0; shift -= 8) {
        decimal(low >>> shift & 0xff);
        if (shift > 0) {
          put('.');
        }
      }
      return;
    }
    int gap = longestZeros(high, low);
    int behind = gap < GROUPS ? gap + zeros(high, low, gap) : GROUPS;
    groups(high, low, 0, Math.min(gap, GROUPS));
    if (gap < GROUPS) {
      put(':');
      put(':');
      groups(high, low, behind, GROUPS);
    }
  }

  private void groups(long high, long low, int first, int stop) {
    for (int i = first; i < stop; i++) {
      if (i > first) {
        put(':');
      }
      int group = group(high, low, i);
      hex(group, group > 0xfff ? 4 : group > 0xff ? 3 : group > 0xf ? 2 : 1);
    }
  }

  /** First group of the longest run of two or more zero groups, the first of equals; 8 = none. */
  private static int longestZeros(long high, long low) {
    int best = GROUPS;
    int most = 1;
    for (int i = 0; i < GROUPS; i++) {
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
    while (i < GROUPS && group(high, low, i) == 0) {
      i++;
    }
    return i - first;
  }

  private static int group(long high, long low, int i) {
    return (int) ((i < 4 ? high >>> (48 - 16 * i) : low >>> (112 - 16 * i)) & 0xffff);
  }
}
