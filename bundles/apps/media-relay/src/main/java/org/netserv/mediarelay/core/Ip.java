// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** Addresses of 128 bits in two longs, IPv4 addresses as ::ffff:a.b.c.d. */
public final class Ip {
  /** Bits of an address. */
  public static final int BITS = 128;

  /** Lower half of ::ffff:0.0.0.0. */
  public static final long MAPPED = 0x0000_ffff_0000_0000L;

  private static final long LOW_32 = 0xffff_ffffL;
  private static final int IPV4_LENGTH = 4;
  private static final int LONG_BITS = 64;

  private Ip() {}

  /** Tells whether the address is an IPv4 address. */
  public static boolean isV4(long high, long low) {
    return high == 0 && (low & ~LOW_32) == MAPPED;
  }

  /** Returns 4 or 6. */
  public static int family(long high, long low) {
    return isV4(high, low) ? 4 : 6;
  }

  /** Returns the lower half of an IPv4 address, whose upper half is 0. */
  public static long v4(int address) {
    return MAPPED | (address & LOW_32);
  }

  /** Returns the upper and the lower half. */
  public static long[] halves(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    return bytes.remaining() == IPV4_LENGTH
        ? new long[] {0, v4(bytes.getInt())}
        : new long[] {bytes.getLong(), bytes.getLong()};
  }

  /**
   * Reads an address literal. Looks up no name.
   *
   * @return the halves, or null if the text is no address
   */
  static long[] parse(String text) {
    InetAddress address = literal(text);
    return address == null ? null : halves(address);
  }

  /**
   * Reads an address literal. Looks up no name.
   *
   * @return null if the text is no address
   */
  public static InetAddress literal(String text) {
    boolean literal =
        text.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}")
            || (text.indexOf(':') >= 0 && text.matches("[0-9a-fA-F:.]{2,45}"));
    if (!literal) {
      return null;
    }
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /** Prints an address as people write it. */
  public static String text(long high, long low) {
    ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low);
    try {
      return InetAddress.getByAddress(bytes.array()).getHostAddress();
    } catch (UnknownHostException e) {
      throw new AssertionError(e); // 16 bytes always are an address
    }
  }

  /** Spreads an address and a number over 32 bits, for tables. */
  public static int hash(long high, long low, int number, long seed) {
    long mixed = (high ^ seed) * 0x9e3779b97f4a7c15L;
    mixed = (Long.rotateLeft(mixed, 29) ^ low) * 0xbf58476d1ce4e5b9L;
    mixed = (Long.rotateLeft(mixed, 31) ^ number) * 0x94d049bb133111ebL;
    return (int) (mixed ^ (mixed >>> 32));
  }

  /**
   * A prefix of 128 bits.
   *
   * @param bits 0 to 128; an IPv4 prefix of n bits has 96 + n
   */
  public record Prefix(long high, long low, int bits) {
    /**
     * Reads {@code 192.0.2.0/24}, {@code 2001:db8::/32}, or an address alone.
     *
     * @throws IllegalArgumentException if the text is no prefix
     */
    public static Prefix of(String text) {
      int slash = text.indexOf('/');
      long[] halves = parse(slash < 0 ? text : text.substring(0, slash));
      if (halves == null) {
        throw new IllegalArgumentException("not a prefix: " + text);
      }
      boolean v4 = text.indexOf(':') < 0;
      int most = v4 ? 32 : 128;
      String length = slash < 0 ? Integer.toString(most) : text.substring(slash + 1);
      if (!length.matches("[0-9]{1,3}") || Integer.parseInt(length) > most) {
        throw new IllegalArgumentException("not a prefix: " + text);
      }
      return new Prefix(halves[0], halves[1], Integer.parseInt(length) + (v4 ? 96 : 0));
    }

    /** Tells whether an address lies in the prefix. */
    public boolean contains(long addressHigh, long addressLow) {
      return ((addressHigh ^ high) & mask(bits)) == 0
          && ((addressLow ^ low) & mask(bits - LONG_BITS)) == 0;
    }

    private static long mask(int bits) {
      return bits <= 0 ? 0 : bits >= LONG_BITS ? -1L : -1L << (LONG_BITS - bits);
    }
  }
}
