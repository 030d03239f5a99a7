// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.net.InetAddress;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.ncm.Ncm;
import org.netserv.publisher.Destination;
import picocli.CommandLine.Option;

/** Options of the flow that a TRIGGER starts. */
final class TriggerOptions {
  @Option(
      names = "--back-to",
      paramLabel = "ADDRESS",
      description = {
        "Destination of the flow that the last node on the path to --to starts",
        "(default: this host)."
      })
  String backTo;

  int deliver(ModuleMessage command, Ncm.Builder message) throws CommandException {
    if (!command.path.onPath()) {
      throw new CommandException(
          ExitCode.USAGE, "--to: a trigger goes to the last node of a path, never to --local");
    }
    if (command.delegation != null) {
      throw new CommandException(ExitCode.USAGE, "--delegation: a TRIGGER is never a delegate's");
    }
    if (command.user == null) {
      throw new CommandException(
          ExitCode.USAGE, "--user: a TRIGGER is always signed by its publisher");
    }
    Ncm inside = command.draft(message);
    Destination far = command.path.destination(command.wait);
    InetAddress back = backTo == null ? null : PathOptions.address("--back-to", backTo);
    return PathExchange.send(command, client -> client.trigger(inside, back, far));
  }
}
