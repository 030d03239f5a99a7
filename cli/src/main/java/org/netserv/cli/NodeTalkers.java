// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import org.netserv.values.Protocols;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "talkers",
    description = {
      "The top talkers, as the kernel counts them: counts for modules with filter-count, and flows",
      "that modules gave to the kernel. The most bytes come first. Needs a fast path."
    },
    footer = {"", "Example:  netserv node talkers --most 5"})
final class NodeTalkers extends JsonCommand {
  /** The number of talkers if nobody says another. */
  static final String PRESET = "10";

  @Mixin Paths paths;

  @Option(
      names = "--most",
      paramLabel = "N",
      defaultValue = PRESET,
      description = "How many, 1-16 (default ${DEFAULT-VALUE}).")
  int most;

  @Override
  public Integer call() throws Exception {
    ObjectNode reply = AdminClient.ask(paths, request(most), AdminClient.SHORT);
    emit(reply, () -> print(reply));
    return ExitCode.DONE;
  }

  static ObjectNode request(int most) {
    return AdminClient.request("talkers").put("most", most);
  }

  private void print(JsonNode reply) {
    if (!reply.path("because").asText().isEmpty()) {
      out().println("nothing is counted: " + Table.printable(reply.path("because").asText()));
      return;
    }
    Table table =
        new Table(
            "PUBLISHER", "KIND", "FROM", "TO", "PROTOCOL", "TTL", "PACKETS", "BYTES", "IDLE MS");
    for (JsonNode talker : reply.path("talkers")) {
      table.row(
          talker.path("publisher").asText(),
          talker.path("kind").asText(),
          end(talker, "source"),
          end(talker, "destination"),
          orAny(talker.path("protocol").asInt(), Protocols.print(talker.path("protocol").asInt())),
          orAny(talker.path("ttl").asInt(), talker.path("ttl").asText()),
          talker.path("packets").asText(),
          talker.path("bytes").asText(),
          talker.path("idle").asText());
    }
    table.print(out());
    out()
        .printf(
            "%d of %s in the kernel; packets that found no place: %s%n",
            reply.path("talkers").size(),
            reply.path("records").asText(),
            reply.path("other").asText());
  }

  /** Returns an address with its port. A filter that does not count by a field leaves it 0. */
  private static String end(JsonNode talker, String side) {
    String address = talker.path(side).asText();
    int port = talker.path(side + "Port").asInt();
    boolean any = address.equals("0.0.0.0") || address.equals("::");
    return (any ? "any" : address) + (port == 0 ? "" : " port " + port);
  }

  private static String orAny(int number, String text) {
    return number == 0 ? "any" : text;
  }
}
