// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.overload;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.netserv.lab.bench.BenchTestbed;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.testbed.LoadMonitorDaemon;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.SipServer;
import org.netserv.lab.testbed.SipServer.Kind;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.TimeChart;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.traffic.InviteFlood;
import org.netserv.lab.testbed.traffic.InviteLoad;
import org.netserv.lab.testbed.traffic.InviteLoad.Row;

/**
 * Measures a flood of INVITEs to a Kamailio of known capacity: alone, and with the module Overload
 * Control at both edges, in turn, by the same clients over the same interfaces. The numbers are the
 * clients'. None comes from the module or the node.
 *
 * <p>In each round the capacity is measured first, as the calls that the server does while it
 * always has some and never too many. The goal for the flood is a part of it, so that it holds on
 * any machine: 437 of 460.
 */
public final class OverloadBench {
  private static final String SERVER = "192.0.2.10";
  private static final String MODULE = "NetServ.apps.OverloadControl";
  private static final int BUSY_CALLS = 20;
  private static final int BUSY_SECONDS = 5;
  private static final int TRIGGER = 350;
  private static final int HONEST = 5;
  private static final int PATIENCE = 90;

  /** Second of a flood from which on rates are measured. */
  private static final int SETTLE = 2;

  private static final String DONE = "answered by 200, /s";
  private static final String OF_CAPACITY = "of the busy server's rate, %";
  private static final String LOST = "without any answer, % of the whole flood";
  private static final String REPEATED = "INVITEs repeated, % of the whole flood";
  private static final String DELAY = "503, p99, ms";
  private static final String SETTLED = "settled after, s";
  private static final String WORK = "overload to both edges at work, s";
  private static final String UNFAIR = "difference of the edges, %";

  /** A figure of the edges, and the highest or lowest median that is good. */
  private record Goal(String figure, double bound, boolean atLeast) {
    boolean met(Figures figures) {
      return atLeast ? figures.median() >= bound : figures.median() <= bound;
    }

    String text() {
      return (atLeast ? ">= " : "<= ") + bound;
    }
  }

  private static final List<Goal> GOALS =
      List.of(
          new Goal(OF_CAPACITY, 95, true),
          new Goal(DELAY, 5, false),
          new Goal(LOST, 0, false),
          new Goal(REPEATED, 1, false),
          new Goal(SETTLED, 2, false),
          new Goal(WORK, 2, false),
          new Goal(UNFAIR, 5, false));

  private final OverloadPlan plan;
  private final Report report;
  private final Step step;
  private final Testbed testbed;
  private final FigureTable figures = new FigureTable();
  private final TimeChart chart;
  private int second; // of the chart
  private int names;

  private OverloadBench(OverloadPlan plan, Report report, Step step, Testbed testbed) {
    this.plan = plan;
    this.report = report;
    this.step = step;
    this.testbed = testbed;
    chart = new TimeChart(2 * plan.perSecond() + " INVITE/s to a Kamailio with one worker");
  }

  /** Measures, prints and judges. Returns 0 if all goals are met. */
  public static int run(OverloadPlan plan, Report report) {
    return BenchTestbed.measure(
        "overload",
        report,
        (testbed, step) -> new OverloadBench(plan, report, step, testbed).measure());
  }

  private int measure() throws IOException {
    for (int round = 1; round <= plan.rounds(); round++) {
      for (Kind kind : plan.kinds()) {
        step.begin("round " + round + " of " + plan.rounds() + ", " + kind + ": capacity");
        double capacity = capacity(kind);
        step.begin("the server alone");
        alone(kind, capacity, round == 1);
        step.begin("the edges");
        edges(kind, capacity, round == 1);
      }
    }
    report.show(figures.table());
    report.keep(chart.table());
    report.out().println();
    report.out().print(chart.text());
    report.out().println("  " + chart.write("bench-overload"));
    return judge();
  }

  private static String alone(Kind kind) {
    return kind + ", Kamailio alone";
  }

  private static String edges(Kind kind) {
    return kind + ", with the edges";
  }

  private SipServer server(Kind kind) throws IOException {
    return SipServer.start(testbed, "kamailio-" + ++names, SERVER, kind);
  }

  private double capacity(Kind kind) throws IOException {
    SipServer server = server(kind);
    try {
      InviteLoad load =
          InviteLoad.start(
              testbed,
              "busy-" + ++names,
              new InviteLoad.Caller("users-a", "198.51.100.10"),
              new InviteLoad.Calls(
                  SERVER, kind == Kind.TCP, 2 * plan.perSecond(), BUSY_SECONDS, BUSY_CALLS));
      Row all = InviteLoad.between(load.rows(), 1, BUSY_SECONDS - 1);
      double capacity = all.perSecond(all.answered());
      figures.of(kind + ", busy", DONE).add(capacity);
      return capacity;
    } finally {
      server.close();
    }
  }

  private void alone(Kind kind, double capacity, boolean first) throws IOException {
    int seconds = plan.aloneSeconds();
    SipServer server = server(kind);
    try {
      InviteFlood flood =
          InviteFlood.start(
              testbed,
              "alone-" + ++names,
              new InviteFlood.Plan(SERVER, kind == Kind.TCP, plan.perSecond(), HONEST, seconds));
      keep(alone(kind), flood, capacity, seconds);
      if (first) {
        draw(alone(kind), flood, seconds);
      }
    } finally {
      server.close();
    }
  }

  private void edges(Kind kind, double capacity, boolean first) throws IOException {
    int seconds = plan.edgesSeconds();
    boolean tcp = kind == Kind.TCP;
    String server = edges(kind);
    try (SipServer kamailio = server(kind);
        LoadMonitorDaemon monitor =
            LoadMonitorDaemon.start(testbed, "monitor-" + ++names, kamailio, SERVER, tcp)) {
      figures.of(server, WORK).add(trigger(tcp, monitor));
      InviteFlood flood =
          InviteFlood.start(
              testbed,
              "edges-" + names,
              new InviteFlood.Plan(tcp ? null : SERVER, tcp, plan.perSecond(), HONEST, seconds));
      keep(server, flood, capacity, seconds);
      figures.of(server, DELAY).add(InviteFlood.percentile(flood.rejectionDelays(SETTLE), 99));
      figures.of(server, SETTLED).add(flood.settled());
      figures.of(server, UNFAIR).add(100 * flood.unfairness(SETTLE, seconds - 1));
      Row honest = flood.honest(SETTLE, seconds - 1);
      figures
          .of(server, "honest calls done, %")
          .add(100.0 * honest.answered() / Math.max(1, honest.sent()));
      if (first) {
        draw(server, flood, seconds);
      }
      gone();
    }
  }

  /** Overloads the server a little. Returns the seconds until both edges are at work. */
  private double trigger(boolean tcp, LoadMonitorDaemon monitor) throws IOException {
    InviteFlood trigger =
        InviteFlood.start(
            testbed, "trigger-" + names, new InviteFlood.Plan(SERVER, tcp, TRIGGER, 0, PATIENCE));
    try {
      return monitor.awaitEdges(PATIENCE) / 1000.0;
    } finally {
      trigger.stop();
    }
  }

  private void keep(String server, InviteFlood flood, double capacity, int seconds)
      throws IOException {
    Row settled = flood.between(SETTLE, seconds - 1).plus(flood.honest(SETTLE, seconds - 1));
    Row whole = flood.whole();
    double done = settled.perSecond(settled.answered());
    figures.of(server, DONE).add(done);
    figures.of(server, OF_CAPACITY).add(100 * done / capacity);
    figures.of(server, LOST).add(100.0 * whole.lost() / whole.sent());
    figures.of(server, REPEATED).add(100.0 * whole.repeated() / whole.sent());
  }

  private void draw(String mark, InviteFlood flood, int seconds) throws IOException {
    chart.mark(second, mark);
    for (int i = 0; i < seconds; i++) {
      Row row = flood.between(i, i + 1);
      chart.add("answered by 200, /s", second, row.perSecond(row.answered()));
      chart.add("turned away by 503, /s", second, row.perSecond(row.rejected()));
      chart.add("INVITEs repeated, /s", second, row.perSecond(row.repeated()));
      second++;
    }
  }

  private void gone() throws IOException {
    for (String node : List.of("edge-a", "edge-b")) {
      Wait.until(
          "the module to be gone from " + node,
          Duration.ofSeconds(PATIENCE),
          () -> {
            try (NodeClient client = testbed.client(node)) {
              return !client.status().toString().contains(MODULE);
            }
          });
    }
  }

  private int judge() {
    ResultTable goals = new ResultTable("goal", "by", "median", "goal is", "met");
    List<String> missed = new ArrayList<>();
    for (Kind kind : plan.kinds()) {
      for (Goal goal : GOALS) {
        Figures found = figures.of(edges(kind), goal.figure());
        boolean met = goal.met(found);
        goals.row(
            goal.figure(),
            kind,
            String.format(Locale.ROOT, "%.2f", found.median()),
            goal.text(),
            met ? "yes" : "NO");
        if (!met) {
          missed.add(kind + " " + goal.figure());
        }
      }
    }
    report.show(goals);
    return report.verdict(
        missed.isEmpty(), missed.isEmpty() ? "all goals are met" : "missed: " + missed);
  }
}
