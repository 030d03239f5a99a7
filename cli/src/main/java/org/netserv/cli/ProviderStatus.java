// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import org.netserv.frames.FrameClient;
import org.netserv.frames.Json;
import org.netserv.provider.Provider;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "status",
    description = "Show the agents, the nodes with their modules, and the counters of a provider.",
    footer = {"", "Example:  netserv provider status --config provider.yaml --json"})
final class ProviderStatus extends JsonCommand {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  @Mixin ProviderOptions options;

  @Override
  public Integer call() throws CommandException {
    JsonNode status = ask(options.read().state().resolve(Provider.SOCKET));
    emit(status, () -> print(status));
    return ExitCode.DONE;
  }

  private static JsonNode ask(Path socket) throws CommandException {
    ObjectNode hello = Json.object().put("role", "status");
    try (FrameClient client = FrameClient.connect(socket, BuildVersion.build(), hello)) {
      ObjectNode answer = client.request(Json.object().put("op", "status"), PATIENCE);
      if (!answer.path("ok").asBoolean()) {
        throw new CommandException(ExitCode.REFUSED, answer.path("error").asText("refused"));
      }
      return answer.path("status");
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.NO_NODE,
          "no provider answers on "
              + socket
              + ": "
              + e.getMessage()
              + " (start one with: netserv provider run)",
          e);
    }
  }

  private void print(JsonNode status) {
    out().println("publisher  " + status.path("publisher").asText());
    out().println("kamailio   " + status.path("kamailio").asText());
    JsonNode agents = status.path("agents");
    out()
        .printf(
            "agents     %d known, %d registered, at %d addresses%n",
            agents.path("known").asInt(),
            agents.path("registered").asInt(),
            agents.path("addresses").asInt());
    status.path("parts").properties().forEach(part -> part(part.getKey(), part.getValue()));
    Table counters = new Table("COUNTER", "COUNT");
    status
        .path("counters")
        .properties()
        .forEach(
            counter -> {
              if (counter.getValue().asLong() > 0) {
                counters.row(counter.getKey(), counter.getValue().asLong());
              }
            });
    out().println();
    counters.print(out());
  }

  private void part(String name, JsonNode part) {
    JsonNode addresses = part.path("addresses");
    out().println();
    out()
        .printf(
            "%s: %s; addresses: %d covered, %d pending, %d wanted, %d bare%n",
            name,
            part.path("module").asText(),
            addresses.path("covered").asInt(),
            addresses.path("pending").asInt(),
            addresses.path("wanted").asInt(),
            addresses.path("bare").asInt());
    Table nodes = new Table("NODE", "ADDRESS", "STATE", "STATUS", "ADDRESSES", "TTL LEFT");
    for (JsonNode node : part.path("nodes")) {
      nodes.row(
          node.path("id").asText(),
          node.path("address").asText(),
          node.path("state").asText(),
          node.path("status").asInt(),
          node.path("addresses").asInt(),
          node.path("ttl-left").asLong());
    }
    nodes.print(out());
  }
}
