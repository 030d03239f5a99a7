// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.base.LabHome;

/**
 * A stock release in a virtual machine ({@code netserv lab vm}), where time is the number of
 * instructions.
 */
public final class StockMachine {
  /** Name of the environment variable that {@code lab vm} sets for its commands. */
  private static final String CLOCK = "NETSERV_CLOCK";

  /** Seconds of host time before a machine is ended. Minutes inside take hours on a loaded host. */
  private static final String DEADLINE = "14400";

  private StockMachine() {}

  /** Returns true inside such a machine, where a nanosecond is one instruction. */
  public static boolean here() {
    return here(System.getenv());
  }

  static boolean here(Map<String, String> environment) {
    return "instructions".equals(environment.get(CLOCK));
  }

  /**
   * Runs a command of this project in a stock machine. The command writes to the caller's output.
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
