// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.netserv.sip.SipError;

/**
 * A user's connection, and the connection to the server that belongs to it. Messages travel whole,
 * so the edge's responses stand between two messages of the server.
 *
 * <pre>
 *   user ---> StreamCutter --- StreamEdge ---> toServer ---> server
 *                                  | 503
 *   user <--- toUser <-------------+---------- StreamCutter <--- server
 * </pre>
 *
 * <p>While the server takes no bytes, new requests are rejected here, and only those that must not
 * be rejected wait for it, at most {@link #WAITING_MOST} bytes of them. A user that does not read
 * is not read either. So memory is bounded. The end of either side is the end of both, after what
 * was read has been written. Belongs to the thread of {@link UserStreams}.
 */
final class UserStream {
  /** A stream that has to end because nobody can tell its messages apart. */
  static final class BrokenException extends IOException {
    private static final long serialVersionUID = 1L;

    BrokenException(SipError error) {
      super(error.text());
    }
  }

  /** Bytes that may wait for the server before its user is not read any more. */
  private static final int WAITING_MOST = 1 << 18;

  private final SocketChannel user;
  private final SocketChannel server;
  private final InetAddress address;
  private final long high;
  private final long low;
  private final int port;
  private final long number;
  private final SelectionKey userKey;
  private final SelectionKey serverKey;
  private final StreamCutter fromUser = new StreamCutter();
  private final StreamCutter fromServer = new StreamCutter();
  private final Outgoing toServer;
  private final Outgoing toUser;
  private boolean connected;
  private boolean ending;
  private long lastMillis;

  /**
   * Takes over a user's connection, and begins to connect to the server.
   *
   * @param number another one for each stream
   */
  UserStream(SocketChannel user, InetSocketAddress to, Selector selector, long number, long now)
      throws IOException {
    this.user = user;
    this.number = number;
    InetSocketAddress from = (InetSocketAddress) user.getRemoteAddress();
    address = from.getAddress();
    port = from.getPort();
    ByteBuffer bytes = mapped(address);
    high = bytes.getLong(0);
    low = bytes.getLong(Long.BYTES);
    lastMillis = now;
    server = SocketChannel.open();
    toServer = new Outgoing(server);
    toUser = new Outgoing(user);
    try {
      prepare(user);
      prepare(server);
      connected = server.connect(to);
      userKey = user.register(selector, 0, this);
      serverKey = server.register(selector, 0, this);
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
    interest();
  }

  private static ByteBuffer mapped(InetAddress address) {
    byte[] bytes = address.getAddress();
    ByteBuffer all = ByteBuffer.allocate(2 * Long.BYTES);
    return bytes.length == all.capacity()
        ? all.put(bytes)
        : all.putLong(0).putInt(0xffff).put(bytes);
  }

  private static void prepare(SocketChannel channel) throws IOException {
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
  }

  InetAddress address() {
    return address;
  }

  /** Returns the milliseconds of the last byte, or of the begin. */
  long lastMillis() {
    return lastMillis;
  }

  boolean isConnected() {
    return connected;
  }

  /**
   * Does what the selector found ready.
   *
   * @param room of the thread, which the next stream uses as well
   * @return false if the stream has ended and is to be closed
   * @throws BrokenException if a side sends what is no SIP
   */
  boolean ready(long now, StreamEdge edge, StreamRoom room) throws IOException {
    if (!connected && serverKey.isConnectable()) {
      connected = server.finishConnect();
    }
    if (connected) {
      lastMillis = userKey.isReadable() || serverKey.isReadable() ? now : lastMillis;
      toServer.flush();
      toUser.flush();
      requests(edge, room);
      responses(edge, room);
    }
    interest();
    return !ending || !toServer.isEmpty() || !toUser.isEmpty();
  }

  private void requests(StreamEdge edge, StreamRoom room) throws IOException {
    if (userKey.isReadable() && toServer.waiting() < WAITING_MOST && toUser.isEmpty()) {
      SipError error = read(user, fromUser, edge, room, new FromUser(edge, room));
      toUser.send(room.answers());
      toServer.send(room.onward());
      require(error, edge);
    }
  }

  private void responses(StreamEdge edge, StreamRoom room) throws IOException {
    if (serverKey.isReadable() && toUser.isEmpty()) {
      SipError error = read(server, fromServer, edge, room, new FromServer(edge, room));
      toUser.send(room.onward());
      require(error, edge);
    }
  }

  private SipError read(
      SocketChannel from,
      StreamCutter cutter,
      StreamEdge edge,
      StreamRoom room,
      StreamCutter.Taker taker)
      throws IOException {
    room.clear();
    ByteBuffer in = room.in();
    cutter.restore(in);
    ending |= from.read(in) < 0;
    return cutter.cut(in, edge.message(), number, taker);
  }

  private static void require(SipError error, StreamEdge edge) throws BrokenException {
    if (error != SipError.OK) {
      edge.fault(error);
      throw new BrokenException(error);
    }
  }

  private final class FromUser implements StreamCutter.Taker {
    private final StreamEdge edge;
    private final StreamRoom room;

    FromUser(StreamEdge edge, StreamRoom room) {
      this.edge = edge;
      this.room = room;
    }

    @Override
    public void between(ByteBuffer bytes, int start, int end) {
      room.pass(start, end);
    }

    @Override
    public void message(ByteBuffer bytes, int start, int end) {
      if (edge.fromUser(high, low, port, toServer.isEmpty(), room.answer())) {
        room.pass(start, end);
      }
    }
  }

  private static final class FromServer implements StreamCutter.Taker {
    private final StreamEdge edge;
    private final StreamRoom room;

    FromServer(StreamEdge edge, StreamRoom room) {
      this.edge = edge;
      this.room = room;
    }

    @Override
    public void between(ByteBuffer bytes, int start, int end) {
      room.pass(start, end);
    }

    @Override
    public void message(ByteBuffer bytes, int start, int end) {
      edge.fromServer();
      room.pass(start, end);
    }
  }

  private void interest() {
    boolean open = connected && !ending && toUser.isEmpty();
    userKey.interestOps(
        (open && toServer.waiting() < WAITING_MOST ? SelectionKey.OP_READ : 0)
            | (toUser.isEmpty() ? 0 : SelectionKey.OP_WRITE));
    serverKey.interestOps(
        !connected
            ? SelectionKey.OP_CONNECT
            : (open ? SelectionKey.OP_READ : 0) | (toServer.isEmpty() ? 0 : SelectionKey.OP_WRITE));
  }

  /** Closes both connections. */
  void close() {
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
