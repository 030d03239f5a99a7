// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.nio.file.Path;
import org.netserv.cli.doctor.HostFacts;
import org.netserv.cli.serval.HostSetup;
import org.netserv.cli.serval.Sald;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import picocli.CommandLine.Option;

/** The host that a command is about: the directory of its sald. */
final class ServalOptions {
  @Option(
      names = "--state",
      paramLabel = "DIR",
      defaultValue = "${NETSERV_SERVAL:-/run/netserv-serval}",
      description =
          "The host's directory, with sald.sock (default: $NETSERV_SERVAL, else /run/netserv-serval).")
  Path state = Path.of("/run/netserv-serval");

  /** A machine that tests can replace. */
  HostFacts host = HostFacts.local();

  HostSetup setup() {
    return new HostSetup(host, Paths.dist(), state.toAbsolutePath());
  }

  Sald sald() {
    return setup().sald();
  }

  /** Refuses a user who may not change links and routes. */
  static void needRoot(String command) throws CommandException {
    if (!System.getProperty("user.name").equals("root")) {
      throw new CommandException(ExitCode.REFUSED, command + " changes this host: run it as root");
    }
  }
}
