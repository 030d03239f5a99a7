// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.netserv.cli.serval.ControllerWords;
import org.netserv.cli.serval.controller.ControllerSettings;
import org.netserv.cli.serval.controller.KeyFiles;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.values.BadValueException;
import picocli.CommandLine.Option;

/** The key of a host, and the routers and checks of its controller. */
final class ServalControllerOptions {
  @Option(
      names = "--key",
      paramLabel = "FILE",
      description = "Private key that signs registrations, PEM. Its .pub file lies beside it.")
  Path key;

  @Option(
      names = "--router",
      paramLabel = "ADDRESS[:PORT]",
      description = "A service router that takes signed registrations; repeatable.")
  List<String> routers = List.of();

  @Option(
      names = "--check",
      paramLabel = "ID=tcp|ID=http/PATH",
      description = "Withdraw a service while its program does not answer; repeatable.")
  List<String> checks = List.of();

  /** Returns the settings of a controller. Each option that is wrong is named. */
  ControllerSettings settings(Path sald, Path socket) throws CommandException {
    if (key == null || routers.isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE, "--key and --router: a signed registration needs both");
    }
    try {
      return ControllerSettings.of(sald, socket, KeyFiles.read(key), routers, checks);
    } catch (IOException | BadValueException e) {
      throw new CommandException(ExitCode.USAGE, "--key: " + key + ": " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, "--router, --check: " + e.getMessage(), e);
    }
  }

  boolean isEmpty() {
    return key == null && routers.isEmpty() && checks.isEmpty();
  }

  /** Returns the options as words of a command line, with an absolute path of the key. */
  ControllerWords words() {
    return key == null
        ? ControllerWords.NONE
        : ControllerWords.of(key.toAbsolutePath(), routers, checks);
  }
}
