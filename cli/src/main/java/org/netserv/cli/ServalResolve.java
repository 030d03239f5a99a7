// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "resolve",
    description = "The addresses to which a program connects for a service.",
    footer = {"", "Example:  netserv serval resolve web.serval"})
final class ServalResolve extends JsonCommand {
  @Mixin ServalOptions options;

  @Parameters(
      paramLabel = "ID",
      description = "A name with a dot, or a serviceID of 1 to 64 hexadecimal digits.")
  String id;

  @Override
  public Integer call() throws CommandException {
    String key = id.contains(".") ? "name" : "id";
    ObjectNode reply = options.sald().order("resolve", Map.of(key, id));
    emit(
        reply,
        () -> {
          Table table = new Table("SERVICE", "ADDRESS", "IPV6 ADDRESS");
          table.row(ServalView.fields(reply, "id", "address4", "address6")).print(out());
        });
    return ExitCode.DONE;
  }
}
