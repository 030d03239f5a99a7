// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.command;

import java.io.IOException;
import java.io.PrintStream;
import org.netserv.lab.scenarios.command.LabRuns.Options;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.TopologyException;
import org.netserv.lab.testbed.topology.TopologyReader;

/**
 * The testbed of the scenario that plays. The next scenario has the same testbed if it has the same
 * topology, and a new testbed otherwise.
 */
final class SharedTestbed implements AutoCloseable {
  private final Options options;
  private final PrintStream out;
  private String topology = "";
  private Testbed testbed;

  SharedTestbed(Options options, PrintStream out) {
    this.options = options;
    this.out = out;
  }

  /** Returns the testbed of a topology, which is built unless it is the one that is up. */
  Testbed of(String wanted, Step step) throws IOException, TopologyException {
    if (testbed == null || !wanted.equals(topology)) {
      takeAway();
      step.begin("build the testbed " + wanted);
      Topology read = TopologyReader.read(LabHome.file("topologies/" + wanted + ".yaml"));
      if (!options.lacking().isEmpty()) {
        NodeDaemon.lackEverywhere(read, options.lacking());
      }
      testbed = Testbed.temporary(read, options.java(), out);
      topology = wanted;
    }
    return testbed;
  }

  /** Takes the testbed away, if there is one. */
  void takeAway() throws IOException {
    if (testbed != null) {
      Testbed up = testbed;
      testbed = null;
      up.close();
    }
  }

  @Override
  public void close() throws IOException {
    takeAway();
  }
}
