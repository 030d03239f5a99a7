// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.serval.Captured;
import org.netserv.serval.Counts;
import org.netserv.serval.Endpoint;
import org.netserv.serval.Extensions;
import org.netserv.serval.Packets;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.ServalError;
import org.netserv.serval.flow.Flow;
import org.netserv.serval.flow.FlowRefusal;
import org.netserv.serval.flow.Outgoing;

/** Foreign bytes at a host. Each packet is counted once, as a fault or as a verdict. */
class HostFuzzTest {
  private static final int MUTANTS = 200_000;
  private static final Endpoint HOME = Endpoint.ofIpv4(0x0a000001, 0);
  private static final Endpoint SHOP = Endpoint.ofIpv4(0x0a000009, 0);

  private final Host client = new Host(1, HOME, HostLimits.DEFAULT);
  private final Host server = new Host(2, SHOP, new HostLimits(1_000, 50));
  private final Counts<ServalError> faults = new Counts<>("packet", ServalError.class);
  private final SalPacket packet = new SalPacket();
  private final Arrival arrival = new Arrival(packet);
  private final List<byte[]> good = new ArrayList<>();
  private Flow flow;
  private Flow held;
  private long given;
  private long now;

  /** Opens a flow, moves it, and keeps all packets that come to the server. */
  private void connect() {
    good.clear();
    server.sent.clear();
    client.sent.clear();
    flow = client.table.connect(Host.SERVICE, HOME, client, now);
    relay();
    held = server.table.flow();
    client.table.move(flow, Endpoint.ofIpv4(HOME.ipv4() + 1, 0), now);
    relay();
    assertEquals(flow.own(), held.peer());
    SalWriter writer = begin(flow.identity().flowId(), flow.peerFlow());
    good.add(bytes(writer.finish()));
  }

  private void relay() {
    while (!client.sent.isEmpty()) {
      Outgoing out = client.sent.poll();
      good.add(bytes(out.write(new SalWriter(), ByteBuffer.allocate(400), 0, 400, 17).finish()));
      given++;
      server.take(out, now);
      if (!server.sent.isEmpty()) {
        client.take(server, now);
      }
    }
  }

  private static SalWriter begin(int from, int to) {
    return new SalWriter().begin(ByteBuffer.allocate(1024), 0, 1024, from, to, SalPacket.UDP);
  }

  private static byte[] bytes(SalWriter writer) {
    return Arrays.copyOf(writer.buffer().array(), writer.end());
  }

  private static void seal(byte[] bytes) {
    if (bytes.length >= SalPacket.HEADER) {
      Packets.seal(ByteBuffer.wrap(bytes));
    }
  }

  private void give(byte[] bytes, Endpoint from, Endpoint to) {
    given++;
    ServalError fault = packet.reset(ByteBuffer.wrap(bytes), 0, bytes.length);
    faults.count(fault);
    if (fault == ServalError.OK) {
      server.table.take(arrival.set(from, to, SHOP, now));
    }
    server.sent.clear();
    server.told.clear();
  }

  /** Every packet is a fault or has a verdict, and every verdict of a flow has a refusal. */
  private void everythingIsCounted() {
    long sum = 0;
    for (ServalError fault : EnumSet.complementOf(EnumSet.of(ServalError.OK))) {
      sum += faults.of(fault);
    }
    assertEquals(given, sum + verdicts());
    Counts<HostVerdict> verdicts = server.table.verdicts();
    long refused = 0;
    for (FlowRefusal refusal : EnumSet.complementOf(EnumSet.of(FlowRefusal.OK))) {
      refused += server.table.refusals().of(refusal);
    }
    assertEquals(verdicts.of(HostVerdict.FLOW_REFUSES), refused);
  }

  private long verdicts() {
    return server.table.verdicts().snapshot().values().stream().mapToLong(Long::longValue).sum();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyPacketCutAtEveryLength(boolean sealed) {
    connect();
    long relayed = given;
    for (Captured captured : Captured.all()) {
      good.add(captured.header());
    }
    String state = held.state() + held.moveState() + held.peer();
    for (byte[] whole : good) {
      for (int length = 0; length < whole.length; length++) {
        byte[] cut = Arrays.copyOf(whole, length);
        if (sealed) {
          seal(cut);
        }
        give(cut, HOME, SHOP);
      }
    }
    assertEquals(relayed, verdicts(), "a cut packet came through");
    assertEquals(given - relayed, faults.of(ServalError.SHORT) + faults.of(ServalError.HEADER_CUT));
    assertEquals(state, held.state() + held.moveState() + held.peer());
    everythingIsCounted();
  }

  /** Free extensions change nothing, wherever they stand but in front of CONTROL. */
  @Test
  void extensionsThatNobodyKnows() {
    connect();
    int size = server.table.size();
    long relayed = given;
    for (byte[] whole : List.copyOf(good)) {
      for (int number = Extensions.FIRST_FREE + 3; number <= 15; number++) {
        for (int length : new int[] {0, 1, 2, 17, 253}) {
          packet.reset(ByteBuffer.wrap(whole), 0, whole.length);
          SalWriter writer = begin(packet.sourceFlow(), packet.destinationFlow());
          Extensions.copyAll(writer, packet);
          assertTrue(Extensions.put(writer, number, new byte[length]));
          give(bytes(writer.finish()), HOME, SHOP);
        }
      }
    }
    assertEquals(given - relayed, faults.of(ServalError.OK));
    assertEquals(size, server.table.size());
    assertEquals("CONNECTED", held.state());
    everythingIsCounted();
    assertEquals(8 * 5, server.table.verdicts().of(HostVerdict.DATA));
  }

  /** Mutants of all packets, half with the numbers of a live flow, from and to any address. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void mutants(long seed) {
    Random random = new Random(seed);
    List<byte[]> captured = Captured.all().stream().map(Captured::bytes).toList();
    connect();
    Set<HostVerdict> seen = EnumSet.noneOf(HostVerdict.class);
    for (int i = 0; i < MUTANTS; i++) {
      if (held.isOver()) {
        connect(); // a mutant with the right nonce may end the flow
      }
      now += random.nextInt(20);
      byte[] bytes = mutant(random, random.nextBoolean() ? good : captured);
      Endpoint from = Endpoint.ofIpv4(random.nextInt(50) == 0 ? -1 : 0x0a000000 + i % 7, 0);
      give(bytes, from, random.nextInt(20) == 0 ? Host.ALL : SHOP);
      server.table.due(now);
      assertTrue(server.table.size() <= 1_000 && server.table.requests() <= 50);
      assertTrue(server.table.dueAt() > now);
    }
    everythingIsCounted();
    for (HostVerdict verdict : HostVerdict.values()) {
      if (server.table.verdicts().of(verdict) > 0) {
        seen.add(verdict);
      }
    }
    assertTrue(seen.size() >= 12, seen.toString());
    assertNotEquals(0, server.table.verdicts().of(HostVerdict.FLOW_REFUSES));
  }

  private static byte[] mutant(Random random, List<byte[]> origins) {
    byte[] bytes = origins.get(random.nextInt(origins.size())).clone();
    if (random.nextInt(10) == 0) {
      bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 8));
    }
    for (int i = random.nextInt(3); i > 0 && bytes.length > 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    if (random.nextInt(8) > 0) {
      seal(bytes);
    }
    return bytes;
  }

  @Test
  void nonsense() {
    Random random = new Random(17);
    connect();
    for (int i = 0; i < MUTANTS; i++) {
      byte[] bytes = new byte[random.nextInt(120)];
      random.nextBytes(bytes);
      if (bytes.length >= SalPacket.HEADER) {
        bytes[8] = (byte) random.nextInt(Math.max(4, bytes.length / 4));
        seal(bytes);
      }
      give(bytes, HOME, SHOP);
    }
    assertEquals("CONNECTED", held.state());
    assertEquals(1, server.table.size());
    everythingIsCounted();
  }
}
