// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * IP address literals, strictly: no names (nothing here can ever reach DNS), no zone, no leading
 * zeros, no octal or short IPv4 forms. An IPv4-mapped IPv6 address is the IPv4 address it contains,
 * so each address has one value and, by RFC 5952, one text.
 */
public final class Addresses {
  private static final int LONGEST = 45;

  private Addresses() {}

  /** Reads an IPv4 or IPv6 literal. */
  public static InetAddress parse(String text) throws BadValueException {
    if (text.length() <= LONGEST) {
      byte[] bytes = new byte[text.indexOf(':') < 0 ? 4 : 16];
      if (bytes.length == 4 ? dotted(text, bytes, 0) : colons(text, bytes)) {
        return of(bytes);
      }
    }
    throw new BadValueException("not an IP address: " + BadValueException.quote(text));
  }

  /**
   * The address of 4 or 16 bytes in network order; a mapped one comes out as IPv4.
   *
   * @throws IllegalArgumentException when there are not 4 or 16 bytes
   */
  public static InetAddress of(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("an address has 4 or 16 bytes, not " + bytes.length, e);
    }
  }

  /**
   * The text of RFC 5952: lower case, the longest run of zero groups (two or more, the first of
   * equals) as {@code ::}.
   */
  public static String print(InetAddress address) {
    byte[] b = address.getAddress();
    if (b.length == 4) {
      return (b[0] & 0xff) + "." + (b[1] & 0xff) + "." + (b[2] & 0xff) + "." + (b[3] & 0xff);
    }
    int start = -1;
    int length = 1;
    for (int i = 0; i < 8; i++) {
      int end = i;
      while (end < 8 && group(b, end) == 0) {
        end++;
      }
      if (end - i > length) {
        start = i;
        length = end - i;
      }
      i = Math.max(i, end - 1);
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      if (i == start) {
        text.append("::");
        i += length - 1;
        continue;
      }
      if (i > 0 && text.charAt(text.length() - 1) != ':') {
        text.append(':');
      }
      text.append(Integer.toHexString(group(b, i)));
    }
    return text.toString();
  }

  private static int group(byte[] b, int index) {
    return (b[2 * index] & 0xff) << 8 | (b[2 * index + 1] & 0xff);
  }

  private static boolean dotted(String text, byte[] out, int at) {
    String[] parts = text.split("\\.", -1);
    if (parts.length != 4) {
      return false;
    }
    for (int i = 0; i < 4; i++) {
      int value = Numbers.decimal(parts[i], 255);
      if (value < 0) {
        return false;
      }
      out[at + i] = (byte) value;
    }
    return true;
  }

  /**
   * RFC 4291 section 2.2: eight groups, of which one run may be {@code ::} and the last two may be
   * dotted.
   */
  private static boolean colons(String text, byte[] out) {
    int gap = text.indexOf("::");
    if (gap < 0) {
      return groups(text, out, 0) == 16;
    }
    String head = text.substring(0, gap);
    String tail = text.substring(gap + 2);
    byte[] last = new byte[16];
    int before = groups(head, out, 0);
    int after = groups(tail, last, 0);
    // The gap stands for one group at least. A dotted part can only be at the very end.
    if (before < 0 || after < 0 || before + after > 14 || head.indexOf('.') >= 0) {
      return false;
    }
    System.arraycopy(last, 0, out, 16 - after, after);
    return true;
  }

  /** Writes the groups of a text without a gap; how many bytes there were, or -1. */
  private static int groups(String text, byte[] out, int from) {
    if (text.isEmpty()) {
      return 0;
    }
    int at = from;
    String[] parts = text.split(":", -1);
    for (int i = 0; i < parts.length; i++) {
      if (i == parts.length - 1 && parts[i].indexOf('.') >= 0) {
        return at <= 12 && dotted(parts[i], out, at) ? at + 4 : -1;
      }
      int value = hexGroup(parts[i]);
      if (value < 0 || at > 14) {
        return -1;
      }
      out[at++] = (byte) (value >> 8);
      out[at++] = (byte) value;
    }
    return at;
  }

  private static int hexGroup(String text) {
    if (text.isEmpty() || text.length() > 4) {
      return -1;
    }
    int value = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = Numbers.hexDigit(text.charAt(i));
      if (digit < 0) {
        return -1;
      }
      value = value << 4 | digit;
    }
    return value;
  }
}
