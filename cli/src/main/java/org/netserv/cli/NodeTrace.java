// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.StringJoiner;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "trace",
    description =
        "The way of the next packets through a publisher's modules: each verdict with its reason.",
    footer = {"", "Example:  netserv node trace janedoe --count 5"})
final class NodeTrace extends JsonCommand {
  @Mixin Paths paths;

  @Parameters(paramLabel = "PUBLISHER")
  String publisher;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "10",
      description = "Packets, 1-1000 (default 10).")
  int count;

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "How long to wait for them.")
  int wait;

  @Override
  public Integer call() throws Exception {
    ObjectNode request = AdminClient.request("trace");
    request.put("publisher", publisher).put("count", count).put("timeout", wait * 1000);
    ObjectNode reply = AdminClient.ask(paths, request, Duration.ofSeconds(wait + 5L));
    emit(reply, () -> print(reply));
    return reply.path("packets").isEmpty() ? ExitCode.TIMEOUT : ExitCode.DONE;
  }

  private void print(JsonNode reply) {
    Table table = new Table("SEQ", "FROM", "TO", "PROTO", "BYTES", "WAY", "END");
    for (JsonNode packet : reply.path("packets")) {
      StringJoiner way = new StringJoiner(" > ");
      for (JsonNode step : packet.path("steps")) {
        way.add(step.path("module").asText() + ": " + step.path("verdict").asText() + reason(step));
      }
      table.row(
          packet.path("seq").asText(),
          packet.path("source").asText(),
          packet.path("destination").asText(),
          packet.path("protocol").asText(),
          packet.path("length").asText(),
          way,
          packet.path("final").asText());
    }
    table.print(out());
  }

  private static String reason(JsonNode step) {
    String reason = step.path("reason").asText("");
    return reason.isEmpty() ? "" : " (" + reason + ")";
  }
}
