// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.netserv.servicerouter.Datagrams.SHOP;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.RuleAction;
import org.netserv.servicerouter.Datagrams;

class RegistrationsTest {
  private static final Endpoint ONE = Stage.host(9, 6000);
  private static final Endpoint TWO = Stage.host(10, 6000);

  private final Stage stage = new Stage();

  private void register(Endpoint host, ServicePrefix prefix) {
    stage.take(Datagrams.registration(false, prefix), host);
  }

  private Endpoint target() {
    stage.take(Datagrams.syn(SHOP, 2), Stage.CLIENT);
    return stage.sent.packets.isEmpty() ? null : stage.last().to();
  }

  @Test
  void aRuleLivesAsLongAsItsHostRepeatsIt() {
    register(ONE, ServicePrefix.of(SHOP));
    assertEquals(ONE, target());
    stage.now = Stage.LIFE - 1;
    register(ONE, ServicePrefix.of(SHOP));
    stage.now = 2 * Stage.LIFE - 2;
    assertEquals(ONE, target());
    stage.now++;
    assertEquals(null, target());
    assertEquals(1, stage.count(Outcome.FORWARD_NO_RULE));
    stage.router.tick(stage.now);
    assertEquals(1, stage.count(Outcome.ROUTER_EXPIRED));
  }

  @Test
  void aHostWithdrawsItsOwnRuleAlone() {
    register(ONE, ServicePrefix.of(SHOP));
    stage.take(Datagrams.registration(true, ServicePrefix.of(SHOP)), TWO);
    assertEquals(1, stage.count(Outcome.REGISTRATION_UNKNOWN));
    assertEquals(ONE, target());
    stage.take(Datagrams.registration(true, ServicePrefix.of(SHOP)), ONE);
    assertEquals(1, stage.count(Outcome.REGISTRATION_WITHDRAWN));
    assertEquals(null, target());
  }

  @Test
  void aHostBehindARouterIsTheTarget() {
    ByteBuffer plain = Datagrams.registration(false, ServicePrefix.of(SHOP));
    byte[] payload = new byte[48];
    plain.get(plain.limit() - 48, payload);
    Endpoint[] way = {ONE, Stage.NEIGHBOUR};
    stage.take(Datagrams.datagram(Datagrams.ROUTER, payload, way), Stage.NEIGHBOUR);
    assertEquals(ONE, target());
  }

  @Test
  void prefixesOutsideAreRefused() {
    register(ONE, ServicePrefix.DEFAULT);
    register(ONE, Datagrams.prefix("01"));
    register(ONE, new ServicePrefix(SHOP, 15));
    assertEquals(Map.of("FORWARD_DELIVER", 3L, "REGISTRATION_OUTSIDE", 3L), counts());
    register(ONE, new ServicePrefix(SHOP, 16));
    assertEquals(1, stage.count(Outcome.RULE_OK));
  }

  private Map<String, Long> counts() {
    return stage.tally.snapshot();
  }

  @Test
  void aHostHasAsManyRulesAsItMay() {
    for (int i = 0; i < 5; i++) {
      register(ONE, new ServicePrefix(SHOP, 20 + i));
    }
    assertEquals(3, stage.count(Outcome.RULE_OK));
    assertEquals(2, stage.count(Outcome.RULE_ORIGIN_FULL));
    register(ONE, new ServicePrefix(SHOP, 20)); // again
    register(TWO, new ServicePrefix(SHOP, 20));
    assertEquals(5, stage.count(Outcome.RULE_OK));
    register(Stage.OWN, ServicePrefix.of(SHOP));
    assertEquals(1, stage.count(Outcome.RULE_ONTO_ITSELF));
  }

  @Test
  void thousandsOfHostsFillTheTableAndNoMore() {
    for (int i = 0; i < 5000; i++) {
      register(Stage.host(i, 6000), new ServicePrefix(SHOP, 20 + i % 50));
    }
    assertEquals(100 - 1, stage.count(Outcome.RULE_OK)); // one is the router's own
    assertEquals(5000 - 99, stage.count(Outcome.RULE_TABLE_FULL));
    stage.now = Stage.LIFE;
    register(ONE, ServicePrefix.of(SHOP));
    assertEquals(ONE, target());
  }

  @Test
  void aBrokenMessageChangesNothing() {
    ByteBuffer good = Datagrams.registration(false, ServicePrefix.of(SHOP));
    int udp = good.limit() - 56;
    for (int at = udp + 4; at < good.limit(); at++) {
      ByteBuffer bad = ByteBuffer.allocate(good.limit()).put(0, good, 0, good.limit());
      bad.put(at, (byte) (bad.get(at) ^ 1));
      stage.take(bad, ONE);
    }
    assertEquals(52, stage.count(Outcome.REGISTRATION_CHECKSUM));
    good.putShort(udp + 6, (short) 0); // no checksum
    good.put(udp + 8, (byte) 2);
    stage.take(good, ONE);
    assertEquals(1, stage.count(Outcome.REGISTRATION_NO_MESSAGE));
    assertEquals(List.of(), stage.router.registered());
    good.put(udp + 8, (byte) 0);
    stage.take(good, ONE);
    assertEquals(1, stage.router.registered().size());
  }

  @Test
  void anotherRouterTakesOverWhatItWouldTake() {
    register(ONE, ServicePrefix.of(SHOP));
    Stage next = new Stage(Stage.of(SHOP, RuleAction.DELAY));
    next.now = 20_000;
    next.router.adopt(stage.router.registered(), next.now);
    assertEquals(stage.router.registered(), next.router.registered());
    List<Endpoint> to = new ArrayList<>();
    next.take(Datagrams.syn(SHOP, 2), Stage.CLIENT);
    next.sent.packets.forEach(packet -> to.add(packet.to()));
    assertEquals(List.of(ONE), to);
    Stage late = new Stage();
    late.router.adopt(stage.router.registered(), Stage.LIFE);
    assertEquals(List.of(), late.router.registered());
  }
}
