// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.sim.SimApplication;
import org.netserv.gist.sim.SimHost;
import org.netserv.gist.sim.SimNetwork;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.PathCoupledMri;

/** Tests the memory of very many sessions, and the refresh of them all. */
class ManyStatesTest {
  private static final int STATES = 4_000;
  private static final int BYTES_EACH = 1500;

  private static long heap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  @Test
  void oneStateIsSmallAndNoneIsLost() {
    SimNetwork network = SimNetwork.line(1, "p", "u");
    SimHost p = network.host("p").start(GistSettings.DEFAULT);
    SimHost u = network.host("u").start(GistSettings.DEFAULT);
    PathCoupledMri flow = SimApplication.flow(p, u);
    long before = heap();
    for (int i = 0; i < STATES; i++) {
      p.application.send("", SimApplication.session(i), flow, TransferAttributes.UNRELIABLE);
      p.node.setStateLifetime(
          SimApplication.NSLPID, flow, SimApplication.session(i), Duration.ofHours(1));
      network.clock.pass(1);
    }
    network.clock.pass(30_000);
    assertEquals(STATES, p.states());
    assertEquals(STATES, u.states());
    forget(network, p);
    forget(network, u);
    long each = (heap() - before) / (2 * STATES);
    assertTrue(each < BYTES_EACH, each + " bytes for each");

    network.clock.pass(120_000);
    assertEquals(STATES, p.states(), "all are refreshed");
    assertEquals(STATES, u.states());
    assertEquals(0, p.count(Counter.STATE_EXPIRED) + u.count(Counter.STATE_EXPIRED));
  }

  /**
   * Sessions want to send twice as many messages as may leave. New sessions wait, the others live
   * on.
   */
  @Test
  void newSessionsByTheThousandCostNobodyHisState() {
    int many = 4_000;
    SimNetwork network = SimNetwork.line(1, "p", "u");
    SimHost p = network.host("p").start(GistSettings.DEFAULT);
    SimHost u = network.host("u").start(GistSettings.DEFAULT);
    PathCoupledMri flow = SimApplication.flow(p, u);
    for (int i = 0; i < many; i++) {
      p.application.send("", SimApplication.session(i), flow, TransferAttributes.UNRELIABLE);
      p.node.setStateLifetime(
          SimApplication.NSLPID, flow, SimApplication.session(i), Duration.ofHours(1));
      network.clock.pass(1);
      if (i % 1000 == 0) {
        forget(network, p);
        forget(network, u);
      }
    }
    assertTrue(p.count(Counter.SEND_QUEUED) > 0, "it was too much");
    for (int second = 0; second < 180; second++) {
      network.clock.pass(1000);
      forget(network, p);
      forget(network, u);
    }
    assertEquals(0, p.count(Counter.STATE_EXPIRED) + u.count(Counter.STATE_EXPIRED));
    assertEquals(0, p.count(Counter.HANDSHAKE_FAILED) + p.count(Counter.LAST_NODE));
    assertEquals(many, p.states());
    assertEquals(many, u.states());
  }

  private static void forget(SimNetwork network, SimHost host) {
    network.seen.clear();
    host.application.queries.clear();
    host.application.received.clear();
    host.application.statuses.clear();
    host.application.notifications.clear();
  }

  @Test
  void validityGrowsWithTheNumberOfStates() {
    GistSettings d = GistSettings.DEFAULT;
    GistSettings slow =
        new GistSettings(
            d.t1(),
            d.t2(),
            d.validity(),
            d.hold(),
            20,
            20,
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
    SimNetwork network = SimNetwork.line(1, "p", "u");
    SimHost p = network.host("p").start(slow);
    SimHost u = network.host("u").start(slow);
    PathCoupledMri flow = SimApplication.flow(p, u);
    for (int i = 0; i < 1000; i++) {
      p.application.send("", SimApplication.session(i), flow, TransferAttributes.UNRELIABLE);
      p.node.setStateLifetime(
          SimApplication.NSLPID, flow, SimApplication.session(i), Duration.ofHours(1));
      network.clock.pass(1500);
    }
    network.clock.pass(600_000);
    assertEquals(1000, p.states(), "4 * 1000 / 20 = 200 s, where 30 s would need 53 a second");
    assertEquals(1000, u.states());
    network.seen.clear();
    network.clock.pass(100_000);
    long queries = network.sent(MessageType.QUERY);
    assertTrue(queries <= 20 * 100 + 20, queries + " in 100 s");
  }

  @Test
  void refreshesAreSpreadOverHalfToThreeQuarters() {
    Random random = new Random(5);
    int[] quarters = new int[4];
    for (int i = 0; i < 40_000; i++) {
      long after = Validity.refreshAfter(30_000, random);
      assertTrue(after >= 15_000 && after <= 22_500, after + " ms");
      quarters[(int) Math.min(3, (after - 15_000) / 1875)]++;
    }
    for (int count : quarters) {
      assertTrue(count > 9_500 && count < 10_500, count + " in a quarter");
    }
  }
}
