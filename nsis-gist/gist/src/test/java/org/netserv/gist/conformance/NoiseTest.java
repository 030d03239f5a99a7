// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistSettings;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.sim.SimApplication;
import org.netserv.gist.sim.SimHost;
import org.netserv.gist.sim.SimNetwork;
import org.netserv.gist.sim.SimPacket;
import org.netserv.gist.wire.PathCoupledMri;

/** A path of nodes that signal while all of them receive damaged copies of their own messages. */
class NoiseTest {
  private static final int COPIES = 4000;

  private final SimNetwork network = SimNetwork.line(7, "p", "a", "router", "b", "u");
  private final SimHost publisher = network.host("p").start(GistSettings.DEFAULT);
  private final SimHost a = network.host("a").start(GistSettings.DEFAULT);
  private final SimHost b = network.host("b").start(GistSettings.DEFAULT);
  private final PathCoupledMri flow = SimApplication.flow(publisher, network.host("u"));

  @Test
  void damagedCopiesOfRealMessages() {
    List<String> texts = new ArrayList<>();
    Random random = new Random(21);
    for (int i = 0; i < 20; i++) {
      TransferAttributes how =
          i % 2 == 0 ? TransferAttributes.RELIABLE : TransferAttributes.UNRELIABLE;
      texts.add("text " + i);
      publisher.application.send("text " + i, SimApplication.session(i), flow, how);
      network.clock.pass(50);
      noise(random, COPIES / 20);
    }
    network.clock.pass(60_000);
    Map<String, Integer> times = new HashMap<>();
    a.application.texts().forEach(text -> times.merge(text, 1, Integer::sum));
    for (String text : texts) {
      assertTrue(times.containsKey(text), text + " did not arrive");
    }
    for (int i = 0; i < 20; i += 2) {
      assertEquals(1, times.get("text " + i), "reliable: once");
    }
    assertTrue(a.states() <= 20, a.states() + " states for 20 sessions");
    assertEquals(0, b.states(), "b was told nothing");
    publisher.stop();
    network.clock.pass(300_000);
    assertEquals(0, a.states(), "nothing stays");
  }

  /** Sends a and b copies of datagrams that were on the wire, with a few bits turned over. */
  private void noise(Random random, int copies) {
    List<SimPacket> seen = List.copyOf(network.seen);
    for (int i = 0; i < copies; i++) {
      SimPacket packet = seen.get(random.nextInt(seen.size()));
      byte[] payload = packet.payload().clone();
      for (int bit = 1 + random.nextInt(3); bit > 0; bit--) {
        payload[random.nextInt(payload.length)] ^= (byte) (1 << random.nextInt(8));
      }
      SimHost host = random.nextBoolean() ? a : b;
      host.inject(
          new InboundDatagram(
              0,
              packet.source(),
              packet.sourcePort(),
              host.address(),
              270,
              packet.ttl(),
              0,
              0,
              packet.routerAlert(),
              1,
              true,
              payload));
    }
  }
}
