// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import org.netserv.lab.bench.BenchTestbed;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.topology.TopologyException;

/**
 * Measures Serval part by part, each in a testbed of its own, and judges all goals in one table. A
 * part that breaks leaves the rows of the others.
 */
public final class ServalBench {
  private static final double SECOND = 1e9;

  private final Report report;
  private final ResultTable times = new ResultTable("part", "seconds", "load before", "ended");

  /** Measures one part. */
  @FunctionalInterface
  interface Measurement {
    void measure(Part part, Step step) throws IOException, TopologyException;
  }

  private ServalBench(Report report) {
    this.report = report;
  }

  /** Measures, prints and judges. Returns 0 if all goals of the parts are met. */
  public static int run(ServalPlan plan, Set<Part> parts, Report report) {
    GoalTable goals = new GoalTable(parts);
    return run(
        parts,
        report,
        goals,
        (part, step) -> {
          try (Testbed testbed = BenchTestbed.build(part.topology, report)) {
            measure(part, new PartRun(plan, report, step, testbed, goals));
          }
        });
  }

  static int run(Set<Part> parts, Report report, GoalTable goals, Measurement measurement) {
    ServalBench bench = new ServalBench(report);
    boolean whole = true;
    for (Part part : parts) {
      whole &= bench.attempt(part, measurement);
    }
    report.show(bench.times);
    report.show(goals.table());
    return report.verdict(whole && goals.met(), goals.sentence());
  }

  /** Returns false if the part broke. */
  private boolean attempt(Part part, Measurement measurement) {
    Step step = new Step(report.out());
    step.begin(part.text() + ": build the testbed " + part.topology);
    String load = load();
    long begun = System.nanoTime();
    String broken = "";
    try {
      measurement.measure(part, step);
    } catch (TopologyException | IOException e) {
      step.failed(e);
      broken = e.getMessage();
    } catch (RuntimeException e) { // an answer that lacks a number, for example
      step.failed(e);
      broken = e.toString();
    }
    String seconds = String.format(Locale.ROOT, "%.0f", (System.nanoTime() - begun) / SECOND);
    times.row(part.text(), seconds, load, broken.isEmpty() ? "whole" : "BROKEN: " + broken);
    return broken.isEmpty();
  }

  private static void measure(Part part, PartRun run) throws IOException {
    switch (part) {
      case ROUTER -> RouterBench.measure(run);
      case RULES -> RulesBench.measure(run);
      case REGISTRATIONS -> RegistrationsBench.measure(run);
      case WITHDRAWAL -> WithdrawalBench.measure(run);
      case TCP -> TcpBench.measure(run);
      case LINK -> LinkBench.measure(run);
      case CONNECT -> ConnectBench.measure(run);
      case TRANSLATOR -> TranslatorBench.measure(run);
      case ENDPOINT -> EndpointBench.measure(run);
      case MOVE -> MoveBench.measure(run);
    }
  }

  /** Returns the load average of the machine over the last minute. */
  private static String load() {
    try {
      return Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0];
    } catch (IOException e) {
      return "?";
    }
  }
}
