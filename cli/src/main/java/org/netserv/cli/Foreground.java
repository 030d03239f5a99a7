// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.process.LogFormat;
import picocli.CommandLine.Option;

/** Runs a process in the foreground, with its log on standard error. */
final class Foreground {
  @Option(
      names = "--log",
      paramLabel = "LEVEL",
      defaultValue = "info",
      description = "error, warn, info or debug (default: ${DEFAULT-VALUE}).")
  String level;

  /** Starts a process, and returns what ends it. */
  @FunctionalInterface
  interface Start {
    Runnable start() throws IOException;
  }

  /** Starts a process. A signal ends it, and this program with it. */
  void run(String name, Start start) throws CommandException, InterruptedException {
    LogFormat.install();
    LogFormat.level(level);
    try {
      Runnable end = start.start();
      Runtime.getRuntime().addShutdownHook(new Thread(end, "stop-" + name));
    } catch (IOException e) {
      throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
    }
    new CountDownLatch(1).await();
  }
}
