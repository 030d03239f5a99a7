// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.export;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.netserv.lab.testbed.topology.Address;

/** A network: an address without its host bits, and the number of its network bits. */
record ExportedNetwork(InetAddress network, int length) {

  /** Returns the network of an interface's address. */
  static ExportedNetwork of(Address address) {
    byte[] bytes = address.ip().getAddress();
    byte[] mask = mask(address).getAddress();
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] &= mask[i];
    }
    return new ExportedNetwork(address(bytes), address.length());
  }

  /** Returns the prefix length as an address: 24 of IPv4 is 255.255.255.0. */
  static InetAddress mask(Address address) {
    int bytes = address.ip().getAddress().length;
    // The leading 1 bit gives the array a known length.
    byte[] mask =
        BigInteger.ONE
            .shiftLeft(address.length() + 1)
            .subtract(BigInteger.ONE)
            .shiftLeft(bytes * 8 - address.length())
            .toByteArray();
    return address(Arrays.copyOfRange(mask, mask.length - bytes, mask.length));
  }

  private static InetAddress address(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("4 or 16 bytes", e);
    }
  }

  boolean isV6() {
    return network.getAddress().length == 16;
  }

  @Override
  public String toString() {
    return network.getHostAddress() + "/" + length;
  }
}
