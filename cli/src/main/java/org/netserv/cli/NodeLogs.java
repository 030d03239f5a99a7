// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "logs",
    description = "The last lines of a node's log: controller, spawner, nsis-gist or audit.",
    footer = {"", "Example:  netserv node logs audit --lines 50"})
final class NodeLogs extends JsonCommand {
  private static final List<String> NAMES = List.of("controller", "spawner", "nsis-gist", "audit");

  @Mixin Paths paths;

  @Parameters(
      paramLabel = "LOG",
      defaultValue = "controller",
      description = "controller (default), spawner, nsis-gist or audit.")
  String log;

  @Option(
      names = "--lines",
      paramLabel = "N",
      defaultValue = "20",
      description = "How many (default 20).")
  int lines;

  @Override
  public Integer call() throws Exception {
    if (!NAMES.contains(log)) {
      throw new CommandException(
          ExitCode.USAGE, "no log '" + log + "'; there are " + String.join(", ", NAMES));
    }
    List<String> last = tail(paths.log().resolve(log + ".log"));
    emit(
        MAPPER.valueToTree(last), () -> last.forEach(line -> out().println(Table.printable(line))));
    return ExitCode.DONE;
  }

  private List<String> tail(Path file) throws CommandException {
    try (var all = Files.lines(file, StandardCharsets.ISO_8859_1)) {
      List<String> read = all.toList();
      return read.subList(Math.max(0, read.size() - Math.max(0, lines)), read.size());
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.NO_NODE, "cannot read " + file + ": " + e.getMessage(), e);
    }
  }
}
