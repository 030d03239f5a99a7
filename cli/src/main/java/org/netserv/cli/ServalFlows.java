// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.netserv.cli.serval.ServiceRules;
import picocli.CommandLine.Command;

@Command(
    name = "flows",
    description =
        "The flows of this host, with their ends as the network and as the program sees them.",
    footer = {"", "Example:  netserv serval flows"})
final class ServalFlows extends ServalView {
  ServalFlows() {
    super(
        "flows",
        "FLOW",
        "SERVICE",
        "SIDE",
        "STATE",
        "MOVE",
        "OWN",
        "PEER",
        "PROGRAM",
        "PORT",
        "BYTES OUT",
        "BYTES IN");
  }

  @Override
  Object[] cells(JsonNode entry) {
    Object[] cells =
        fields(
            entry,
            "flow",
            "service",
            "side",
            "state",
            "move",
            "own",
            "peer",
            "local",
            "local-port",
            "bytes-out",
            "bytes-in");
    cells[1] = ServiceRules.shortened(entry.path("service").asText());
    return cells;
  }
}
