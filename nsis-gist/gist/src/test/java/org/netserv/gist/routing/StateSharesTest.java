// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class StateSharesTest {
  private final StateShares shares = new StateShares(1000);
  private int used;

  private boolean take(String source) throws UnknownHostException {
    InetAddress address = InetAddress.getByName(source);
    boolean room = shares.room(address, used);
    if (room) {
      shares.add(address);
      used++;
    }
    return room;
  }

  @Test
  void aFloodOfOneAddressLeavesTheOthersTheirStates() throws UnknownHostException {
    for (int i = 0; i < 5000; i++) {
      take("192.0.2.66");
    }
    assertEquals(950, used);
    for (int i = 1; i <= 50; i++) {
      assertTrue(take("203.0.113." + i), "source " + i);
    }
    assertFalse(take("203.0.113.51"), "all are taken");
  }

  @Test
  void sixtyFourAddressesLeaveRoomForOthers() throws UnknownHostException {
    for (int i = 0; i < 10_000; i++) {
      take("2001:db8:0:" + i % 64 + "::" + Integer.toHexString(i));
    }
    assertTrue(used <= 950, "taken " + used);
    assertTrue(take("2001:db8:1::1"));
  }

  @Test
  void whatIsGivenBackIsFree() throws UnknownHostException {
    InetAddress source = InetAddress.getByName("192.0.2.66");
    assertTrue(take("192.0.2.66"));
    assertEquals(1, shares.held(source));
    shares.remove(source);
    shares.remove(source);
    assertEquals(0, shares.held(source));
  }
}
