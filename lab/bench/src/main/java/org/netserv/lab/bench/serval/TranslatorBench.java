// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import org.netserv.lab.bench.BenchTestbed;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.bench.cache.WrkResult;
import org.netserv.lab.testbed.PlainWeb;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.CpuTime;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.Wait;

/**
 * Measures two translators in a row beside two HAProxys in a row, in turn, on the same nodes and
 * before the same web server: the rate, and the processor time of a megabyte. A relay is charged
 * with its processes on both nodes. wrk asks from the user's side on as many connections as the
 * load has.
 */
public final class TranslatorBench {
  private static final String TOPOLOGY = "serval-translators";
  private static final int WEB_PORT = 8080;
  private static final int BYTES = 1_000_000; // of an answer
  private static final double GOAL_RATE = 1.0;
  private static final double GOAL_COST = 0.9;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final TranslatorPlan plan;
  private final Report report;
  private final Step step;
  private final Testbed testbed;
  private final FigureTable figures = new FigureTable();
  private final FigureTable ratios = new FigureTable();

  private TranslatorBench(TranslatorPlan plan, Report report, Step step, Testbed testbed) {
    this.plan = plan;
    this.report = report;
    this.step = step;
    this.testbed = testbed;
  }

  /** Measures, prints and judges. Returns 0 if the goals are met. */
  public static int run(TranslatorPlan plan, Report report) {
    return BenchTestbed.measure(
        TOPOLOGY,
        report,
        (testbed, step) -> new TranslatorBench(plan, report, step, testbed).measure());
  }

  private int measure() throws IOException {
    PlainWeb.start(testbed, "server", WEB_PORT, BYTES);
    for (TcpRelay relay : TcpRelay.values()) {
      step.begin("start " + relay.text);
      relay.start(testbed);
      Wait.until(relay.text, PATIENCE, () -> length(relay) == BYTES);
    }
    for (TcpRelay relay : TcpRelay.values()) {
      for (int connections : plan.connections()) {
        wrk(relay, connections, plan.firstSeconds());
      }
    }
    for (int round = 1; round <= plan.rounds(); round++) {
      step.begin("round " + round + " of " + plan.rounds());
      for (int connections : plan.connections()) {
        round(connections);
      }
    }
    report.show(figures.table());
    return judge();
  }

  private void round(int connections) throws IOException {
    double[] rates = new double[TcpRelay.values().length];
    double[] costs = new double[rates.length];
    int place = 0;
    for (TcpRelay relay : TcpRelay.values()) {
      CpuTime before = relay.time(testbed);
      WrkResult result = wrk(relay, connections, plan.seconds());
      double bytes = (double) result.requests() * BYTES;
      rates[place] = result.perSecond() * BYTES * 8 / 1e6;
      costs[place] = relay.time(testbed).microsSince(before) / (bytes / 1e6);
      figures.of(relay.text, rate(connections)).add(rates[place]);
      figures.of(relay.text, cost(connections)).add(costs[place]);
      place++;
    }
    place = 0;
    for (TcpRelay relay : TcpRelay.values()) {
      ratios.of(relay.text, rate(connections)).add(rates[0] / rates[place]);
      ratios.of(relay.text, cost(connections)).add(costs[0] / costs[place]);
      place++;
    }
  }

  private static String rate(int connections) {
    return "Mb/s on " + connections + (connections == 1 ? " connection" : " connections");
  }

  private static String cost(int connections) {
    return "CPU per MB, us, on "
        + connections
        + (connections == 1 ? " connection" : " connections");
  }

  private WrkResult wrk(TcpRelay relay, int connections, int seconds) throws IOException {
    String connected = "-c" + connections;
    String time = "-d" + seconds + "s";
    return WrkResult.of(
        testbed.run("user", "wrk", "-t1", connected, time, "--timeout", "30s", relay.url()));
  }

  /** Returns the length of the answer by a relay, or -1 without one. */
  private long length(TcpRelay relay) throws IOException {
    String command = "curl -sS -m 5 -o /dev/null -w '%{size_download}' " + relay.url() + " || true";
    String said = testbed.run("user", "sh", "-c", command).strip();
    return said.matches("\\d+") ? Long.parseLong(said) : -1;
  }

  private int judge() throws LabException {
    ResultTable table =
        new ResultTable("translator / HAProxy", "n", "median", "90 % interval of it", "goal", "");
    boolean met = true;
    for (int connections : plan.connections()) {
      met &= row(table, rate(connections), GOAL_RATE, true);
      met &= row(table, cost(connections), GOAL_COST, false);
    }
    report.show(table);
    int first = plan.connections().get(0);
    String other = TcpRelay.HAPROXY.text;
    return report.verdict(
        met,
        String.format(
            Locale.ROOT,
            "%.2f of HAProxy's rate and %.2f of its processor time per byte on %d connection.",
            ratios.of(other, rate(first)).median(),
            ratios.of(other, cost(first)).median(),
            first));
  }

  private boolean row(ResultTable table, String what, double goal, boolean least) {
    Figures ratio = ratios.of(TcpRelay.HAPROXY.text, what);
    boolean met = least ? ratio.median() >= goal : ratio.median() <= goal;
    table.row(
        what,
        ratio.count(),
        String.format(Locale.ROOT, "%.2f", ratio.median()),
        String.format(Locale.ROOT, "%.2f - %.2f", ratio.low(), ratio.high()),
        (least ? ">= " : "<= ") + goal,
        met ? "ok" : "MISSED");
    return met;
  }
}
