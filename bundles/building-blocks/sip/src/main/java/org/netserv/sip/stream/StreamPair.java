// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip.stream;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * A user's connection, and the connection to the server that belongs to it. The end of either is
 * the end of both, after what was read has been written. A side is read only while the other side
 * takes bytes, so memory is bounded. Belongs to the thread of its {@link StreamServer}.
 */
public abstract class StreamPair {
  private final SocketChannel user;
  private final SocketChannel server;
  private final InetSocketAddress address;
  private final Selector selector;
  private final Outgoing toServer;
  private final Outgoing toUser;
  private SelectionKey userKey; // from begin on
  private SelectionKey serverKey;
  private boolean connected;
  private boolean ending;
  private long lastMillis;

  /**
   * A user's connection that has just been accepted.
   *
   * @param server address that it leads on to
   * @param selector of the thread
   * @param millis now, by a monotonic clock
   */
  public record Opening(
      SocketChannel user, InetSocketAddress server, Selector selector, long millis) {}

  /** Takes over the connection, and begins to connect to the server. */
  protected StreamPair(Opening opening) throws IOException {
    user = opening.user();
    address = (InetSocketAddress) user.getRemoteAddress();
    selector = opening.selector();
    lastMillis = opening.millis();
    server = SocketChannel.open();
    toServer = new Outgoing(server);
    toUser = new Outgoing(user);
    try {
      prepare(user);
      prepare(server);
      connected = server.connect(opening.server());
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private static void prepare(SocketChannel channel) throws IOException {
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
  }

  /** Moves bytes that are ready. All that waited for a socket has been offered to it before. */
  protected abstract void move() throws IOException;

  /** Tells whether bytes of the user may be read now. */
  protected boolean takesFromUser() {
    return toServer.isEmpty();
  }

  /** Tells whether bytes of the server may be read now. */
  protected boolean takesFromServer() {
    return toUser.isEmpty();
  }

  /** Tells whether the user has sent bytes, or ended, and bytes of it may be read now. */
  protected final boolean userReady() {
    return userKey.isReadable() && takesFromUser();
  }

  /** Tells the same of the server. */
  protected final boolean serverReady() {
    return serverKey.isReadable() && takesFromServer();
  }

  /** Reads from the user what has come. Its end is the pair's. */
  protected final void readUser(ByteBuffer into) throws IOException {
    ending |= user.read(into) < 0;
  }

  /** Reads from the server, as {@link #readUser}. */
  protected final void readServer(ByteBuffer into) throws IOException {
    ending |= server.read(into) < 0;
  }

  protected final Outgoing toUser() {
    return toUser;
  }

  protected final Outgoing toServer() {
    return toServer;
  }

  /** Returns the user's address and port. */
  protected final InetSocketAddress user() {
    return address;
  }

  final InetAddress address() {
    return address.getAddress();
  }

  /** Returns the milliseconds of the last byte, or of the begin. */
  final long lastMillis() {
    return lastMillis;
  }

  final boolean isConnected() {
    return connected;
  }

  /**
   * Does what the selector found ready.
   *
   * @return false if the stream has ended and is to be closed
   */
  final boolean ready(long now) throws IOException {
    if (!connected && serverKey.isConnectable()) {
      connected = server.finishConnect();
    }
    if (connected) {
      lastMillis = userKey.isReadable() || serverKey.isReadable() ? now : lastMillis;
      toServer.flush();
      toUser.flush();
      move();
    }
    interest();
    return !ending || !toServer.isEmpty() || !toUser.isEmpty();
  }

  /** Registers with the selector. */
  final void begin() throws IOException {
    try {
      userKey = user.register(selector, 0, this);
      serverKey = server.register(selector, 0, this);
    } catch (IOException e) {
      close();
      throw e;
    }
    interest();
  }

  /** Asks the selector for what the pair waits for. */
  private void interest() {
    boolean open = connected && !ending;
    userKey.interestOps(wanted(open && takesFromUser(), toUser));
    serverKey.interestOps(
        connected ? wanted(open && takesFromServer(), toServer) : SelectionKey.OP_CONNECT);
  }

  private static int wanted(boolean reads, Outgoing out) {
    return (reads ? SelectionKey.OP_READ : 0) | (out.isEmpty() ? 0 : SelectionKey.OP_WRITE);
  }

  /** Closes both connections. */
  final void close() {
    quietly(user);
    quietly(server);
  }

  static void quietly(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      return; // the descriptor is gone either way
    }
  }
}
