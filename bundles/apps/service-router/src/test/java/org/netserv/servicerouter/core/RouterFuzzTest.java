// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.servicerouter.Datagrams.SHOP;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalChecksum;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.HeldPackets;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.Target;
import org.netserv.servicerouter.Datagrams;

/** Foreign bytes at a router. Each datagram has one outcome, and what goes on is sound. */
class RouterFuzzTest {
  private static final int MUTANTS = 300_000;

  private final Stage stage =
      new Stage(
          2048,
          new HeldPackets.Limits(64, 16, 16, 5000),
          Stage.forward(ServicePrefix.DEFAULT, Stage.host(9, 6000)),
          Stage.rule(Datagrams.prefix("0000"), RuleAction.DELAY, Target.NONE));
  private final List<ByteBuffer> good =
      List.of(
          Datagrams.syn(SHOP, 2),
          Datagrams.syn(Datagrams.ROUTER, 2),
          Datagrams.syn(Datagrams.prefix("77").id(), 2, Stage.CLIENT, Stage.NEIGHBOUR),
          Datagrams.datagram(Datagrams.prefix("78").id(), new byte[300]),
          Datagrams.registration(false, ServicePrefix.of(SHOP)),
          Datagrams.registration(true, ServicePrefix.of(SHOP)),
          Datagrams.control(2, 3, 0x20),
          Datagrams.asking(Datagrams.prefix("78").id(), 2, List.of()),
          Datagrams.answer(
              2, 6, List.of(7L), List.of(Stage.CLIENT, Stage.OWN, Stage.NEIGHBOUR), 0));
  private long given;

  private void take(ByteBuffer datagram, Endpoint from) {
    given++;
    stage.take(datagram, from);
    stage.sent.packets.forEach(packet -> assertEquals(Stage.OWN, last(packet.hops())));
    stage.sent.packets.clear();
  }

  private static Endpoint last(List<Endpoint> hops) {
    return hops.get(hops.size() - 1);
  }

  /** Counts how datagrams ended at their first look and at each later one. */
  private long ended() {
    long sum = 0;
    for (Outcome outcome : Outcome.values()) {
      boolean look = outcome.name().startsWith("PACKET_") || outcome.name().startsWith("FORWARD_");
      sum += look ? stage.count(outcome) : 0;
    }
    for (Outcome outcome :
        List.of(
            Outcome.ROUTER_SENDER,
            Outcome.ROUTER_ADDRESS,
            Outcome.ROUTER_FLOW,
            Outcome.ROUTER_STRANGER,
            Outcome.ROUTER_NO_ROOM,
            Outcome.RETURN_BACK,
            Outcome.RETURN_TICKET)) {
      sum += stage.count(outcome);
    }
    return sum;
  }

  private void everyDatagramIsCounted() {
    assertEquals(given + stage.count(Outcome.ROUTER_RELEASED), ended());
    assertEquals(0, stage.count(Outcome.PACKET_RANGE));
  }

  @Test
  void eachDatagramCutAtEachLength() {
    for (ByteBuffer whole : good) {
      for (int length = 0; length <= whole.limit(); length++) {
        ByteBuffer cut = ByteBuffer.allocate(length).put(0, whole, 0, length);
        take(cut, Stage.CLIENT);
      }
    }
    everyDatagramIsCounted();
    assertTrue(stage.router.registered().isEmpty());
  }

  @Test
  void mutants() {
    Random random = new Random(17);
    for (int i = 0; i < MUTANTS; i++) {
      ByteBuffer whole = good.get(random.nextInt(good.size()));
      int length = random.nextInt(4) == 0 ? random.nextInt(whole.limit() + 1) : whole.limit();
      ByteBuffer mutant = ByteBuffer.allocate(length).put(0, whole, 0, length);
      for (int changes = random.nextInt(4); changes > 0 && length > 0; changes--) {
        mutant.put(random.nextInt(Math.min(length, 160)), (byte) random.nextInt());
      }
      seal(mutant);
      stage.now += random.nextInt(3);
      take(mutant, random.nextBoolean() ? Stage.CLIENT : Stage.NEIGHBOUR);
      if (random.nextInt(100) == 0) {
        stage.router.tick(stage.now);
      }
      assertTrue(stage.router.waiting() <= 64);
    }
    everyDatagramIsCounted();
    assertTrue(stage.count(Outcome.ROUTER_RELEASED) > 0);
    assertTrue(stage.count(Outcome.HOLD_LATE) > 0);
    assertTrue(stage.count(Outcome.FORWARD_FORWARD) > 0);
  }

  /** Mends the header's checksum, so that mutants come further. */
  private static void seal(ByteBuffer datagram) {
    if (datagram.limit() < 12) {
      return;
    }
    int stop = Math.min(datagram.limit(), (datagram.get(8) & 0xff) * 4);
    datagram.putShort(10, (short) 0);
    datagram.putShort(10, (short) SalChecksum.of(datagram, 0, stop));
  }
}
