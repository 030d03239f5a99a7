// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.module.ModuleProperties;
import org.netserv.serval.Endpoint;

/**
 * The addresses at which the network reaches the module, as the node's policy has them: {@code
 * udp/203.0.113.1/32/54325}, with the module's own port behind a colon if that is another one.
 * Counts the elements of one UDP port on one address.
 *
 * @param addresses the first one of each family
 * @param port the module's own port, 0 if there is no such element
 */
record Reached(List<Endpoint> addresses, int port) {
  /** The property by which the node tells them. */
  static final String PROPERTY = "netserv.listen";

  private static final Pattern ONE_PORT =
      Pattern.compile("udp/([0-9.]+|[0-9a-fA-F:]+)/(32|128)/([0-9]{1,5})(?::([0-9]{1,5}))?");

  static Reached of(ModuleProperties properties) {
    List<Endpoint> addresses = new ArrayList<>();
    int inside = 0;
    for (String element : properties.list(PROPERTY, "")) {
      Matcher parts = ONE_PORT.matcher(element);
      if (!parts.matches() || parts.group(1).contains(":") != parts.group(2).equals("128")) {
        continue;
      }
      int port = port(parts.group(4) == null ? parts.group(3) : parts.group(4));
      boolean six = parts.group(1).contains(":");
      String host = six ? "[" + parts.group(1) + "]" : parts.group(1);
      Endpoint address = RuleText.endpoint(PROPERTY, host + ":" + port(parts.group(3)));
      boolean first = addresses.stream().allMatch(other -> other.isIpv4() != address.isIpv4());
      if (first && (inside == 0 || inside == port)) {
        inside = port;
        addresses.add(address);
      }
    }
    return new Reached(List.copyOf(addresses), inside);
  }

  private static int port(String text) {
    return ModuleProperties.number(PROPERTY, text, 1, 0xffff);
  }
}
