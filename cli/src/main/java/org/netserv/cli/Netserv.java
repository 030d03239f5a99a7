// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** The {@code netserv} command: one class per sub-command, all of them listed here. */
@Command(
    name = "netserv",
    mixinStandardHelpOptions = true,
    versionProvider = Netserv.Version.class,
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
      LabCommand.class,
      DemoCommand.class,
      BenchCommand.class
    })
public final class Netserv {

  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    CommandLine command =
        new CommandLine(new Netserv())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setUsageHelpAutoWidth(true)
            .setExecutionExceptionHandler(Netserv::explain);
    // What follows the node's name belongs to the program, options included.
    command.getSubcommands().get("lab").getSubcommands().get("exec").setStopAtPositional(true);
    return command;
  }

  /** Every failure ends as one line that says what is wrong and the exit status that fits. */
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

  /** The version in the manifest of the jar we run from. */
  static String build() {
    String version = Netserv.class.getPackage().getImplementationVersion();
    return version == null ? "unpackaged" : version;
  }

  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"netserv " + build()};
    }
  }
}
