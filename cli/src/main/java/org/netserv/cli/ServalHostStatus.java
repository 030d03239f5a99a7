// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.netserv.cli.serval.HostSetup;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "status",
    description = "The set-up of this host, and the counters of its sald that are not zero.",
    footer = {"", "Example:  netserv serval host status --json"})
final class ServalHostStatus extends JsonCommand {
  @Mixin ServalOptions options;

  @Override
  public Integer call() throws Exception {
    HostSetup setup = options.setup();
    ObjectNode document = MAPPER.createObjectNode();
    if (setup.isUp()) {
      document.set("host", setup.settings().json());
    }
    JsonNode status = setup.sald().view("status");
    document.set("sald", status);
    emit(document, () -> print(document.path("host"), status));
    return ExitCode.DONE;
  }

  private void print(JsonNode host, JsonNode status) {
    if (host.isObject()) {
      Table table = new Table("SETTING", "VALUE");
      host.properties()
          .forEach(
              entry ->
                  table.row(
                      entry.getKey(), entry.getValue().isArray() ? entry.getValue() : text(entry)));
      table.print(out());
      out().println();
    }
    Table counters = new Table("COUNTER", "COUNT");
    for (var entry : status.properties()) {
      if (entry.getValue().isObject()) {
        entry
            .getValue()
            .properties()
            .forEach(
                count -> counters.row(entry.getKey() + "." + count.getKey(), count.getValue()));
      } else {
        counters.row(entry.getKey(), entry.getValue());
      }
    }
    counters.print(out());
  }

  private static String text(java.util.Map.Entry<String, JsonNode> entry) {
    return entry.getValue().asText();
  }
}
