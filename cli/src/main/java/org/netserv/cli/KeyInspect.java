// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.ncm.Bound;
import org.netserv.ncm.Delegation;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "inspect",
    description = "Show the publisher, the life and the bounds of a delegation.",
    footer = {"", "Example:  netserv key inspect alice.delegation"})
final class KeyInspect extends JsonCommand {
  @Parameters(paramLabel = "FILE", description = "A file of 'key delegate'.")
  Path file;

  @Override
  public Integer call() throws Exception {
    show(this, read("FILE", file));
    return ExitCode.DONE;
  }

  static Delegation read(String option, Path file) throws CommandException {
    try {
      return Delegation.read(file);
    } catch (IOException | BadValueException e) {
      throw new CommandException(ExitCode.USAGE, option + ": " + file + ": " + e.getMessage(), e);
    }
  }

  /** Prints a delegation, one field in each line, or as a document. */
  static void show(JsonCommand command, Delegation delegation) {
    ObjectNode document = MAPPER.createObjectNode();
    document
        .put("user", delegation.user())
        .put("serial", delegation.serial())
        .put("delegate", delegation.subject())
        .put("delegate-id", delegation.id())
        .put("key", PublisherKeys.printLine(delegation.key()))
        .put("from", delegation.notBefore().toString())
        .put("until", delegation.notAfter().toString())
        .put("bytes", delegation.encoded().length);
    ObjectNode bounds = document.putObject("bounds");
    for (Map.Entry<Bound, String> bound : delegation.bounds().values().entrySet()) {
      bounds.put(bound.getKey().text(), bound.getValue());
    }
    command.emit(
        document,
        () ->
            document
                .properties()
                .forEach(
                    field -> {
                      if (field.getValue() instanceof ObjectNode inner) {
                        inner
                            .properties()
                            .forEach(b -> line(command, "  " + b.getKey(), b.getValue().asText()));
                      } else {
                        line(command, field.getKey(), field.getValue().asText());
                      }
                    }));
  }

  private static void line(JsonCommand command, String name, String value) {
    command.out().printf("%-16s %s%n", name, value);
  }
}
