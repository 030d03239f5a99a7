// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.Ip;
import org.netserv.mediarelay.core.PeerStreams;
import org.netserv.mediarelay.core.RelayedRange;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;

/**
 * TCP connections with peers, by the system's sockets. Bounds the connections of all ports together
 * and those of one port that no client has bound.
 */
final class TcpPeers implements PeerStreams, Closeable {
  /** Connections of one port that wait for a client, at once. */
  static final int ALONE_MOST = 16;

  private static final int BACKLOG = 16;
  private static final byte[] LOOPBACK_4 = {127, 0, 0, 1};
  private static final byte[] LOOPBACK_6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  private final Loop loop;
  private final Tally<Why> tally;
  private final int most;
  private final List<RelayedRange> relayed;
  private final StreamWork work = new StreamWork();
  private final Set<PeerConnection> connections = new LinkedHashSet<>();
  private final Set<Port> ports = new LinkedHashSet<>();

  /**
   * @param most connections at once
   * @param relayed relayed TCP addresses. What goes to one of them, and so to another allocation of
   *     this relay, goes by loopback, because no way out of a container leads back to its node.
   */
  TcpPeers(Loop loop, Tally<Why> tally, int most, List<RelayedRange> relayed) {
    this.loop = loop;
    this.tally = tally;
    this.most = most;
    this.relayed = List.copyOf(relayed);
  }

  Loop loop() {
    return loop;
  }

  StreamWork work() {
    return work;
  }

  void count(Why what) {
    tally.count(what);
  }

  int connectionCount() {
    return connections.size();
  }

  private static ProtocolFamily protocol(int family) {
    return family == 4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6;
  }

  /** Returns every address of the family, at a port. */
  private static InetSocketAddress any(int family, int port) throws IOException {
    byte[] zeros = new byte[family == 4 ? Integer.BYTES : 2 * Long.BYTES];
    return new InetSocketAddress(InetAddress.getByAddress(zeros), port);
  }

  /** Returns the address to connect to: loopback for a relayed one. */
  private InetAddress address(int family, long high, long low) throws IOException {
    boolean own = relayed.stream().anyMatch(r -> r.high() == high && r.low() == low);
    byte[] address = ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array();
    return InetAddress.getByAddress(own ? (family == 4 ? LOOPBACK_4 : LOOPBACK_6) : address);
  }

  /** Returns the address of a peer as others see it: the relayed one for loopback. */
  private long[] seen(InetAddress peer) {
    long[] halves = Ip.halves(peer);
    for (RelayedRange range : relayed) {
      if (peer.isLoopbackAddress() && range.family() == Ip.family(halves[0], halves[1])) {
        return new long[] {range.high(), range.low()};
      }
    }
    return halves;
  }

  /** Lets a listening socket and connecting ones have one port. */
  private static void share(NetworkChannel channel) throws IOException {
    channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
  }

  @Override
  public Listening listen(int family, int port, Heard heard) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(protocol(family));
    try {
      server.configureBlocking(false);
      share(server);
      server.bind(any(family, port), BACKLOG);
      Port at = new Port(server, family, port, heard);
      loop.register(server, SelectionKey.OP_ACCEPT, at);
      ports.add(at);
      return at;
    } catch (IOException e) {
      server.close();
      throw e;
    }
  }

  @Override
  public PeerStream connect(Listening at, long high, long low, int port, Heard heard)
      throws IOException {
    Port from = (Port) at;
    if (connections.size() >= most) {
      tally.count(Why.PEER_CROWD);
      throw new IOException("too many connections");
    }
    SocketChannel channel = SocketChannel.open(protocol(from.family));
    try {
      channel.configureBlocking(false);
      share(channel);
      channel.bind(any(from.family, from.port));
      boolean done = channel.connect(new InetSocketAddress(address(from.family, high, low), port));
      PeerConnection made = new PeerConnection(this, from, channel, heard, high, low, port);
      made.connecting(done);
      add(made, from);
      return made;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public void join(PeerStream peer, Client data) {
    PeerConnection of = (PeerConnection) peer;
    if (data.way() instanceof TcpConnection connection && connection.canJoin() && of.isAlone()) {
      connection.join(of);
      of.join(connection);
    } else {
      of.close();
    }
  }

  private void add(PeerConnection connection, Port port) {
    connections.add(connection);
    port.connections.add(connection);
  }

  void forget(PeerConnection connection, Port port) {
    connections.remove(connection);
    port.connections.remove(connection);
  }

  /** Closes all. Called with the lock. */
  @Override
  public void close() {
    for (Port port : ports.toArray(new Port[0])) {
      port.close();
    }
    for (PeerConnection connection : connections.toArray(new PeerConnection[0])) {
      connection.close();
    }
  }

  /** A relayed port. */
  final class Port implements Listening, Loop.Ready {
    private final ServerSocketChannel server;
    private final int family;
    private final int port;
    private final Heard heard;
    private final Set<PeerConnection> connections = new LinkedHashSet<>();

    private Port(ServerSocketChannel server, int family, int port, Heard heard) {
      this.server = server;
      this.family = family;
      this.port = port;
      this.heard = heard;
    }

    @Override
    public int port() {
      return port;
    }

    @Override
    public void ready(SelectionKey key) throws IOException {
      SocketChannel channel = server.accept();
      if (channel != null) {
        loop.locked(() -> accepted(channel));
      }
    }

    private void accepted(SocketChannel channel) {
      try {
        InetSocketAddress from = (InetSocketAddress) channel.getRemoteAddress();
        long[] halves = from == null ? null : seen(from.getAddress());
        if (halves == null
            || Ip.family(halves[0], halves[1]) != family
            || !ports.contains(this)
            || TcpPeers.this.connections.size() >= most
            || connections.stream().filter(PeerConnection::isAlone).count() >= ALONE_MOST) {
          tally.count(Why.PEER_CROWD);
          channel.close();
          return;
        }
        channel.configureBlocking(false);
        PeerConnection made =
            new PeerConnection(
                TcpPeers.this, this, channel, heard, halves[0], halves[1], from.getPort());
        add(made, this);
        made.accepted();
      } catch (IOException e) {
        tally.count(Why.STREAM_BROKEN);
      }
    }

    @Override
    public void close() {
      ports.remove(this);
      try {
        server.close();
      } catch (IOException e) {
        tally.count(Why.STREAM_BROKEN);
      }
      for (PeerConnection connection : connections.toArray(new PeerConnection[0])) {
        if (connection.isAlone()) {
          connection.close();
        }
      }
    }
  }
}
