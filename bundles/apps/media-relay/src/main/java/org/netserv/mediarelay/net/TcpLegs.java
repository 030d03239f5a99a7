// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;

/**
 * Clients by TCP, and by TLS on the same ports: the first byte of a connection tells which. Bounds
 * the connections in number, and those that have shown nothing yet by source and in time.
 *
 * <p><b>Threads.</b> The stream thread accepts and reads. Everything else is done with the relay's
 * lock.
 */
final class TcpLegs implements Closeable {
  /** Connections that have not sent a whole message yet, at once. */
  static final int HALF_OPEN_MOST = 1024;

  /** Of one source. */
  static final int HALF_OPEN_SOURCE_MOST = 64;

  private static final int BACKLOG = 256;
  private static final int ACCEPTED_AT_ONCE = 64;
  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Loop loop;
  private final ClientMessages messages;
  private final Tally<Why> tally;
  private volatile TlsKeys keys;
  private final SourceCrowd all;
  private final SourceCrowd halfOpen = new SourceCrowd(HALF_OPEN_MOST, HALF_OPEN_SOURCE_MOST);
  private final Set<TcpConnection> connections = new LinkedHashSet<>();
  private final List<ServerSocketChannel> servers = new ArrayList<>();
  private final StreamWork work = new StreamWork();
  private final StreamWork sending = new StreamWork();
  private boolean closed;

  /**
   * @param keys of TLS, null = no TLS
   * @param most connections at once
   */
  TcpLegs(Loop loop, ClientMessages messages, Tally<Why> tally, TlsKeys keys, int most) {
    this.loop = loop;
    this.messages = messages;
    this.tally = tally;
    this.keys = keys;
    all = new SourceCrowd(most, most);
    sweepLater();
  }

  /**
   * Serves a port on all addresses of both families.
   *
   * @throws IOException if the port cannot be had
   */
  void listen(int port) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open();
    try {
      server.configureBlocking(false);
      server.bind(new InetSocketAddress(port), BACKLOG);
      servers.add(server);
      loop.register(server, SelectionKey.OP_ACCEPT, key -> accept(server, port));
    } catch (IOException e) {
      server.close();
      throw e;
    }
  }

  private void accept(ServerSocketChannel server, int port) {
    try {
      for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
        SocketChannel channel = server.accept();
        if (channel == null) {
          return;
        }
        loop.locked(() -> accepted(channel, port));
      }
    } catch (IOException e) { // no descriptor is left
      loop.locked(() -> pause(server));
    }
  }

  /** Accepts nothing for a moment, because the next attempt would fail like this one. */
  private void pause(ServerSocketChannel server) {
    tally.count(Why.STREAM_CROWD);
    loop.interest(server, 0);
    loop.at(loop.nanoTime() + SWEEP_NANOS, () -> loop.interest(server, SelectionKey.OP_ACCEPT));
  }

  /** Takes a new connection, or closes it. */
  void accepted(SocketChannel channel, int port) {
    try {
      InetSocketAddress from = (InetSocketAddress) channel.getRemoteAddress();
      if (from == null || closed) {
        channel.close();
        return;
      }
      TcpConnection connection = new TcpConnection(this, channel, from, port);
      if (!enter(connection)) {
        tally.count(Why.STREAM_CROWD);
        channel.close();
        return;
      }
      connections.add(connection);
      connection.open();
    } catch (IOException e) {
      tally.count(Why.STREAM_BROKEN); // it has ended before it began
    }
  }

  private boolean enter(TcpConnection connection) {
    if (!halfOpen.enter(connection.high(), connection.low())) {
      return false;
    }
    if (!all.enter(connection.high(), connection.low())) {
      halfOpen.leave(connection.high(), connection.low());
      return false;
    }
    return true;
  }

  /** A connection has sent its first whole message. */
  void shown(TcpConnection connection) {
    halfOpen.leave(connection.high(), connection.low());
  }

  /**
   * A connection has ended.
   *
   * @param shown whether it has sent a whole message
   */
  void forget(TcpConnection connection, boolean shown) {
    if (connections.remove(connection)) {
      all.leave(connection.high(), connection.low());
      if (!shown) {
        halfOpen.leave(connection.high(), connection.low());
      }
    }
  }

  private void sweepLater() {
    loop.at(loop.nanoTime() + SWEEP_NANOS, this::sweep);
  }

  /** Closes the connections whose time is over. */
  private void sweep() {
    if (closed) {
      return;
    }
    long now = loop.nanoTime();
    for (TcpConnection connection : connections.toArray(new TcpConnection[0])) {
      connection.sweep(now);
    }
    sweepLater();
  }

  int connectionCount() {
    return all.total();
  }

  int halfOpenCount() {
    return halfOpen.total();
  }

  // ---- for connections

  Loop loop() {
    return loop;
  }

  ClientMessages messages() {
    return messages;
  }

  void count(Why what) {
    tally.count(what);
  }

  /** Has new connections take other keys. */
  void keys(TlsKeys with) {
    keys = with;
  }

  TlsKeys keys() {
    return keys;
  }

  /** Returns the stream thread's memory. */
  StreamWork work() {
    return work;
  }

  /** Returns the memory for output. Whoever holds the lock has it. */
  StreamWork sending() {
    return sending;
  }

  /** Closes all. Called with the lock. */
  @Override
  public void close() throws IOException {
    closed = true;
    for (ServerSocketChannel server : servers) {
      server.close();
    }
    for (TcpConnection connection : connections.toArray(new TcpConnection[0])) {
      connection.end(null);
    }
  }
}
