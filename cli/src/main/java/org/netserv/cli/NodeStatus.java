// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.netserv.cli.doctor.LoadCheck;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
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
            "node %s  version %s  profile %s  up %s s%n%s%n%s%n%s%n%s%n%s%n%s%n%n",
            status.path("nodeId").asText(),
            status.path("version").asText(),
            status.path("profile").asText(),
            status.path("uptime").asText(),
            signaling(status.path("signaling")),
            isolation(status.path("isolation")),
            firewall(status.path("firewall")),
            fastPath(status.path("fastPath")),
            LoadCheck.line(status.path("load")),
            "spare containers that wait: "
                + status.path("spares").asInt()
                + ", spare jobs: "
                + status.path("spareJobs").asInt());
    out().printf("spawner loop: %s%n%n", loop(status.path("spawnerLoop")));
    if (!status.path("storage").asText().isEmpty()) {
      out().printf("NEW SETUPS ARE REFUSED: %s%n%n", status.path("storage").asText());
    }
    printContainers(status.path("containers"));
    printLimits(status);
    printRefusals(status);
    printSockets(status.path("containers"));
  }

  private static String loop(JsonNode loop) {
    return loop.has("turnsOver10ms")
        ? "%d turns over 10 ms, slowest %.1f ms (%s)"
            .formatted(
                loop.path("turnsOver10ms").asLong(),
                loop.path("slowestMicros").asLong() / 1000.0,
                loop.path("slowestWork").asText("-"))
        : "not known, the spawner does not answer";
  }

  private void printContainers(JsonNode containers) {
    Table modules =
        new Table(
            "PUBLISHER",
            "CONTAINER",
            "FROM",
            "MODULE",
            "VERSION",
            "STATE",
            "EXPIRES IN",
            "PACKETS");
    for (JsonNode container : containers) {
      for (JsonNode module : container.path("modules")) {
        modules.row(
            container.path("publisher").asText(),
            container.path("state").asText(),
            from(container),
            module.path("module").asText(),
            module.path("version").asText(),
            module.path("state").asText(),
            module.path("expires").asText() + " s",
            module.path("packets").asText("-"));
      }
    }
    modules.print(out());
  }

  /**
   * Returns {@code spare} for a container that was started before its publisher needed it, {@code
   * start} for any other, and {@code -} where there is none.
   */
  static String from(JsonNode container) {
    if (!container.has("spare")) {
      return "-";
    }
    return container.path("spare").asBoolean() ? "spare" : "start";
  }

  private void printLimits(JsonNode status) {
    if (!status.path("limits").isEmpty()) {
      out().println();
      Table limits = new Table("PUBLISHER", "LIMIT MET");
      for (Map.Entry<String, JsonNode> publisher : status.path("limits").properties()) {
        for (JsonNode text : publisher.getValue()) {
          limits.row(publisher.getKey(), text.asText());
        }
      }
      limits.print(out());
    }
  }

  private void printRefusals(JsonNode status) {
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

  /**
   * Lists the refusals on the socket of each container. docs/reference/refusals.md has their names.
   */
  private void printSockets(JsonNode containers) {
    Table refusals = new Table("PUBLISHER", "REFUSED ON CONTAINER.SOCK", "COUNT");
    boolean any = false;
    for (JsonNode container : containers) {
      for (Map.Entry<String, JsonNode> refusal : container.path("socketRefusals").properties()) {
        refusals.row(
            container.path("publisher").asText(), refusal.getKey(), refusal.getValue().asText());
        any = true;
      }
    }
    if (any) {
      out().println();
      refusals.print(out());
    }
  }

  static String isolation(JsonNode isolation) {
    String missing = names(isolation.path("missing"));
    String refusing = names(isolation.path("refusing"));
    if (isolation.path("layers").isEmpty() && missing.isEmpty()) {
      return "layers of isolation are not known";
    }
    if (missing.isEmpty()) {
      return "every layer of isolation is there";
    }
    List<String> covered = covered(isolation.path("covered"));
    if (refusing.isEmpty() && covered.size() == isolation.path("missing").size()) {
      return "layers of isolation: " + String.join("; ", covered);
    }
    return "LAYERS OF ISOLATION MISSING: "
        + missing
        + (refusing.isEmpty()
            ? " (accepted by node.yaml)"
            : "; only the operator's own publishers are served without " + refusing)
        + (covered.isEmpty() ? "" : "; " + String.join("; ", covered));
  }

  /**
   * Returns a line for each covered layer, such as "landlock-net: missing, covered by net, rules".
   */
  private static List<String> covered(JsonNode covered) {
    List<String> lines = new ArrayList<>();
    covered
        .properties()
        .forEach(one -> lines.add(one.getKey() + ": missing, covered by " + names(one.getValue())));
    return lines;
  }

  /** Says whether the node's rules are in the kernel, and how often somebody has changed them. */
  static String firewall(JsonNode firewall) {
    JsonNode last = firewall.path("last");
    String why = Table.printable(firewall.path("why").asText());
    String now =
        switch (firewall.path("state").asText()) {
          case "ok" -> "firewall: ok";
          case "damaged" ->
              "FIREWALL: damaged: %s (being put back since %s%s)"
                  .formatted(
                      names(firewall.path("parts")),
                      last.path("since").asText(),
                      why.isEmpty() ? "" : ": " + why);
          case "failing" -> "FIREWALL: rules cannot be written: " + why;
          default -> "firewall: not known, the spawner does not say";
        };
    return now + healed(firewall.path("healed").asLong(), last);
  }

  private static String healed(long times, JsonNode last) {
    String which =
        last.has("millis")
            ? ", last %s at %s for %d ms"
                .formatted(
                    names(last.path("parts")),
                    last.path("since").asText(),
                    last.path("millis").asLong())
            : "";
    return times == 0 ? "" : "; damaged and put back %d times%s".formatted(times, which);
  }

  static String fastPath(JsonNode fastPath) {
    String programs = names(fastPath.path("programs"));
    String refused = fastPath.path("programsRefused").asText();
    return flows(fastPath)
        + (programs.isEmpty() ? "" : "; programs of the operator: " + programs)
        + (refused.isEmpty() ? "" : "; NOT TAKEN: " + refused);
  }

  private static String flows(JsonNode fastPath) {
    String because = fastPath.path("because").asText();
    if (!because.isEmpty()) {
      return "fast path: not on: " + because;
    }
    if (fastPath.path("interfaces").isEmpty()) {
      return "fast path: off";
    }
    return String.format(
        "fast path: on %s, forward %s (%s): %d flows in the kernel, %d refused",
        names(fastPath.path("interfaces")),
        fastPath.path("forward").asText(),
        names(fastPath.path("features")),
        fastPath.path("flows").asLong(),
        fastPath.path("refused").asLong());
  }

  private static String names(JsonNode list) {
    List<String> names = new ArrayList<>();
    list.forEach(name -> names.add(name.asText()));
    return String.join(", ", names);
  }

  static String signaling(JsonNode signaling) {
    if (!signaling.path("running").asBoolean()) {
      return "signaling does not run";
    }
    return String.format(
        "signaling runs%s: %d associations with peers, %d routing states, %d requests under way",
        signaling.path("sigio").asInt() == 1 ? "" : " without sigio",
        signaling.path("associations").asInt(),
        signaling.path("routing-states").asInt(),
        signaling.path("requests").asInt());
  }
}
