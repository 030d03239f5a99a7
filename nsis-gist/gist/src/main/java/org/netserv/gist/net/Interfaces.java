// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The interfaces of the host at one moment. */
final class Interfaces {
  static final Interfaces NONE = new Interfaces();

  /** Index of the interface that has an address. */
  private final Map<InetAddress, Integer> owners = new HashMap<>();

  private final Map<Integer, List<InetAddress>> addresses = new HashMap<>();
  private final Map<Integer, Integer> mtus = new HashMap<>();

  private Interfaces() {}

  static Interfaces read(List<NetworkInterface> all) {
    Interfaces interfaces = new Interfaces();
    for (NetworkInterface one : all) {
      interfaces.add(one);
    }
    return interfaces;
  }

  private void add(NetworkInterface one) {
    int index = one.getIndex();
    one.inetAddresses()
        .forEach(
            address -> {
              owners.putIfAbsent(address, index);
              addresses.computeIfAbsent(index, i -> new ArrayList<>(4)).add(address);
            });
    try {
      mtus.put(index, one.getMTU());
    } catch (SocketException e) {
      // The interface went away between the two calls, so its MTU is not known.
      mtus.remove(index);
    }
  }

  /**
   * Returns whether others can reach us by the address. Loopback and link-local addresses do not
   * count.
   */
  static boolean nameable(InetAddress address) {
    return !address.isLoopbackAddress()
        && !address.isLinkLocalAddress()
        && !address.isAnyLocalAddress()
        && !address.isMulticastAddress();
  }

  boolean has(InetAddress address) {
    return owners.containsKey(address);
  }

  /** Returns the index of the interface that has the address; 0 = none. */
  int owner(InetAddress address) {
    return owners.getOrDefault(address, 0);
  }

  Optional<InetAddress> address(int index, int ipVersion) {
    return addresses.getOrDefault(index, List.of()).stream()
        .filter(a -> (a instanceof Inet4Address ? 4 : 6) == ipVersion && nameable(a))
        .findFirst();
  }

  int mtu(int index) {
    return mtus.getOrDefault(index, 0);
  }
}
