// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.Table;
import org.netserv.coverage.process.StatusSocket;
import org.netserv.frames.FrameClient;
import org.netserv.frames.Json;

/** Asks a process with a coverage for its status, and prints the parts that all of these have. */
final class StatusQuestion {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private StatusQuestion() {}

  /**
   * Returns the status.
   *
   * @param state directory of the process
   * @param role of the process, which is also the name of its command
   */
  static JsonNode ask(Path state, String role) throws CommandException {
    Path socket = state.resolve(StatusSocket.NAME);
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
          "no %s answers on %s: %s (start one with: netserv %s run)"
              .formatted(role, socket, e.getMessage(), role),
          e);
    }
  }

  /** Prints the counters that are not zero. */
  static void printCounters(JsonNode status, PrintWriter out) {
    Table counters = new Table("COUNTER", "COUNT");
    for (var counter : status.path("counters").properties()) {
      if (counter.getValue().asLong() > 0) {
        counters.row(counter.getKey(), counter.getValue().asLong());
      }
    }
    counters.print(out);
  }

  /** Prints the nodes of a coverage. */
  static void printNodes(JsonNode coverage, PrintWriter out) {
    Table nodes = new Table("NODE", "ADDRESS", "STATE", "STATUS", "ADDRESSES", "TTL LEFT");
    for (JsonNode node : coverage.path("nodes")) {
      nodes.row(
          node.path("id").asText(),
          node.path("address").asText(),
          node.path("state").asText(),
          node.path("status").asInt(),
          node.path("addresses").asInt(),
          node.path("ttl-left").asLong());
    }
    nodes.print(out);
  }
}
