// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.netserv.cli.serval.ServiceRules;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "services",
    description = {
      "The service table: the services of this host, and where connections go.",
      "With --router: the rules of a node's service router, the first 128 by their prefixes."
    },
    footer = {
      "",
      "Example:  netserv serval services",
      "          sudo netserv serval services --router"
    })
final class ServalServices extends ServalView {
  /** The origin of registrations that hold while a program listens. */
  private static final String WHILE_LISTENING = "4294967295";

  @Mixin RouterOptions node;

  ServalServices() {
    super("rules", "PREFIX", "ACTION", "TARGET", "RANK", "WEIGHT", "HITS", "PID", "SECONDS LEFT");
  }

  @Override
  public Integer call() throws CommandException {
    if (!node.router) {
      return super.call();
    }
    JsonNode rules = node.rules();
    emit(rules, () -> print(rules));
    return ExitCode.DONE;
  }

  private void print(JsonNode rules) {
    Table table =
        new Table(
            "PREFIX",
            "ACTION",
            "TARGET",
            "PREFERENCE",
            "PRIORITY",
            "WEIGHT",
            "HITS",
            "IN",
            "ORIGIN",
            "SECONDS LEFT");
    for (JsonNode rule : rules.path("rules")) {
      Object[] cells =
          fields(
              rule,
              "prefix",
              "action",
              "target",
              "preference",
              "priority",
              "weight",
              "hits",
              "kernel",
              "origin",
              "seconds");
      cells[0] = prefix(rule, "prefix");
      cells[7] = rule.path("kernel").asBoolean() ? "kernel" : "module";
      table.row(cells);
    }
    table.print(out());
    count(rules);
  }

  private static String prefix(JsonNode rule, String key) {
    int bits = rule.path("bits").asInt();
    String id = ServiceRules.shortened(rule.path(key).asText());
    return bits == 0 ? "default" : id + "/" + bits;
  }

  @Override
  Object[] cells(JsonNode entry) {
    Object[] cells =
        fields(entry, "id", "action", "target", "rank", "weight", "hits", "pid", "seconds");
    cells[0] = prefix(entry, "id");
    if (cells[6].equals(WHILE_LISTENING)) {
      cells[6] = "listening";
    }
    if (entry.path("drained").asBoolean()) {
      cells[1] = "drained"; // a registration that no router has
    }
    return cells;
  }
}
