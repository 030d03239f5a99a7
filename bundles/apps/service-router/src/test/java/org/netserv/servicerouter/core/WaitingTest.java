// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.netserv.servicerouter.Datagrams.SHOP;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.Target;
import org.netserv.servicerouter.Datagrams;

/** Packets that a DELAY holds: at most 4, 3 of a serviceID and 2 of a sender, for 5 s. */
class WaitingTest {
  private static final Endpoint SERVER = Stage.host(9, 6000);

  private final Stage stage =
      new Stage(Stage.rule(ServicePrefix.DEFAULT, RuleAction.DELAY, Target.NONE));

  private void register(String digits) {
    stage.take(Datagrams.registration(false, Datagrams.prefix(digits)), SERVER);
  }

  @Test
  void aRegistrationLetsThePacketsGoThatWaitForIt() {
    ByteBuffer syn = Datagrams.syn(SHOP, 2);
    stage.take(syn, Stage.CLIENT);
    stage.take(Datagrams.syn(ServiceId.parse("00004002"), 3), Stage.CLIENT);
    syn.put(0, new byte[syn.limit()]); // the router has a copy
    register("00004001");
    assertEquals(1, stage.sent.packets.size());
    Sent.Packet packet = stage.last();
    assertEquals(SERVER, packet.to());
    assertEquals(List.of(Stage.CLIENT, Stage.OWN), packet.hops());
    assertEquals(1, stage.router.waiting());
    assertEquals(1, stage.count(Outcome.ROUTER_RELEASED));
  }

  @Test
  void whatWaitsIsBounded() {
    for (int i = 0; i < 4; i++) {
      stage.take(Datagrams.syn(SHOP, 2 + i), Stage.host(i % 2, 4000 + i));
    }
    assertEquals(3, stage.count(Outcome.HOLD_OK));
    assertEquals(1, stage.count(Outcome.HOLD_ID_FULL));
    stage.take(Datagrams.syn(ServiceId.parse("01"), 9), Stage.host(0, 5000));
    assertEquals(1, stage.count(Outcome.HOLD_SOURCE_FULL));
    stage.take(Datagrams.syn(ServiceId.parse("02"), 9), Stage.host(5, 5000));
    stage.take(Datagrams.syn(ServiceId.parse("03"), 9), Stage.host(6, 5000));
    assertEquals(1, stage.count(Outcome.HOLD_FULL));
    assertEquals(4, stage.router.waiting());
  }

  @Test
  void nothingWaitsForLongerThanItsTime() {
    stage.take(Datagrams.syn(SHOP, 2), Stage.CLIENT);
    stage.now = 4999;
    stage.router.tick(stage.now);
    assertEquals(1, stage.router.waiting());
    stage.now = 5000;
    stage.router.tick(stage.now);
    assertEquals(0, stage.router.waiting());
    assertEquals(1, stage.count(Outcome.HOLD_LATE));
  }

  /** Rules of shorter prefixes come and go, and the DELAY goes on to be the longest. */
  @Test
  void aPacketThatWaitsAgainDoesNotBeginAnew() {
    Stage longer =
        new Stage(Stage.rule(Datagrams.prefix("00004001"), RuleAction.DELAY, Target.NONE));
    longer.take(Datagrams.syn(SHOP, 2), Stage.CLIENT);
    for (int i = 0; i < 6; i++) {
      longer.now = 900L * i;
      ServicePrefix shorter = new ServicePrefix(SHOP, 16 + i);
      longer.take(Datagrams.registration(false, shorter), Stage.host(20 + i, 1));
    }
    assertEquals(1, longer.router.waiting());
    longer.now = 5000;
    longer.take(Datagrams.registration(false, new ServicePrefix(SHOP, 30)), Stage.host(30, 1));
    assertEquals(0, longer.router.waiting());
    assertEquals(1, longer.count(Outcome.HOLD_LATE));
    assertEquals(List.of(), longer.sent.packets);
  }
}
