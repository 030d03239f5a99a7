// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.netserv.lab.testbed.LoadMonitorDaemon;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.SipServer;
import org.netserv.lab.testbed.SipServer.Kind;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.traffic.InviteFlood;
import org.netserv.lab.testbed.traffic.InviteFlood.Plan;
import org.netserv.lab.testbed.traffic.InviteLoad;
import org.netserv.lab.testbed.traffic.InviteLoad.Row;

/**
 * A flood of 2,000 INVITE/s, from two networks, to a Kamailio that can do some 460, by UDP and by
 * TCP. First nobody does anything about it, then Kamailio's pipelimit, then the load monitor beside
 * the server, which has the module Overload Control turn requests away at both edges. Honest
 * callers ring all the time from other addresses. By UDP all send to the server, and by TCP to the
 * edge, which is their proxy.
 *
 * <p>A smaller overload has the edges at work before the flood, which is then judged from its
 * second second on. The server does at least 0.9 times the calls that it does when it is just busy.
 * Each INVITE has an answer, and less than 1 % are repeated. Both edges get the same number
 * through, to 5 %. Of honest calls 99 % succeed and none is lost. When the flood is over, the
 * modules go.
 *
 * <p>With minutes the flood has ten times the server's rate, lasts so long, and its last minute has
 * to be as good as its first.
 */
public final class Overload implements Scenario {
  private static final String SERVER = "192.0.2.10";
  private static final String MODULE = "NetServ.apps.OverloadControl";
  private static final String PUBLISHER = "sip";
  private static final List<String> EDGES = List.of("edge-a", "edge-b");
  private static final int FLOOD = 1000; // INVITE/s of each edge
  private static final int TENFOLD = 2300;
  private static final int HONEST = 5;
  private static final int BUSY_CALLS = 20;
  private static final int BUSY_SECONDS = 5;

  private static final int TRIGGER = 350; // INVITE/s of each edge: together more than it can do
  private static final int PATIENCE = 90;
  private static final int MINUTE = 60;

  /** Second of the flood from which on the edges are judged. */
  private static final int SETTLE = 2;

  private static final double ENOUGH = 0.9;
  private static final double KEPT = 0.95; // of the first minute, by the last one
  private static final double REPEATED_MOST = 0.01;
  private static final double REJECTED_MOST = 0.01; // of honest calls
  private static final double UNFAIR_MOST = 0.05;
  private static final double REJECTED_MILLIS = 5;

  /** The extent of a run. */
  private enum Form {
    /** All phases, and times and rates are judged. */
    FULL(8, 30),
    /** The edges alone, and only counts are judged, which hold on any machine. */
    QUICK(0, 8);

    private final int alone; // seconds
    private final int edges;

    Form(int alone, int edges) {
      this.alone = alone;
      this.edges = edges;
    }
  }

  private final Form form;
  private final ResultTable table =
      new ResultTable(
          "phase", "sent/s", "200/s", "503/s", "lost", "repeated", "honest", "503 ms p50/p99");
  private Stage stage;
  private Testbed testbed;
  private boolean holds = true;

  private Overload(Form form) {
    this.form = form;
  }

  /** Plays all phases. */
  public static Overload full() {
    return new Overload(Form.FULL);
  }

  /** Leaves out the phases without the edges, and judges no time. */
  public static Overload quick() {
    return new Overload(Form.QUICK);
  }

  @Override
  public String topology() {
    return "overload";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    int minutes = stage.minutes(0);
    if (minutes > 0) {
      endure(minutes);
    } else {
      for (Kind kind : List.of(Kind.UDP, Kind.TCP)) {
        if (stage.wants(name(kind))) {
          play(kind);
        }
      }
    }
    stage.show(table);
    return holds;
  }

  private static String name(Kind kind) {
    return kind == Kind.TCP ? "tcp" : "udp";
  }

  private void play(Kind kind) throws IOException {
    double capacity = form == Form.QUICK ? 0 : capacity(kind);
    if (form.alone > 0) {
      compare(name(kind) + ", no control", kind);
      if (kind == Kind.UDP) {
        compare("udp, pipelimit", Kind.LIMITED);
      }
    }
    withEdges(kind, capacity);
  }

  /** Measures how many calls the server does while it always has some, and never too many. */
  private double capacity(Kind kind) throws IOException {
    String name = name(kind) + ", busy";
    stage.step(name + ": " + BUSY_CALLS + " calls at a time");
    SipServer server = server(name, kind);
    try {
      InviteLoad load =
          InviteLoad.start(
              testbed,
              file(name),
              new InviteLoad.Caller("users-a", "198.51.100.10"),
              new InviteLoad.Calls(SERVER, kind == Kind.TCP, 2 * FLOOD, BUSY_SECONDS, BUSY_CALLS));
      Row all = InviteLoad.between(load.rows(), 1, BUSY_SECONDS - 1);
      row(name, all, "", "");
      return all.perSecond(all.answered());
    } finally {
      server.close();
    }
  }

  private static String file(String name) {
    return name.replaceAll("[^a-z]+", "-");
  }

  private SipServer server(String name, Kind kind) throws IOException {
    return SipServer.start(testbed, "kamailio-" + file(name), SERVER, kind);
  }

  private void compare(String name, Kind kind) throws IOException {
    stage.step(name + ": 2 x " + FLOOD + " INVITE/s for " + form.alone + " s");
    SipServer server = server(name, kind);
    try {
      Plan plan = new Plan(SERVER, kind == Kind.TCP, FLOOD, 0, form.alone);
      InviteFlood flood = InviteFlood.start(testbed, file(name), plan);
      row(name, flood.whole(), "", delays(flood, 1));
    } finally {
      server.close();
    }
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

  private static String delays(InviteFlood flood, int after) throws IOException {
    return text(flood.rejectionDelays(after));
  }

  /** Returns p50 and p99 of sorted delays in ms. */
  static String text(double[] sorted) {
    return sorted.length == 0
        ? "-"
        : "%.1f / %.1f"
            .formatted(InviteFlood.percentile(sorted, 50), InviteFlood.percentile(sorted, 99));
  }

  private interface Part {
    void play() throws IOException;
  }

  /** Has the monitor deploy the module, plays a part, and waits until the module is gone. */
  private void controlled(Kind kind, Part part) throws IOException {
    String name = name(kind) + ", edges";
    try (SipServer server = server(name, kind)) {
      LoadMonitorDaemon monitor =
          LoadMonitorDaemon.start(
              testbed, "monitor-" + name(kind), server, SERVER, kind == Kind.TCP);
      try {
        trigger(kind, monitor);
        part.play();
        stage.step("the flood is over: the modules go");
        gone();
      } finally {
        stage.out().println(monitor.tail(12));
        monitor.close();
      }
    }
  }

  /** Overloads the server a little until both edges are at work, and waits for the last calls. */
  private void trigger(Kind kind, LoadMonitorDaemon monitor) throws IOException {
    stage.step(name(kind) + ": 2 x " + TRIGGER + " INVITE/s, until both edges are at work");
    Plan plan = new Plan(SERVER, kind == Kind.TCP, TRIGGER, 0, PATIENCE);
    InviteFlood trigger = InviteFlood.start(testbed, "trigger-" + name(kind), plan);
    try {
      long found = monitor.awaitOverload(PATIENCE);
      long work = found + monitor.awaitEdges(PATIENCE);
      stage.out().printf("  found after %.1f s, at work after %.1f s%n", found / 1e3, work / 1e3);
    } finally {
      trigger.stop();
    }
    for (String node : EDGES) {
      stage.out().println("  " + node + ": " + SetupSteps.of(testbed, node, PUBLISHER, MODULE));
    }
  }

  private Plan atEdges(Kind kind, int perSecond, int seconds) {
    boolean tcp = kind == Kind.TCP;
    return new Plan(tcp ? null : SERVER, tcp, perSecond, HONEST, seconds);
  }

  private void withEdges(Kind kind, double capacity) throws IOException {
    controlled(
        kind,
        () -> {
          String name = name(kind) + ", edges";
          stage.step(name + ": 2 x " + FLOOD + " INVITE/s for " + form.edges + " s");
          InviteFlood flood =
              InviteFlood.start(testbed, file(name), atEdges(kind, FLOOD, form.edges));
          judgeCounts(name, flood);
          if (form == Form.FULL) {
            judgeRates(flood, capacity);
          }
        });
  }

  /** Judges what holds however slow the machine is. */
  private void judgeCounts(String name, InviteFlood flood) throws IOException {
    Row all = flood.between(SETTLE, form.edges - 1);
    Row calls = flood.honest(SETTLE, form.edges - 1);
    row(name, all, calls.answered() + " of " + calls.sent(), delays(flood, SETTLE));
    Row whole = flood.whole();
    holds("%d lost, of the whole flood".formatted(whole.lost()), whole.lost() == 0);
    holds(
        "%d answered by 200, %d by 503".formatted(whole.answered(), whole.rejected()),
        whole.answered() > 0 && whole.rejected() > whole.answered());
    Row honest = flood.wholeHonest();
    holds(
        "honest: %d of %d done, %d lost".formatted(honest.answered(), honest.sent(), honest.lost()),
        honest.lost() == 0 && honest.answered() > honest.rejected());
  }

  private void judgeRates(InviteFlood flood, double capacity) throws IOException {
    int to = form.edges - 1;
    Row all = flood.between(SETTLE, to);
    Row calls = flood.honest(SETTLE, to);
    double good = all.perSecond(all.answered()) + calls.perSecond(calls.answered());
    holds("goodput %.0f of %.0f calls/s".formatted(good, capacity), good >= ENOUGH * capacity);
    holds("settled in second %d".formatted(flood.settled()), flood.settled() <= SETTLE);
    holds(
        "%d of %d repeated".formatted(all.repeated(), all.sent()),
        all.repeated() <= REPEATED_MOST * all.sent());
    double late = InviteFlood.percentile(flood.rejectionDelays(SETTLE), 99);
    holds("99 %% of 503s within %.1f ms".formatted(late), late <= REJECTED_MILLIS);
    double unfair = flood.unfairness(SETTLE, to);
    holds("edges apart by %.1f %%".formatted(100 * unfair), unfair <= UNFAIR_MOST);
    holds(
        "honest: %d rejected".formatted(calls.rejected()),
        calls.rejected() <= REJECTED_MOST * calls.sent());
  }

  /** Plays ten times the server's rate for minutes. */
  private void endure(int minutes) throws IOException {
    double capacity = capacity(Kind.UDP);
    controlled(
        Kind.UDP,
        () -> {
          stage.step("2 x " + TENFOLD + " INVITE/s for " + minutes + " min");
          InviteFlood flood =
              InviteFlood.start(
                  testbed, "tenfold", atEdges(Kind.UDP, TENFOLD, minutes * MINUTE + SETTLE + 1));
          double[] good = new double[minutes];
          for (int i = 0; i < minutes; i++) {
            int from = SETTLE + i * MINUTE;
            Row all = flood.between(from, from + MINUTE);
            Row calls = flood.honest(from, from + MINUTE);
            row("minute " + (i + 1), all, calls.answered() + " of " + calls.sent(), "");
            good[i] = all.perSecond(all.answered()) + calls.perSecond(calls.answered());
          }
          double last = good[minutes - 1];
          holds("goodput %.0f of %.0f".formatted(good[0], capacity), good[0] >= ENOUGH * capacity);
          holds(
              "the last minute %.0f, the first %.0f".formatted(last, good[0]),
              last >= KEPT * good[0]);
          long lost = flood.whole().lost();
          holds("%d lost, of the whole flood".formatted(lost), lost == 0);
        });
  }

  private void holds(String what, boolean good) {
    stage.out().println("  " + what + (good ? ": ok" : ": WRONG"));
    holds &= good;
  }

  /** Waits until neither node runs the module. */
  private void gone() throws IOException {
    for (String node : EDGES) {
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
