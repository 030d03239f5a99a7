// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;

/** The counters that the relay has logged when it last ended or started anew. */
final class RelayLog {
  private static final String NODE = "node";

  private final List<String> lines;

  private RelayLog(List<String> lines) {
    this.lines = lines;
  }

  /** Reads the log of the publisher's container, whose file system only the spawner sees. */
  static RelayLog of(Testbed testbed) throws IOException {
    long spawner = NodeProcesses.of(testbed, NODE).pid("spawner");
    Path log =
        Path.of(
            "/proc/%d/root%s/var/lib/netserv/containers/%s/host.log"
                .formatted(spawner, NodeDaemon.root(testbed, NODE), Stage.PUBLISHER));
    return new RelayLog(
        Files.readAllLines(log).stream()
            .filter(line -> line.contains("relayed until now"))
            .toList());
  }

  /** Returns how often the relay has logged its counters. */
  int times() {
    return lines.size();
  }

  /** Returns a counter, 0 = nothing was counted; -1 = nothing was logged at all. */
  long last(String counter) {
    if (lines.isEmpty()) {
      return -1;
    }
    for (String word : lines.get(lines.size() - 1).split("[{}, ]+", -1)) {
      if (word.startsWith(counter + "=")) {
        return Long.parseLong(word.substring(counter.length() + 1));
      }
    }
    return 0;
  }
}
