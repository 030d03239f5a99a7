// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;

/** The log of a publisher's container, by its virtual machine, its agent and its modules. */
final class ContainerLog {
  private ContainerLog() {}

  /**
   * Returns the lines of a running container's log. Its file system is one that only the spawner
   * sees.
   */
  static List<String> lines(Testbed testbed, String node, String publisher) throws IOException {
    long spawner = NodeProcesses.of(testbed, node).pid("spawner");
    return Files.readAllLines(
        Path.of(
            "/proc/%d/root%s/var/lib/netserv/containers/%s/host.log"
                .formatted(spawner, NodeDaemon.root(testbed, node), publisher)));
  }

  /**
   * Returns the lines in which the virtual machine complains of its options. It goes on without a
   * {@code CompileCommand} that it cannot read, and the container is then only slower or larger.
   */
  static List<String> complaints(Testbed testbed, String node, String publisher)
      throws IOException {
    return lines(testbed, node, publisher).stream()
        .filter(
            line ->
                line.startsWith("CompileCommand:")
                    || line.startsWith("Error:")
                    || line.contains("VM warning"))
        .toList();
  }
}
