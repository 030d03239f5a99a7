// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.module.ModuleProperties;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.Addresses;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.Target;

/**
 * The text of rules, prefixes and addresses in properties. Each reader throws an
 * IllegalArgumentException that begins with the name of the property.
 *
 * <pre>
 *   rule    PREFIX=ADDRESS:PORT[*WEIGHT][@PRIORITY]   PREFIX=delay[@PRIORITY]   PREFIX=drop[@PRIORITY]
 *   PREFIX  DIGITS[/BITS] or default
 * </pre>
 */
final class RuleText {
  private static final Pattern RULE =
      Pattern.compile("([^=]*)=([^*@]*)(?:\\*([^*@]*))?(?:@([^*@]*))?");

  private static final Pattern PREFIX = Pattern.compile("([0-9a-fA-F]{1,64})(?:/([0-9]{1,3}))?");

  private static final int PRIORITY_MOST = 1_000_000;

  private RuleText() {}

  static Rule rule(String name, String text) {
    Matcher parts = RULE.matcher(text);
    if (!parts.matches()) {
      throw wrong(name, "not PREFIX=TARGET[*WEIGHT][@PRIORITY]", text);
    }
    RuleAction action =
        switch (parts.group(2)) {
          case "delay" -> RuleAction.DELAY;
          case "drop" -> RuleAction.DROP;
          default -> RuleAction.FORWARD;
        };
    boolean forwards = action == RuleAction.FORWARD;
    if (!forwards && parts.group(3) != null) {
      throw wrong(name, "a weight without an address", text);
    }
    return new Rule(
        prefix(name, parts.group(1)),
        action,
        forwards ? Target.address(endpoint(name, parts.group(2))) : Target.NONE,
        new Rank(0, number(name, parts.group(4), 0, PRIORITY_MOST)),
        number(name, parts.group(3), 1, Rule.MOST_WEIGHT),
        new Origin(Origin.Kind.MODULE, text),
        Rule.FOREVER);
  }

  private static int number(String name, String text, int absent, int most) {
    return text == null ? absent : ModuleProperties.number(name, text, 0, most);
  }

  static ServicePrefix prefix(String name, String text) {
    if (text.equals("default")) {
      return ServicePrefix.DEFAULT;
    }
    Matcher parts = PREFIX.matcher(text);
    if (!parts.matches()) {
      throw wrong(name, "not DIGITS[/BITS] or default", text);
    }
    ServiceId id = ServiceId.parse(parts.group(1));
    int digits = parts.group(1).length();
    int bits =
        parts.group(2) == null
            ? digits * 4
            : ModuleProperties.number(name, parts.group(2), 1, ServiceId.BITS);
    ServicePrefix prefix = new ServicePrefix(id, bits);
    if (!prefix.id().equals(id)) {
      throw wrong(name, "digits behind the bits of the prefix", text);
    }
    return prefix;
  }

  /** Reads {@code 192.0.2.1:PORT} or {@code [2001:db8::1]:PORT}. */
  static Endpoint endpoint(String name, String text) {
    return endpoint(socket(name, text));
  }

  /** Reads an address as {@link #endpoint(String, String)} does. */
  static InetSocketAddress socket(String name, String text) {
    InetSocketAddress address = new ModuleProperties(Map.of(name, text)).address(name);
    if (address == null) {
      throw wrong(name, "not ADDRESS:PORT or [IPv6]:PORT", text);
    }
    return address;
  }

  static Endpoint endpoint(InetSocketAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress().getAddress());
    return bytes.capacity() == Integer.BYTES
        ? Endpoint.ofIpv4(bytes.getInt(), address.getPort())
        : new Endpoint(bytes.getLong(), bytes.getLong(), address.getPort());
  }

  /** Returns the text of an address, as {@link #endpoint(String, String)} reads it. */
  static String text(Endpoint endpoint) {
    String host = Addresses.socketAddress(endpoint).getAddress().getHostAddress();
    return (endpoint.isIpv4() ? host : "[" + host + "]") + ":" + endpoint.port();
  }

  private static IllegalArgumentException wrong(String name, String reason, String text) {
    return new IllegalArgumentException(name + ": " + reason + ": " + text);
  }
}
