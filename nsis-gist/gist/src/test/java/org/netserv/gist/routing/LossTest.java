// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.sim.SimApplication;
import org.netserv.gist.sim.SimHost;
import org.netserv.gist.sim.SimNetwork;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;

/** Tests handshakes over a network that loses, doubles and reorders, and recovery from failures. */
class LossTest {
  private static final SessionId SESSION = SimApplication.session(1);

  private static void answering(SimHost host) {
    host.application.onReceived =
        m ->
            host.application.send(
                "answer to " + SimApplication.text(m),
                SESSION,
                m.mri().flipped(),
                TransferAttributes.RELIABLE);
  }

  @Test
  void reliableMessagesComeOnceAndInOrderWhateverIsLost() {
    for (int seed = 0; seed < 200; seed++) {
      SimNetwork network = SimNetwork.line(seed, "p", "router", "b", "u");
      SimHost p = network.host("p").start(GistSettings.DEFAULT);
      SimHost b = network.host("b").start(GistSettings.DEFAULT);
      network.impair(0.3, 0.3, 40);
      Mri flow = SimApplication.flow(p, network.host("u"));
      answering(b);
      p.application.send("one", SESSION, flow, TransferAttributes.RELIABLE);
      p.application.send("two", SESSION, flow, TransferAttributes.RELIABLE);
      network.clock.pass(60_000);
      assertEquals(List.of("one", "two"), b.application.texts(), "seed " + seed);
      assertEquals(
          List.of("answer to one", "answer to two"), p.application.texts(), "seed " + seed);
      assertEquals(List.of("one SENT", "two SENT"), p.application.statuses, "seed " + seed);
    }
  }

  /** Lost Confirm, then Data: 5/0, a new handshake, and the data again. */
  @Test
  void aLostConfirmCostsNoData() {
    int recovered = 0;
    for (int seed = 0; seed < 100; seed++) {
      SimNetwork network = SimNetwork.line(seed, "p", "b", "u");
      SimHost p = network.host("p").start(GistSettings.DEFAULT);
      SimHost b = network.host("b").start(GistSettings.DEFAULT);
      Mri flow = SimApplication.flow(p, network.host("u"));
      network.linkBetween("p", "b").jitter = 20; // Data overtakes the Confirm
      p.application.send("data", SESSION, flow, TransferAttributes.UNRELIABLE);
      network.clock.pass(5_000);
      assertTrue(b.application.texts().contains("data"), "seed " + seed);
      recovered += p.count(Counter.HANDSHAKE_RESTARTED) > 0 ? 1 : 0;
    }
    assertTrue(recovered > 10, recovered + " times the order was wrong");
  }

  @Test
  void aPeerThatRestartsIsFoundAgain() {
    SimNetwork network = SimNetwork.line(1, "p", "a", "u");
    SimHost p = network.host("p").start(GistSettings.DEFAULT);
    SimHost a = network.host("a").start(GistSettings.DEFAULT);
    Mri flow = SimApplication.flow(p, network.host("u"));
    p.application.send("before", SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(1000);
    a.restart();
    p.application.send("after", SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(1000);
    assertEquals(List.of("after"), a.application.texts());
    assertEquals(1, p.count(Counter.ROUTE_CHANGED), "it is another peer");
    assertEquals(1, a.states());
  }

  @Test
  void aPeerThatLostItsStateIsToldAgain() {
    SimNetwork network = SimNetwork.line(1, "p", "a", "u");
    SimHost p = network.host("p").start(GistSettings.DEFAULT);
    SimHost a = network.host("a").start(GistSettings.DEFAULT);
    Mri flow = SimApplication.flow(p, network.host("u"));
    p.application.send("before", SESSION, flow, TransferAttributes.UNRELIABLE);
    network.clock.pass(1000);
    a.restart();
    p.application.send("after", SESSION, flow, TransferAttributes.UNRELIABLE);
    network.clock.pass(1000);
    assertEquals(1, a.count(Counter.REFUSED_NO_STATE));
    assertTrue(a.application.texts().contains("after"), "sent again after the handshake");
  }

  @Test
  void aConnectionThatBreaksIsMadeAgain() {
    SimNetwork network = SimNetwork.line(1, "p", "a", "u");
    SimHost p = network.host("p").start(GistSettings.DEFAULT);
    SimHost a = network.host("a").start(GistSettings.DEFAULT);
    Mri flow = SimApplication.flow(p, network.host("u"));
    p.application.send("one", SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(1000);
    a.connections.reset("pulled");
    p.application.send("two", SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(1000);
    a.application.send("three", SESSION, flow.flipped(), TransferAttributes.RELIABLE);
    network.clock.pass(1000);
    assertEquals(List.of("one", "two"), a.application.texts());
    assertEquals(List.of("three"), p.application.texts());
    assertTrue(
        p.application.notifications.stream()
            .anyMatch(n -> n.kind().name().equals("COMMUNICATION_FAILURE")));
  }

  @Test
  void aRouteThatChangesIsFollowedByTheNextRefresh() {
    SimNetwork network = new SimNetwork(1);
    network.link("p", "r");
    network.link("r", "a");
    network.link("a", "u");
    network.link("r", "b");
    network.link("b", "u");
    SimHost p = network.host("p").start(GistSettings.DEFAULT);
    SimHost a = network.host("a").start(GistSettings.DEFAULT);
    SimHost b = network.host("b").start(GistSettings.DEFAULT);
    Mri flow = SimApplication.flow(p, network.host("u"));
    p.application.send("one", SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(1000);
    network.linkBetween("r", "a").up = false;
    network.clock.pass(23_000);
    p.application.send("two", SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(1000);
    assertEquals(List.of("one"), a.application.texts());
    assertEquals(List.of("two"), b.application.texts());
    assertEquals(
        List.of("ROUTING_STATUS_CHANGE", "ROUTING_STATUS_CHANGE", "ROUTE_DELETION"),
        p.application.notifications.stream().map(n -> n.kind().name()).toList());
    network.clock.pass(30_000);
    assertEquals(0, a.states(), "the old one dies of age");
  }

  @Test
  void bothEndsAtOnce() {
    for (int seed = 0; seed < 50; seed++) {
      SimNetwork network = SimNetwork.line(seed, "p", "u");
      SimHost p = network.host("p").start(GistSettings.DEFAULT);
      SimHost u = network.host("u").start(GistSettings.DEFAULT);
      Mri flow = SimApplication.flow(p, u);
      network.impair(0.1, 0.1, 10);
      p.application.send("down", SESSION, flow, TransferAttributes.RELIABLE);
      u.application.send("up", SESSION, flow.flipped(), TransferAttributes.RELIABLE);
      network.clock.pass(20_000);
      assertEquals(List.of("down"), u.application.texts(), "seed " + seed);
      assertEquals(List.of("up"), p.application.texts(), "seed " + seed);
    }
  }
}
