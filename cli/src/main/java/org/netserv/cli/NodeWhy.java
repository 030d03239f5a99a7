// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "why",
    description = "Why a module is in the state it is in, and how it came there.",
    footer = {"", "Example:  netserv node why NetServ.apps.KeepAlive"})
final class NodeWhy extends JsonCommand {
  @Mixin Paths paths;

  @Mixin InstalledModule module;

  @Override
  public Integer call() throws Exception {
    ObjectNode reply = AdminClient.ask(paths, module.request("why"), AdminClient.SHORT);
    emit(reply, () -> print(reply));
    return ExitCode.DONE;
  }

  private void print(JsonNode reply) {
    out()
        .printf(
            "%s is %s: %s%n%n",
            module.name,
            reply.path("state").asText(),
            Table.printable(reply.path("because").asText()));
    Table table = new Table("TIME", "STATE", "REASON");
    for (JsonNode entry : reply.path("history")) {
      table.row(
          entry.path("time").asText(), entry.path("state").asText(), entry.path("reason").asText());
    }
    table.print(out());
  }
}
