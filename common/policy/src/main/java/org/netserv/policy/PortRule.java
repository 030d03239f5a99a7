// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import org.netserv.values.BadValueException;
import org.netserv.values.PortRange;
import org.netserv.values.Protocols;

/**
 * Protocol and ports a publisher may filter: {@code udp/5060-5061}, {@code tcp} (all its ports),
 * {@code icmp}, {@code 132}, {@code any}.
 *
 * @param protocol IP protocol number, 0 = any
 * @param ports null = all, or a protocol without ports
 */
public record PortRule(int protocol, PortRange ports) {
  private static final String ANY = "any";

  public static PortRule parse(String text) throws BadValueException {
    if (text.equals(ANY)) {
      return new PortRule(0, null);
    }
    int slash = text.indexOf('/');
    int protocol = Protocols.parse(slash < 0 ? text : text.substring(0, slash));
    if (slash < 0) {
      return new PortRule(protocol, null);
    }
    if (!Protocols.hasPorts(protocol)) {
      throw new BadValueException(Protocols.print(protocol) + " has no ports");
    }
    return new PortRule(protocol, PortRange.parse(text.substring(slash + 1)));
  }

  /**
   * True when every packet of the protocol (0 = any) and ports (null = all) is one of this rule's.
   */
  public boolean permits(int otherProtocol, PortRange otherPorts) {
    return (protocol == 0 || protocol == otherProtocol)
        && (ports == null || (otherPorts != null && ports.contains(otherPorts)));
  }

  /** The form {@link #parse} reads back. */
  @Override
  public String toString() {
    return (protocol == 0 ? ANY : Protocols.print(protocol)) + (ports == null ? "" : "/" + ports);
  }
}
