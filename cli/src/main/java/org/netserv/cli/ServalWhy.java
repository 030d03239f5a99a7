// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.netserv.cli.serval.RouterRules;
import org.netserv.cli.serval.Sald;
import org.netserv.cli.serval.Why;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "why",
    description = {
      "Where a connection to a service would go from this host, and why, step by step.",
      "Tells what this host does not know, too. Sends nothing and changes nothing.",
      "With --router: the decision of a node's service router."
    },
    footer = {
      "",
      "Example:  netserv serval why web.serval",
      "          sudo netserv serval why 00004001 --router"
    })
final class ServalWhy extends JsonCommand {
  private static final String ID = "[0-9a-f]{1,64}";

  @Mixin ServalOptions options;
  @Mixin RouterOptions node;

  @Parameters(
      paramLabel = "ID",
      description = "A name that this host has, or a serviceID of 1 to 64 hexadecimal digits.")
  String id;

  @Override
  public Integer call() throws CommandException {
    if (node.router) {
      ObjectNode why = new RouterRules(id, node.rules(id)).document();
      emit(why, () -> print(why));
      return ExitCode.DONE;
    }
    Sald sald = options.sald();
    JsonNode names = sald.view("names");
    String service = Why.service(names, id);
    if (!service.matches(ID)) {
      throw new CommandException(
          ExitCode.REFUSED, id + ": this host has no such name, and it is no serviceID");
    }
    ObjectNode why =
        new Why(options.host, service, sald.view("services"), sald.view("flows"), names).document();
    emit(why, () -> print(why));
    return ExitCode.DONE;
  }

  private void print(JsonNode why) {
    Table table = new Table("STEP", "");
    why.path("steps").forEach(step -> table.row(ServalView.fields(step, "step", "text")));
    table.print(out());
    out().println();
    out().println("So: " + Table.printable(why.path("verdict").asText()));
    for (JsonNode unknown : why.path("unknown")) {
      out().println("Not known here: " + Table.printable(unknown.asText()));
    }
  }
}
