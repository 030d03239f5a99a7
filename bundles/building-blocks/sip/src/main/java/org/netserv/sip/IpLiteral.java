// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;

/**
 * An IPv4 or IPv6 address in text, brackets allowed around the latter, as two big-endian halves.
 * IPv4 is ::ffff:a.b.c.d, so that one comparison serves both. Zones ("%eth0") are no literals.
 */
public final class IpLiteral {
  private static final long MAPPED = 0xffffL << 32;

  private int family;
  private long high;
  private long low;

  /** Reads {@code [start, end)}; {@link #family} is 0 when it is not exactly one address. */
  public void reset(ByteBuffer buffer, int start, int end) {
    high = 0;
    low = 0;
    boolean bracketed = end - start > 2 && buffer.get(start) == '[' && buffer.get(end - 1) == ']';
    long four = bracketed ? -1 : dotted(buffer, start, end);
    if (four >= 0) {
      family = 4;
      low = MAPPED | four;
    } else {
      int inset = bracketed ? 1 : 0;
      family = colons(buffer, start + inset, end - inset) ? 6 : 0;
    }
  }

  /** Four decimal octets; -1 when it is anything else. A leading zero could mean octal: refused. */
  private static long dotted(ByteBuffer buffer, int start, int end) {
    long address = 0;
    int octets = 0;
    int at = start;
    while (octets < 4) {
      int stop = at;
      while (stop < end && Ascii.isDigit(buffer.get(stop))) {
        stop++;
      }
      long octet = Ascii.number(buffer, at, stop, 3);
      if (octet < 0 || octet > 255 || (stop - at > 1 && buffer.get(at) == '0')) {
        return -1;
      }
      address = address << 8 | octet;
      octets++;
      if (octets < 4 && (stop == end || buffer.get(stop) != '.')) {
        return -1;
      }
      at = octets < 4 ? stop + 1 : stop;
    }
    return at == end ? address : -1;
  }

  /** RFC 4291, 2.2: eight groups, of which one run may be "::" and the last two dotted IPv4. */
  private boolean colons(ByteBuffer buffer, int start, int end) {
    long first = 0;
    long second = 0;
    int groups = 0;
    int gap = -1; // number of groups before "::"
    int at = start;
    if (end - at >= 2 && buffer.get(at) == ':' && buffer.get(at + 1) == ':') {
      gap = 0;
      at += 2;
    }
    while (at < end) {
      int stop = at;
      while (stop < end && hex(buffer.get(stop)) >= 0) {
        stop++;
      }
      long four = stop < end && buffer.get(stop) == '.' ? dotted(buffer, at, end) : -1;
      int shift = four >= 0 ? 32 : 16;
      long value = four >= 0 ? four : group(buffer, at, stop);
      groups += shift / 16;
      if (value < 0 || groups > 8) {
        return false;
      }
      first = first << shift | second >>> (64 - shift);
      second = second << shift | value;
      if (four >= 0 || stop == end) {
        break;
      }
      if (buffer.get(stop) != ':' || stop + 1 == end) {
        return false;
      }
      at = stop + 1;
      if (buffer.get(at) == ':') {
        if (gap >= 0) {
          return false;
        }
        gap = groups;
        at++;
      }
    }
    return place(first, second, groups, gap);
  }

  /** Moves the groups behind the gap to the low end and the groups before it to the high end. */
  private boolean place(long first, long second, int groups, int gap) {
    if (gap < 0) {
      high = first;
      low = second;
      return groups == 8;
    }
    if (groups > 7) {
      return false;
    }
    for (int i = 0; i < groups; i++) { // group i, counted from the right
      int from = i * 16;
      long value = (from < 64 ? second >>> from : first >>> (from - 64)) & 0xffff;
      int to = (i < groups - gap ? i : i + 8 - groups) * 16;
      if (to < 64) {
        low |= value << to;
      } else {
        high |= value << (to - 64);
      }
    }
    return true;
  }

  private static long group(ByteBuffer buffer, int start, int end) {
    if (end <= start || end - start > 4) {
      return -1;
    }
    long value = 0;
    for (int i = start; i < end; i++) {
      value = value << 4 | hex(buffer.get(i));
    }
    return value;
  }

  private static int hex(byte c) {
    if (Ascii.isDigit(c)) {
      return c - '0';
    }
    int lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }

  /** 4, 6, or 0 = not an address. */
  public int family() {
    return family;
  }

  public long high() {
    return high;
  }

  public long low() {
    return low;
  }
}
