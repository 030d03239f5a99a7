// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.List;
import org.netserv.lab.testbed.Testbed;

/** The counters that the relay has logged when it last ended or started anew. */
final class RelayLog {
  private static final String NODE = "node";

  private final List<String> lines;

  private RelayLog(List<String> lines) {
    this.lines = lines;
  }

  /** Reads the log of the publisher's container. */
  static RelayLog of(Testbed testbed) throws IOException {
    return new RelayLog(
        ContainerLog.lines(testbed, NODE, Stage.PUBLISHER).stream()
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
