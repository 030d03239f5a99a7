// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.node;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import org.netserv.lab.CommandException;
import org.netserv.lab.Namespaces;
import org.netserv.lab.Testbed;

/** The processes of a NetServ node, found as an operator would: by parent, program and status. */
public final class NodeProcesses {
  private final Testbed testbed;
  private final String node;

  private NodeProcesses(Testbed testbed, String node) {
    this.testbed = testbed;
    this.node = node;
  }

  public static NodeProcesses of(Testbed testbed, String node) {
    return new NodeProcesses(testbed, node);
  }

  /** {@code kill -9} to the controller, spawner, pktio or container (its host process). */
  public void kill(String victim) throws IOException {
    ProcessHandle process =
        switch (victim) {
          case "controller" -> childOfSupervisor("java");
          case "spawner" -> childOfSupervisor("spawner");
          case "pktio" -> reported("pktio");
          case "container" -> reported("pid");
          default -> throw new IllegalArgumentException(victim);
        };
    if (!process.destroyForcibly()) {
      throw new CommandException("cannot kill " + victim + " " + process.pid());
    }
  }

  private ProcessHandle childOfSupervisor(String program) throws IOException {
    ProcessHandle supervisor =
        Namespaces.processes(java.util.List.of(Namespaces.name(testbed.topology().name(), node)))
            .stream()
            .filter(process -> runs(process, "supervisor"))
            .findFirst()
            .orElseThrow(() -> new CommandException("no supervisor runs on " + node));
    return supervisor
        .children()
        .filter(process -> runs(process, program))
        .findFirst()
        .orElseThrow(() -> new CommandException("no " + program + " runs on " + node));
  }

  private static boolean runs(ProcessHandle process, String program) {
    return process.info().command().orElse("").endsWith("/" + program);
  }

  private ProcessHandle reported(String field) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      JsonNode container = client.status().path("containers").path(0);
      return ProcessHandle.of(container.path(field).asLong(-1))
          .orElseThrow(
              () -> new CommandException("the node reports no " + field + ": " + container));
    }
  }
}
