// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import org.netserv.origin.Origin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "status",
    description = "Show the users' prefixes, the nodes with their modules, and the counters.",
    footer = {"", "Example:  netserv origin status --config origin.yaml --json"})
final class OriginStatus extends JsonCommand {
  @Mixin OriginOptions options;

  @Override
  public Integer call() throws CommandException {
    JsonNode status = StatusQuestion.ask(options.read().state(), Origin.ROLE);
    emit(status, () -> print(status));
    return ExitCode.DONE;
  }

  private void print(JsonNode status) {
    JsonNode content = status.path("content");
    out().println("publisher  " + status.path("publisher").asText());
    out().println("module     " + content.path("module").asText());
    out().println("asked at   " + status.path("listen").asText());
    out().println("places     " + status.path("places").asText());
    JsonNode states = content.path("addresses");
    out()
        .printf(
            "prefixes   %d with users: %d covered, %d pending, %d wanted, %d bare%n%n",
            status.path("prefixes").asInt(),
            states.path("covered").asInt(),
            states.path("pending").asInt(),
            states.path("wanted").asInt(),
            states.path("bare").asInt());
    StatusQuestion.printNodes(content, out());
    Table users = new Table("NODE", "USERS GO TO", "HEALTH");
    for (JsonNode node : content.path("nodes")) {
      users.row(node.path("id").asText(), node.path("url").asText(), node.path("health").asText());
    }
    out().println();
    users.print(out());
    out().println();
    StatusQuestion.printCounters(status, out());
  }
}
