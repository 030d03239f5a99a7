// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Shell;

/**
 * A node that runs kernel programs without the check of forged sources. Only the lab has these
 * programs. They are in a copy of the built tree that is mounted over the tree for this node's
 * processes.
 */
final class UncuredNode implements AutoCloseable {
  private static final String OVER = "mount --bind \"$0\" \"$1\" && shift && exec \"$@\"";

  private final Testbed testbed;
  private final String node;
  private final Path copy;

  UncuredNode(Testbed testbed, String node) {
    this.testbed = testbed;
    this.node = node;
    copy = LabHome.dist().resolveSibling("dist-uncured");
  }

  /** Stops the node and starts it again. Its containers come back by themselves. */
  void start() throws IOException {
    NodeProcesses.of(testbed, node).stop();
    close();
    // Hard links, because the files are the same.
    Shell.run(List.of("cp", "-al", LabHome.dist().toString(), copy.toString()));
    try (Stream<Path> programs = Files.list(LabHome.dist().resolve("bin/lab-uncured"))) {
      for (Path program : programs.toList()) {
        Path place = copy.resolve("kernel").resolve(program.getFileName().toString());
        Files.delete(place);
        Files.copy(program, place);
      }
    }
    NodeDaemon.start(
            testbed,
            node,
            List.of("unshare", "-m", "sh", "-c", OVER, copy.toString(), LabHome.dist().toString()))
        .await();
  }

  @Override
  public void close() throws IOException {
    Shell.run(List.of("rm", "-rf", copy.toString()));
  }
}
