// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.util.List;
import org.netserv.serval.Ability;
import org.netserv.serval.host.HostLimits;
import org.netserv.serval.stream.StreamSettings;
import org.netserv.serval.table.TableLimits;

/**
 * The settings of an endpoint.
 *
 * @param routers each gets all registrations. SYNs and datagrams for which the service table has no
 *     other rule go to any of them, and a SYN that is sent again to another one, perhaps
 * @param longest payload of a datagram in bytes, 1 to {@link #MOST}. On a flow 1,400 fit into one
 *     packet of Ethernet. An unconnected datagram has 72 bytes more of header
 * @param abilities {@link Ability}, 0 to be as the published stack
 * @param flows bounds of flows
 * @param rules bounds of the service table
 * @param streams segments and buffers of streams
 */
public record EndpointSettings(
    List<Router> routers,
    int longest,
    int abilities,
    HostLimits flows,
    TableLimits rules,
    StreamSettings streams) {
  /** The longest payload that a UDP datagram of IPv4 has room for, beside two serviceIDs. */
  public static final int MOST = 65_507 - 84 - UdpHeader.LENGTH;

  public static final EndpointSettings DEFAULT =
      new EndpointSettings(
          List.of(),
          1_400,
          Ability.EXTENSIONS.bit() | Ability.HOPS.bit(),
          HostLimits.DEFAULT,
          TableLimits.DEFAULT,
          StreamSettings.DEFAULT);

  /** Checks the longest payload. */
  public EndpointSettings {
    routers = List.copyOf(routers);
    if (longest < 1 || longest > MOST) {
      throw new IllegalArgumentException("longest payload: " + longest);
    }
  }

  /** Returns the settings with other routers. */
  public EndpointSettings with(Router... others) {
    return new EndpointSettings(List.of(others), longest, abilities, flows, rules, streams);
  }

  /** Returns the settings with others of streams. */
  public EndpointSettings with(StreamSettings other) {
    return new EndpointSettings(routers, longest, abilities, flows, rules, other);
  }
}
