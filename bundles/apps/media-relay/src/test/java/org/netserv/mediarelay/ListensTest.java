// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.mediarelay.core.Discovery;
import org.netserv.module.ModuleProperties;

/** The relay reads its addresses and ports from the policy's list. */
class ListensTest {
  private static final String FOUR =
      "udp/192.0.2.1/32/3478 udp/192.0.2.1/32/3479"
          + " udp/192.0.2.2/32/3478:13478 udp/192.0.2.2/32/3479:13479";

  private static Listens listens(String list) {
    return Listens.of(new ModuleProperties(Map.of(Listens.PROPERTY, list)));
  }

  @Test
  void twoAddressesWithTwoPortsAreForDiscovery() {
    Listens listens =
        listens(
            FOUR
                + " udp/2001:db8::1/128/3478 udp/2001:db8::2/128/3478:23478"
                + " udp/2001:db8::1/128/5000 udp/2001:db8::2/128/5000:25000 udp/192.0.2.1/32/9-99");
    List<Discovery.Square> squares = listens.squares();
    assertEquals(2, squares.size());
    assertEquals(List.of(3478, 3479, 13478, 13479), squares.get(0).inside());
    assertEquals(3479, squares.get(0).otherPort());
    assertEquals(1, squares.get(0).otherLow() - squares.get(0).low());
    assertEquals(List.of(3478, 5000, 23478, 25000), squares.get(1).inside());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "udp/192.0.2.1/32/3478",
        "udp/192.0.2.1/32/3478 udp/192.0.2.1/32/3479 udp/192.0.2.2/32/3478:13478",
        // the relay could not tell the addresses from one another
        "udp/192.0.2.1/32/1 udp/192.0.2.1/32/2 udp/192.0.2.2/32/1 udp/192.0.2.2/32/2",
        // one address has other ports than the other one
        "udp/192.0.2.1/32/1 udp/192.0.2.1/32/2 udp/192.0.2.2/32/3 udp/192.0.2.2/32/4",
        "tcp/192.0.2.1/32/1 tcp/192.0.2.1/32/2 tcp/192.0.2.2/32/1:3 tcp/192.0.2.2/32/2:4",
        "udp/0.0.0.0/0/1 udp/0.0.0.0/0/2 udp/192.0.2.2/32/1:3 udp/192.0.2.2/32/2:4"
      })
  void anythingLessIsNot(String list) {
    assertEquals(List.of(), listens(list).squares());
  }

  @Test
  void whatHasAnotherPortInsideIsNothingForTheKernel() {
    assertEquals(List.of(3478, 3479), listens(FOUR).single().stream().map(r -> r.first()).toList());
  }

  @Test
  void clientsByTcpComeToThePortInside() {
    Listens listens = listens("tcp/192.0.2.1/32/443:5349 tcp/192.0.2.1/32/100-102");
    assertTrue(listens.hasTcp(5349));
    assertFalse(listens.hasTcp(443));
    assertTrue(listens.hasTcp(100) && listens.hasTcp(102) && !listens.hasTcp(103));
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp/192.0.2.1/32/1:", "udp/192.0.2.1/32/1:x", "udp/192.0.2.1/32/:1"})
  void aWrongPortInsideIsRefused(String list) {
    assertThrows(IllegalArgumentException.class, () -> listens(list));
  }
}
