// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/**
 * The key under which limits count a source address: an IPv4 address, or the /64 of an IPv6
 * address, because a host chooses the rest of it.
 *
 * @param host {@code 192.0.2.7} or {@code 2001:db8:1:2::/64}
 * @param network the /24 or the /48 around the host, for shares of neighbours
 */
public record SourceKey(String host, String network) {
  /** A key for messages that start in this process. */
  public static final SourceKey HERE = new SourceKey("here", "here");

  /** The key of an address; {@code ::ffff:192.0.2.7} is 192.0.2.7. */
  public static SourceKey of(InetAddress address) {
    boolean four = address instanceof Inet4Address;
    return new SourceKey(
        four ? address.getHostAddress() : prefix(address, 64), prefix(address, four ? 24 : 48));
  }

  /** The way to its slot in {@link FairSlots}: neighbours share first, then hosts. */
  public List<String> path() {
    return List.of(network, host);
  }

  private static String prefix(InetAddress address, int length) {
    byte[] bytes = address.getAddress();
    Arrays.fill(bytes, length / 8, bytes.length, (byte) 0);
    try {
      return InetAddress.getByAddress(bytes).getHostAddress() + "/" + length;
    } catch (UnknownHostException e) {
      throw new IllegalStateException("as long as it was", e);
    }
  }
}
