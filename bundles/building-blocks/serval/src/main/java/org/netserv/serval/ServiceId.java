// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Objects;

/**
 * The name of a service, 256 bits in four words. Bit 0 is the highest bit of the first word. It is
 * the first bit on the wire, too.
 */
public record ServiceId(long first, long second, long third, long fourth)
    implements Comparable<ServiceId> {
  /** Bytes of a serviceID. */
  public static final int LENGTH = 32;

  /** Bits of a serviceID. */
  public static final int BITS = 256;

  /** The serviceID whose bits are all 0. */
  public static final ServiceId ZERO = new ServiceId(0, 0, 0, 0);

  private static final int DIGITS = 2 * LENGTH;

  /** Reads 32 bytes, which have to lie inside the buffer. */
  public static ServiceId get(ByteBuffer bytes, int at) {
    return new ServiceId(
        bytes.getLong(at), bytes.getLong(at + 8), bytes.getLong(at + 16), bytes.getLong(at + 24));
  }

  /** Writes 32 bytes. */
  public void put(ByteBuffer bytes, int at) {
    bytes.putLong(at, first);
    bytes.putLong(at + 8, second);
    bytes.putLong(at + 16, third);
    bytes.putLong(at + 24, fourth);
  }

  /** Returns the serviceID with these leading digits; the missing ones are 0. Null if none. */
  public static ServiceId parse(String digits) {
    Objects.requireNonNull(digits, "digits");
    if (digits.length() > DIGITS || digits.chars().anyMatch(c -> !HexFormat.isHexDigit(c))) {
      return null;
    }
    String whole = digits + "0".repeat(DIGITS - digits.length());
    return new ServiceId(word(whole, 0), word(whole, 1), word(whole, 2), word(whole, 3));
  }

  private static long word(String digits, int index) {
    return HexFormat.fromHexDigitsToLong(digits, index * 16, index * 16 + 16);
  }

  /** Returns this serviceID with all bits from a place on cleared. */
  public ServiceId masked(int bits) {
    return new ServiceId(
        first & mask(bits),
        second & mask(bits - 64),
        third & mask(bits - 128),
        fourth & mask(bits - 192));
  }

  private static long mask(int bits) {
    if (bits <= 0) {
      return 0;
    }
    return bits >= 64 ? -1L : -1L << (64 - bits);
  }

  @Override
  public int compareTo(ServiceId other) {
    int order = Long.compareUnsigned(first, other.first);
    order = order != 0 ? order : Long.compareUnsigned(second, other.second);
    order = order != 0 ? order : Long.compareUnsigned(third, other.third);
    return order != 0 ? order : Long.compareUnsigned(fourth, other.fourth);
  }

  /** Returns the 64 digits. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(first)
        + hex.toHexDigits(second)
        + hex.toHexDigits(third)
        + hex.toHexDigits(fourth);
  }
}
