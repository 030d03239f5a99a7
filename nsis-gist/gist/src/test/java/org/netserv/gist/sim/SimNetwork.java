// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.sim;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.netserv.gist.wire.MessageType;

/**
 * A network in one thread and in virtual time.
 *
 * <ul>
 *   <li>{@link #line} makes hosts in a row, {@link #host} and {@link #link} any topology. Packets
 *       take the shortest way over links that are up. {@link SimLink#up} false makes a route
 *       change.
 *   <li>A host is a plain router or end host until it {@link SimHost#start starts} a GIST node with
 *       its applications. {@link SimHost#restart} forgets everything, with a new peer identity.
 *   <li>Links have delay, and lose, duplicate and reorder datagrams as {@link SimLink} says, all
 *       from one seed. Connections ({@link SimConnections}) are reliable and can be cut.
 *   <li>Q-mode messages are intercepted where GIST runs. Hosts without it answer datagrams to
 *       themselves with ICMP port unreachable, unless {@link SimHost#silent}.
 *   <li>{@link SimHost#nat} translates the source of packets that leave by a link.
 *   <li>{@link #seen} has every datagram as it was sent, {@link SimApplication} the events that an
 *       application heard.
 * </ul>
 *
 * Each link has its own pair of addresses: the n-th link 10.n.0.1 and 10.n.0.2, and 2001:db8:n::1
 * and ::2.
 */
public final class SimNetwork {
  public final SimClock clock = new SimClock();
  public final Random random;
  public final List<SimPacket> seen = new ArrayList<>();
  private final Map<String, SimHost> hosts = new LinkedHashMap<>();
  private final List<SimLink> links = new ArrayList<>();
  private final Map<InetAddress, SimHost> owners = new HashMap<>();

  public SimNetwork(long seed) {
    random = new Random(seed);
  }

  /** Makes hosts of these names, each linked with the next. */
  public static SimNetwork line(long seed, String... names) {
    SimNetwork network = new SimNetwork(seed);
    for (int i = 0; i < names.length; i++) {
      network.host(names[i]);
      if (i > 0) {
        network.link(names[i - 1], names[i]);
      }
    }
    return network;
  }

  /** Returns the host of that name, new or known. */
  public SimHost host(String name) {
    return hosts.computeIfAbsent(name, n -> new SimHost(n, this));
  }

  public SimLink link(String one, String other) {
    SimLink link = new SimLink(links.size() + 1, host(one), host(other));
    links.add(link);
    for (SimHost end : List.of(link.one, link.other)) {
      end.links.add(link);
      owners.put(link.address(end, 4), end);
      owners.put(link.address(end, 6), end);
    }
    return link;
  }

  public SimLink linkBetween(String one, String other) {
    return links.stream()
        .filter(l -> l.has(host(one)) && l.has(host(other)))
        .findFirst()
        .orElseThrow();
  }

  /** Gives all links these properties from now on. */
  public void impair(double loss, double duplicate, long jitter) {
    for (SimLink link : links) {
      link.loss = loss;
      link.duplicate = duplicate;
      link.jitter = jitter;
    }
  }

  public static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Returns the number of messages of that type that were sent as datagrams so far. */
  public long sent(MessageType type) {
    return seen.stream().filter(p -> (p.payload()[10] & 0x7f) == type.code()).count();
  }

  SimHost owner(InetAddress address) {
    return owners.get(address);
  }

  /** Returns the link by which packets from here to there leave; null = no way. */
  SimLink route(SimHost from, InetAddress destination) {
    SimHost to = owners.get(destination);
    Map<SimHost, SimLink> first = new HashMap<>();
    ArrayDeque<SimHost> reached = new ArrayDeque<>(List.of(from));
    while (!reached.isEmpty() && to != null && from != to) {
      SimHost here = reached.remove();
      for (SimLink link : here.links) {
        SimHost next = link.peer(here);
        boolean avoided = here.avoids.contains(next) && next != to;
        if (link.up && next != from && !avoided && !first.containsKey(next)) {
          first.put(next, here == from ? link : first.get(here));
          reached.add(next);
        }
      }
    }
    return first.get(to);
  }

  /** Sends a packet that was made by this host. */
  void send(SimHost from, SimPacket packet) {
    seen.add(packet);
    SimHost owner = owners.get(packet.destination());
    if (owner == from) {
      clock.schedule(0, () -> from.arrive(packet, null));
    } else {
      forward(from, packet);
    }
  }

  /** Sends a packet on to the next host, with the link's effects. */
  void forward(SimHost from, SimPacket packet) {
    SimLink link = route(from, packet.destination());
    if (link == null || packet.ttl() < 1) {
      return;
    }
    SimPacket leaving = from.translate(packet, link);
    int copies = random.nextDouble() < link.duplicate ? 2 : 1;
    for (int i = 0; i < copies; i++) {
      if (random.nextDouble() >= link.loss) {
        long delay = link.delay + (link.jitter == 0 ? 0 : random.nextLong(link.jitter));
        clock.schedule(delay, () -> link.peer(from).arrive(leaving, link));
      }
    }
  }

  /**
   * Returns the milliseconds that a packet takes from here to there without jitter; -1 = no way.
   */
  long distance(SimHost from, InetAddress destination) {
    long sum = 0;
    SimHost here = from;
    while (here != owners.get(destination)) {
      SimLink link = route(here, destination);
      if (link == null) {
        return -1;
      }
      sum += link.delay;
      here = link.peer(here);
    }
    return sum;
  }
}
