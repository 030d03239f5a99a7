// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.LoadMonitorDaemon;
import org.netserv.lab.testbed.SipServer;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.TimeChart;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.traffic.InviteLoad;
import org.netserv.lab.testbed.traffic.InviteLoad.Row;

/**
 * Shows a SIP provider's gain by Overload Control: a flood of 2,000 INVITE/s from two networks to a
 * Kamailio of known capacity, alone and with the edges, while honest callers ring from other
 * addresses of the same networks.
 */
final class OverloadDemo implements Demos.Play {
  private static final String SERVER = "192.0.2.10";
  private static final int FLOOD = 1000; // INVITE/s of each network
  private static final int TRIGGER = 350; // INVITE/s of each network: together a little too many
  private static final int HONEST = 5; // INVITE/s of each network
  private static final int BUSY_CALLS = 20;
  private static final int BUSY_SECONDS = 5;
  private static final int PATIENCE = 60;

  /** Second of a flood from which on answers are counted. */
  private static final int SETTLE = 2;

  private static final double ENOUGH = 0.6; // of the capacity
  private static final double LOST_MOST = 0.01;
  private static final double HONEST_LEAST = 0.95;

  private final int alone;
  private final int edges;
  private final TimeChart chart = new TimeChart("2,000 INVITE/s to a Kamailio with one worker");
  private Testbed testbed;
  private Step step;
  private int second;

  /**
   * The counters of a flood.
   *
   * @param settled those between second SETTLE and the last
   * @param flood those at the end
   * @param honest of the honest calls beside it, at their end
   * @param delays of 503s
   */
  private record Phase(Row settled, Row flood, Row honest, String delays) {}

  OverloadDemo(boolean quick) {
    alone = quick ? 6 : 10;
    edges = quick ? 10 : 20;
  }

  @Override
  public String name() {
    return "overload";
  }

  @Override
  public String topology() {
    return "overload";
  }

  @Override
  public String users(String node) {
    return node.equals("edge-a") ? "users-a" : "users-b";
  }

  @Override
  public TimeChart chart() {
    return chart;
  }

  @Override
  public boolean play(Testbed bed, Step steps, Report report) throws IOException {
    testbed = bed;
    step = steps;
    double capacity = capacity();
    report.out().printf("  %.0f calls/s%n", capacity);
    Phase before = alone();
    Phase after = withEdges(report);
    show(report, before, after);
    report.out().printf("%n  the server can do %.0f calls/s%n", capacity);
    return after.settled().perSecond(after.settled().answered()) >= ENOUGH * capacity
        && after.flood().lost() <= LOST_MOST * after.flood().sent()
        && after.flood().repeated() < before.flood().repeated()
        && after.honest().answered() >= HONEST_LEAST * after.honest().sent();
  }

  private InviteLoad load(String name, String network, int host, int rate, int seconds, int most)
      throws IOException {
    String from = (network.equals("a") ? "198.51.100." : "203.0.113.") + host;
    String node = "users-" + network;
    return InviteLoad.start(
        testbed,
        name,
        new InviteLoad.Caller(node, from),
        new InviteLoad.Calls(SERVER, false, rate, seconds, most));
  }

  /** Returns the calls that the server does in a second while it always has some to do. */
  private double capacity() throws IOException {
    step.begin("the server's capacity: " + BUSY_CALLS + " calls at a time");
    SipServer server = SipServer.start(testbed, "kamailio-busy", SERVER, SipServer.Kind.UDP);
    try {
      List<Row> rows = load("busy", "a", 10, 2 * FLOOD, BUSY_SECONDS, BUSY_CALLS).rows();
      Row all = InviteLoad.between(rows, 1, BUSY_SECONDS - 1);
      return all.perSecond(all.answered());
    } finally {
      server.close();
    }
  }

  private Phase alone() throws IOException {
    step.begin("2 x " + FLOOD + " INVITE/s for " + alone + " s, the server alone");
    SipServer server = SipServer.start(testbed, "kamailio-alone", SERVER, SipServer.Kind.UDP);
    try {
      return flood("alone", alone, "the flood, alone");
    } finally {
      server.close();
    }
  }

  private Phase withEdges(Report report) throws IOException {
    try (SipServer server = SipServer.start(testbed, "kamailio-edges", SERVER, SipServer.Kind.UDP);
        LoadMonitorDaemon monitor =
            LoadMonitorDaemon.start(testbed, "monitor", server, SERVER, false)) {
      trigger(monitor, report);
      step.begin("2 x " + FLOOD + " INVITE/s for " + edges + " s, with the edges");
      return flood("edges", edges, "the flood, with the edges");
    }
  }

  /** Overloads the server a little until the monitor has the module at both edges. */
  private void trigger(LoadMonitorDaemon monitor, Report report) throws IOException {
    step.begin(
        "netserv provider overload beside the server; 2 x "
            + TRIGGER
            + " INVITE/s, until it has both edges at work");
    InviteLoad a = load("trigger-a", "a", 10, TRIGGER, PATIENCE, 0);
    InviteLoad b = load("trigger-b", "b", 10, TRIGGER, PATIENCE, 0);
    try {
      long millis =
          Wait.until(
              "both edges to be at work",
              Duration.ofSeconds(PATIENCE),
              () -> monitor.edgesAtWork() >= 2);
      report.out().printf("  after %.1f s%n", millis / 1000.0);
    } finally {
      a.stop();
      b.stop();
    }
    chart("the monitor deploys", List.of(a.rows(), b.rows()));
  }

  private Phase flood(String name, int seconds, String mark) throws IOException {
    InviteLoad a = load(name + "-a", "a", 10, FLOOD, seconds, 0);
    InviteLoad b = load(name + "-b", "b", 10, FLOOD, seconds, 0);
    InviteLoad honestA = load(name + "-honest-a", "a", 11, HONEST, seconds, 0);
    InviteLoad honestB = load(name + "-honest-b", "b", 11, HONEST, seconds, 0);
    List<List<Row>> floods = List.of(a.rows(), b.rows());
    List<List<Row>> honest = List.of(honestA.rows(), honestB.rows());
    List<List<Row>> all = new ArrayList<>(floods);
    all.addAll(honest);
    chart(mark, all);
    Row settled =
        floods.stream()
            .map(rows -> InviteLoad.between(rows, SETTLE, seconds))
            .reduce(Row::plus)
            .orElseThrow();
    return new Phase(
        settled,
        end(floods, seconds),
        end(honest, seconds),
        Overload.text(a.rejectionDelays(SETTLE)));
  }

  /**
   * Returns the sum of the counters at the ends of loads, as if they were of the time of sending.
   */
  private static Row end(List<List<Row>> loads, int seconds) {
    return loads.stream()
        .map(rows -> rows.get(rows.size() - 1).ended().at(seconds))
        .reduce(Row::plus)
        .orElseThrow();
  }

  /** Charts loads that began together, behind what is charted. */
  private void chart(String mark, List<List<Row>> loads) {
    chart.mark(second, mark);
    int last = second;
    for (List<Row> rows : loads) {
      for (int i = 1; i < rows.size(); i++) {
        Row from = rows.get(i - 1);
        Row passed = rows.get(i).minus(from);
        int seconds = Math.max(1, passed.second());
        for (int at = second + from.second(); at < second + from.second() + seconds; at++) {
          chart.add("answered by 200, /s", at, (double) passed.answered() / seconds);
          chart.add("given up, /s", at, (double) passed.lost() / seconds);
          chart.add("INVITEs repeated, /s", at, (double) passed.repeated() / seconds);
          last = Math.max(last, at);
        }
      }
    }
    second = last + 1;
  }

  private void show(Report report, Phase before, Phase after) {
    ResultTable table = new ResultTable("", "the server alone", "with the edges");
    table.row("INVITEs sent, /s", sent(before), sent(after));
    table.row("answered by 200, /s", answered(before), answered(after));
    table.row("turned away by 503, /s", rejected(before), rejected(after));
    table.row("delay of a 503, ms, p50 / p99", before.delays(), after.delays());
    table.row("without any answer", before.flood().lost(), after.flood().lost());
    table.row("INVITEs repeated", before.flood().repeated(), after.flood().repeated());
    table.row("honest calls answered by 200", honest(before), honest(after));
    report.show(table);
  }

  private static long sent(Phase phase) {
    return Math.round(phase.settled().perSecond(phase.settled().sent()));
  }

  private static long answered(Phase phase) {
    return Math.round(phase.settled().perSecond(phase.settled().answered()));
  }

  private static long rejected(Phase phase) {
    return Math.round(phase.settled().perSecond(phase.settled().rejected()));
  }

  private static String honest(Phase phase) {
    return phase.honest().answered() + " of " + phase.honest().sent();
  }
}
