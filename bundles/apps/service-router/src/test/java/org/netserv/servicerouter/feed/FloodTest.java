// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.feed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.servicerouter.Datagrams;
import org.netserv.servicerouter.Domain;
import org.netserv.servicerouter.core.Outcome;

/** Routers that flood, in virtual time. */
class FloodTest {
  private static final Endpoint CLIENT = Domain.at(100);
  private static final Endpoint HOST = Domain.at(50);
  private static final ServiceId SHOP = Datagrams.SHOP;

  private Domain domain = new Domain(1);
  private final List<Domain.Node> nodes = new ArrayList<>();

  /** Makes routers 1 to n, each with these neighbours. */
  private void mesh(int[]... neighbours) {
    nodes.clear();
    for (int i = 0; i < neighbours.length; i++) {
      StringBuilder list = new StringBuilder();
      for (int neighbour : neighbours[i]) {
        list.append(Domain.text(Domain.at(neighbour))).append(' ');
      }
      nodes.add(
          domain.router(
              Domain.at(i + 1),
              "registrations",
              "0000",
              "neighbours",
              list.toString(),
              "flood-hops",
              "4"));
    }
  }

  private void register(int node, ServiceId id) {
    domain.send(Datagrams.registration(false, ServicePrefix.of(id)), HOST, nodes.get(node).own);
  }

  private long count(Outcome outcome) {
    return nodes.stream().mapToLong(node -> node.count(outcome)).sum();
  }

  /** A square with a diagonal: each router hears of the service once, and packets go back. */
  @Test
  void aSquare() {
    mesh(new int[] {2, 3}, new int[] {1, 3, 4}, new int[] {1, 2, 4}, new int[] {2, 3});
    register(0, SHOP);
    domain.run(300);
    assertEquals(3, count(Outcome.FLOOD_TAKEN));
    assertTrue(count(Outcome.FLOOD_OLD) >= 2);
    for (Domain.Node node : nodes) {
      assertEquals(HOST, domain.resolve(node, SHOP, CLIENT));
    }
    assertEquals(4, domain.arrivals.get(0).hops().size()); // client, 4, 2 or 3, 1
    domain.send(Datagrams.registration(true, ServicePrefix.of(SHOP)), HOST, nodes.get(0).own);
    domain.run(300);
    for (Domain.Node node : nodes) {
      assertNull(domain.resolve(node, SHOP, CLIENT));
    }
    domain.run(30_000);
    long sent = domain.sent;
    domain.run(60_000);
    assertEquals(sent, domain.sent); // nothing is announced for ever
  }

  /** A line of seven with a hop limit of four. */
  @Test
  void theHopLimit() {
    mesh(
        new int[] {2},
        new int[] {1, 3},
        new int[] {2, 4},
        new int[] {3, 5},
        new int[] {4, 6},
        new int[] {5, 7},
        new int[] {6});
    register(0, SHOP);
    domain.run(300);
    assertEquals(HOST, domain.resolve(nodes.get(4), SHOP, CLIENT));
    assertNull(domain.resolve(nodes.get(5), SHOP, CLIENT));
    assertEquals(4, count(Outcome.FLOOD_TAKEN));
  }

  /** Two instances at both ends of a line: each router goes to the nearer one. */
  @Test
  void theNearestComesFirst() {
    mesh(new int[] {2}, new int[] {1, 3}, new int[] {2, 4}, new int[] {3});
    register(0, SHOP);
    domain.send(
        Datagrams.registration(false, ServicePrefix.of(SHOP)), Domain.at(51), nodes.get(3).own);
    domain.run(300);
    for (int i = 0; i < 10; i++) {
      assertEquals(HOST, domain.resolve(nodes.get(1), SHOP, CLIENT));
      assertEquals(Domain.at(51), domain.resolve(nodes.get(2), SHOP, CLIENT));
    }
  }

  /** A router on the way dies: the announcement comes by the other one. */
  @Test
  void aDeadRouterIsGoneRound() {
    mesh(new int[] {2, 3}, new int[] {1, 4}, new int[] {1, 4}, new int[] {2, 3});
    register(0, SHOP);
    domain.run(300);
    assertEquals(HOST, domain.resolve(nodes.get(3), SHOP, CLIENT));
    int by = domain.arrivals.get(0).hops().get(2).equals(Domain.at(2)) ? 1 : 2;
    domain.kill(nodes.get(by));
    domain.run(6_000);
    assertEquals(HOST, domain.resolve(nodes.get(3), SHOP, CLIENT));
    domain.kill(nodes.get(0));
    domain.run(16_000);
    assertNull(domain.resolve(nodes.get(3), SHOP, CLIENT));
  }

  /** Loss of 30 %, duplication and reordering: known in three periods, gone within a lifetime. */
  @Test
  void amidLoss() {
    for (int seed = 0; seed < 50; seed++) {
      domain = new Domain(seed);
      mesh(new int[] {2, 3}, new int[] {1, 3, 4}, new int[] {1, 2, 4}, new int[] {2, 3});
      register(0, SHOP);
      domain.run(10);
      domain.lost = 0.3;
      domain.doubled = 0.2;
      domain.jitter = 50;
      for (int i = 0; i < 8; i++) {
        register(0, SHOP);
        domain.run(5_000);
      }
      domain.lost = 0;
      assertEquals(HOST, domain.resolve(nodes.get(3), SHOP, CLIENT), "seed " + seed);
      domain.kill(nodes.get(0));
      domain.run(16_000);
      assertNull(domain.resolve(nodes.get(3), SHOP, CLIENT), "seed " + seed);
    }
  }

  /** 200 prefixes in parts, then 10: what is gone is gone everywhere. */
  @Test
  void manyPrefixes() {
    nodes.clear();
    Endpoint two = Domain.at(2);
    StringBuilder rules = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      rules.append(String.format("%04x40=%s ", i * 3, Domain.text(HOST)));
    }
    String[] more = {"neighbours", Domain.text(two), "announce", "default", "announce-most", "500"};
    List<String> first = new ArrayList<>(List.of(more));
    first.addAll(List.of("rules", rules.toString()));
    domain.router(Domain.at(1), first.toArray(new String[0]));
    nodes.add(domain.router(two, "neighbours", Domain.text(Domain.at(1))));
    domain.run(300);
    ServiceId last = ServiceId.parse(String.format("%04x40", 199 * 3));
    assertEquals(Domain.at(1), next(last));
    List<String> fewer = new ArrayList<>(List.of(more));
    fewer.addAll(List.of("rules", rules.substring(0, rules.indexOf("001e40"))));
    domain.now += 10_000; // a later wall clock of the router that starts anew
    domain.router(Domain.at(1), fewer.toArray(new String[0]));
    domain.run(300);
    assertNull(next(last));
    assertEquals(Domain.at(1), next(ServiceId.parse("000340")));
  }

  /** Returns the next hop of a packet at the only router that is asked. */
  private Endpoint next(ServiceId id) {
    long before = nodes.get(0).count(Outcome.FORWARD_FORWARD);
    domain.resolve(nodes.get(0), id, CLIENT);
    return nodes.get(0).count(Outcome.FORWARD_FORWARD) > before ? Domain.at(1) : null;
  }

  @Test
  void strangersAndBrokenMessagesChangeNothing() {
    mesh(new int[] {2}, new int[] {1});
    Domain.Node node = nodes.get(0);
    ByteBuffer good = message(Map.of(ServicePrefix.of(SHOP), 1)).bytes();
    byte[] whole = new byte[good.capacity()];
    good.get(0, whole);
    domain.send(Datagrams.datagram(Datagrams.ROUTER, whole), Domain.at(77), node.own);
    domain.run(10);
    assertEquals(1, node.count(Outcome.FLOOD_STRANGER));
    Random random = new Random(4);
    for (int length = 36; length < good.capacity(); length++) {
      byte[] cut = new byte[length];
      good.get(0, cut);
      domain.send(Datagrams.datagram(Datagrams.ROUTER, cut), Domain.at(2), node.own);
      domain.run(1_100);
    }
    assertEquals(36, node.count(Outcome.FLOOD_BROKEN));
    assertNull(domain.resolve(node, SHOP, CLIENT));
    for (int i = 0; i < 20_000; i++) {
      byte[] bad = whole.clone();
      bad[random.nextInt(bad.length)] = (byte) random.nextInt();
      FloodMessage read = FloodMessage.get(ByteBuffer.wrap(bad), 0, bad.length);
      if (read != null) {
        assertEquals(bad.length, read.bytes().capacity() + 36 * (1 - read.prefixes().size()));
      }
    }
    for (int i = 0; i < 300; i++) {
      domain.send(Datagrams.datagram(Datagrams.ROUTER, whole), Domain.at(2), node.own);
    }
    domain.run(50);
    assertTrue(node.count(Outcome.FLOOD_RATE) >= 99);
    assertNotNull(FloodMessage.get(good, 0, good.capacity()));
  }

  /**
   * The clock of a router has gone back, and the router starts again: its announcements look old.
   * Others take them once the lifetime of the last one is over.
   */
  @Test
  void aRouterStartsAgainAfterItsClockHasGoneBack() {
    mesh(new int[] {2}, new int[] {1});
    Domain.Node node = nodes.get(0);
    announce(node, 1_700_000_000_000L);
    assertEquals(1, node.count(Outcome.FLOOD_TAKEN));
    long sequence = 1_600_000_000_000L;
    for (int i = 0; i < 2; i++) {
      domain.run(5_000);
      announce(node, ++sequence);
    }
    assertEquals(1, node.count(Outcome.FLOOD_TAKEN));
    assertEquals(2, node.count(Outcome.FLOOD_OLD));
    domain.run(2_000); // a lifetime is over within a second
    for (int i = 0; i < 3; i++) {
      domain.run(5_000);
      announce(node, ++sequence);
    }
    assertEquals(2, node.count(Outcome.FLOOD_OLD));
    assertEquals(4, node.count(Outcome.FLOOD_TAKEN));
  }

  private void announce(Domain.Node node, long sequence) {
    ByteBuffer bytes = message(sequence, Map.of(ServicePrefix.of(SHOP), 1)).bytes();
    byte[] whole = new byte[bytes.capacity()];
    bytes.get(0, whole);
    domain.send(Datagrams.datagram(Datagrams.ROUTER, whole), Domain.at(2), node.own);
    domain.run(10);
  }

  private static FloodMessage message(Map<ServicePrefix, Integer> prefixes) {
    return message(5, prefixes);
  }

  private static FloodMessage message(long sequence, Map<ServicePrefix, Integer> prefixes) {
    return new FloodMessage(3, sequence, Domain.at(9), 15, 0, 1, prefixes);
  }

  @Test
  void whatIsWrittenIsRead() {
    Map<ServicePrefix, Integer> prefixes = new LinkedHashMap<>();
    for (int i = 0; i < 95; i++) {
      prefixes.put(new ServicePrefix(new ServiceId(i, 2, 3, 4), 64 + i), 65_535 - i);
    }
    Map<ServicePrefix, Integer> read = new LinkedHashMap<>();
    for (FloodMessage each : FloodMessage.of(8, -2, Domain.at(9), 15, prefixes)) {
      ByteBuffer bytes = each.bytes();
      FloodMessage again = FloodMessage.get(bytes, 0, bytes.capacity());
      assertEquals(each, again);
      assertEquals(4, again.parts());
      read.putAll(again.prefixes());
    }
    assertEquals(prefixes, read);
  }
}
