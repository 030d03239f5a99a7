// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.sim.SimApplication;
import org.netserv.gist.sim.SimHost;
import org.netserv.gist.sim.SimNetwork;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.SessionId;

/** Tests the calls of applications, right and wrong. */
class ApplicationsTest {
  private static final SessionId SESSION = SimApplication.session(1);

  private final SimNetwork network = SimNetwork.line(1, "p", "a", "u");
  private final SimHost p = network.host("p").start(GistSettings.DEFAULT);
  private final SimHost a = network.host("a").start(GistSettings.DEFAULT);
  private final PathCoupledMri flow = SimApplication.flow(p, network.host("u"));

  private void send(String text) {
    p.application.send(text, SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(1000);
  }

  @Test
  void oneThatThrowsHearsTheNextMessage() {
    a.application.onReceived =
        m -> {
          throw new IllegalStateException("one of the test");
        };
    send("one");
    a.application.onReceived =
        m -> {
          throw new AssertionError("one of the test");
        };
    send("two");
    a.application.onReceived = m -> {};
    send("three");
    assertEquals(List.of("one", "two", "three"), a.application.texts());
    assertEquals(1, a.states());
  }

  @Test
  void oneThatFailsToDecideIsNoPeer() {
    a.application.decision = q -> null;
    send("one");
    a.application.decision =
        q -> {
          throw new AssertionError("one of the test");
        };
    network.clock.pass(5000);
    assertEquals(0, a.states());
    assertTrue(a.count(Counter.FORWARDED_BY_APPLICATION) >= 4, "each Query goes on");
    a.application.decision = q -> org.netserv.gist.PeeringDecision.ACCEPT;
    network.clock.pass(60_000);
    assertEquals(List.of("one"), a.application.texts());
  }

  /** 640,000 bytes, more than an association keeps before it is connected. */
  @Test
  void whatWaitsForAConnectionIsSentInOrder() {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String text = "message " + i + " ";
      expected.add(text + "x".repeat(16_000 - text.length()));
      p.application.send(expected.get(i), SESSION, flow, TransferAttributes.RELIABLE);
    }
    network.clock.pass(10_000);
    assertEquals(expected, a.application.texts());
    assertEquals(40, p.application.statuses.size());
    assertEquals(0, p.count(Counter.ASSOCIATION_FAILED));
  }

  @Test
  void aLifetimeWithoutEnd() {
    send("one");
    Duration ever = Duration.ofSeconds(Long.MAX_VALUE);
    p.node.setStateLifetime(SimApplication.NSLPID, flow, SESSION, ever);
    network.clock.pass(600_000);
    assertEquals(1, p.states());
  }

  /** Times in cookies have 32 bits: 50 days, and half of that to either side. */
  @Test
  void aSessionOfTwentySixDaysCanStillBeConfirmed() {
    GistSettings d = GistSettings.DEFAULT;
    GistSettings slow =
        new GistSettings(
            d.t1(),
            d.t2(),
            3_600_000,
            d.hold(),
            d.rate(),
            d.rateBurst(),
            d.interceptionRate(),
            d.statesMax(),
            d.cookieLifetime(),
            false,
            1,
            List.of(),
            false,
            false,
            0,
            false);
    SimNetwork days = SimNetwork.line(1, "p", "a", "u");
    SimHost from = days.host("p").start(slow);
    SimHost to = days.host("a").start(slow);
    from.application.send("first", SESSION, flow, TransferAttributes.UNRELIABLE);
    from.node.setStateLifetime(SimApplication.NSLPID, flow, SESSION, Duration.ofDays(60));
    for (int day = 0; day < 26; day++) {
      days.clock.pass(86_400_000);
      days.seen.clear();
    }
    assertEquals(1, to.count(Counter.HANDSHAKE_RESPONDED), "no Confirm since");
    from.application.send("reliable", SESSION, flow, TransferAttributes.RELIABLE);
    days.clock.pass(5000);
    assertEquals(List.of("first", "reliable"), to.application.texts());
  }
}
