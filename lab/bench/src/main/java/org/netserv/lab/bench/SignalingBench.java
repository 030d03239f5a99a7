// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.IOException;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.topology.TopologyException;
import org.netserv.lab.testbed.topology.TopologyReader;

/** Measures the cost of GIST on a real node: memory, processor time, waiting. */
public final class SignalingBench {
  /** A rate so high that it is no limit. */
  private static final int NO_LIMIT = 1_000_000;

  private SignalingBench() {}

  /** Measures, prints and judges. Returns 0 if every goal is met. */
  public static int run(Plan plan, Report report) {
    Step step = new Step(report.out());
    step.begin("build the testbed bench");
    try (Bench bench =
        new Bench(
            Testbed.temporary(
                TopologyReader.read(LabHome.file("topologies/bench.yaml")), report.out()),
            plan,
            step)) {
      report.out().println("  load average " + Bench.machineLoad());
      BenchNode node = BenchNode.start(bench.testbed(), plan.rate());
      new StatesBench(bench, node).run();
      ResultTable times = null;
      if (plan.rounds() > 0) {
        bench.step("a fresh nsis-gist without a limit of its rate");
        node.restart(NO_LIMIT);
        new RatesBench(bench).run();
        times = new TimesBench(bench).run();
      }
      report.show(bench.table());
      if (times != null) {
        report.show(times);
      }
      boolean met = bench.failed().isEmpty();
      return report.verdict(
          met, met ? "all goals are met." : "missed: " + String.join("; ", bench.failed()));
    } catch (TopologyException | IOException e) {
      return report.verdict(step.failed(e) == 0, e.getMessage());
    }
  }
}
