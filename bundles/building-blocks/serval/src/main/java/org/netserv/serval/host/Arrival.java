// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;

/**
 * A packet that has come to a host, with its addresses and the time. The caller fills the same
 * arrival again for each packet, so that data allocate nothing. It holds until then.
 */
public final class Arrival {
  private final SalPacket packet;
  private Endpoint source;
  private Endpoint sender;
  private Endpoint destination;
  private Endpoint local;
  private long time;

  /** Makes the arrivals of a view. */
  public Arrival(SalPacket packet) {
    this.packet = packet;
  }

  /**
   * Takes the addresses of the packet to which the view points now.
   *
   * @param from the address and port that the packet came from
   * @param to the address to which the packet came: of this host, of a group, or for broadcast
   * @param at the address of the interface, from which this host answers. It is {@code to} unless
   *     that is a group or broadcast address
   */
  public Arrival set(Endpoint from, Endpoint to, Endpoint at, long now) {
    source = from;
    sender = from;
    destination = to;
    local = at;
    time = now;
    return this;
  }

  /** Returns the packet. */
  public SalPacket packet() {
    return packet;
  }

  /** Returns the address and port that the packet came from. */
  public Endpoint source() {
    return source;
  }

  /** Notes the router that has sent the packet for its source. */
  public Arrival by(Endpoint router) {
    sender = router;
    return this;
  }

  /** Returns the socket that has sent the packet: the source, or a router. */
  Endpoint sender() {
    return sender;
  }

  /** Returns the address of this host, from which an answer leaves. */
  public Endpoint local() {
    return local;
  }

  /** Returns the time in milliseconds. */
  public long time() {
    return time;
  }

  /** Tells whether the packet came to a group or a broadcast address. */
  public boolean isForMany() {
    return !destination.hasAddressOf(local);
  }
}
