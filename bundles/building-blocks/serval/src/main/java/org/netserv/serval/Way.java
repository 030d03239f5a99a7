// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.util.ArrayList;
import java.util.List;

/**
 * The way of a SYN over service routers, from SOURCE or HOPS.
 *
 * @param hops the client, then each SAL hop; empty if the packet came straight
 * @param inHops the list lies in HOPS, with ports and both families
 */
public record Way(List<Endpoint> hops, boolean inHops) {
  public static final Way STRAIGHT = new Way(List.of(), false);

  /** Returns the way of a packet. An address from SOURCE has port 0. */
  public static Way get(SalPacket packet) {
    int count = HopList.count(packet);
    boolean inHops = count > 0;
    count = inHops ? count : SourceList.count(packet);
    if (count == 0) {
      return STRAIGHT;
    }
    List<Endpoint> hops = new ArrayList<>(count + 1);
    for (int i = 0; i < count; i++) {
      hops.add(inHops ? HopList.hop(packet, i) : Endpoint.ofIpv4(SourceList.address(packet, i), 0));
    }
    return new Way(List.copyOf(hops), inHops);
  }

  public boolean isStraight() {
    return hops.isEmpty();
  }

  /** Tells whether the list has no room for another address. */
  public boolean isFull() {
    return hops.size() >= (inHops ? HopList.MOST : SourceList.MOST);
  }

  /** Returns the last address, with its port only if the list has ports. */
  public Endpoint last(int port) {
    Endpoint last = hops.get(hops.size() - 1);
    return inHops ? last : new Endpoint(last.high(), last.low(), port);
  }

  /**
   * Returns the client. A router that keeps the IP source leaves the client there. A router that
   * sends from its own address is the last hop in HOPS, and the client is the first one.
   *
   * @param sender the source of the packet
   */
  public Endpoint client(Endpoint sender) {
    return isFrom(sender) ? hops.get(0) : sender;
  }

  /**
   * Returns the client of a packet that a router has sent from its own address. That router may
   * have another address in the list, if a NAT or a container lies between.
   *
   * @param sender the router's socket
   */
  public Endpoint first(Endpoint sender) {
    return inHops && hops.size() > 1 ? hops.get(0) : sender;
  }

  /** Tells whether a sender is the last router of the list, and no client. */
  public boolean isFrom(Endpoint sender) {
    return inHops && hops.size() > 1 && hops.get(hops.size() - 1).isSocketOf(sender);
  }

  /** Returns the way with one more address. A straight way stays as it is. */
  public Way with(Endpoint own) {
    if (isStraight() || isFull() || (!inHops && !own.isIpv4())) {
      return this;
    }
    List<Endpoint> longer = new ArrayList<>(hops);
    longer.add(own);
    return new Way(List.copyOf(longer), inHops);
  }

  /** Adds the list to a header. A straight way has none. */
  public void put(SalWriter writer) {
    if (inHops) {
      HopList.put(writer, hops);
    } else if (!isStraight()) {
      SourceList.put(writer, hops.stream().mapToInt(Endpoint::ipv4).toArray());
    }
  }
}
