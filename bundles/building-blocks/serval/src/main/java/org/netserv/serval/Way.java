// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.util.ArrayList;
import java.util.List;

/**
 * The way of a SYN over service routers, from SOURCE or HOPS, and the way of its answer.
 *
 * @param hops the client, then each SAL hop; empty if the packet came straight
 * @param inHops the list lies in HOPS, with ports and both families
 * @param tickets of {@link TicketList}; null if the client does not ask for an answer by the
 *     routers
 * @param back the sender of the SYN, to which the answer goes because each router has given a
 *     ticket; null if it goes to the client
 */
public record Way(List<Endpoint> hops, boolean inHops, List<Long> tickets, Endpoint back) {
  public static final Way STRAIGHT = new Way(List.of(), false);

  /** Of the SYN of a client that asks for an answer by the routers. */
  public static final Way ASKING = new Way(List.of(), false, List.of(), null);

  public Way(List<Endpoint> hops, boolean inHops) {
    this(hops, inHops, null, null);
  }

  /** Returns the way of a packet. An address from SOURCE has port 0. */
  public static Way get(SalPacket packet) {
    int count = HopList.count(packet);
    boolean inHops = count > 0;
    count = inHops ? count : SourceList.count(packet);
    List<Long> tickets = TicketList.get(packet);
    if (count == 0) {
      return tickets == null ? STRAIGHT : new Way(List.of(), false, tickets, null);
    }
    List<Endpoint> hops = new ArrayList<>(count + 1);
    for (int i = 0; i < count; i++) {
      hops.add(inHops ? HopList.hop(packet, i) : Endpoint.ofIpv4(SourceList.address(packet, i), 0));
    }
    return new Way(List.copyOf(hops), inHops, tickets, null);
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

  /** Returns the number of routers in HOPS. */
  public int routers() {
    return inHops ? hops.size() - 1 : 0;
  }

  /** Tells whether the client asks for an answer by the routers, and each has given a ticket. */
  public boolean hasAllTickets() {
    return tickets != null && tickets.size() == routers() && (inHops || isStraight());
  }

  /**
   * Returns the way of an answer: to the sender of the SYN if each router on the way has given a
   * ticket, else to the client.
   */
  public Way answeredTo(Endpoint sender) {
    boolean byRouters = hasAllTickets() && routers() > 0;
    return new Way(hops, inHops, byRouters ? tickets : null, byRouters ? sender : null);
  }

  /** Returns the way with one more address. A straight way stays as it is. */
  public Way with(Endpoint own) {
    if (isStraight() || isFull() || (!inHops && !own.isIpv4())) {
      return this;
    }
    List<Endpoint> longer = new ArrayList<>(hops);
    longer.add(own);
    return new Way(List.copyOf(longer), inHops, tickets, back);
  }

  /** Adds the lists to a header. A straight way has none. */
  public void put(SalWriter writer) {
    if (inHops) {
      HopList.put(writer, hops);
    } else if (!isStraight()) {
      SourceList.put(writer, hops.stream().mapToInt(Endpoint::ipv4).toArray());
    }
    if (tickets != null) {
      TicketList.put(writer, tickets);
    }
  }
}
