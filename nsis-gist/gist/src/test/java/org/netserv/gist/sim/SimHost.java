// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.sim;

import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.SignalingApplication;
import org.netserv.gist.association.AssociationCounters;
import org.netserv.gist.association.AssociationTable;
import org.netserv.gist.node.GistNode;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.IcmpError;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.port.OutboundDatagram;
import org.netserv.gist.wire.Magic;

/** A host: a router without GIST until it is started with it. */
public final class SimHost implements LocalNetwork {
  public final String name;
  final SimNetwork network;
  final List<SimLink> links = new ArrayList<>();

  /** When true, the host answers with no ICMP error. */
  public boolean silent;

  /** Hosts to which this one sends only what is for them, as a route of an operator may say. */
  public final Set<SimHost> avoids = new HashSet<>();

  /** When true, a restart keeps the peer identity, like an identity from a key in a file. */
  public boolean keepsIdentity;

  /** Makes the application of each start. Without it, {@link #application} is made. */
  public Function<SimHost, SignalingApplication> hosted;

  public GistNode node;
  public GistCounters counters;
  public AssociationTable associations;
  public AssociationCounters associationCounters;
  public SimApplication application;
  public SimConnections connections;
  private Port port;
  private GistSettings settings;
  private List<List<Integer>> stacks;
  private int generation;
  private SimLink natLink;
  private final Map<Integer, SimPacket> translations = new HashMap<>();

  SimHost(String name, SimNetwork network) {
    this.name = name;
    this.network = network;
  }

  /** Runs a GIST node with one application here, TCP only. */
  public SimHost start(GistSettings with) {
    return start(with, List.of(SimConnections.TCP));
  }

  public SimHost start(GistSettings with, List<List<Integer>> offered) {
    settings = with;
    stacks = offered;
    generation += keepsIdentity && generation > 0 ? 0 : 1;
    counters = new GistCounters();
    associationCounters = new AssociationCounters();
    connections = new SimConnections(this, stacks);
    port = new Port();
    SecureRandom random = new Seeded(network.random.nextLong());
    associations =
        new AssociationTable(settings, connections, network.clock, random, associationCounters);
    byte[] identity = (name + "#" + generation).getBytes(java.nio.charset.StandardCharsets.UTF_8);
    node =
        new GistNode(settings, identity, port, this, associations, network.clock, random, counters);
    application = new SimApplication(this);
    node.register(hosted == null ? application : hosted.apply(this));
    return this;
  }

  /** Ends the process and resets its connections. */
  public void stop() {
    port.dead = true;
    port = null;
    connections.reset("the process died");
    connections = null;
  }

  /** Ends the process and starts it again with another peer identity and without memory. */
  public SimHost restart() {
    stop();
    return start(settings, stacks);
  }

  /**
   * Translates packets that leave by the link to this host. They get its address there as source,
   * and a port.
   */
  public void nat(String towards) {
    natLink = network.linkBetween(name, towards);
  }

  public InetAddress address(int ipVersion) {
    return links.get(0).address(this, ipVersion);
  }

  public InetAddress address() {
    return address(4);
  }

  /** Returns the number of states of both kinds. */
  public long states() {
    return counters.snapshot().get("states-querying")
        + counters.snapshot().get("states-responding");
  }

  public long count(Counter counter) {
    return counters.get(counter);
  }

  // ---- packets

  void arrive(SimPacket packet, SimLink in) {
    SimPacket inside = untranslate(packet);
    boolean local = isLocal(inside.destination());
    if (natLink != null && in == natLink && inside.equals(packet) && !local) {
      return; // from outside, without a mapping
    }
    boolean explicit =
        inside.destinationPort() == 270
            && Magic.startsWith(inside.payload())
            && inside.payload().length > 10
            && inside.payload()[10] < 0;
    if (port != null && explicit) {
      port.intercept(inside, in, local);
    } else if (!local) {
      network.forward(this, inside.hop());
    } else if (port != null) {
      port.deliver(inside, in, 0, true);
    } else if (!silent) {
      unreachable(inside);
    }
  }

  private void unreachable(SimPacket packet) {
    SimHost to = network.owner(packet.source());
    boolean v4 = packet.destination().getAddress().length == 4;
    IcmpError error =
        new IcmpError(
            v4 ? 3 : 1,
            v4 ? 3 : 4,
            0,
            packet.destination(),
            packet.source(),
            packet.sourcePort(),
            packet.destination(),
            packet.destinationPort(),
            packet.payload());
    long delay = to == null ? -1 : network.distance(this, packet.source());
    if (delay >= 0) {
      network.clock.schedule(delay, () -> to.icmp(error));
    }
  }

  private void icmp(IcmpError error) {
    if (port != null) {
      port.listener.icmp(error);
    }
  }

  /** Gives the node a datagram that no host has sent. */
  public void inject(InboundDatagram datagram) {
    port.listener.received(datagram);
  }

  public void inject(IcmpError error) {
    icmp(error);
  }

  // ---- NAT: a packet that leaves makes the mapping, which is by port

  SimPacket translate(SimPacket packet, SimLink link) {
    if (link != natLink || isLocal(packet.source())) {
      return packet;
    }
    for (Map.Entry<Integer, SimPacket> known : translations.entrySet()) {
      SimPacket first = known.getValue();
      if (first.source().equals(packet.source()) && first.sourcePort() == packet.sourcePort()) {
        return packet.from(link.address(this, 4), known.getKey());
      }
    }
    int mapped = 40_000 + translations.size();
    translations.put(mapped, packet);
    return packet.from(link.address(this, 4), mapped);
  }

  private SimPacket untranslate(SimPacket packet) {
    SimPacket first = translations.get(packet.destinationPort());
    return first != null && packet.destination().equals(natLink.address(this, 4))
        ? packet.to(first.source(), first.sourcePort())
        : packet;
  }

  // ---- facts

  @Override
  public boolean isLocal(InetAddress address) {
    return network.owner(address) == this;
  }

  @Override
  public Optional<InetAddress> addressTowards(InetAddress destination) {
    int version = destination.getAddress().length == 4 ? 4 : 6;
    SimLink link = network.route(this, destination);
    return Optional.ofNullable(link).map(l -> l.address(this, version));
  }

  @Override
  public Optional<InetAddress> addressOf(int interfaceIndex, int ipVersion) {
    return links.stream()
        .filter(l -> l.index == interfaceIndex)
        .findFirst()
        .map(l -> l.address(this, ipVersion));
  }

  @Override
  public int interfaceTowards(InetAddress destination) {
    SimLink link = network.route(this, destination);
    return link == null ? 0 : link.index;
  }

  @Override
  public int mtu(int interfaceIndex) {
    return links.stream().filter(l -> l.index == interfaceIndex).mapToInt(l -> l.mtu).sum();
  }

  @Override
  public String toString() {
    return name;
  }

  /** The datagram port; every intercepted packet must get exactly one verdict. */
  private final class Port implements DatagramPort {
    private Listener listener;
    private boolean dead;
    private long tokens;
    private final Map<Long, SimPacket> held = new HashMap<>();
    private final Set<Long> answered = new HashSet<>();

    private void intercept(SimPacket packet, SimLink in, boolean local) {
      long token = ++tokens;
      held.put(token, packet);
      deliver(packet, in, token, local);
      if (held.containsKey(token)) {
        throw new AssertionError(name + " gave no verdict");
      }
    }

    private void deliver(SimPacket packet, SimLink in, long token, boolean local) {
      listener.received(
          new InboundDatagram(
              token,
              packet.source(),
              packet.sourcePort(),
              packet.destination(),
              packet.destinationPort(),
              packet.ttl(),
              packet.trafficClass(),
              packet.flowLabel(),
              packet.routerAlert(),
              in == null ? 0 : in.index,
              local,
              packet.payload()));
    }

    @Override
    public void send(OutboundDatagram datagram) {
      if (!dead) {
        InetAddress own = addressTowards(datagram.destination()).orElse(address());
        network.send(SimHost.this, SimPacket.of(datagram, own));
      }
    }

    private SimPacket verdict(long token) {
      SimPacket packet = held.remove(token);
      if (packet == null || !answered.add(token)) {
        throw new AssertionError(name + " gave a second verdict");
      }
      return packet;
    }

    @Override
    public void forward(long token) {
      network.forward(SimHost.this, verdict(token).hop());
    }

    @Override
    public void forward(long token, byte[] payload) {
      network.forward(SimHost.this, verdict(token).payload(payload).hop());
    }

    @Override
    public void consume(long token) {
      verdict(token);
    }

    @Override
    public void listen(Listener who) {
      listener = who;
    }
  }

  /** Random numbers that are the same each time. */
  private static final class Seeded extends SecureRandom {
    private static final long serialVersionUID = 1;
    private final Random numbers;

    Seeded(long seed) {
      numbers = new Random(seed);
    }

    @Override
    public void nextBytes(byte[] bytes) {
      if (numbers != null) { // while the superclass sets itself up
        numbers.nextBytes(bytes);
      }
    }
  }
}
