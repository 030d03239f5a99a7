// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.topology.Topology.Node;

/** The dashboards of a testbed's NetServ nodes, at the loopback of this machine. */
final class Watch implements AutoCloseable {
  private final Testbed testbed;
  private final List<Process> dashboards = new ArrayList<>();

  Watch(Testbed testbed) {
    this.testbed = testbed;
  }

  /**
   * Starts a dashboard for each node, and prints the links.
   *
   * @throws LabException with its words if a dashboard does not start
   */
  void start(PrintStream out) throws IOException {
    for (Node node : testbed.topology().nodes().values()) {
      if (node.daemons().stream().anyMatch(daemon -> daemon.kind().equals("netserv"))) {
        String link = start(NodeDaemon.root(testbed, node.name()));
        out.println("  watch " + node.name() + " in a browser: " + link);
      }
    }
  }

  /** Starts a dashboard at any port, and returns its link. */
  private String start(Path root) throws IOException {
    String netserv = LabHome.home().resolve("netserv").toString();
    Process dashboard =
        new ProcessBuilder(netserv, "dashboard", "--port", "0", "--root", root.toString())
            .redirectErrorStream(true)
            .start();
    dashboards.add(dashboard);
    dashboard.getOutputStream().close();
    BufferedReader said = dashboard.inputReader(StandardCharsets.UTF_8);
    String line = said.readLine();
    if (line == null || !line.startsWith("http://")) {
      throw new LabException("netserv dashboard: " + line);
    }
    return line;
  }

  @Override
  public void close() {
    dashboards.forEach(Process::destroy);
  }
}
