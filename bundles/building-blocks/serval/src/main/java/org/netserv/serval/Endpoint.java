// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

/**
 * An address with a port. The port is 0 where SAL lies in IP directly.
 *
 * @param high upper half of the address; 0 for IPv4
 * @param low lower half; ::ffff:a.b.c.d for IPv4
 * @param port 0 to 65535
 */
public record Endpoint(long high, long low, int port) {
  private static final long MAPPED = 0xffffL << 32;

  public static Endpoint ofIpv4(int address, int port) {
    return new Endpoint(0, MAPPED | (address & 0xffffffffL), port);
  }

  public boolean isIpv4() {
    return high == 0 && low >>> 32 == MAPPED >>> 32;
  }

  /** Returns the IPv4 address. Only for endpoints of this family. */
  public int ipv4() {
    return (int) low;
  }

  /** Tells whether another endpoint has the same address, on any port. */
  public boolean hasAddressOf(Endpoint other) {
    return high == other.high && low == other.low;
  }

  /** Tells whether both are one socket. Port 0 stands for any port, because SOURCE has none. */
  public boolean isSocketOf(Endpoint other) {
    return hasAddressOf(other) && (port == other.port || port == 0 || other.port == 0);
  }

  /** Tells whether it is an address of the loopback interface, which no other host has. */
  public boolean isLoopback() {
    return isIpv4() ? (int) low >>> 24 == 127 : high == 0 && low == 1;
  }

  /** Tells whether the address is a multicast group or the broadcast address of all networks. */
  public boolean isForMany() {
    if (isIpv4()) {
      return (int) low >>> 28 == 0xe || (int) low == -1;
    }
    return high >>> 56 == 0xff;
  }
}
