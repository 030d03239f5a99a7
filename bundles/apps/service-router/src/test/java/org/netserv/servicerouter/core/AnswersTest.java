// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.servicerouter.Datagrams.SHOP;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;
import org.netserv.servicerouter.Datagrams;

/** SYN-ACKs that go back by the router, and SYN-ACKs that it refuses. */
class AnswersTest {
  private static final Endpoint SERVER = Stage.host(9, 6000);
  private static final Endpoint STRANGER = Stage.host(66, 6000);
  private static final int FLOW = 2;
  private static final int ACKNO = 6; // the SYN has verno 5
  private static final int UDP_HEADER = 8;

  private final Stage stage = new Stage(Stage.forward(ServicePrefix.DEFAULT, SERVER));

  private Sent.Packet ask() {
    stage.take(Datagrams.asking(SHOP, FLOW, List.of()), Stage.CLIENT);
    return stage.last();
  }

  private static List<Endpoint> whole(Sent.Packet syn) {
    List<Endpoint> hops = new ArrayList<>(syn.hops());
    hops.add(SERVER);
    return hops;
  }

  private static ByteBuffer answer(Sent.Packet syn) {
    return Datagrams.answer(FLOW, ACKNO, syn.tickets(), whole(syn), 0);
  }

  @Test
  void aSynAckGoesBackToTheClientThatAsksForIt() {
    Sent.Packet syn = ask();
    assertEquals(SERVER, syn.to());
    assertEquals(List.of(Stage.CLIENT, Stage.OWN), syn.hops());
    assertEquals(1, syn.tickets().size());
    stage.take(answer(syn), SERVER);
    Sent.Packet back = stage.last();
    assertEquals(Stage.CLIENT, back.to());
    assertEquals(List.of(SERVER), back.hops());
    assertNull(back.tickets());
    assertEquals(Stage.TTL - 1, back.ttl());
    int asked = Datagrams.asking(SHOP, FLOW, List.of()).limit();
    assertTrue(back.bytes().limit() < asked, back.bytes().limit() + " of " + asked);
    assertEquals(1, stage.count(Outcome.RETURN_BACK));
  }

  @Test
  void aSynAckGoesBackToTheRouterBefore() {
    Endpoint[] way = {Stage.CLIENT, Stage.NEIGHBOUR};
    stage.take(Datagrams.asking(SHOP, FLOW, List.of(7L), way), Stage.NEIGHBOUR);
    Sent.Packet syn = stage.last();
    assertEquals(2, syn.tickets().size());
    assertEquals(7L, syn.tickets().get(0));
    ByteBuffer answer = answer(syn);
    stage.take(answer, SERVER);
    Sent.Packet back = stage.last();
    assertEquals(Stage.NEIGHBOUR, back.to());
    assertEquals(whole(syn), back.hops());
    assertEquals(syn.tickets(), back.tickets());
    assertEquals(answer.limit(), back.bytes().limit());
  }

  @Test
  void aRouterBehindOneThatGivesNoTicketGivesNone() {
    Endpoint[] way = {Stage.CLIENT, Stage.NEIGHBOUR};
    stage.take(Datagrams.asking(SHOP, FLOW, List.of(), way), Stage.NEIGHBOUR);
    assertEquals(List.of(), stage.last().tickets());
    stage.take(Datagrams.syn(SHOP, FLOW), Stage.CLIENT);
    assertNull(stage.last().tickets());
  }

  @Test
  void aForgedSynAckIsRefused() {
    Sent.Packet syn = ask();
    List<Endpoint> hops = whole(syn);
    stage.take(answer(syn), STRANGER);
    stage.take(answer(syn), Stage.host(9, 6001));
    stage.take(Datagrams.answer(FLOW, ACKNO, List.of(8L), hops, 0), SERVER);
    stage.take(Datagrams.answer(FLOW + 1, ACKNO, syn.tickets(), hops, 0), SERVER);
    stage.take(Datagrams.answer(FLOW, ACKNO + 1, syn.tickets(), hops, 0), SERVER);
    List<Endpoint> other = List.of(STRANGER, Stage.OWN, SERVER);
    stage.take(Datagrams.answer(FLOW, ACKNO, syn.tickets(), other, 0), SERVER);
    assertEquals(6, stage.count(Outcome.RETURN_TICKET));
    assertEquals(List.of(), stage.sent.packets);
  }

  @Test
  void aTicketCountsInItsMinuteAndTheNextOne() {
    ByteBuffer answer = answer(ask());
    stage.now = 2 * Tickets.SLOT - 1;
    stage.take(answer, SERVER);
    assertEquals(1, stage.count(Outcome.RETURN_BACK));
    stage.now = 2 * Tickets.SLOT;
    stage.take(answer, SERVER);
    assertEquals(1, stage.count(Outcome.RETURN_TICKET));
  }

  @Test
  void aSynAckOfAnotherShapeIsRefused() {
    Sent.Packet syn = ask();
    List<Endpoint> elsewhere = List.of(Stage.CLIENT, Stage.NEIGHBOUR, SERVER);
    stage.take(Datagrams.answer(FLOW, ACKNO, syn.tickets(), elsewhere, 0), SERVER);
    stage.take(Datagrams.answer(FLOW, ACKNO, List.of(), whole(syn), 0), SERVER);
    stage.take(Datagrams.answer(FLOW, ACKNO, syn.tickets(), List.of(), 0), SERVER);
    stage.take(Datagrams.control(9, FLOW, 0xa0), SERVER);
    int most = 60 - UDP_HEADER;
    stage.take(Datagrams.answer(FLOW, ACKNO, syn.tickets(), whole(syn), most + 1), SERVER);
    assertEquals(4, stage.count(Outcome.RETURN_TICKET));
    assertEquals(1, stage.count(Outcome.ROUTER_FLOW));
    assertEquals(List.of(), stage.sent.packets);
    stage.take(Datagrams.answer(FLOW, ACKNO, syn.tickets(), whole(syn), most), SERVER);
    assertEquals(1, stage.count(Outcome.RETURN_BACK));
  }

  @Test
  void theLastHopEndsHere() {
    Sent.Packet syn = ask();
    stage.take(answer(syn), SERVER, 1);
    assertEquals(1, stage.count(Outcome.FORWARD_TTL));
    assertEquals(List.of(), stage.sent.packets);
  }

  @Test
  void aRouterThatMayNotGivesNoTicketAndTakesNothingBack() {
    Stage off = Stage.withoutReturns(Stage.forward(ServicePrefix.DEFAULT, SERVER));
    off.take(Datagrams.asking(SHOP, FLOW, List.of()), Stage.CLIENT);
    assertEquals(List.of(), off.last().tickets());
    off.take(answer(ask()), SERVER);
    assertEquals(1, off.count(Outcome.ROUTER_FLOW));
    assertEquals(List.of(), off.sent.packets);
  }
}
