// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.netserv.cli.serval.ServiceRules;
import picocli.CommandLine.Command;

@Command(
    name = "services",
    description = "The service table: the services of this host, and where connections go.",
    footer = {"", "Example:  netserv serval services"})
final class ServalServices extends ServalView {
  /** The origin of registrations that hold while a program listens. */
  private static final String WHILE_LISTENING = "4294967295";

  ServalServices() {
    super("rules", "PREFIX", "ACTION", "TARGET", "RANK", "WEIGHT", "HITS", "PID", "SECONDS LEFT");
  }

  @Override
  Object[] cells(JsonNode entry) {
    Object[] cells =
        fields(entry, "id", "action", "target", "rank", "weight", "hits", "pid", "seconds");
    int bits = entry.path("bits").asInt();
    String id = ServiceRules.shortened(entry.path("id").asText());
    cells[0] = bits == 0 ? "default" : id + "/" + bits;
    if (cells[6].equals(WHILE_LISTENING)) {
      cells[6] = "listening";
    }
    if (entry.path("drained").asBoolean()) {
      cells[1] = "drained"; // a registration that no router has
    }
    return cells;
  }
}
