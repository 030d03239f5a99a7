// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.command;

import java.util.List;
import org.netserv.command.CommandProvider;
import picocli.CommandLine;

/** The commands {@code lab} and {@code demo}. */
public final class ScenarioCommands implements CommandProvider {
  @Override
  public List<CommandLine> commands(Preflight preflight) {
    CommandLine lab = new CommandLine(new LabCommand());
    // Words after the node's name belong to the program, options included.
    lab.getSubcommands().get("exec").setStopAtPositional(true);
    return List.of(lab, new CommandLine(new DemoCommand(preflight)));
  }
}
