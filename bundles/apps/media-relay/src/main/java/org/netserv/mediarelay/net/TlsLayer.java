// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * TLS of one connection.
 *
 * <p><b>Threads.</b> The stream thread unwraps, without a lock. Whoever holds the relay's lock
 * wraps. While the layer is busy, a helper has the engine, and nobody else calls it.
 */
final class TlsLayer {
  /** The next thing to do. */
  enum Step {
    /** The handshake has something to send. */
    WRAP,
    /** The handshake has something to compute. */
    TASK,
    /** The memory for plain text is full. */
    FULL,
    /** All cipher text is used up, but for the beginning of a record. */
    MORE,
    /** A step is done. */
    AGAIN,
    /** The client has ended the session. */
    ENDED
  }

  private static final byte[] NOTHING = {};
  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

  private final SSLEngine engine;
  private byte[] kept = NOTHING; // the beginning of a record
  private int count;
  private boolean done;
  private volatile boolean busy;
  private volatile boolean taskDone;

  TlsLayer(SSLEngine engine) throws SSLException {
    this.engine = engine;
    engine.beginHandshake();
  }

  /** Tells whether the handshake is complete. */
  boolean isDone() {
    return done;
  }

  boolean isBusy() {
    return busy;
  }

  /** A helper computes from now on. */
  void busy() {
    busy = true;
  }

  /** Computes, on a helper thread. */
  void runTasks() {
    for (Runnable task = engine.getDelegatedTask(); task != null; ) {
      task.run();
      task = engine.getDelegatedTask();
    }
    taskDone = true;
    busy = false;
  }

  /** Tells, once, whether a task has been done since the last call. */
  boolean hasTaskDone() {
    boolean was = taskDone;
    taskDone = false;
    return was;
  }

  /** Puts the beginning of a record to the beginning of a memory, and the position behind it. */
  void restore(ByteBuffer cipher) {
    cipher.clear().put(kept, 0, count);
    kept = NOTHING;
    count = 0;
  }

  /** Keeps what a memory has from its position to its limit: less than the memory's capacity. */
  void keep(ByteBuffer cipher) {
    count = cipher.remaining();
    kept = count == 0 ? NOTHING : new byte[count];
    cipher.get(kept, 0, count);
  }

  /** Goes one step. The plain text goes to the position of its memory. */
  Step step(StreamWork work) throws SSLException {
    return switch (engine.getHandshakeStatus()) {
      case NEED_TASK -> Step.TASK;
      case NEED_WRAP -> Step.WRAP;
      default -> engine.isInboundDone() ? Step.ENDED : unwrap(work);
    };
  }

  private Step unwrap(StreamWork work) throws SSLException {
    SSLEngineResult result = engine.unwrap(work.cipher, work.plain);
    finished(result);
    return switch (result.getStatus()) {
      case BUFFER_UNDERFLOW -> Step.MORE;
      case BUFFER_OVERFLOW -> Step.FULL;
      case CLOSED -> Step.ENDED;
      case OK -> isAllUsed(result, work) ? Step.MORE : Step.AGAIN;
    };
  }

  private boolean isAllUsed(SSLEngineResult result, StreamWork work) {
    HandshakeStatus next = engine.getHandshakeStatus();
    boolean waits = next == HandshakeStatus.NOT_HANDSHAKING || next == HandshakeStatus.NEED_UNWRAP;
    boolean moved = result.bytesConsumed() > 0 || result.bytesProduced() > 0;
    return waits && (!moved || !work.cipher.hasRemaining());
  }

  private void finished(SSLEngineResult result) {
    done |= result.getHandshakeStatus() == HandshakeStatus.FINISHED;
  }

  /** Sends the handshake's messages. */
  void wrapHandshake(ByteBuffer cipher, StreamOutbox outbox, WritableByteChannel channel)
      throws IOException {
    while (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
      cipher.clear();
      SSLEngineResult result = engine.wrap(EMPTY.duplicate(), cipher);
      finished(result);
      outbox.write(cipher.flip(), channel);
      if (result.getStatus() != SSLEngineResult.Status.OK) {
        return;
      }
    }
  }

  /** Sends plain text, from the position to the limit. */
  void wrap(ByteBuffer plain, ByteBuffer cipher, StreamOutbox outbox, WritableByteChannel channel)
      throws IOException {
    while (plain.hasRemaining()) {
      cipher.clear();
      SSLEngineResult result = engine.wrap(plain, cipher);
      outbox.write(cipher.flip(), channel);
      if (result.getStatus() != SSLEngineResult.Status.OK) {
        throw new SSLException("wrap: " + result.getStatus());
      }
    }
  }

  /** Says why the session ends, or just that it does, if the channel takes it at once. */
  void sayGoodbye(ByteBuffer cipher, WritableByteChannel channel) {
    try {
      cipher.clear();
      if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
        engine.wrap(EMPTY.duplicate(), cipher); // the alert of what has failed
      }
      engine.closeOutbound();
      engine.wrap(EMPTY.duplicate(), cipher);
      channel.write(cipher.flip());
    } catch (IOException e) {
      kept = NOTHING; // the client is gone already
    }
  }
}
