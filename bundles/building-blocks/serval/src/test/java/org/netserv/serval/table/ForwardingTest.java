// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.serval.Captured;
import org.netserv.serval.Endpoint;
import org.netserv.serval.Extensions;
import org.netserv.serval.HopList;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.ServalError;
import org.netserv.serval.Service;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.SourceList;
import org.netserv.serval.Way;

class ForwardingTest {
  private static final Endpoint HERE = Endpoint.ofIpv4(Rules.OWN, 0);
  private static final int SENDER = 0x0a000063;
  private static final Endpoint CLIENT = Endpoint.ofIpv4(SENDER, 0);
  private static final long SIX = 0xfdL << 56;

  private final ServiceTable table = Rules.table(TableLimits.DEFAULT);
  private final Forwarding forwarding = new Forwarding(table, new Random(1));
  private final ByteBuffer out = ByteBuffer.allocate(1024);
  private final SalWriter writer = new SalWriter();

  private SalPacket syn(int... way) {
    ByteBuffer bytes = ByteBuffer.allocate(400);
    writer.begin(bytes, 0, 400, 2, 0, SalPacket.UDP);
    Service.put(writer, Rules.ID);
    Extensions.put(writer, 9, new byte[] {1, 2, 3});
    if (way.length > 0) {
      SourceList.put(writer, way);
    }
    return read(bytes);
  }

  private SalPacket read(ByteBuffer bytes) {
    assertTrue(writer.finish().fits());
    SalPacket packet = new SalPacket();
    assertEquals(ServalError.OK, packet.reset(bytes, 0, writer.end()));
    return packet;
  }

  private ForwardVerdict decide(SalPacket packet) {
    return forwarding.decide(packet, HERE, 64, 0);
  }

  @Test
  void everyVerdict() {
    assertEquals(ForwardVerdict.NO_RULE, decide(syn()));
    assertNull(forwarding.rule());
    Rule forward = Rules.forward(ServicePrefix.DEFAULT, 1, 0);
    table.add(forward, 0);
    assertEquals(ForwardVerdict.FORWARD, decide(syn()));
    assertEquals(forward, forwarding.rule());
    assertEquals(ForwardVerdict.NO_SERVICE, decide(Captured.of("direct", 5).packet()));
    assertEquals(ForwardVerdict.LOOP, decide(syn(SENDER, 0x0a000001)));
    assertEquals(ForwardVerdict.LOOP, decide(syn(0x0a000001, SENDER)));
    int[] full = new int[SourceList.MOST];
    assertEquals(ForwardVerdict.TOO_MANY_HOPS, decide(syn(full)));
    assertEquals(ForwardVerdict.TTL, forwarding.decide(syn(), HERE, 1, 0));
    Endpoint broadcast = Endpoint.ofIpv4(-1, 0);
    assertEquals(ForwardVerdict.BROADCAST, forwarding.decide(syn(), broadcast, 64, 0));
    Endpoint six = new Endpoint(SIX, 1, 0);
    assertEquals(ForwardVerdict.FAMILY, forwarding.decide(syn(), six, 64, 0));
    Endpoint target = forward.target().address();
    assertEquals(ForwardVerdict.ONTO_ITSELF, forwarding.decide(syn(), target, 64, 0));
    ServicePrefix exact = ServicePrefix.of(Rules.ID);
    table.add(Rules.socket(exact, 4), 0);
    assertEquals(ForwardVerdict.DELIVER, decide(syn()));
    table.add(Rules.of(exact, RuleAction.DELAY), 0);
    assertEquals(ForwardVerdict.HOLD, decide(syn()));
    table.add(Rules.of(exact, RuleAction.DROP), 0);
    assertEquals(ForwardVerdict.RULE_DROPS, decide(syn()));
    for (ForwardVerdict verdict : ForwardVerdict.values()) {
      long times = verdict == ForwardVerdict.LOOP ? 2 : 1;
      assertEquals(times, forwarding.verdicts().of(verdict), verdict.name());
    }
  }

  /** Three routers in a ring, each with the next as its only target: the packet ends by name. */
  @ParameterizedTest
  @ValueSource(longs = {0, SIX})
  void aRingOfRoutersEndsByName(long high) {
    List<Forwarding> ring = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Endpoint own = router(high, i);
      ServiceTable rules = new ServiceTable(TableLimits.DEFAULT, own::hasAddressOf);
      Rule next = Rules.forward(ServicePrefix.DEFAULT, 0, 0);
      rules.add(Rules.to(next, Target.address(router(high, (i + 1) % 3))), 0);
      ring.add(new Forwarding(rules, new Random(i)));
    }
    Endpoint from = router(high, SENDER);
    SalPacket packet = syn();
    int hops = 0;
    Endpoint at = router(high, 0);
    ForwardVerdict verdict = ring.get(0).decide(packet, at, 64, 0);
    while (verdict == ForwardVerdict.FORWARD) {
      ByteBuffer bytes = ByteBuffer.allocate(400);
      writer.begin(bytes, 0, 400, 2, 0, SalPacket.UDP);
      assertTrue(Forwarding.write(writer, packet, from, at));
      packet = read(bytes);
      at = ring.get(hops % 3).rule().target().address();
      hops++;
      verdict = ring.get(hops % 3).decide(packet, at, 64, 0);
    }
    assertEquals(ForwardVerdict.LOOP, verdict);
    assertEquals(2, hops);
    assertEquals(List.of(from, router(high, 0), router(high, 1)), Way.get(packet).hops());
  }

  /** Returns a router of the family to which the upper half belongs. */
  private static Endpoint router(long high, int number) {
    return high == 0 ? Endpoint.ofIpv4(number, 0) : new Endpoint(high, number, 0);
  }

  private static SalPacket way(SalWriter writer, Endpoint... hops) {
    ByteBuffer bytes = ByteBuffer.allocate(400);
    writer.begin(bytes, 0, 400, 2, 0, SalPacket.UDP);
    Service.put(writer, Rules.ID);
    HopList.put(writer, List.of(hops));
    SalPacket packet = new SalPacket();
    assertEquals(ServalError.OK, packet.reset(bytes, 0, writer.finish().end()));
    return packet;
  }

  @Test
  void listsOfIpv6() {
    Endpoint here = new Endpoint(SIX, 1, 0);
    Endpoint next = new Endpoint(SIX, 2, 0);
    Rule rule = Rules.to(Rules.forward(ServicePrefix.DEFAULT, 0, 0), Target.address(next));
    table.add(rule, 0);
    assertEquals(ForwardVerdict.FORWARD, forwarding.decide(way(writer, here), here, 64, 0));
    Endpoint nextOnAPort = new Endpoint(SIX, 2, 54325);
    assertEquals(ForwardVerdict.LOOP, forwarding.decide(way(writer, nextOnAPort), here, 64, 0));
    assertEquals(ForwardVerdict.FAMILY, forwarding.decide(syn(SENDER, 1), here, 64, 0));
    Endpoint[] full = new Endpoint[HopList.MOST];
    Arrays.fill(full, here);
    SalPacket packet = way(writer, full);
    assertEquals(ForwardVerdict.TOO_MANY_HOPS, forwarding.decide(packet, here, 64, 0));
    writer.begin(out, 0, 1024, 2, 0, SalPacket.UDP);
    assertFalse(Forwarding.write(writer, packet, here, here));
  }

  /** Client, router and instance are programs of one host. */
  @Test
  void inUdpTheSocketCountsAndNotTheAddress() {
    Endpoint here = Endpoint.ofIpv4(1, 10);
    Endpoint instance = Endpoint.ofIpv4(1, 20);
    Rule rule = Rules.to(Rules.forward(ServicePrefix.DEFAULT, 0, 0), Target.address(instance));
    table.add(rule, 0);
    assertEquals(ForwardVerdict.FORWARD, forwarding.decide(syn(), here, 64, 0));
    SalPacket fromAnother = way(writer, Endpoint.ofIpv4(1, 30), here);
    assertEquals(ForwardVerdict.FORWARD, forwarding.decide(fromAnother, here, 64, 0));
    SalPacket fromIt = way(writer, instance, here);
    assertEquals(ForwardVerdict.LOOP, forwarding.decide(fromIt, here, 64, 0));
    assertEquals(ForwardVerdict.ONTO_ITSELF, forwarding.decide(syn(), instance, 64, 0));
    assertEquals(ForwardVerdict.LOOP, forwarding.decide(syn(SENDER, 1), here, 64, 0)); // no ports
  }

  @Test
  void anUnknownExtensionGoesOn() {
    SalPacket packet = syn();
    writer.begin(out, 0, 1024, 2, 0, SalPacket.UDP);
    assertTrue(Forwarding.write(writer, packet, CLIENT, HERE));
    SalPacket forwarded = read(out);
    int free = forwarded.after(forwarded.first());
    assertEquals(9, forwarded.number(free));
    assertEquals(2, SourceList.count(forwarded));
    assertEquals(SENDER, SourceList.address(forwarded, 0));
    assertEquals(Rules.OWN, SourceList.address(forwarded, 1));
  }

  /** The router of the test sends from its own address. Returns the list that it has written. */
  private List<Endpoint> hops(SalPacket packet, Endpoint from, Endpoint at) {
    writer.begin(out, 0, 1024, 2, 0, SalPacket.UDP);
    assertTrue(Forwarding.writeHops(writer, packet, Way.get(packet).client(from), at));
    SalPacket forwarded = read(out);
    assertEquals(0, SourceList.count(forwarded));
    return Way.get(forwarded).hops();
  }

  @Test
  void aRouterThatSendsFromItsOwnAddressTellsTheClientsPort() {
    Endpoint client = Endpoint.ofIpv4(SENDER, 4000);
    Endpoint one = Endpoint.ofIpv4(1, 54325);
    Endpoint two = Endpoint.ofIpv4(2, 54325);
    assertEquals(List.of(client, one), hops(syn(), client, one));
    Endpoint believed = Endpoint.ofIpv4(77, 77);
    assertEquals(List.of(client, one), hops(way(writer, believed), client, one));
    SalPacket second = way(writer, client, one);
    assertTrue(Way.get(second).isFrom(one));
    assertEquals(List.of(client, one, two), hops(second, one, two));
    Endpoint other = Endpoint.ofIpv4(3, 1);
    assertFalse(Way.get(second).isFrom(other));
    assertEquals(List.of(other, one, two), hops(second, other, two));
    List<Endpoint> kept = List.of(client, Endpoint.ofIpv4(5, 0), two);
    assertEquals(kept, hops(syn(SENDER, 5), client, two));
  }

  @Test
  void aListThatHasNoRoomInHopsIsNotWritten() {
    Endpoint client = Endpoint.ofIpv4(SENDER, 4000);
    SalPacket full = syn(new int[HopList.MOST]);
    writer.begin(out, 0, 1024, 2, 0, SalPacket.UDP);
    assertFalse(Forwarding.writeHops(writer, full, client, HERE));
    SalPacket whole = syn();
    writer.begin(out, 0, 40, 2, 0, SalPacket.UDP);
    assertFalse(Forwarding.writeHops(writer, whole, client, HERE));
  }

  @Test
  void anotherPortOfAnAddressIsAnotherPlace() {
    Endpoint here = Endpoint.ofIpv4(Rules.OWN, 54325);
    Endpoint beside = Endpoint.ofIpv4(Rules.OWN, 6000);
    Rule rule = Rules.to(Rules.forward(ServicePrefix.DEFAULT, 0, 0), Target.address(beside));
    ServiceTable rules = new ServiceTable(TableLimits.DEFAULT, here::isSocketOf);
    assertEquals(TableRefusal.OK, rules.add(rule, 0));
    Forwarding router = new Forwarding(rules, new Random(1));
    assertEquals(ForwardVerdict.FORWARD, router.decide(syn(), here, 64, 0));
    assertEquals(ForwardVerdict.ONTO_ITSELF, router.decide(syn(), HERE, 64, 0));
    Endpoint client = Endpoint.ofIpv4(Rules.OWN, 7000);
    assertEquals(ForwardVerdict.FORWARD, router.decide(way(writer, client, here), here, 64, 0));
    assertEquals(ForwardVerdict.LOOP, router.decide(way(writer, client, beside), here, 64, 0));
  }
}
