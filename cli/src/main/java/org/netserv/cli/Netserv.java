// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.netserv.command.CommandException;
import org.netserv.command.CommandProvider;
import org.netserv.command.ExitCode;
import org.netserv.command.Table;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The {@code netserv} command. The classes of the sub-commands are listed here. The lab's
 * sub-commands come from providers on the class path, after all others.
 */
@Command(
    name = "netserv",
    mixinStandardHelpOptions = true,
    versionProvider = BuildVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "Run signed modules of content publishers on a Linux router.",
    footer = {
      "",
      "Exit status: 0 done, 1 refused, 2 usage, 3 no NetServ node, 4 timeout, 5 some nodes refused.",
      "",
      "Example:  ./netserv demo"
    },
    subcommands = {
      KeyCommand.class,
      BundleCommand.class,
      SetupCommand.class,
      RemoveCommand.class,
      ProbeCommand.class,
      TriggerCommand.class,
      DoctorCommand.class,
      NodeCommand.class,
      TopCommand.class,
      PublisherCommand.class,
      TrustCommand.class,
      PolicyCommand.class,
      ProviderCommand.class,
      OriginCommand.class,
      ServalCommand.class,
      DashboardCommand.class
    })
public final class Netserv {
  /**
   * The lab's commands in the order of the help, because the order of a class path is arbitrary.
   */
  private static final List<String> LAB = List.of("lab", "demo", "bench");

  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return commandLine(
        ServiceLoader.load(CommandProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .toList());
  }

  static CommandLine commandLine(List<CommandProvider> providers) {
    CommandLine command = new CommandLine(new Netserv());
    Map<String, CommandLine> provided = new HashMap<>();
    for (CommandProvider provider : providers) {
      for (CommandLine part : provider.commands(DoctorCommand::require)) {
        provided.put(part.getCommandName(), part);
      }
    }
    for (String name : LAB) {
      CommandLine part = provided.get(name);
      command.addSubcommand(name, part != null ? part : SourceTreeCommand.named(name));
    }
    return command
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpAutoWidth(true)
        .setExecutionExceptionHandler(Netserv::explain);
  }

  /** Prints a failure as one line with the reason, and returns the exit status that fits. */
  private static int explain(Exception e, CommandLine command, CommandLine.ParseResult result) {
    command.getErr().println("netserv: " + text(e));
    command.getErr().flush();
    return e instanceof CommandException refused ? refused.exitCode() : ExitCode.USAGE;
  }

  private static String text(Exception e) {
    String message = e.getMessage();
    boolean ours = e instanceof CommandException;
    return Table.printable(
        message == null || message.isBlank()
            ? e.toString()
            : ours ? message : e.getClass().getSimpleName() + ": " + message);
  }
}
