// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.node;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.netserv.lab.CommandException;
import org.netserv.lab.LabHome;
import org.netserv.lab.Testbed;
import org.netserv.lab.Wait;
import org.netserv.lab.topology.Topology.Node;

/**
 * Starts a real NetServ node inside a testbed: the supervisor, with a root directory of its own.
 */
public final class NodeDaemon {
  private static final Duration START = Duration.ofSeconds(60);
  private static final String NAME = "netserv";

  private NodeDaemon() {}

  /** The node's root directory. */
  public static Path root(Testbed testbed, String node) {
    return testbed.state().resolve(node);
  }

  /** Writes the node's configuration, starts it and waits until it answers. */
  public static void start(Testbed testbed, Node node, ObjectNode options) throws IOException {
    Path root = root(testbed, node.name());
    Files.createDirectories(root.resolve("etc/netserv"));
    Process process =
        testbed.spawn(
            node.name(),
            NAME,
            List.of(
                LabHome.dist().resolve("bin/supervisor").toString(),
                "--root",
                root.toString(),
                "--dist",
                LabHome.dist().toString(),
                "--java",
                LabHome.java().toString()));
    try {
      Wait.until(
          "the node " + node.name() + " to answer",
          START,
          () -> {
            if (!process.isAlive()) {
              throw new CommandException(
                  "the supervisor of " + node.name() + " ended: " + process.exitValue() + options);
            }
            return Files.exists(root.resolve("run/netserv/admin.sock"));
          });
    } catch (IOException e) {
      throw new CommandException(
          e.getMessage() + "; its log:\n" + testbed.tail(node.name(), NAME, 30));
    }
  }
}
