// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.Transport;
import org.netserv.mediarelay.core.Why;

/**
 * One client's DTLS 1.2 session.
 *
 * <pre>
 *   HANDSHAKE --- finished ---> OPEN --- closed, idle, replaced ---> CLOSED
 *       +------------ failed, too late ------------------------------->
 * </pre>
 *
 * <p><b>Threads.</b> Whoever holds the relay's lock. A helper computes for a handshake without it,
 * and until it is done the session only stores what comes.
 */
final class DtlsSession implements Client.Way {
  /** Time for a handshake. */
  static final long HANDSHAKE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Time without a message, while there is no allocation. */
  static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Time after which a flight of the handshake is sent again. */
  static final long FLIGHT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int STORED_MOST = 8;
  private static final int RECORD_HEAD = 13;
  private static final byte MAJOR = (byte) 0xfe;
  private static final int EPOCH_AT = 3;
  private static final int LENGTH_AT = 11;
  private static final int STEPS_MOST = 64;
  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

  private enum State {
    HANDSHAKE,
    OPEN,
    CLOSED
  }

  private final DtlsLegs legs;
  private final DtlsLegs.Flow flow;
  private final SSLEngine engine;
  private final Client client;
  private final Queue<ByteBuffer> stored = new ArrayDeque<>();
  private final long since;
  private State state = State.HANDSHAKE;
  private boolean busy;
  private long heardAt;
  private long flightAt;

  DtlsSession(DtlsLegs legs, DtlsLegs.Flow flow, SSLEngine engine) {
    this.legs = legs;
    this.flow = flow;
    this.engine = engine;
    client =
        new Client(Transport.DTLS, flow.high(), flow.low(), flow.port(), flow.serverPort(), this);
    since = legs.loop().nanoTime();
    heardAt = since;
    flightAt = since;
  }

  boolean isOpen() {
    return state == State.OPEN;
  }

  Client client() {
    return client;
  }

  /** Takes one datagram, whose bytes belong to the caller again when this returns. */
  void received(ByteBuffer datagram) {
    while (state != State.CLOSED && datagram.remaining() >= RECORD_HEAD) {
      int at = datagram.position();
      int length = RECORD_HEAD + (datagram.getShort(at + LENGTH_AT) & 0xffff);
      if (length > datagram.remaining()) {
        return;
      }
      int end = datagram.limit();
      if (isExpected(datagram, at)) {
        record(datagram.limit(at + length));
      }
      datagram.limit(end).position(at + length);
    }
  }

  /**
   * Tells whether a record can be of this session. An engine ends at some records that anybody can
   * write, so they do not reach it. An open session has records of its first epoch only, which are
   * authenticated one by one.
   */
  private boolean isExpected(ByteBuffer datagram, int at) {
    int epoch = datagram.getShort(at + EPOCH_AT) & 0xffff;
    return DtlsLegs.isDtls(datagram.get(at))
        && datagram.get(at + 1) == MAJOR
        && (state == State.OPEN ? epoch == 1 : epoch <= 1);
  }

  private void record(ByteBuffer record) {
    if (!busy) {
      go(record);
    } else if (stored.size() < STORED_MOST) {
      stored.add(ByteBuffer.allocate(record.remaining()).put(record).flip());
    }
  }

  private void go(ByteBuffer datagram) {
    try {
      for (int steps = 0; state != State.CLOSED && steps < STEPS_MOST; steps++) {
        if (!step(datagram)) {
          return;
        }
      }
    } catch (SSLException e) {
      end(Why.TLS_FAILED);
    }
  }

  /** Goes one step of the engine. Returns false if there is none to go now. */
  private boolean step(ByteBuffer datagram) throws SSLException {
    return switch (engine.getHandshakeStatus()) {
      case NEED_TASK -> {
        compute(datagram);
        yield false;
      }
      case NEED_WRAP -> wrap();
      case NEED_UNWRAP_AGAIN -> unwrap(EMPTY.duplicate());
      default -> datagram.hasRemaining() && unwrap(datagram);
    };
  }

  /** Has a helper compute, and goes on then. */
  private void compute(ByteBuffer datagram) {
    if (state == State.OPEN) {
      end(Why.TLS_FAILED); // a client that wants another handshake in this session
      return;
    }
    busy = true;
    if (datagram.hasRemaining()) {
      stored.add(ByteBuffer.allocate(datagram.remaining()).put(datagram).flip());
    }
    legs.loop()
        .help(
            () -> {
              DtlsLegs.runTasks(engine);
              legs.loop().locked(this::computed);
            });
  }

  private void computed() {
    busy = false;
    if (state == State.CLOSED) {
      return;
    }
    go(EMPTY.duplicate());
    while (!busy && state != State.CLOSED && !stored.isEmpty()) {
      go(stored.remove());
    }
  }

  private boolean wrap() throws SSLException {
    ByteBuffer cipher = legs.sending().cipher.clear();
    SSLEngineResult result = engine.wrap(EMPTY.duplicate(), cipher);
    if (cipher.position() > 0) {
      flightAt = legs.loop().nanoTime();
      legs.datagrams().send(client, cipher, 0, cipher.position());
    }
    finished(result);
    return result.getStatus() == SSLEngineResult.Status.OK
        && (result.bytesProduced() > 0 || result.getHandshakeStatus() != HandshakeStatus.NEED_WRAP);
  }

  private boolean unwrap(ByteBuffer datagram) throws SSLException {
    ByteBuffer plain = legs.work().plain.clear().position(StreamInbox.HEADROOM);
    SSLEngineResult result = engine.unwrap(datagram, plain);
    finished(result);
    int length = plain.position() - StreamInbox.HEADROOM;
    if (length > 0 && state == State.OPEN) {
      heardAt = legs.loop().nanoTime();
      legs.messages().received(client, plain, StreamInbox.HEADROOM, length);
    }
    if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
      end(null);
      return false;
    }
    return result.getStatus() == SSLEngineResult.Status.OK
        && (result.bytesConsumed() > 0
            || result.getHandshakeStatus() != HandshakeStatus.NEED_UNWRAP);
  }

  private void finished(SSLEngineResult result) {
    if (result.getHandshakeStatus() == HandshakeStatus.FINISHED && state == State.HANDSHAKE) {
      state = State.OPEN;
      heardAt = legs.loop().nanoTime();
      legs.opened(flow);
    }
  }

  @Override
  public boolean send(Client to, ByteBuffer bytes, int start, int length) {
    ByteBuffer plain = legs.sending().plain;
    if (state != State.OPEN || length > plain.capacity()) {
      return false;
    }
    plain.clear().put(0, bytes, start, length).limit(length);
    ByteBuffer cipher = legs.sending().cipher.clear();
    try {
      SSLEngineResult result = engine.wrap(plain, cipher);
      return result.getStatus() == SSLEngineResult.Status.OK
          && !plain.hasRemaining()
          && legs.datagrams().send(client, cipher, 0, cipher.position());
    } catch (SSLException e) {
      return false;
    }
  }

  @Override
  public void close(Client of) {
    end(null);
  }

  /**
   * Ends the session.
   *
   * @param why what is counted, null = nothing
   */
  void end(Why why) {
    if (state == State.CLOSED) {
      return;
    }
    boolean wasOpen = state == State.OPEN;
    state = State.CLOSED;
    stored.clear();
    if (why != null) {
      legs.count(why);
    }
    if (!busy) {
      sayGoodbye();
    }
    legs.forget(flow, wasOpen);
    if (wasOpen) {
      legs.messages().gone(client);
    }
  }

  private void sayGoodbye() {
    try {
      engine.closeOutbound();
      ByteBuffer cipher = legs.sending().cipher.clear();
      engine.wrap(EMPTY.duplicate(), cipher);
      if (cipher.position() > 0) {
        legs.datagrams().send(client, cipher, 0, cipher.position());
      }
    } catch (SSLException e) {
      stored.clear(); // nothing was open that could be closed
    }
  }

  /** Sends a flight again that got no answer. Ends the session if its time is over. */
  void sweep(long now) {
    if (state == State.HANDSHAKE && now - since > HANDSHAKE_NANOS) {
      end(Why.DTLS_HALF_OPEN);
    } else if (state == State.HANDSHAKE && !busy && now - flightAt >= FLIGHT_NANOS) {
      flightAt = now;
      again();
    } else if (state == State.OPEN && client.allocation() == null && now - heardAt > IDLE_NANOS) {
      end(Why.STREAM_IDLE);
    }
  }

  private void again() {
    try {
      if (engine.getHandshakeStatus() == HandshakeStatus.NEED_UNWRAP && wrap()) {
        go(EMPTY.duplicate());
      }
    } catch (SSLException e) {
      end(Why.TLS_FAILED);
    }
  }
}
