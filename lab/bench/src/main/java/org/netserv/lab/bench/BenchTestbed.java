// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.IOException;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.topology.TopologyException;
import org.netserv.lab.testbed.topology.TopologyReader;

/** Builds the testbed of one bench, and removes it again. */
public final class BenchTestbed {

  /** Measures, prints and judges on a testbed that stands. */
  @FunctionalInterface
  public interface Measurement {

    /** Returns the exit status: 0 if all goals are met. */
    int measure(Testbed testbed, Step step) throws IOException;
  }

  private BenchTestbed() {}

  /**
   * Measures on a testbed of this topology. A failure is printed with the step at which it came.
   *
   * @param topology the name of a file in {@code lab/topologies/}, without its ending
   * @return the exit status: the measurement's, or not 0 after a failure
   */
  public static int measure(String topology, Report report, Measurement measurement) {
    Step step = new Step(report.out());
    step.begin("build the testbed " + topology);
    try (Testbed testbed = build(topology, report)) {
      return measurement.measure(testbed, step);
    } catch (TopologyException | IOException e) {
      return report.verdict(step.failed(e) == 0, e.getMessage());
    }
  }

  /** Builds a testbed of this topology. */
  public static Testbed build(String topology, Report report)
      throws TopologyException, IOException {
    return Testbed.temporary(
        TopologyReader.read(LabHome.file("topologies/" + topology + ".yaml")), report.out());
  }
}
