// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
            "node %s  version %s  profile %s  up %s s%n%s%n%s%n%s%n%s%n%n",
            status.path("nodeId").asText(),
            status.path("version").asText(),
            status.path("profile").asText(),
            status.path("uptime").asText(),
            signaling(status.path("signaling")),
            isolation(status.path("isolation")),
            fastPath(status.path("fastPath")),
            "spare containers that wait: " + status.path("spares").asInt());
    printContainers(status.path("containers"));
    printLimits(status);
    printRefusals(status);
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

  /** Whether it was started before its publisher needed it, or then; - where there is none. */
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

  static String isolation(JsonNode isolation) {
    String missing = names(isolation.path("missing"));
    String refusing = names(isolation.path("refusing"));
    if (isolation.path("layers").isEmpty() && missing.isEmpty()) {
      return "layers of isolation are not known";
    }
    if (missing.isEmpty()) {
      return "every layer of isolation is there";
    }
    return "LAYERS OF ISOLATION MISSING: "
        + missing
        + (refusing.isEmpty()
            ? " (accepted by node.yaml)"
            : "; only the operator's own publishers are served without " + refusing);
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
        "fast path: on %s (%s): %d flows in the kernel, %d refused",
        names(fastPath.path("interfaces")),
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
