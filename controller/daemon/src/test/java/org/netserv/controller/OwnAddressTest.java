// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.values.Prefix;

/** A node never signs an address of a container as its own. */
final class OwnAddressTest {
  private static OwnAddress.Local local(String device, int index, String address) throws Exception {
    return new OwnAddress.Local(device, index, InetAddress.getByName(address));
  }

  private static String choose(OwnAddress.Local... all) throws Exception {
    return OwnAddress.choose(List.of(all), List.of(Prefix.parse("100.64.0.0/18"))).getHostAddress();
  }

  @Test
  void aContainersInterfaceIsNot() throws Exception {
    assertEquals("192.0.2.1", choose(local("nsv0", 9, "10.9.9.1"), local("eth0", 2, "192.0.2.1")));
    assertEquals("127.0.0.1", choose(local("nsv0", 9, "10.9.9.1"), local("lo", 1, "127.0.0.1")));
  }

  @Test
  void anAddressOfTheContainersPrefixIsNotWhateverTheInterface() throws Exception {
    assertEquals("192.0.2.1", choose(local("br0", 2, "100.64.3.1"), local("eth0", 3, "192.0.2.1")));
    assertEquals("100.64.64.1", choose(local("eth0", 3, "100.64.64.1")), "of an uplink's carrier");
  }

  @Test
  void theLowestInterfaceIsChosenWhateverTheOrder() throws Exception {
    assertEquals(
        "192.0.2.1",
        choose(
            local("eth1", 3, "198.51.100.1"),
            local("eth0", 2, "fe80::1"),
            local("eth0", 2, "192.0.2.1")));
  }

  @Test
  void readsTheHost() throws Exception {
    assertTrue(OwnAddress.all().stream().anyMatch(l -> l.address().isLoopbackAddress()));
  }
}
