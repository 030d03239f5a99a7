// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.netserv.serval.Ability;
import org.netserv.serval.Endpoint;
import org.netserv.serval.Registration;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.ServalError;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.Way;
import org.netserv.serval.endpoint.Addresses;
import org.netserv.serval.endpoint.UdpHeader;
import org.netserv.serval.flow.Flow;
import org.netserv.serval.flow.FlowPort;
import org.netserv.serval.flow.Outgoing;
import org.netserv.serval.host.Arrival;
import org.netserv.serval.host.FlowTable;
import org.netserv.serval.host.HostLimits;
import org.netserv.serval.host.HostVerdict;
import org.netserv.serval.host.Listener;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;
import org.netserv.serval.table.TableLimits;
import org.netserv.serval.table.Target;

/** A host of Serval by UDP, as far as the lab needs one: it sets flows up and carries no data. */
final class ServalHost implements FlowPort, Listener {
  private static final ServiceId ROUTER = ServiceId.parse("00015b38");
  private static final ServiceId HOST = ServiceId.parse("0000d903");
  private static final long SOCKET = 1;
  private static final int ROOM = 2048;

  private final DatagramSocket socket;
  private final Endpoint own;
  private final Endpoint router;
  private final ServiceTable services;
  private final FlowTable flows;
  private final SalPacket packet = new SalPacket();
  private Endpoint sender;
  private Way way = Way.STRAIGHT;

  /**
   * Makes a host.
   *
   * @param own its address and port, 0 for any free port
   * @param router to which its SYNs and registrations go
   */
  ServalHost(InetSocketAddress own, InetSocketAddress router) throws IOException {
    socket = new DatagramSocket(own);
    this.own = Addresses.endpoint(new InetSocketAddress(own.getAddress(), socket.getLocalPort()));
    this.router = Addresses.endpoint(router);
    services = new ServiceTable(TableLimits.DEFAULT, this.own::isSocketOf);
    int abilities = Ability.EXTENSIONS.bit() | Ability.HOPS.bit();
    flows = new FlowTable(services, HostLimits.DEFAULT, new SecureRandom(), abilities, this::send);
    flows.listen(SOCKET, this);
  }

  static long millis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  static String text(Endpoint endpoint) {
    InetSocketAddress address = Addresses.socketAddress(endpoint);
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  /** Takes SYNs for a service from now on. */
  void serve(ServiceId id) {
    Target target = Target.socket(SOCKET);
    Origin origin = new Origin(Origin.Kind.PROCESS, "lab");
    ServicePrefix prefix = ServicePrefix.of(id);
    services.add(
        new Rule(prefix, RuleAction.DEMUX, target, Rank.ZERO, 0, origin, Rule.FOREVER), millis());
  }

  /** Registers a service at the router. */
  void register(ServiceId id) {
    SalWriter writer = begin(0, 0);
    Service.put(writer, ROUTER);
    Service.put(writer, HOST);
    ByteBuffer message = ByteBuffer.allocate(Registration.LENGTH);
    new Registration(false, 1, false, ServicePrefix.of(id), 0).put(message, 0);
    transport(writer.finish(), message.array(), router);
  }

  /** Asks for a flow. {@link #due} asks again. */
  Flow connect(ServiceId id) {
    return flows.connect(id, own, this, millis());
  }

  void due() {
    flows.due(millis());
  }

  /**
   * Waits for a packet, and takes it.
   *
   * @return null if none has come in this time
   */
  HostVerdict take(int millis) throws IOException {
    DatagramPacket datagram = new DatagramPacket(new byte[ROOM], ROOM);
    socket.setSoTimeout(millis);
    try {
      socket.receive(datagram);
    } catch (SocketTimeoutException e) {
      return null;
    }
    ServalError error = packet.reset(ByteBuffer.wrap(datagram.getData()), 0, datagram.getLength());
    if (error != ServalError.OK) {
      throw new IOException(error.text());
    }
    sender = Addresses.endpoint((InetSocketAddress) datagram.getSocketAddress());
    way = Way.get(packet);
    Endpoint from = packet.destinationFlow() == 0 ? way.client(sender) : sender;
    return flows.take(new Arrival(packet).set(from, own, own, millis()));
  }

  /** Returns the UDP source of the last packet. */
  Endpoint sender() {
    return sender;
  }

  /** Returns the list of hops of the last packet. */
  List<Endpoint> hops() {
    return way.hops();
  }

  private static SalWriter begin(int from, int to) {
    return new SalWriter().begin(ByteBuffer.allocate(ROOM), 0, ROOM, from, to, SalPacket.UDP);
  }

  @Override
  public void send(Outgoing outgoing) {
    SalWriter writer =
        outgoing.write(new SalWriter(), ByteBuffer.allocate(ROOM), 0, ROOM, SalPacket.UDP);
    if (outgoing.to() == null) {
      flows.asked(outgoing.message().sourceFlow(), router, 0);
    }
    transport(writer.finish(), new byte[0], outgoing.to() == null ? router : outgoing.to());
  }

  /** Adds a UDP header and a payload, and sends. */
  private void transport(SalWriter writer, byte[] payload, Endpoint to) {
    ByteBuffer bytes = writer.buffer();
    int at = writer.end();
    int end = at + UdpHeader.LENGTH + payload.length;
    bytes.put(at + UdpHeader.LENGTH, payload);
    UdpHeader.put(bytes, at, end, bytes.getInt(0), bytes.getInt(4));
    byte[] datagram = new byte[end];
    bytes.get(0, datagram);
    try {
      socket.send(new DatagramPacket(datagram, end, Addresses.socketAddress(to)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public FlowPort open(Endpoint client) {
    return this;
  }

  @Override
  public void answer(Outgoing synAck) {
    send(synAck);
  }

  @Override
  public void connected() {}

  @Override
  public void peerClosed() {}

  @Override
  public void reset() {}

  @Override
  public void silent() {}

  @Override
  public void freeze() {}

  @Override
  public void thaw() {}

  @Override
  public void ownMoved(Endpoint address) {}

  @Override
  public void peerMoved(Endpoint address) {}

  @Override
  public void forget() {}
}
