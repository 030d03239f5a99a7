// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.netserv.sip.IpLiteral;

/**
 * The destinations that the publisher's policy lets the module reach over UDP, as the node gives
 * them in the property {@code netserv.connect}: {@code udp/192.0.2.10/32/5060-5061}, separated by
 * blanks. An element that is not of this form grants nothing.
 */
final class Grants {
  static final String CONNECT = "netserv.connect";

  private static final int MAPPED_BITS = 96;

  private record Rule(boolean ipv4, long high, long low, int bits, int first, int last) {
    boolean covers(Server server) {
      return server.isIpv4() == ipv4
          && server.port() >= first
          && server.port() <= last
          && same(high, server.high(), Math.min(bits, 64))
          && same(low, server.low(), Math.max(bits - 64, 0));
    }

    private static boolean same(long one, long other, int bits) {
      return bits == 0 || (one ^ other) >>> (64 - bits) == 0;
    }
  }

  private final List<Rule> rules = new ArrayList<>();

  Grants(List<String> elements) {
    elements.forEach(this::add);
  }

  private void add(String element) {
    String[] parts = element.split("/", -1);
    if (parts.length != 4
        || !parts[0].equals("udp")
        || !parts[2].matches("[0-9]{1,3}")
        || !parts[3].matches("[0-9]{1,5}(-[0-9]{1,5})?")) {
      return;
    }
    ByteBuffer bytes = ByteBuffer.wrap(parts[1].getBytes(StandardCharsets.UTF_8));
    IpLiteral address = new IpLiteral();
    address.reset(bytes, 0, bytes.limit());
    String[] ports = parts[3].split("-", -1);
    int bits = Integer.parseInt(parts[2]) + (address.family() == 4 ? MAPPED_BITS : 0);
    if (address.family() != 0 && bits <= 128) {
      rules.add(
          new Rule(
              address.family() == 4,
              address.high(),
              address.low(),
              bits,
              Integer.parseInt(ports[0]),
              Integer.parseInt(ports[ports.length - 1])));
    }
  }

  boolean isEmpty() {
    return rules.isEmpty();
  }

  boolean cover(Server server) {
    return rules.stream().anyMatch(rule -> rule.covers(server));
  }
}
