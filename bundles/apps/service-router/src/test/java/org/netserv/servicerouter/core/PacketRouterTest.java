// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.servicerouter.Datagrams.SHOP;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.HopList;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.HeldPackets;
import org.netserv.serval.table.RuleAction;
import org.netserv.servicerouter.Datagrams;

class PacketRouterTest {
  private static final Endpoint SERVER = Stage.host(9, 6000);

  private final Stage stage = new Stage(Stage.forward(ServicePrefix.DEFAULT, SERVER));

  @Test
  void aSynGoesOnWithTheClientAndTheRouterInItsList() {
    ByteBuffer syn = Datagrams.syn(SHOP, 2);
    stage.take(syn, Stage.CLIENT);
    Sent.Packet packet = stage.last();
    assertEquals(SERVER, packet.to());
    assertEquals(List.of(Stage.CLIENT, Stage.OWN), packet.hops());
    assertEquals(Stage.TTL - 1, packet.ttl());
    assertEquals(syn.slice(68, 8), packet.bytes().slice(packet.bytes().limit() - 8, 8));
    assertEquals(Map.of("FORWARD_FORWARD", 1L), stage.tally.snapshot());
  }

  @Test
  void aDatagramGoesOnWithItsPayload() {
    byte[] payload = new byte[1200];
    Arrays.fill(payload, (byte) 7);
    stage.take(Datagrams.datagram(SHOP, payload), Stage.CLIENT);
    ByteBuffer out = stage.last().bytes();
    assertEquals(ByteBuffer.wrap(payload), out.slice(out.limit() - 1200, 1200));
  }

  @Test
  void aListCountsFromARouterThatIsKnown() {
    Endpoint[] way = {Stage.CLIENT, Stage.NEIGHBOUR};
    stage.take(Datagrams.syn(SHOP, 2, way), Stage.NEIGHBOUR);
    assertEquals(List.of(Stage.CLIENT, Stage.NEIGHBOUR, Stage.OWN), stage.last().hops());
    Endpoint stranger = Stage.host(66, 6);
    stage.take(Datagrams.syn(SHOP, 2, Stage.host(5, 5), stranger), stranger);
    assertEquals(1, stage.count(Outcome.ROUTER_STRANGER));
    assertEquals(List.of(), stage.sent.packets);
  }

  @Test
  void aClientCannotNameAnother() {
    Endpoint victim = Stage.host(5, 5);
    stage.take(Datagrams.syn(SHOP, 2, victim), Stage.CLIENT);
    assertEquals(List.of(Stage.CLIENT, Stage.OWN), stage.last().hops());
    stage.take(Datagrams.syn(SHOP, 2, victim, Stage.host(6, 6)), Stage.CLIENT);
    assertEquals(Stage.CLIENT, stage.last().hops().get(0));
  }

  @Test
  void everyRefusalHasItsName() {
    Endpoint[] full = new Endpoint[HopList.MOST];
    Arrays.fill(full, Stage.NEIGHBOUR);
    stage.take(Datagrams.syn(SHOP, 2, full), Stage.NEIGHBOUR);
    assertEquals(1, stage.count(Outcome.FORWARD_TOO_MANY_HOPS));
    stage.take(Datagrams.syn(SHOP, 2, SERVER, Stage.NEIGHBOUR), Stage.NEIGHBOUR);
    assertEquals(1, stage.count(Outcome.FORWARD_LOOP));
    stage.take(Datagrams.syn(SHOP, 2), Stage.CLIENT, 1);
    assertEquals(1, stage.count(Outcome.FORWARD_TTL));
    stage.take(Datagrams.syn(SHOP, 0), Stage.CLIENT);
    stage.take(Datagrams.control(2, 3, 0x20), Stage.CLIENT);
    stage.take(Datagrams.control(2, 0, 0xa0), Stage.CLIENT);
    assertEquals(3, stage.count(Outcome.ROUTER_FLOW));
    stage.take(Datagrams.syn(SHOP, 2), Stage.host(1, 0));
    stage.take(Datagrams.syn(SHOP, 2), Endpoint.ofIpv4(-1, 9));
    assertEquals(2, stage.count(Outcome.ROUTER_SENDER));
    stage.take(Datagrams.syn(SHOP, 2), new Endpoint(0xfdL << 56, 1, 9));
    assertEquals(1, stage.count(Outcome.ROUTER_ADDRESS));
    ByteBuffer group = Datagrams.syn(SHOP, 2);
    Endpoint everybody = Endpoint.ofIpv4(0xe0000001, 0);
    stage.router.take(new Received(group, 0, group.limit(), Stage.CLIENT, everybody, Stage.TTL), 0);
    assertEquals(1, stage.count(Outcome.FORWARD_BROADCAST));
    stage.take(Datagrams.syn(Datagrams.ROUTER, 2), Stage.CLIENT);
    assertEquals(1, stage.count(Outcome.REGISTRATION_NO_MESSAGE));
    assertEquals(List.of(), stage.sent.packets);
  }

  @Test
  void eachFamilyHasItsOwnAddress() {
    long net = 0xfdL << 56;
    Endpoint own = new Endpoint(net, 254, 54325);
    Endpoint client = new Endpoint(net, 1, 4000);
    Endpoint server = new Endpoint(net, 9, 6000);
    Stage both = new Stage(own, Stage.forward(ServicePrefix.DEFAULT, server));
    both.take(Datagrams.syn(SHOP, 2), client);
    Sent.Packet packet = both.last();
    assertEquals(server, packet.to());
    assertEquals(List.of(client, own), packet.hops());
    both.take(Datagrams.syn(SHOP, 2), Stage.CLIENT);
    assertEquals(1, both.count(Outcome.FORWARD_FAMILY));
  }

  @Test
  void aPacketThatHasNoRoomForItsHopIsDropped() {
    Stage narrow =
        new Stage(1300, HeldPackets.Limits.DEFAULT, Stage.forward(ServicePrefix.DEFAULT, SERVER));
    byte[] payload = new byte[1300 - 84 - 8 - 44];
    narrow.take(Datagrams.datagram(SHOP, payload), Stage.CLIENT);
    assertEquals(1300, narrow.last().bytes().limit());
    narrow.take(Datagrams.datagram(SHOP, new byte[payload.length + 1]), Stage.CLIENT);
    assertEquals(1, narrow.count(Outcome.ROUTER_NO_ROOM));
  }

  @Test
  void anUnknownServiceIsRefusedByName() {
    Stage empty = new Stage(Stage.of(SHOP, RuleAction.DROP));
    empty.take(Datagrams.syn(ServiceId.parse("77"), 2), Stage.CLIENT);
    empty.take(Datagrams.syn(SHOP, 2), Stage.CLIENT);
    assertEquals(Map.of("FORWARD_NO_RULE", 1L, "FORWARD_RULE_DROPS", 1L), empty.tally.snapshot());
  }

  @Test
  void aRuleOntoItselfIsRefused() {
    IllegalArgumentException thrown =
        assertThrows(
            IllegalArgumentException.class,
            () -> new Stage(Stage.forward(ServicePrefix.DEFAULT, Stage.OWN)));
    assertTrue(thrown.getMessage().startsWith("rules: "), thrown.getMessage());
  }

  /** A packet that comes back is dropped, because its next router has had it. */
  @Test
  void twoRoutersInACircle() {
    Stage one = new Stage(Stage.forward(ServicePrefix.DEFAULT, Stage.NEIGHBOUR));
    one.take(Datagrams.syn(SHOP, 2), Stage.CLIENT);
    Sent.Packet back = one.last();
    Endpoint[] way = {Stage.CLIENT, Stage.OWN, Stage.NEIGHBOUR};
    assertEquals(List.of(Stage.CLIENT, Stage.OWN), back.hops());
    one.take(Datagrams.syn(SHOP, 2, way), Stage.NEIGHBOUR);
    assertEquals(1, one.count(Outcome.FORWARD_LOOP));
    assertEquals(List.of(), one.sent.packets);
  }
}
