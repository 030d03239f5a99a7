// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.Doorway;
import org.netserv.lab.testbed.topology.Topology.Node;

/**
 * The dashboards of a testbed's NetServ nodes, at the loopback of this machine. They run on the
 * server's host, so that their PROBEs take the path to the users.
 */
final class Watch implements AutoCloseable {
  private static final String SERVER = "server";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Testbed testbed;
  private final UnaryOperator<String> users;
  private final List<Doorway> doorways = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();

  /**
   * Makes a watch without a dashboard yet.
   *
   * @param users gives the host, or the NAT, to which the path of a node's map leads
   */
  Watch(Testbed testbed, UnaryOperator<String> users) {
    this.testbed = testbed;
    this.users = users;
  }

  /**
   * Starts a dashboard for each node, and prints the links.
   *
   * @throws LabException with its words if a dashboard does not start
   */
  void start(PrintStream out) throws IOException {
    for (Node node : testbed.topology().nodes().values()) {
      if (node.daemons().stream().anyMatch(daemon -> daemon.kind().equals("netserv"))) {
        out.println("  watch " + node.name() + " in a browser: " + start(node.name()));
      }
    }
  }

  /** Starts a dashboard at a port that is free here, and returns its link. */
  private String start(String node) throws IOException {
    Path socket = testbed.state().resolve("watch-" + node + ".sock");
    Doorway doorway = Doorway.to(UnixDomainSocketAddress.of(socket));
    doorways.add(doorway);
    int port = doorway.port();
    processes.add(testbed.spawnTool(SERVER, "doorway-" + node, Doorway.class, socket, port));
    String link = dashboard(node, port);
    Wait.until("the way to the dashboard", PATIENCE, () -> Files.exists(socket));
    return link;
  }

  private String dashboard(String node, int port) throws IOException {
    LabPublisher publisher = testbed.publisher(Stage.PUBLISHER);
    String to = testbed.topology().node(users.apply(node)).address(false).ip().getHostAddress();
    List<String> command = new ArrayList<>();
    command.add(LabHome.home().resolve("netserv").toString());
    command.addAll(List.of("dashboard", "--port", Integer.toString(port)));
    command.addAll(List.of("--root", NodeDaemon.root(testbed, node).toString(), "--to", to));
    command.addAll(List.of("--user", publisher.name(), "--key", publisher.keyFile().toString()));
    Process dashboard = testbed.converse(SERVER, "dashboard-" + node, command);
    processes.add(dashboard);
    dashboard.getOutputStream().close();
    BufferedReader said = dashboard.inputReader(StandardCharsets.UTF_8);
    String line = said.readLine();
    if (line == null || !line.startsWith("http://")) {
      String why = testbed.tail(SERVER, "dashboard-" + node, 3);
      throw new LabException("netserv dashboard: " + (line == null ? why : line));
    }
    return line;
  }

  @Override
  public void close() throws IOException {
    processes.forEach(Process::destroy);
    for (Doorway doorway : doorways) {
      doorway.close();
    }
  }
}
