// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.users;

import java.net.InetAddress;
import org.netserv.values.Addresses;
import org.netserv.values.Prefix;

/**
 * Groups users by the prefix of their address. The users of a prefix share a path.
 *
 * @param ipv4 bits of an IPv4 prefix
 * @param ipv6 bits of an IPv6 prefix
 */
public record Grouping(int ipv4, int ipv6) {
  /** Returns the prefix of an address. */
  public Prefix of(InetAddress address) {
    byte[] bytes = address.getAddress();
    int length = bytes.length == 4 ? ipv4 : ipv6;
    for (int bit = length; bit < bytes.length * 8; bit++) {
      bytes[bit / 8] &= (byte) ~(0x80 >> bit % 8);
    }
    return new Prefix(Addresses.of(bytes), length);
  }

  /** Tells whether an address can be a user's. */
  public static boolean user(InetAddress address) {
    return !address.isAnyLocalAddress()
        && !address.isLoopbackAddress()
        && !address.isLinkLocalAddress()
        && !address.isMulticastAddress();
  }
}
