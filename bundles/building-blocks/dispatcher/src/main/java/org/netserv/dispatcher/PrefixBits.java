// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * An address prefix as two longs; IPv4 as ::ffff:a.b.c.d, so that one comparison serves both.
 *
 * @param length in bits of 128
 */
record PrefixBits(long high, long low, int length) {
  private static final int V4_BITS = 96;

  /** Text as {@code 192.0.2.0/24}, {@code 2001:db8::/32} or one address; bits behind it are cut. */
  static PrefixBits parse(String text, int family) {
    int slash = text.indexOf('/');
    byte[] address = address(slash < 0 ? text : text.substring(0, slash), text);
    if (address.length != (family == 4 ? 4 : 16)) {
      throw new IllegalArgumentException("not an IPv" + family + " prefix: " + text);
    }
    int bits = address.length * 8;
    int length = slash < 0 ? bits : length(text.substring(slash + 1), bits, text);
    ByteBuffer bytes = ByteBuffer.wrap(address);
    if (family == 4) {
      long mapped = 0x0000_ffff_0000_0000L | (bytes.getInt() & 0xffffffffL);
      return new PrefixBits(0, mapped & lowMask(V4_BITS + length), V4_BITS + length);
    }
    return new PrefixBits(
        bytes.getLong() & highMask(length), bytes.getLong() & lowMask(length), length);
  }

  boolean contains(long addressHigh, long addressLow) {
    return (addressHigh & highMask(length)) == high && (addressLow & lowMask(length)) == low;
  }

  /** The first address of the prefix, as text. */
  String first() {
    ByteBuffer bytes = ByteBuffer.allocate(16).putLong(high).putLong(low);
    try {
      return InetAddress.getByAddress(bytes.array()).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long highMask(int length) {
    return length >= 64 ? -1 : length == 0 ? 0 : -1L << (64 - length);
  }

  private static long lowMask(int length) {
    return length <= 64 ? 0 : -1L << (128 - length);
  }

  private static byte[] address(String literal, String text) {
    // Digits, dots and colons only: a name would be looked up.
    if (!literal.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) {
      throw new IllegalArgumentException("not a prefix: " + text);
    }
    try {
      return InetAddress.getByName(literal).getAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("not a prefix: " + text, e);
    }
  }

  private static int length(String digits, int bits, String text) {
    if (!digits.matches("[0-9]{1,3}") || Integer.parseInt(digits) > bits) {
      throw new IllegalArgumentException("prefix length 0-" + bits + ": " + text);
    }
    return Integer.parseInt(digits);
  }
}
