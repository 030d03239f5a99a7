// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.netserv.cli.doctor.HostFacts;
import org.netserv.cli.doctor.HostFacts.Run;

/** Starts and stops the processes of a host, by systemd or each in a session of its own. */
final class Daemons {
  private static final int STOP_SECONDS = 5;

  private Daemons() {}

  /** Returns the beginning of a command that makes a unit, which starts anew when it ends. */
  static List<String> unit(String name, String description) {
    List<String> command = new ArrayList<>(List.of("systemd-run", "--quiet", "--collect"));
    command.add("--unit=" + name);
    command.add("--description=" + description);
    command.addAll(List.of("--property=Restart=always", "--property=RestartSec=1"));
    return command;
  }

  /** Starts a unit by such a command. */
  static void start(HostFacts host, List<String> unit) throws IOException {
    Run run = host.run(unit.toArray(String[]::new));
    if (run.status() != 0) {
      throw new IOException("systemd-run: " + run.line());
    }
  }

  /** Starts a process in a session of its own. */
  static Process start(List<String> words, Path log) throws IOException {
    List<String> command = new ArrayList<>(List.of("setsid"));
    command.addAll(words);
    return new ProcessBuilder(command)
        .redirectInput(new File("/dev/null"))
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  /** Stops a unit. One that has ended already is no failure. */
  static void stop(HostFacts host, String unit) throws IOException {
    Run run = host.run("systemctl", "stop", unit);
    if (run.status() != 0 && !run.output().contains("not loaded")) {
      throw new IOException("systemctl stop " + unit + ": " + run.line());
    }
  }

  /**
   * Stops a process. Another one may have got its number meanwhile.
   *
   * @param pid 0 = none
   * @param argument that its command line has
   */
  static void stop(long pid, String argument) {
    Optional<ProcessHandle> process =
        pid == 0
            ? Optional.empty()
            : ProcessHandle.of(pid)
                .filter(
                    p -> List.of(p.info().arguments().orElse(new String[0])).contains(argument));
    if (process.isPresent()) {
      process.get().destroy();
      try {
        process.get().onExit().orTimeout(STOP_SECONDS, TimeUnit.SECONDS).join();
      } catch (CompletionException e) {
        process.get().destroyForcibly();
      }
    }
  }
}
