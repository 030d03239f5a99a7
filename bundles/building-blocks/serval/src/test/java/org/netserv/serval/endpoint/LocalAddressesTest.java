// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.netserv.io.UdpSelector;
import org.netserv.serval.Endpoint;

/** The sockets of an endpoint that moves. */
class LocalAddressesTest {
  private final Set<Endpoint> needed = new HashSet<>();
  private final LocalAddresses locals = new LocalAddresses(UdpSelector.open());

  LocalAddressesTest() throws IOException {}

  @AfterEach
  void close() {
    locals.close();
  }

  private Endpoint open() throws IOException {
    return locals.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  private List<Endpoint> kept(long now) {
    locals.retain(needed::contains, now);
    return locals.all().stream().map(LocalAddress::address).toList();
  }

  @Test
  void anOldAddressStaysWhileItIsNeededAndLingers() throws IOException {
    Endpoint first = open();
    assertEquals(List.of(first), kept(0));
    assertEquals(List.of(first), kept(1_000_000));
    Endpoint second = open();
    needed.add(first);
    assertEquals(List.of(second, first), kept(2_000_000));
    needed.clear();
    assertEquals(List.of(second, first), kept(2_000_000 + LocalAddresses.LINGER - 1));
    assertEquals(List.of(second), kept(2_000_000 + LocalAddresses.LINGER));
  }

  @Test
  void anAddressThatIsOpenIsTakenAgain() throws IOException {
    Endpoint first = open();
    Endpoint second = open();
    assertEquals(first, locals.open(Addresses.socketAddress(first)));
    assertEquals(List.of(first, second), kept(0));
  }

  @Test
  void theOldestOfTooManyIsClosed() throws IOException {
    Endpoint first = open();
    needed.add(first);
    for (int i = 1; i < LocalAddresses.MOST; i++) {
      needed.add(open());
    }
    assertEquals(LocalAddresses.MOST, kept(0).size());
    needed.add(open());
    assertEquals(LocalAddresses.MOST, kept(0).size());
    assertEquals(false, kept(0).contains(first));
  }
}
