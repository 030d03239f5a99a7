// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.Ip;
import org.netserv.mediarelay.core.Transport;
import org.netserv.mediarelay.core.Why;

/**
 * One client's connection.
 *
 * <pre>
 *   OPENED ------ first byte ------> MESSAGES --- joined with a peer ---> JOINED
 *      |                                ^  |                                |
 *      +-- TLS --> HANDSHAKE -----------+  +-- close, after what waits      |
 *                                          v                                |
 *                                        ENDING ------> CLOSED <------------+
 * </pre>
 *
 * <p>Every state goes to CLOSED when the client ends, breaks the rules or lets its time pass.
 *
 * <p><b>Threads.</b> The stream thread reads and decrypts. State changes, messages and everything
 * that is sent are done with the relay's lock.
 */
final class TcpConnection implements Loop.Ready, Client.Way, StreamInbox.Taker {
  /** Time until the first whole message. */
  static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Time without a message, while there is no allocation. */
  static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Time in which a client takes nothing of what waits for it. */
  static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Time for the last bytes of a connection that the relay ends. */
  static final long END_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int HANDSHAKE_RECORD = 22;
  private static final int RECORD_OVERHEAD = 64;

  private enum State {
    OPENED,
    HANDSHAKE,
    MESSAGES,
    JOINED,
    ENDING,
    CLOSED
  }

  private final TcpLegs legs;
  private final SocketChannel channel;
  private final long high;
  private final long low;
  private final int port;
  private final int serverPort;
  private final StreamInbox inbox = new StreamInbox();
  private final StreamOutbox outbox = new StreamOutbox();
  private volatile State state = State.OPENED;
  private TlsLayer tls;
  private Client client;
  private PeerConnection peer;
  private boolean shown;
  private volatile boolean failed;
  private long heardAt; // of the last message
  private long wroteAt; // when the client last took bytes, or had none to take

  TcpConnection(TcpLegs legs, SocketChannel channel, InetSocketAddress from, int serverPort) {
    this.legs = legs;
    this.channel = channel;
    long[] halves = Ip.halves(from.getAddress());
    high = halves[0];
    low = halves[1];
    port = from.getPort();
    this.serverPort = serverPort;
    heardAt = legs.loop().nanoTime();
    wroteAt = heardAt;
  }

  long high() {
    return high;
  }

  long low() {
    return low;
  }

  void open() throws IOException {
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    legs.loop().register(channel, SelectionKey.OP_READ, this);
  }

  // ---- the stream thread

  @Override
  public void ready(SelectionKey key) {
    try {
      if (failed) {
        legs.loop().locked(() -> end(Why.STREAM_BROKEN));
        return;
      }
      if (key.isWritable()) {
        legs.loop().locked(this::flush);
      }
      if (state != State.CLOSED && state != State.ENDING && reads()) {
        read(legs.work());
      }
    } catch (SSLException e) {
      legs.loop().locked(() -> end(Why.TLS_FAILED));
    } catch (IOException e) {
      legs.loop().locked(() -> end(Why.STREAM_BROKEN));
    }
  }

  private boolean reads() {
    return (tls == null || !tls.isBusy()) && (peer == null || peer.hasRoom());
  }

  private void read(StreamWork work) throws IOException {
    if (tls != null) {
      readTls(work);
      return;
    }
    int end = inbox.restore(work.plain);
    work.plain.clear().position(end);
    if (channel.read(work.plain) < 0) {
      legs.loop().locked(() -> ended());
      return;
    }
    end = work.plain.position();
    if (state == State.OPENED && end > StreamInbox.HEADROOM) {
      if (work.plain.get(StreamInbox.HEADROOM) == HANDSHAKE_RECORD && legs.keys() != null) {
        beginTls(work);
        return;
      }
      legs.loop().locked(() -> begin(Transport.TCP));
    }
    deliver(work, end);
  }

  private void beginTls(StreamWork work) throws IOException {
    tls = new TlsLayer(legs.keys().tls());
    state = State.HANDSHAKE;
    work.cipher.clear().put(work.plain.flip().position(StreamInbox.HEADROOM));
    goOnTls(work);
  }

  private void readTls(StreamWork work) throws IOException {
    tls.restore(work.cipher);
    if (channel.read(work.cipher) < 0 && !tls.hasTaskDone()) {
      legs.loop().locked(() -> ended());
      return;
    }
    goOnTls(work);
  }

  /** Handles the cipher text in the work memory, up to its position. */
  private void goOnTls(StreamWork work) throws IOException {
    work.cipher.flip();
    int end = inbox.restore(work.plain);
    for (; ; ) {
      work.plain.clear().position(end);
      TlsLayer.Step step = tls.step(work);
      end = work.plain.position();
      switch (step) {
        case WRAP -> {
          IOException[] error = new IOException[1];
          legs.loop().locked(() -> error[0] = wrapHandshake());
          if (error[0] != null) {
            throw error[0];
          }
        }
        case TASK -> {
          tls.keep(work.cipher);
          inbox.keep(work.plain, StreamInbox.HEADROOM, end - StreamInbox.HEADROOM);
          startTask();
          return;
        }
        case FULL -> {
          deliver(work, end);
          if (state == State.CLOSED) {
            return;
          }
          end = inbox.restore(work.plain);
        }
        case MORE -> {
          tls.keep(work.cipher);
          if (state == State.HANDSHAKE && tls.isDone()) {
            legs.loop().locked(() -> begin(Transport.TLS));
          }
          deliver(work, end);
          return;
        }
        case ENDED -> {
          deliver(work, end);
          legs.loop().locked(() -> ended());
          return;
        }
        case AGAIN -> {
          if (state == State.HANDSHAKE && tls.isDone()) {
            legs.loop().locked(() -> begin(Transport.TLS));
          }
        }
      }
    }
  }

  /** Computes what the handshake needs on another thread, and goes on when it is done. */
  private void startTask() {
    tls.busy();
    legs.loop().interest(channel, 0);
    legs.loop()
        .help(
            () -> {
              tls.runTasks();
              legs.loop().interest(channel, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            });
  }

  private void deliver(StreamWork work, int end) {
    legs.loop().locked(() -> take(work.plain, end));
  }

  // ---- with the lock

  private void begin(Transport transport) {
    if (state == State.OPENED || state == State.HANDSHAKE) {
      state = State.MESSAGES;
      client = new Client(transport, high, low, port, serverPort, this);
    }
  }

  private void take(ByteBuffer work, int end) {
    if (state == State.JOINED) {
      fromClient(work, StreamInbox.HEADROOM, end);
      return;
    }
    if (state != State.MESSAGES) {
      inbox.keep(work, StreamInbox.HEADROOM, end - StreamInbox.HEADROOM);
      return;
    }
    int next = inbox.take(work, end, this);
    if (next == StreamFrames.BROKEN) {
      end(Why.STREAM_BROKEN);
    } else if (state == State.JOINED) {
      fromClient(work, next, end);
    }
  }

  private void fromClient(ByteBuffer work, int start, int end) {
    if (end > start) {
      work.limit(end).position(start);
      peer.fromClient(work);
      interest();
    }
  }

  @Override
  public boolean message(ByteBuffer bytes, int start, int length) {
    heardAt = legs.loop().nanoTime();
    if (!shown) {
      shown = true;
      legs.shown(this);
    }
    legs.messages().received(client, bytes, start, length);
    return state == State.MESSAGES;
  }

  @Override
  public void tooLong() {
    legs.count(Why.TOO_LONG);
  }

  @Override
  public boolean send(Client to, ByteBuffer bytes, int start, int length) {
    boolean padded = StreamFrames.isChannelData(bytes, start);
    int total = padded ? StreamFrames.padded(length) : length;
    ByteBuffer plain = legs.sending().plain;
    if ((state != State.MESSAGES && state != State.JOINED)
        || total > plain.capacity()
        || !outbox.hasRoom(total + RECORD_OVERHEAD, StreamFrames.isData(bytes, start))) {
      return false;
    }
    plain.clear().put(0, bytes, start, length);
    for (int i = length; i < total; i++) {
      plain.put(i, (byte) 0);
    }
    return write(plain.limit(total));
  }

  /** Sends bytes of a joined peer, for which {@link #hasRoom} has told that there is room. */
  void fromPeer(ByteBuffer bytes) {
    write(bytes);
  }

  /** Tells whether nothing waits for the client. */
  boolean hasRoom() {
    return outbox.count() == 0;
  }

  private boolean write(ByteBuffer plain) {
    try {
      if (outbox.count() == 0) {
        wroteAt = legs.loop().nanoTime();
      }
      if (tls == null) {
        outbox.write(plain, channel);
      } else {
        tls.wrap(plain, legs.sending().cipher, outbox, channel);
      }
      if (outbox.count() > 0) {
        interest();
      }
      return true;
    } catch (IOException e) {
      failed = true; // the stream thread closes it, for the caller may be in the middle of a batch
      legs.loop().interest(channel, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
      return false;
    }
  }

  /** Returns the error with which it failed, null = none. */
  private IOException wrapHandshake() {
    try {
      tls.wrapHandshake(legs.sending().cipher, outbox, channel);
      interest();
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  private void flush() {
    try {
      int before = outbox.count();
      boolean empty = outbox.flush(channel, legs.sending().cipher);
      if (empty || outbox.count() < before) {
        wroteAt = legs.loop().nanoTime();
      }
      if (empty && state == State.ENDING) {
        end(null);
      } else if (state != State.CLOSED) {
        interest();
        if (empty && peer != null) {
          peer.interest();
        }
      }
    } catch (IOException e) {
      end(Why.STREAM_BROKEN);
    }
  }

  /** Waits for the events that this connection needs next. */
  void interest() {
    if (state == State.CLOSED || (tls != null && tls.isBusy())) {
      return;
    }
    int read = state != State.ENDING && reads() ? SelectionKey.OP_READ : 0;
    legs.loop().interest(channel, read | (outbox.count() > 0 ? SelectionKey.OP_WRITE : 0));
  }

  /** From now on the bytes of this connection are the peer's. */
  void join(PeerConnection with) {
    peer = with;
    state = State.JOINED;
  }

  boolean canJoin() {
    return state == State.MESSAGES;
  }

  /** The client has ended its side. */
  private void ended() {
    if (peer != null) {
      peer.endAfterSent();
    }
    end(null);
  }

  @Override
  public void close(Client of) {
    endAfterSent();
  }

  void endAfterSent() {
    if (state == State.CLOSED || state == State.ENDING) {
      return;
    }
    if (outbox.count() == 0) {
      end(null);
      return;
    }
    state = State.ENDING;
    heardAt = legs.loop().nanoTime();
    interest();
  }

  /**
   * Ends the connection at once.
   *
   * @param why what is counted, null = nothing
   */
  void end(Why why) {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    if (why != null) {
      legs.count(why);
    }
    if (tls != null && !tls.isBusy()) {
      tls.sayGoodbye(legs.sending().cipher, channel);
    }
    try {
      channel.close();
    } catch (IOException e) {
      legs.count(Why.STREAM_BROKEN);
    }
    legs.forget(this, shown);
    if (peer != null) {
      peer.endAfterSent();
    }
    if (client != null) {
      legs.messages().gone(client);
    }
  }

  /** Ends the connection if its time is over. */
  void sweep(long now) {
    if (!shown && now - heardAt > FIRST_NANOS) {
      end(Why.STREAM_HALF_OPEN);
    } else if (state == State.ENDING && now - heardAt > END_NANOS) {
      end(Why.STREAM_SLOW);
    } else if (outbox.count() > 0 && now - wroteAt > SLOW_NANOS) {
      end(Why.STREAM_SLOW);
    } else if (state == State.MESSAGES
        && client.allocation() == null
        && now - heardAt > IDLE_NANOS) {
      end(Why.STREAM_IDLE);
    }
  }
}
