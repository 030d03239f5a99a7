// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.netserv.cli.serval.ServiceRules;
import picocli.CommandLine.Command;

@Command(
    name = "names",
    description = "The names that this host has, with the addresses that DNS has answered.",
    footer = {"", "Example:  netserv serval names"})
final class ServalNames extends ServalView {
  ServalNames() {
    super("names", "NAME", "SERVICE", "ADDRESS", "IPV6 ADDRESS");
  }

  @Override
  Object[] cells(JsonNode entry) {
    Object[] cells = fields(entry, "name", "id", "address4", "address6");
    cells[1] = ServiceRules.shortened(entry.path("id").asText());
    return cells;
  }
}
