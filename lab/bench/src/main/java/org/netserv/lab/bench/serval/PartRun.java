// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.Step;

/**
 * A run of one part.
 *
 * @param goals takes the numbers that are judged
 */
record PartRun(ServalPlan plan, Report report, Step step, Testbed testbed, GoalTable goals) {

  /** Begins a round. */
  void begin(int round) {
    step.begin("round " + round + " of " + plan.rounds());
  }

  /** Returns the congestion control of new connections of a node. */
  String control(String node) throws IOException {
    return testbed.run(node, "sysctl", "-n", "net.ipv4.tcp_congestion_control").strip();
  }
}
