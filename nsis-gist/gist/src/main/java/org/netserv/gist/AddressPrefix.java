// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * The addresses that begin with these bits.
 *
 * @param address of the version that is meant; bits after the length do not count
 * @param length 0 to 32, or to 128 for IPv6
 */
public record AddressPrefix(InetAddress address, int length) {
  /** All of IPv4. */
  public static final AddressPrefix ALL_IPV4 = new AddressPrefix(zero(), 0);

  public AddressPrefix {
    if (length < 0 || length > address.getAddress().length * 8) {
      throw new IllegalArgumentException("prefix length " + length);
    }
  }

  /** False for an address of the other version. */
  public boolean covers(InetAddress other) {
    byte[] ours = address.getAddress();
    byte[] theirs = other.getAddress();
    if (ours.length != theirs.length) {
      return false;
    }
    for (int bit = 0; bit < length; bit++) {
      if (((ours[bit / 8] ^ theirs[bit / 8]) >> (7 - bit % 8) & 1) != 0) {
        return false;
      }
    }
    return true;
  }

  private static InetAddress zero() {
    try {
      return InetAddress.getByAddress(new byte[4]);
    } catch (UnknownHostException impossible) {
      throw new IllegalStateException(impossible); // 4 bytes are an address
    }
  }
}
