// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.net;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.ServalError;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.Way;
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
import org.netserv.servicerouter.Datagrams;

/** A host of the block serval on a real socket of the loopback interface. */
public final class LoopbackHost implements Closeable, Listener, FlowPort {
  private static final int PATIENCE_MILLIS = 10_000;
  private static final int ALL_ABILITIES = 5;
  private static final long SOCKET = 7;
  private static final int ROOM = 2048;

  public final Endpoint own;
  final FlowTable flows;
  final List<String> told = new ArrayList<>();
  private final DatagramSocket socket;
  private final Endpoint router;
  private Endpoint sender;
  private List<Endpoint> hops = List.of();

  /**
   * Makes a host.
   *
   * @param last byte of its address, 127.0.0.x
   * @param router to which its SYNs and registrations go
   */
  public LoopbackHost(int last, Endpoint router) throws IOException {
    socket = new DatagramSocket(0, address(last));
    socket.setSoTimeout(PATIENCE_MILLIS);
    this.router = router;
    own = Endpoint.ofIpv4(0x7f000000 + last, socket.getLocalPort());
    ServiceTable services = new ServiceTable(TableLimits.DEFAULT, own::isSocketOf);
    Origin origin = new Origin(Origin.Kind.PROCESS, "1");
    ServicePrefix prefix = ServicePrefix.of(Datagrams.SHOP);
    Target target = Target.socket(SOCKET);
    services.add(new Rule(prefix, RuleAction.DEMUX, target, Rank.ZERO, 0, origin, Rule.FOREVER), 0);
    Random random = new Random(last);
    flows = new FlowTable(services, HostLimits.DEFAULT, random, ALL_ABILITIES, this::send);
    flows.listen(SOCKET, this);
  }

  static InetAddress address(int last) throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
  }

  /** Sends a SYN. */
  public Flow connect(long now) {
    return flows.connect(Datagrams.SHOP, own, this, now);
  }

  /** Registers its service at the router. */
  public void register() {
    send(Datagrams.registration(false, ServicePrefix.of(Datagrams.SHOP)), router);
  }

  void send(ByteBuffer datagram, Endpoint to) {
    try {
      byte[] bytes = new byte[datagram.limit()];
      datagram.get(0, bytes);
      byte[] address = ByteBuffer.allocate(Integer.BYTES).putInt(to.ipv4()).array();
      InetSocketAddress there = new InetSocketAddress(InetAddress.getByAddress(address), to.port());
      socket.send(new DatagramPacket(bytes, bytes.length, there));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for a datagram, and gives it to the table. */
  public HostVerdict take(long now) throws IOException {
    DatagramPacket datagram = new DatagramPacket(new byte[ROOM], ROOM);
    socket.receive(datagram);
    sender =
        Endpoint.ofIpv4(
            ByteBuffer.wrap(datagram.getAddress().getAddress()).getInt(), datagram.getPort());
    SalPacket packet = new SalPacket();
    ServalError error = packet.reset(ByteBuffer.wrap(datagram.getData()), 0, datagram.getLength());
    if (error != ServalError.OK) {
      throw new IOException(error.text());
    }
    hops = Way.get(packet).hops();
    Endpoint from = packet.destinationFlow() == 0 ? Way.get(packet).client(sender) : sender;
    return flows.take(new Arrival(packet).set(from, own, own, now));
  }

  /** Tells whether a datagram has come already. It is thrown away. */
  boolean hasMore() throws IOException {
    socket.setSoTimeout(1);
    try {
      socket.receive(new DatagramPacket(new byte[ROOM], ROOM));
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } finally {
      socket.setSoTimeout(PATIENCE_MILLIS);
    }
  }

  /** Returns the UDP source of the last datagram. */
  public Endpoint sender() {
    return sender;
  }

  /** Returns the list of hops of the last datagram. */
  List<Endpoint> hops() {
    return hops;
  }

  @Override
  public void close() {
    socket.close();
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
  public void send(Outgoing outgoing) {
    ByteBuffer bytes = ByteBuffer.allocate(ROOM);
    SalWriter writer = outgoing.write(new SalWriter(), bytes, 0, ROOM, SalPacket.UDP).finish();
    send(Datagrams.udp(writer, new byte[0]), outgoing.to() == null ? router : outgoing.to());
  }

  @Override
  public void connected() {
    told.add("connected");
  }

  @Override
  public void peerClosed() {
    told.add("peer closed");
  }

  @Override
  public void reset() {
    told.add("reset");
  }

  @Override
  public void silent() {
    told.add("silent");
  }

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
