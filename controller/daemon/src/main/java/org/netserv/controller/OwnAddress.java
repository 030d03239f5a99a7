// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.netserv.values.Prefix;

/**
 * Chooses the address that the node signs as its own. The interfaces of containers are there when
 * the controller starts again, and nobody reaches the node by the address of such an interface.
 */
final class OwnAddress {
  /** Prefix of the names of the host's ends of container interfaces. */
  private static final String CONTAINER = "nsv";

  /** An address of the host. */
  record Local(String device, int index, InetAddress address) {}

  private OwnAddress() {}

  /** Returns the addresses of this host. */
  static List<Local> all() throws IOException {
    List<Local> all = new ArrayList<>();
    for (NetworkInterface device : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      for (InetAddress address : Collections.list(device.getInetAddresses())) {
        all.add(new Local(device.getName(), device.getIndex(), address));
      }
    }
    return all;
  }

  /**
   * Returns the first address that others could use, of the interface with the lowest number;
   * loopback if there is none.
   *
   * @param containers prefixes of the containers' addresses
   */
  static InetAddress choose(List<Local> all, List<Prefix> containers) {
    return all.stream()
        .filter(local -> !local.device().startsWith(CONTAINER))
        .filter(local -> usable(local.address()))
        .filter(local -> containers.stream().noneMatch(p -> p.contains(local.address())))
        .min(Comparator.comparingInt(Local::index))
        .map(Local::address)
        .orElse(InetAddress.getLoopbackAddress());
  }

  private static boolean usable(InetAddress address) {
    return !address.isLoopbackAddress() && !address.isLinkLocalAddress();
  }
}
