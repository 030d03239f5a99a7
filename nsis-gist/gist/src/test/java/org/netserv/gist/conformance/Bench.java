// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.netserv.gist.GistCounters;
import org.netserv.gist.SendRequest;
import org.netserv.gist.association.AssociationCounters;
import org.netserv.gist.association.AssociationTable;
import org.netserv.gist.node.GistNode;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.IcmpError;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.port.OutboundDatagram;

/**
 * One complete node, with the test on the other side of its ports.
 *
 * <pre>
 *   flow source      peer west        node under test      peer east      flow destination
 *   10.0.0.9         10.0.1.7         10.0.1.1  10.0.2.1   10.0.2.7       10.0.9.9
 *                                     if 1      if 2
 * </pre>
 *
 * IPv6 the same: 2001:db8:0::9, 2001:db8:1::7, 2001:db8:1::1, 2001:db8:2::1, ...
 */
final class Bench implements DatagramPort, LocalNetwork {
  static final int NSLP = 0x7fc6;
  static final int ROUTER_ALERT = 0xffdf;
  static final int SOURCE_PORT = 0x9c40;
  static final String IDENTITY = "cafe0001";

  final Clock clock = new Clock();
  final GistCounters counters = new GistCounters();
  final AssociationCounters associationCounters = new AssociationCounters();
  final App app = new App(NSLP, ROUTER_ALERT);

  /** Datagrams that the node sent, in order. */
  final List<OutboundDatagram> sent = new ArrayList<>();

  /** Verdicts on intercepted packets, in order: "forward", "taken", or the new payload. */
  final List<String> verdicts = new ArrayList<>();

  /** Our addresses in addition to the addresses of the interfaces. */
  final Set<InetAddress> more = new HashSet<>();

  final Map<Integer, Integer> mtus = new HashMap<>(Map.of(1, 1500, 2, 1500));
  final Wires wires;
  final GistNode node;
  private Listener listener;
  private long tokens;

  Bench() {
    this(new Tuning());
  }

  Bench(Tuning tuning) {
    SecureRandom random = new Seeded(tuning.seed);
    wires = new Wires(tuning.stacks, clock);
    AssociationTable associations =
        new AssociationTable(tuning.settings(), wires, clock, random, associationCounters);
    node =
        new GistNode(
            tuning.settings(),
            Bytes.of(IDENTITY),
            this,
            this,
            associations,
            clock,
            random,
            counters);
    node.register(app);
  }

  static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Intercepts a Query of the peer in the west, downstream, with the flow's source. */
  void query(String message) {
    intercept("10.0.0.9", "10.0.9.9", 61, ROUTER_ALERT, 1, Bytes.MAGIC + message);
  }

  /** Intercepts any packet to port 270 that passes through. */
  void intercept(
      String source, String destination, int ttl, int routerAlert, int in, String payload) {
    InetAddress to = address(destination);
    receive(
        new InboundDatagram(
            ++tokens,
            address(source),
            SOURCE_PORT,
            to,
            270,
            ttl,
            0,
            0,
            routerAlert,
            in,
            isLocal(to),
            Bytes.of(payload)));
  }

  /** Receives a datagram to our port in normal encapsulation. */
  void direct(String source, String destination, String message) {
    direct(source, 270, destination, 270, message);
  }

  void direct(String source, int from, String destination, int to, String message) {
    receive(
        new InboundDatagram(
            0,
            address(source),
            from,
            address(destination),
            to,
            61,
            0,
            0,
            -1,
            interfaceTowards(address(source)),
            true,
            Bytes.of(Bytes.MAGIC + message)));
  }

  void receive(InboundDatagram datagram) {
    listener.received(datagram);
    clock.advance(0);
  }

  void icmp(IcmpError error) {
    listener.icmp(error);
    clock.advance(0);
  }

  /** Sends a request as the node's application. */
  void send(SendRequest request) {
    node.sendMessage(request);
    clock.advance(0);
  }

  void tooBig(OutboundDatagram datagram, int mtu) {
    listener.failed(datagram, "message too long", mtu);
    clock.advance(0);
  }

  /** Returns the datagrams sent since the last call, taken apart. */
  List<Seen> take() {
    List<Seen> seen = sent.stream().map(d -> Seen.datagram(d.payload())).toList();
    sent.clear();
    return seen;
  }

  /** Returns the only datagram sent since the last call. */
  Seen one() {
    List<Seen> seen = take();
    if (seen.size() != 1) {
      throw new AssertionError("one datagram expected: " + seen);
    }
    return seen.get(0);
  }

  @Override
  public void send(OutboundDatagram datagram) {
    sent.add(datagram);
  }

  @Override
  public void forward(long token) {
    verdicts.add("forward");
  }

  @Override
  public void forward(long token, byte[] payload) {
    verdicts.add(Bytes.hex(payload));
  }

  @Override
  public void consume(long token) {
    verdicts.add("taken");
  }

  @Override
  public void listen(Listener who) {
    listener = who;
  }

  @Override
  public boolean isLocal(InetAddress address) {
    return more.contains(address)
        || addressOf(1, version(address)).equals(Optional.of(address))
        || addressOf(2, version(address)).equals(Optional.of(address));
  }

  @Override
  public Optional<InetAddress> addressTowards(InetAddress destination) {
    return addressOf(interfaceTowards(destination), version(destination));
  }

  @Override
  public Optional<InetAddress> addressOf(int interfaceIndex, int ipVersion) {
    if (interfaceIndex < 1 || interfaceIndex > 2) {
      return Optional.empty();
    }
    String text =
        ipVersion == 4 ? "10.0." + interfaceIndex + ".1" : "2001:db8:" + interfaceIndex + "::1";
    return Optional.of(address(text));
  }

  /**
   * Returns 1 for 10.0.0.0/23 and 2001:db8:0::/47, which are west, and 2 for the rest, which is
   * east.
   */
  @Override
  public int interfaceTowards(InetAddress destination) {
    byte[] bytes = destination.getAddress();
    boolean west = bytes.length == 4 ? bytes[0] == 10 && bytes[2] < 2 : bytes[5] < 2;
    return west ? 1 : 2;
  }

  @Override
  public int mtu(int interfaceIndex) {
    return mtus.getOrDefault(interfaceIndex, 0);
  }

  private static int version(InetAddress address) {
    return address.getAddress().length == 4 ? 4 : 6;
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
