// SPDX-License-Identifier: Apache-2.0
package org.netserv.io;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** Addresses as two halves of 128 bits, IPv4 addresses as ::ffff:a.b.c.d. */
final class Addresses {
  private static final long MAPPED = 0x0000_ffff_0000_0000L;

  private Addresses() {}

  static InetAddress resolved(InetSocketAddress address) throws UnknownHostException {
    if (address.isUnresolved()) {
      throw new UnknownHostException(address.getHostString());
    }
    return address.getAddress();
  }

  static long high(InetAddress address) {
    return address instanceof Inet4Address ? 0 : ByteBuffer.wrap(address.getAddress()).getLong();
  }

  static long low(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    return address instanceof Inet4Address
        ? MAPPED | (bytes.getInt() & 0xffff_ffffL)
        : bytes.getLong(Long.BYTES);
  }

  /** Returns an IPv4 address for a mapped one. */
  static InetAddress of(long high, long low) throws UnknownHostException {
    ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low);
    return InetAddress.getByAddress(bytes.array());
  }
}
