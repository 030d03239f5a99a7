// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.traffic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;

/**
 * SIP user agents that register and then keep their bindings alive, played by sipp with one socket
 * and port each.
 *
 * @param node where they are
 * @param address their source address there
 * @param name of their AORs, NAME-1 and so on; also of the log
 * @param agents number of user agents
 * @param period milliseconds from one keep-alive of an agent to its next
 */
public record SipUsers(
    Testbed testbed, String node, String address, String name, int agents, int period) {
  /** Source port of an agent that is alone at its address, also when it comes back. */
  private static final int ONE_PORT = 5070;

  /**
   * Starts them.
   *
   * @param each keep-alives per agent
   * @param leave whether they unregister behind their last keep-alive
   */
  public Process start(String server, int each, boolean leave) throws IOException {
    String text =
        Files.readString(LabHome.file("sipp/users.xml"))
            .replace("@NAME@", name)
            .replace("@LEAVE@", leave ? "1" : "0")
            .replace("@COUNT@", Integer.toString(each))
            .replace("@PERIOD@", Integer.toString(period));
    Path scenario = testbed.state().resolve("agents-" + name + ".xml");
    Files.writeString(scenario, text);
    String count = Integer.toString(agents);
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of("prlimit", "--nofile=" + (2 * agents + 1000) + ":" + (2 * agents + 1000), "sipp"));
    command.addAll(
        agents == 1
            ? List.of("-t", "u1", "-p", Integer.toString(ONE_PORT))
            : List.of("-t", "un", "-max_socket", Integer.toString(agents + 100)));
    command.addAll(
        List.of(
            "-sf",
            scenario.toString(),
            "-i",
            address,
            "-m",
            count,
            "-l",
            count,
            "-r",
            count,
            "-rp",
            Integer.toString(period),
            "-default_behaviors",
            "all,-abortunexp",
            "-nostdin",
            "-f",
            "5",
            server + ":5060"));
    return testbed.spawn(node, "sipp-" + name, command);
  }
}
