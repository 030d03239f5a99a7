// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.netserv.command.CommandException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "migrate",
    description = "Move a flow to another address of this host, while the connection goes on.",
    footer = {"", "Example:  sudo netserv serval migrate 7f3a90c1 --to 198.51.100.7"})
final class ServalMigrate extends ServalOrderCommand {
  @Parameters(paramLabel = "FLOW", description = "Number of the flow, as `flows` shows it.")
  String flow;

  @Option(
      names = "--to",
      paramLabel = "ADDRESS",
      required = true,
      description = "The other address, from which there is a route to the peer.")
  String address;

  @Override
  public Integer call() throws CommandException {
    Map<String, String> pairs = new LinkedHashMap<>();
    pairs.put("flow", flow);
    pairs.put("address", address);
    return order("migrate", pairs, "flow " + flow + " moves to " + address);
  }
}
