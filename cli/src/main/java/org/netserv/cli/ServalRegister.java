// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.netserv.command.CommandException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "register",
    description = {
      "Offer a service: connections to it go to the program that listens on a port.",
      "It ends with `unregister`, with sald, and by the options below."
    },
    footer = {"", "Example:  sudo netserv serval register 00004001 --port 80 --while-listening"})
final class ServalRegister extends ServalOrderCommand {
  @Parameters(
      paramLabel = "ID",
      description = "serviceID or prefix: 1 to 64 hexadecimal digits, or DIGITS/BITS.")
  String id;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      required = true,
      description = "TCP port on which the program listens.")
  int port;

  @Option(
      names = "--address",
      paramLabel = "ADDRESS",
      description = "Address on which it listens, if not on all.")
  String address;

  @Option(
      names = "--rank",
      paramLabel = "N",
      description = "Preference, 0 to 65535: the highest rank alone counts.")
  String rank;

  @Option(
      names = "--weight",
      paramLabel = "N",
      description = "Share of the connections, 0 to 65535.")
  String weight;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "End of the registration, if it is not made again.")
  String seconds;

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description = "End the registration with this process.")
  String pid;

  @Option(
      names = "--while-listening",
      description = "Offer the service while any program listens on the port.")
  boolean listening;

  @Override
  public Integer call() throws CommandException {
    Map<String, String> pairs = new LinkedHashMap<>();
    pairs.put("id", id);
    pairs.put("port", Integer.toString(port));
    putIfThere(pairs, "address", address);
    putIfThere(pairs, "rank", rank);
    putIfThere(pairs, "weight", weight);
    putIfThere(pairs, "seconds", seconds);
    putIfThere(pairs, "pid", pid);
    putIfThere(pairs, "when", listening ? "listening" : null);
    return order("register", pairs, "registered " + id + " at port " + port);
  }
}
