// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Compares the facts with the platform's own facts about this host. Runs on any host. */
class HostNetworkTest {
  private long now = 1000;
  private final HostNetwork network = new HostNetwork(() -> now);

  private static InetAddress ip(String text) throws Exception {
    return InetAddress.getByName(text);
  }

  private static List<NetworkInterface> interfaces() throws Exception {
    return NetworkInterface.networkInterfaces().toList();
  }

  @Test
  void ownAddressesAreLocalAndOthersAreNot() throws Exception {
    for (NetworkInterface one : interfaces()) {
      for (InetAddress address : one.inetAddresses().toList()) {
        assertTrue(network.isLocal(address), address.toString());
      }
    }
    assertTrue(network.isLocal(ip("127.0.0.1")));
    assertTrue(network.isLocal(ip("127.5.5.5")));
    assertTrue(network.isLocal(ip("::1")));
    assertFalse(network.isLocal(ip("192.0.2.1")));
    assertFalse(network.isLocal(ip("2001:db8::1")));
  }

  @Test
  void addressesOfInterfacesNeverLoopbackNorLinkLocal() throws Exception {
    for (NetworkInterface one : interfaces()) {
      for (int version : new int[] {4, 6}) {
        List<InetAddress> nameable =
            one.inetAddresses()
                .filter(a -> (a instanceof Inet4Address) == (version == 4))
                .filter(a -> !a.isLoopbackAddress() && !a.isLinkLocalAddress())
                .toList();
        Optional<InetAddress> address = network.addressOf(one.getIndex(), version);
        assertEquals(!nameable.isEmpty(), address.isPresent());
        address.ifPresent(a -> assertTrue(nameable.contains(a)));
      }
      assertEquals(one.getMTU(), network.mtu(one.getIndex()));
    }
    assertEquals(Optional.empty(), network.addressOf(123_456, 4));
    assertEquals(0, network.mtu(123_456));
  }

  @Test
  void towardsAnOwnAddressItIsThatAddress() throws Exception {
    for (NetworkInterface one : interfaces()) {
      for (InetAddress address : one.inetAddresses().toList()) {
        if (one.isUp() && !address.isLoopbackAddress() && !address.isLinkLocalAddress()) {
          assertEquals(Optional.of(address), network.addressTowards(address));
          assertEquals(one.getIndex(), network.interfaceTowards(address));
        }
      }
    }
  }

  @Test
  void loopbackIsAnInterfaceAndNoAddressForOthers() throws Exception {
    int loopback = NetworkInterface.getByInetAddress(ip("127.0.0.1")).getIndex();
    for (String text : List.of("127.0.0.1", "::1")) {
      assertEquals(loopback, network.interfaceTowards(ip(text)));
      Optional<InetAddress> address = network.addressTowards(ip(text));
      assertTrue(address.isEmpty() || !address.get().isLoopbackAddress());
    }
    assertTrue(network.mtu(loopback) > 0);
  }

  @Test
  void manyDestinationsAndOldFacts() throws Exception {
    Optional<InetAddress> first = network.addressTowards(ip("127.0.0.1"));
    for (int i = 0; i < 10_000; i++) {
      network.addressTowards(ip("127.1." + i / 250 + "." + (i % 250 + 1)));
    }
    assertTrue(network.routesKept() <= 4096);
    now += 10_000;
    assertEquals(first, network.addressTowards(ip("127.0.0.1")));
  }
}
