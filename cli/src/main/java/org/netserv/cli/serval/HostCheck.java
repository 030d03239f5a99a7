// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.netserv.cli.doctor.HostFacts;
import org.netserv.cli.doctor.HostFacts.Run;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;

/**
 * Checks a machine before anything of it is changed. Each refusal names the option or the thing
 * that is wrong.
 */
final class HostCheck {
  /** UDP and SAL take 20 bytes of each packet, and IPv6 outside of IPv4 takes 20 more. */
  private static final int AROUND = 40;

  private static final int LEAST_MTU = 1280 + AROUND; // RFC 8200 section 5
  private static final String SURROGATES = "198.18.0.0/15";

  private final HostFacts host;

  HostCheck(HostFacts host) {
    this.host = host;
  }

  /** Returns the interfaces that were asked for, or those of the default routes. */
  List<String> interfaces(List<String> asked) throws CommandException {
    Set<String> names = new LinkedHashSet<>(asked);
    for (String family : asked.isEmpty() ? List.of("-4", "-6") : List.<String>of()) {
      for (JsonNode route : ip(family, "route", "show", "default")) {
        names.add(route.path("dev").asText());
      }
    }
    if (names.isEmpty()) {
      throw wrong("--interface: there is no default route; name the interfaces to the network");
    }
    return new ArrayList<>(names);
  }

  /** Returns the MTU of sal0, which follows from that of the interfaces. */
  int mtu(List<String> interfaces) throws CommandException {
    int least = Integer.MAX_VALUE;
    JsonNode links = ip("link", "show");
    for (String name : interfaces) {
      int mtu = mtu(links, name);
      if (mtu == 0) {
        throw wrong("--interface " + name + ": there is no such interface");
      }
      if (mtu < LEAST_MTU) {
        throw wrong(
            "--interface %s: its MTU is %d, and IPv6 over SAL needs %d"
                .formatted(name, mtu, LEAST_MTU));
      }
      least = Math.min(least, mtu);
    }
    return least - AROUND;
  }

  private static int mtu(JsonNode links, String name) {
    for (JsonNode link : links) {
      if (link.path("ifname").asText().equals(name)) {
        return link.path("mtu").asInt();
      }
    }
    return 0;
  }

  /** Refuses a machine that has what the set-up would make. */
  void free() throws CommandException {
    JsonNode links = ip("link", "show");
    for (String name : List.of(HostSetup.INSIDE, HostSetup.BESIDE)) {
      if (mtu(links, name) != 0) {
        throw new CommandException(
            ExitCode.REFUSED,
            name + ": there is such an interface, which this command has not made; remove it");
      }
    }
    for (JsonNode link : ip("-4", "address", "show", "to", SURROGATES)) {
      if (link.has("ifname")) {
        throw new CommandException(
            ExitCode.REFUSED,
            "%s: %s has an address of that network, which surrogates need"
                .formatted(SURROGATES, link.path("ifname").asText()));
      }
    }
  }

  /** Refuses a file that is not there. */
  static void file(String what, Path path) throws CommandException {
    if (!Files.isReadable(path)) {
      throw wrong(what + ": " + path + " cannot be read");
    }
  }

  private JsonNode ip(String... words) throws CommandException {
    List<String> command = new ArrayList<>(List.of("ip", "-j"));
    command.addAll(List.of(words));
    Run run = host.run(command.toArray(String[]::new));
    try {
      if (run.status() == 0) {
        return JsonCommand.MAPPER.readTree(run.output().isBlank() ? "[]" : run.output());
      }
    } catch (JsonProcessingException e) {
      throw new CommandException(ExitCode.REFUSED, "ip speaks no JSON: " + e.getMessage(), e);
    }
    throw new CommandException(
        ExitCode.REFUSED, String.join(" ", command) + ": " + run.line() + " (package iproute2)");
  }

  private static CommandException wrong(String text) {
    return new CommandException(ExitCode.USAGE, text);
  }
}
