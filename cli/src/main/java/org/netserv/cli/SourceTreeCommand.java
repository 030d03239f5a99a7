// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.util.concurrent.Callable;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Stands in for a command of the lab on an installed node, which has no lab. Tells where to run it.
 */
@Command(hidden = true)
final class SourceTreeCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  /** Accepts any arguments, because an absent command cannot check them. */
  static CommandLine named(String name) {
    CommandLine command = new CommandLine(new SourceTreeCommand());
    command.getCommandSpec().name(name);
    return command.setUnmatchedArgumentsAllowed(true);
  }

  @Override
  public Integer call() throws CommandException {
    throw new CommandException(
        ExitCode.USAGE,
        "an installed node has no lab: '"
            + spec.name()
            + "' needs the source tree; run it there as ./netserv "
            + spec.name());
  }
}
