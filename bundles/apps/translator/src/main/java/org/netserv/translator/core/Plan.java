// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.core;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.netserv.serval.ServiceId;

/**
 * The work of a translator.
 *
 * @param host the end of Serval
 * @param toServal services by the destination of TCP connections
 * @param fromServal TCP servers by service
 * @param names that DNS answers
 */
public record Plan(
    Host host,
    Map<Destination, ServiceId> toServal,
    Map<ServiceId, InetSocketAddress> fromServal,
    Names names,
    Limits limits) {

  /** Copies the maps. */
  public Plan {
    toServal = Map.copyOf(toServal);
    fromServal = Map.copyOf(fromServal);
  }

  /**
   * The module as a host of Serval.
   *
   * @param bind the address of its socket
   * @param address by which others know it
   * @param router gets registrations and SYNs
   * @param routerId the router's own serviceID
   */
  public record Host(
      InetSocketAddress bind,
      InetSocketAddress address,
      InetSocketAddress router,
      ServiceId routerId) {}

  /**
   * A destination of TCP connections.
   *
   * @param address null for any
   */
  public record Destination(InetAddress address, int port) {}

  /** Returns the service of connections to an address, or null. An address goes before any. */
  public ServiceId service(InetSocketAddress to) {
    ServiceId own = toServal.get(new Destination(to.getAddress(), to.getPort()));
    return own == null ? toServal.get(new Destination(null, to.getPort())) : own;
  }

  /** Returns the ports to listen on, in order. */
  public List<Integer> ports() {
    return toServal.keySet().stream().map(Destination::port).distinct().sorted().toList();
  }
}
