// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "status",
    description = "What runs on the node: containers, modules, refusals by reason.",
    footer = {"", "Example:  netserv node status --json"})
final class NodeStatus extends JsonCommand {
  @Mixin Paths paths;

  @Override
  public Integer call() throws Exception {
    ObjectNode status = AdminClient.ask(paths, AdminClient.request("status"), AdminClient.SHORT);
    emit(status, () -> print(status));
    return ExitCode.DONE;
  }

  private void print(JsonNode status) {
    out()
        .printf(
            "node %s  version %s  profile %s  up %s s%n%n",
            status.path("nodeId").asText(),
            status.path("version").asText(),
            status.path("profile").asText(),
            status.path("uptime").asText());
    Table modules =
        new Table("PUBLISHER", "CONTAINER", "MODULE", "VERSION", "STATE", "EXPIRES IN", "PACKETS");
    for (JsonNode container : status.path("containers")) {
      for (JsonNode module : container.path("modules")) {
        modules.row(
            container.path("publisher").asText(),
            container.path("state").asText(),
            module.path("module").asText(),
            module.path("version").asText(),
            module.path("state").asText(),
            module.path("expires").asText() + " s",
            module.path("packets").asText("-"));
      }
    }
    modules.print(out());
    if (!status.path("refusals").isEmpty()) {
      out().println();
      Table refusals = new Table("REFUSED", "COUNT");
      status
          .path("refusals")
          .properties()
          .forEach(e -> refusals.row(e.getKey(), e.getValue().asText()));
      refusals.print(out());
    }
  }
}
