// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.util.List;
import org.netserv.cli.serval.HostSetup;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "down",
    description = "Undo `host up`: all flows end, and links, addresses and resolver entry go.",
    footer = {"", "Example:  sudo netserv serval host down"})
final class ServalHostDown extends JsonCommand {
  @Mixin ServalOptions options;

  @Override
  public Integer call() throws CommandException {
    ServalOptions.needRoot("serval host down");
    HostSetup setup = options.setup();
    boolean up = setup.isUp();
    List<String> left = up ? setup.undo() : List.of();
    if (!left.isEmpty()) {
      throw new CommandException(ExitCode.REFUSED, "could not undo: " + String.join("; ", left));
    }
    emit(
        MAPPER.createObjectNode().put("down", up),
        () -> out().println(up ? "this host is as it was" : "no host was up here"));
    return ExitCode.DONE;
  }
}
