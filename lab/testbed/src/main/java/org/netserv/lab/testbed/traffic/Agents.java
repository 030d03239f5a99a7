// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.traffic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.topology.Topology.Node;

/**
 * SIP user agents behind one address, played by sipp with one socket and port each.
 *
 * @param agents number of user agents
 * @param period milliseconds from one keep-alive of an agent to its next
 */
public record Agents(Testbed testbed, String node, int agents, int period) {
  /** Status of sipp if every call ended as its scenario says. */
  private static final int ALL_DONE = 0;

  /**
   * Status of sipp if some calls failed or sipp did not start at all. Only its closing statistics
   * tell the two apart.
   */
  private static final int SOME_MISSED = 1;

  /** Sends so many keep-alives per agent to the server, and returns when all are done. */
  public void run(Node server, int each) throws IOException {
    String text =
        Files.readString(LabHome.file("sipp/keepalive.xml"))
            .replace("@COUNT@", Integer.toString(each))
            .replace("@PERIOD@", Integer.toString(period));
    Path scenario = testbed.state().resolve("keepalive-" + each + ".xml");
    Files.writeString(scenario, text);
    String log = "sipp-" + each;
    Process process = testbed.spawn(node, log, command(server, scenario));
    // Twice the time that sipp takes without any answer.
    long most = 4L * each * period / 1000 + 60;
    try {
      if (!process.waitFor(most, TimeUnit.SECONDS)) {
        throw new LabException("sipp is not done after " + most + " s:\n" + tail(log));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
    int status = process.exitValue();
    boolean missed = status == SOME_MISSED && tail(log).contains("Successful call");
    if (status != ALL_DONE && !missed) {
      throw new LabException("sipp ended with status " + status + ":\n" + tail(log));
    }
  }

  private List<String> command(Node server, Path scenario) {
    String count = Integer.toString(agents);
    return List.of(
        "prlimit",
        "--nofile=" + (2 * agents + 1000) + ":" + (2 * agents + 1000),
        "sipp",
        "-t",
        "un",
        "-max_socket",
        Integer.toString(agents + 100),
        "-sf",
        scenario.toString(),
        "-i",
        testbed.topology().node(node).address(false).ip().getHostAddress(),
        // All agents begin within one period, so that the rate is even from then on.
        "-m",
        count,
        "-l",
        count,
        "-r",
        count,
        "-rp",
        Integer.toString(period),
        // A late answer counts as none, and is no reason to hang up.
        "-default_behaviors",
        "all,-abortunexp",
        "-nostdin",
        "-f",
        "5",
        server.address(false).ip().getHostAddress() + ":5060");
  }

  private String tail(String log) {
    return testbed.tail(node, log, 30);
  }
}
