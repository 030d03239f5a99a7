// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "top",
    description = "Counters of every container and module, again each second, with their rates.",
    footer = {"", "Example:  netserv node top --count 1"})
final class NodeTop extends JsonCommand {
  @Mixin Paths paths;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "0",
      description = "Stop after N rounds (default: never).")
  int count;

  private final Map<String, Long> previous = new HashMap<>();

  @Override
  public Integer call() throws Exception {
    try (AdminClient client = AdminClient.connect(paths)) {
      for (int round = 1; ; round++) {
        ObjectNode counters = client.ask(AdminClient.request("counters"), AdminClient.SHORT);
        emit(counters, () -> print(counters));
        if (round == count) {
          return ExitCode.DONE;
        }
        Thread.sleep(1000);
      }
    }
  }

  private void print(JsonNode counters) {
    Table table = new Table("PUBLISHER", "COUNTER", "TOTAL", "SINCE LAST");
    for (JsonNode container : counters.path("containers")) {
      String publisher = container.path("publisher").asText();
      rows(table, publisher, "pktio", container.path("pktio"));
      rows(table, publisher, "limits", container.path("limits"));
      rows(table, publisher, "dispatcher", container.path("dispatcher"));
      for (JsonNode module : container.path("modules")) {
        rows(table, publisher, module.path("module").asText(), module);
        rows(table, publisher, module.path("module").asText(), module.path("counts"));
      }
    }
    counters
        .path("signaling")
        .properties()
        .forEach(group -> rows(table, "", group.getKey(), group.getValue()));
    table.print(out());
    out().println();
  }

  /** Numbers that are process ids, and no counters. */
  private static final Set<String> IDS = Set.of("pid", "pktio");

  /** Adds the counters that are not zero. Zeros only hide the others. */
  private void rows(Table table, String publisher, String group, JsonNode counters) {
    counters
        .properties()
        .forEach(
            entry -> {
              boolean counts = entry.getValue().isIntegralNumber() && !IDS.contains(entry.getKey());
              if (counts && entry.getValue().asLong() != 0) {
                String name = group + "." + entry.getKey();
                long now = entry.getValue().asLong();
                Long before = previous.put(publisher + "/" + name, now);
                table.row(publisher, name, now, before == null ? "" : "+" + (now - before));
              }
            });
  }
}
