// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.scenarios.InviteLoad.Row;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;

/**
 * A flood of 2,000 INVITE/s, from two networks, to a Kamailio that can do some 460. First nobody
 * does anything about it, then Kamailio's pipelimit, then the load monitor beside the server, which
 * has the module Overload Control turn requests away at both edges. Honest callers ring all the
 * time from other addresses.
 *
 * <p>A smaller overload has the edges at work before the flood, which is then judged from its third
 * second on. The server does at least 0.9 times the calls that it does when it is just busy; no
 * INVITE is without an answer; less than 1 % are repeated; both edges get the same number through,
 * to 5 %; 99 % of honest calls succeed and none is lost. When the flood is over, the modules go.
 */
public final class Overload implements Scenario {
  private static final String SERVER = "192.0.2.10";
  private static final String MODULE = "NetServ.apps.OverloadControl";
  private static final int FLOOD = 1000; // INVITE/s of each edge
  private static final int HONEST = 5;
  private static final int BUSY_CALLS = 20;

  private static final int TRIGGER = 350; // INVITE/s of each edge: together more than it can do
  private static final int PATIENCE = 90;

  /** Second of the flood from which on the edges are judged. */
  private static final int SETTLE = 3;

  private static final double ENOUGH = 0.9;
  private static final double REPEATED_MOST = 0.01;
  private static final double REJECTED_MOST = 0.01; // of honest calls
  private static final double UNFAIR_MOST = 0.05;

  private final int alone;
  private final int edges;
  private final ResultTable table =
      new ResultTable(
          "phase", "sent/s", "200/s", "503/s", "lost", "repeated", "honest", "503 ms p50/p99");
  private Stage stage;
  private Testbed testbed;
  private boolean holds = true;

  private Overload(int alone, int edges) {
    this.alone = alone;
    this.edges = edges;
  }

  /** Plays all phases. */
  public static Overload full() {
    return new Overload(8, 30);
  }

  /** Leaves out the phases without the edges. */
  public static Overload quick() {
    return new Overload(0, 15);
  }

  @Override
  public String topology() {
    return "overload";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    double capacity = capacity();
    if (alone > 0) {
      compare("no control", false);
      compare("pipelimit", true);
    }
    withEdges(capacity);
    stage.show(table);
    return holds;
  }

  /** Measures how many calls the server does while it always has some, and never too many. */
  private double capacity() throws IOException {
    stage.step("the server's capacity: " + BUSY_CALLS + " calls at a time");
    SipServer server = SipServer.start(testbed, "kamailio-busy", SERVER, false);
    try {
      List<Row> rows = flood("busy", "users-a", "198.51.100.10", 2000, 5, BUSY_CALLS).rows();
      Row all = settled(rows, 1, 4);
      row("busy, " + BUSY_CALLS + " at a time", all, "", "");
      return all.perSecond(all.answered());
    } finally {
      server.close();
    }
  }

  private InviteLoad flood(String name, String node, String from, int rate, int seconds, int most)
      throws IOException {
    return InviteLoad.start(testbed, node, name, from, SERVER, rate, seconds, most);
  }

  /** Returns the counters between two seconds of a load. */
  static Row settled(List<Row> rows, int from, int to) {
    Row first = rows.get(0);
    Row last = rows.get(0);
    for (Row row : rows) {
      first = row.second() <= from ? row : first;
      last = row.second() <= to ? row : last;
    }
    return last.minus(first);
  }

  private void compare(String name, boolean limited) throws IOException {
    stage.step(name + ": 2 x " + FLOOD + " INVITE/s for " + alone + " s");
    String log = "kamailio-" + name.replace(' ', '-');
    SipServer server = SipServer.start(testbed, log, SERVER, limited);
    try {
      InviteLoad a = flood("a-" + limited, "users-a", "198.51.100.10", FLOOD, alone, 0);
      InviteLoad b = flood("b-" + limited, "users-b", "203.0.113.10", FLOOD, alone, 0);
      row(name, whole(a.rows()).plus(whole(b.rows())), "", delays(a, 1));
    } finally {
      server.close();
    }
  }

  /** Returns the counters at the end, as if they were those of the time of sending. */
  private Row whole(List<Row> rows) {
    return rows.get(rows.size() - 1).ended().at(alone);
  }

  private void row(String name, Row row, String honest, String delays) {
    table.row(
        name,
        Math.round(row.perSecond(row.sent())),
        Math.round(row.perSecond(row.answered())),
        Math.round(row.perSecond(row.rejected())),
        row.lost(),
        row.repeated(),
        honest,
        delays);
  }

  /** Returns p50 and p99 of the delays of 503s, in ms, from a second of the load on. */
  static String delays(InviteLoad load, int after) throws IOException {
    double[] sorted = load.rejectionDelays(after);
    return sorted.length == 0
        ? "-"
        : "%.0f / %.0f".formatted(sorted[sorted.length / 2], sorted[sorted.length * 99 / 100]);
  }

  private void withEdges(double capacity) throws IOException {
    try (SipServer server = SipServer.start(testbed, "kamailio-edges", SERVER, false)) {
      OverloadMonitor monitor = OverloadMonitor.start(testbed, server, SERVER);
      try {
        trigger(monitor);
        stage.step("edges: 2 x " + FLOOD + " INVITE/s for " + edges + " s");
        List<InviteLoad> floods = new ArrayList<>();
        floods.add(flood("edge-a", "users-a", "198.51.100.10", FLOOD, edges, 0));
        floods.add(flood("edge-b", "users-b", "203.0.113.10", FLOOD, edges, 0));
        List<InviteLoad> honest = new ArrayList<>();
        honest.add(flood("honest-a", "users-a", "198.51.100.11", HONEST, edges, 0));
        honest.add(flood("honest-b", "users-b", "203.0.113.11", HONEST, edges, 0));
        judge(capacity, floods, honest);
        stage.step("the flood is over: the modules go");
        gone();
      } finally {
        stage.out().println(monitor.tail(12));
        monitor.close();
      }
    }
  }

  /** Overloads the server a little until both edges are at work, and waits for the last calls. */
  private void trigger(OverloadMonitor monitor) throws IOException {
    stage.step("2 x " + TRIGGER + " INVITE/s, until both edges are at work");
    long start = System.nanoTime();
    InviteLoad a = flood("trigger-a", "users-a", "198.51.100.10", TRIGGER, PATIENCE, 0);
    InviteLoad b = flood("trigger-b", "users-b", "203.0.113.10", TRIGGER, PATIENCE, 0);
    try {
      Wait.until(
          "both edges to be at work",
          Duration.ofSeconds(PATIENCE),
          () -> monitor.edgesAtWork() >= 2);
    } finally {
      a.stop();
      b.stop();
    }
    stage.out().printf("  after %.1f s%n", (System.nanoTime() - start) / 1e9);
  }

  private void judge(double capacity, List<InviteLoad> floods, List<InviteLoad> honest)
      throws IOException {
    Row a = settled(floods.get(0).rows(), SETTLE, edges - 1);
    Row b = settled(floods.get(1).rows(), SETTLE, edges - 1);
    Row all = a.plus(b);
    Row calls =
        settled(honest.get(0).rows(), SETTLE, edges - 1)
            .plus(settled(honest.get(1).rows(), SETTLE, edges - 1));
    row(
        "edges, from second " + SETTLE,
        all,
        calls.answered() + " of " + calls.sent(),
        delays(floods.get(0), SETTLE));
    double good = all.perSecond(all.answered()) + calls.perSecond(calls.answered());
    double unfair =
        Math.abs(a.answered() - b.answered()) / (double) Math.max(1, a.answered() + b.answered());
    holds("goodput %.0f of %.0f calls/s".formatted(good, capacity), good >= ENOUGH * capacity);
    long lost = lost(floods.get(0)) + lost(floods.get(1));
    holds("%d lost, of the whole flood".formatted(lost), lost == 0);
    holds(
        "%d of %d repeated".formatted(all.repeated(), all.sent()),
        all.repeated() <= REPEATED_MOST * all.sent());
    holds("edges %d and %d".formatted(a.answered(), b.answered()), 2 * unfair <= UNFAIR_MOST);
    holds(
        "honest: %d rejected, %d lost".formatted(calls.rejected(), calls.lost()),
        calls.rejected() <= REJECTED_MOST * calls.sent()
            && calls.lost() == 0
            && calls.answered() > 0);
  }

  private static long lost(InviteLoad load) throws IOException {
    List<Row> rows = load.rows();
    return rows.get(rows.size() - 1).ended().lost();
  }

  private void holds(String what, boolean good) {
    stage.out().println("  " + what + (good ? ": ok" : ": WRONG"));
    holds &= good;
  }

  /** Waits until neither node runs the module. */
  private void gone() throws IOException {
    for (String node : List.of("edge-a", "edge-b")) {
      Wait.until(
          "the module to be gone from " + node,
          Duration.ofSeconds(60),
          () -> {
            try (NodeClient client = testbed.client(node)) {
              return !client.status().toString().contains(MODULE);
            }
          });
    }
    holds("both modules removed", true);
  }
}
