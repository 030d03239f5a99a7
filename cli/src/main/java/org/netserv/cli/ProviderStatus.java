// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.provider.Provider;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "status",
    description = "Show the agents, the nodes with their modules, and the counters of a provider.",
    footer = {"", "Example:  netserv provider status --config provider.yaml --json"})
final class ProviderStatus extends JsonCommand {
  @Mixin ProviderOptions options;

  @Override
  public Integer call() throws CommandException {
    JsonNode status = StatusQuestion.ask(options.read().state(), Provider.ROLE);
    emit(status, () -> print(status));
    return ExitCode.DONE;
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
    out().println();
    StatusQuestion.printCounters(status, out());
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
    StatusQuestion.printNodes(part, out());
  }
}
