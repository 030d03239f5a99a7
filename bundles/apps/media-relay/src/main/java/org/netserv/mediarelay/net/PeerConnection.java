// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.netserv.mediarelay.core.PeerStreams;
import org.netserv.mediarelay.core.Why;

/**
 * A TCP connection between a relayed address and a peer (RFC 6062).
 *
 * <pre>
 *   CONNECTING --- the peer answers ---> WAITING --- join ---> JOINED --- an end ---> ENDING
 *                                           ^                                           |
 *   accepted -------------------------------+                    what waits is sent --> CLOSED
 * </pre>
 *
 * <p>Nothing is read before the join, so bytes of the peer stay in the kernel. Afterwards each way
 * holds one read's bytes at most: a side is read only while nothing waits for the other one.
 *
 * <p><b>Threads.</b> The stream thread reads. Everything else is done with the relay's lock.
 */
final class PeerConnection implements PeerStreams.PeerStream, Loop.Ready {
  /** Time for a peer to answer (RFC 6062, 5.2: at least 30 seconds). */
  static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Time for the last bytes of a connection. */
  static final long END_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final int READ = 16_384;

  private enum State {
    CONNECTING,
    WAITING,
    JOINED,
    ENDING,
    CLOSED
  }

  private final TcpPeers peers;
  private final TcpPeers.Port port;
  private final SocketChannel channel;
  private final PeerStreams.Heard heard;
  private final long high;
  private final long low;
  private final int peerPort;
  private final StreamOutbox outbox = new StreamOutbox();
  private volatile State state;
  private TcpConnection client;
  private Loop.Timer timer;
  private long toPeer;
  private long fromPeer;

  PeerConnection(
      TcpPeers peers,
      TcpPeers.Port port,
      SocketChannel channel,
      PeerStreams.Heard heard,
      long high,
      long low,
      int peerPort) {
    this.peers = peers;
    this.port = port;
    this.channel = channel;
    this.heard = heard;
    this.high = high;
    this.low = low;
    this.peerPort = peerPort;
  }

  @Override
  public long high() {
    return high;
  }

  @Override
  public long low() {
    return low;
  }

  @Override
  public int port() {
    return peerPort;
  }

  /** Tells whether no client has been joined. */
  boolean isAlone() {
    return client == null;
  }

  // ---- beginnings

  void accepted() throws IOException {
    state = State.WAITING;
    peers.loop().register(channel, 0, this);
    heard.accepted(port, this);
  }

  /**
   * Waits for the peer's answer.
   *
   * @param done whether the connection has been made at once, as within a machine
   */
  void connecting(boolean done) throws IOException {
    state = State.CONNECTING;
    timer = peers.loop().at(peers.loop().nanoTime() + CONNECT_NANOS, () -> failed("timeout"));
    peers.loop().register(channel, done ? SelectionKey.OP_WRITE : SelectionKey.OP_CONNECT, this);
  }

  private void connected() {
    if (state != State.CONNECTING) {
      return;
    }
    try {
      if (!channel.isConnected() && !channel.finishConnect()) {
        return;
      }
    } catch (IOException e) {
      failed(e instanceof java.net.ConnectException ? "refused" : "unreachable");
      return;
    }
    timer.cancel();
    timer = null;
    state = State.WAITING;
    peers.loop().interest(channel, 0);
    heard.connected(this);
  }

  private void failed(String reason) {
    if (state == State.CONNECTING) {
      state = State.CLOSED;
      closeChannel();
      heard.failed(this, reason);
    }
  }

  // ---- joined

  /** Joins the connection with a client's. */
  void join(TcpConnection with) {
    client = with;
    state = State.JOINED;
    interest();
  }

  @Override
  public void ready(SelectionKey key) {
    if (state == State.CONNECTING) {
      peers.loop().locked(this::connected);
      return;
    }
    try {
      if (key.isWritable()) {
        peers.loop().locked(this::flush);
      }
      if (state == State.JOINED && client.hasRoom()) {
        read(peers.work().plain);
      }
    } catch (IOException e) {
      peers.loop().locked(this::broken);
    }
  }

  private void read(ByteBuffer work) throws IOException {
    work.clear().limit(READ);
    int length = channel.read(work);
    if (length < 0) {
      peers.loop().locked(this::peerEnded);
    } else if (length > 0) {
      work.flip();
      peers.loop().locked(() -> toClient(work));
    }
  }

  private void toClient(ByteBuffer bytes) {
    if (state == State.JOINED) {
      fromPeer += bytes.remaining();
      client.fromPeer(bytes);
      interest();
    }
  }

  /** Sends bytes of the client, on the stream thread. */
  void fromClient(ByteBuffer bytes) {
    if (state != State.JOINED) {
      return;
    }
    toPeer += bytes.remaining();
    try {
      outbox.write(bytes, channel);
      interest();
    } catch (IOException e) {
      broken();
    }
  }

  /** Tells whether nothing waits for the peer. */
  boolean hasRoom() {
    return outbox.count() == 0;
  }

  private void flush() {
    try {
      boolean empty = outbox.flush(channel, peers.work().cipher);
      if (empty && state == State.ENDING) {
        end();
        return;
      }
      interest();
      if (empty && client != null) {
        client.interest();
      }
    } catch (IOException e) {
      broken();
    }
  }

  /** Waits for the events that this connection needs next. */
  void interest() {
    if (state != State.JOINED && state != State.ENDING) {
      return;
    }
    int read = state == State.JOINED && client.hasRoom() ? SelectionKey.OP_READ : 0;
    peers.loop().interest(channel, read | (outbox.count() > 0 ? SelectionKey.OP_WRITE : 0));
  }

  // ---- ends

  private void peerEnded() {
    TcpConnection of = client;
    endAfterSent();
    if (of != null) {
      of.endAfterSent();
    }
  }

  private void broken() {
    peers.count(Why.STREAM_BROKEN);
    TcpConnection of = client;
    end();
    if (of != null) {
      of.endAfterSent();
    }
  }

  /** Ends the connection when what waits for the peer has been sent. */
  void endAfterSent() {
    if (state == State.CLOSED || state == State.ENDING) {
      return;
    }
    if (outbox.count() == 0) {
      end();
      return;
    }
    state = State.ENDING;
    timer = peers.loop().at(peers.loop().nanoTime() + END_NANOS, this::end);
    interest();
  }

  @Override
  public void close() {
    TcpConnection of = client;
    end();
    if (of != null) {
      of.endAfterSent();
    }
  }

  private void end() {
    if (state == State.CLOSED) {
      return;
    }
    boolean announced = state != State.CONNECTING;
    state = State.CLOSED;
    closeChannel();
    if (announced) {
      heard.ended(this, toPeer, fromPeer);
    }
  }

  private void closeChannel() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    try {
      channel.close();
    } catch (IOException e) {
      peers.count(Why.STREAM_BROKEN);
    }
    peers.forget(this, port);
  }
}
