// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.netserv.command.CommandException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "unregister",
    description = "End the offer of a service. Open flows go on.",
    footer = {"", "Example:  sudo netserv serval unregister 00004001"})
final class ServalUnregister extends ServalOrderCommand {
  @Parameters(paramLabel = "ID", description = "serviceID or prefix, 1 to 64 hexadecimal digits.")
  String id;

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description = "The process with which it was registered.")
  String pid;

  @Option(
      names = "--while-listening",
      description = "End a registration that was made with this option.")
  boolean listening;

  @Override
  public Integer call() throws CommandException {
    Map<String, String> pairs = new LinkedHashMap<>();
    pairs.put("id", id);
    putIfThere(pairs, "pid", pid);
    putIfThere(pairs, "when", listening ? "listening" : null);
    return order("unregister", pairs, "unregistered " + id);
  }
}
