// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The service router of a node, which a command asks in place of this host's sald. */
final class RouterOptions {
  private static final String ID = "[0-9a-f]{1,64}";

  @Option(
      names = "--router",
      description = "Ask the service router of a node in place of this host's sald.")
  boolean router;

  @Option(
      names = "--module",
      paramLabel = "NAME",
      defaultValue = "NetServ.apps.ServiceRouter",
      description = "With --router: the bundle's symbolic name (default: ${DEFAULT-VALUE}).")
  String module;

  @Option(
      names = "--publisher",
      paramLabel = "NAME",
      description = "With --router: whose, if several have one of that name.")
  String publisher;

  @Mixin Paths paths;

  /** Returns the router's rules, at most 128 and the count of all. */
  ObjectNode rules() throws CommandException {
    return ask(AdminClient.request("rules"));
  }

  /** Returns the router's rules for one serviceID, in the order in which they count. */
  ObjectNode rules(String id) throws CommandException {
    String digits = id.toLowerCase(Locale.ROOT);
    if (!digits.matches(ID)) {
      throw new CommandException(
          ExitCode.REFUSED, id + ": a router knows no names: give 1 to 64 hexadecimal digits");
    }
    return ask(AdminClient.request("rules").put("service", digits));
  }

  private ObjectNode ask(ObjectNode request) throws CommandException {
    request.put("module", module);
    if (publisher != null) {
      request.put("publisher", publisher);
    }
    return AdminClient.ask(paths, request, AdminClient.SHORT);
  }
}
