// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.base.LabHome;

/**
 * A stock release in a machine of its own ({@code netserv lab vm}), whose time is the number of its
 * instructions.
 */
public final class StockMachine {
  /** What {@code lab vm} tells the commands that it runs. */
  private static final String CLOCK = "NETSERV_CLOCK";

  /**
   * Seconds outside after which a machine is ended. A loaded host takes hours for minutes inside.
   */
  private static final String DEADLINE = "14400";

  private StockMachine() {}

  /** Whether a nanosecond is one instruction here: this is such a machine. */
  public static boolean here() {
    return here(System.getenv());
  }

  static boolean here(Map<String, String> environment) {
    return "instructions".equals(environment.get(CLOCK));
  }

  /**
   * Runs a command of this project in one; its output is ours.
   *
   * @param suite {@code bookworm} or {@code trixie}
   * @return exit status of the command
   */
  public static int run(String suite, String command) throws IOException {
    String netserv = LabHome.home().resolve("netserv").toString();
    Process process =
        new ProcessBuilder(
                List.of(netserv, "--yes", "lab", "vm", "--seconds", DEADLINE, suite, command))
            .inheritIO()
            .start();
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
