// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import org.netserv.values.BadValueException;
import org.netserv.values.Numbers;
import org.netserv.values.PortRange;
import org.netserv.values.Prefix;
import org.netserv.values.Protocols;

/**
 * Permitted connections of a container, outgoing or incoming: {@code
 * udp/198.51.100.0/24/9000-9010}; protocol tcp or udp. An incoming one of a single port may lead to
 * another port of the container: {@code udp/192.0.2.1/32/3478:13478}.
 *
 * @param protocol {@link Protocols#TCP} or {@link Protocols#UDP}
 * @param inside the container's port, 1 to 65535; 0 = the same ports
 */
public record ConnectRule(int protocol, Prefix prefix, PortRange ports, int inside) {

  public static ConnectRule parse(String text) throws BadValueException {
    int first = text.indexOf('/');
    int last = text.lastIndexOf('/');
    if (first < 0 || last == first || text.indexOf('/', first + 1) == last) {
      throw new BadValueException("not of the form udp/198.51.100.0/24/9000-9010");
    }
    int protocol = Protocols.parse(text.substring(0, first));
    if (protocol != Protocols.TCP && protocol != Protocols.UDP) {
      throw new BadValueException("connections are tcp or udp, not " + text.substring(0, first));
    }
    int colon = text.indexOf(':', last);
    PortRange ports = PortRange.parse(text.substring(last + 1, colon < 0 ? text.length() : colon));
    return new ConnectRule(
        protocol,
        Prefix.parse(text.substring(first + 1, last)),
        ports,
        colon < 0 ? 0 : inside(ports, text.substring(colon + 1)));
  }

  private static int inside(PortRange outside, String text) throws BadValueException {
    if (outside.first() != outside.last()) {
      throw new BadValueException("only a single port leads to another one inside");
    }
    return Numbers.inRange(text, 1, PortRange.MAX, "a port");
  }

  /** Returns the container's port for a rule of a single port. */
  int portInside() {
    return inside == 0 ? ports.first() : inside;
  }

  /** Tells whether some packet goes to both. */
  boolean overlaps(ConnectRule other) {
    return protocol == other.protocol
        && prefix.overlaps(other.prefix)
        && ports.overlaps(other.ports);
  }

  /**
   * Returns the form that {@link #parse} reads back, which is also the form of the spawner's keys
   * {@code connect}, {@code listen} and {@code take}.
   */
  @Override
  public String toString() {
    String outside = Protocols.print(protocol) + "/" + prefix + "/" + ports;
    return inside == 0 ? outside : outside + ":" + inside;
  }
}
