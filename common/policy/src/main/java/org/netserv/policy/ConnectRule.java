// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import org.netserv.values.BadValueException;
import org.netserv.values.PortRange;
import org.netserv.values.Prefix;
import org.netserv.values.Protocols;

/**
 * Permitted connections of a container, outgoing or incoming: {@code
 * udp/198.51.100.0/24/9000-9010}; protocol tcp or udp.
 *
 * @param protocol {@link Protocols#TCP} or {@link Protocols#UDP}
 */
public record ConnectRule(int protocol, Prefix prefix, PortRange ports) {

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
    return new ConnectRule(
        protocol,
        Prefix.parse(text.substring(first + 1, last)),
        PortRange.parse(text.substring(last + 1)));
  }

  /** Tells whether some packet goes to both. */
  boolean overlaps(ConnectRule other) {
    return protocol == other.protocol
        && prefix.overlaps(other.prefix)
        && ports.overlaps(other.ports);
  }

  /**
   * Returns the form that {@link #parse} reads back, which is also the form of the spawner's keys
   * {@code connect} and {@code listen}.
   */
  @Override
  public String toString() {
    return Protocols.print(protocol) + "/" + prefix + "/" + ports;
  }
}
