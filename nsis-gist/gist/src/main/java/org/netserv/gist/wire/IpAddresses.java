// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Addresses and the bytes of them. */
final class IpAddresses {
  private IpAddresses() {}

  static boolean knownVersion(int version) {
    return version == 4 || version == 6;
  }

  static int bytes(int version) {
    return version == 4 ? 4 : 16;
  }

  static int version(InetAddress address) {
    return address instanceof Inet4Address ? 4 : 6;
  }

  /**
   * The address of 4 or 16 bytes. 16 bytes stay IPv6, the IPv4-mapped ones too, which {@code
   * InetAddress.getByAddress} turns into IPv4: they would not be encoded as they came.
   */
  static InetAddress of(byte[] bytes) {
    try {
      return bytes.length == 16
          ? Inet6Address.getByAddress(null, bytes, -1)
          : InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(bytes.length + " bytes are no address", e);
    }
  }

  static void requireSameVersion(InetAddress source, InetAddress destination) {
    if (version(source) != version(destination)) {
      throw new IllegalArgumentException("addresses of different IP versions");
    }
  }
}
