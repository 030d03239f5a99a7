// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

import java.net.Inet4Address;
import java.net.InetAddress;

/**
 * An IPv4 or IPv6 prefix. A prefix inside ::ffff:0:0/96 is the IPv4 prefix it stands for, so that
 * no rule about IPv4 can be passed by writing it in IPv6.
 *
 * @param address the first address; all bits after the length are zero
 * @param length 0 to 32 (IPv4) or 0 to 128
 */
public record Prefix(InetAddress address, int length) {
  private static final int MAPPED_BITS = 96;

  public Prefix {
    int bits = address.getAddress().length * 8;
    if (length < 0 || length > bits) {
      throw new IllegalArgumentException("prefix length " + length + " is not from 0 to " + bits);
    }
    if (!hostBitsZero(address.getAddress(), length)) {
      throw new IllegalArgumentException("bits are set after the prefix length");
    }
  }

  /** The prefix that holds just this address. */
  public static Prefix host(InetAddress address) {
    return new Prefix(address, address.getAddress().length * 8);
  }

  /** Reads {@code 192.0.2.0/24}, {@code 2001:db8::/32} or an address alone (all its bits). */
  public static Prefix parse(String text) throws BadValueException {
    int slash = text.indexOf('/');
    String literal = slash < 0 ? text : text.substring(0, slash);
    InetAddress address = Addresses.parse(literal);
    if (slash < 0) {
      return host(address);
    }
    boolean mapped = address instanceof Inet4Address && literal.indexOf(':') >= 0;
    int bits = mapped ? 128 : address.getAddress().length * 8;
    int length = Numbers.inRange(text.substring(slash + 1), 0, bits, "a prefix length");
    if (mapped) {
      // Below 96 the ffff of the mapping itself would be host bits.
      length -= MAPPED_BITS;
    }
    if (length < 0 || !hostBitsZero(address.getAddress(), length)) {
      throw new BadValueException(
          "bits are set after the prefix length: " + BadValueException.quote(text));
    }
    return new Prefix(address, length);
  }

  /** 4 or 6. */
  public int family() {
    return address instanceof Inet4Address ? 4 : 6;
  }

  /** False for an address of the other family. */
  public boolean contains(InetAddress other) {
    byte[] mine = address.getAddress();
    byte[] theirs = other.getAddress();
    if (mine.length != theirs.length) {
      return false;
    }
    for (int i = 0; i * 8 < length; i++) {
      int mask = length - i * 8 >= 8 ? 0xff : (0xff00 >> (length - i * 8)) & 0xff;
      if (((mine[i] ^ theirs[i]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }

  /** True when every address of the other is in this one. */
  public boolean contains(Prefix other) {
    return other.length >= length && contains(other.address);
  }

  public boolean overlaps(Prefix other) {
    return contains(other) || other.contains(this);
  }

  @Override
  public String toString() {
    return Addresses.print(address) + "/" + length;
  }

  private static boolean hostBitsZero(byte[] bytes, int length) {
    for (int bit = length; bit < bytes.length * 8; bit++) {
      if ((bytes[bit / 8] & (0x80 >> (bit % 8))) != 0) {
        return false;
      }
    }
    return true;
  }
}
