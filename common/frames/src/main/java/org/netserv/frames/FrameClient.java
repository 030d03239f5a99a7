// SPDX-License-Identifier: Apache-2.0
package org.netserv.frames;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.netserv.frames.FrameException.Reason;

/**
 * The asking side of a connection, whichever side opened it. Requests get their id here and are
 * matched to replies. Events go to a listener, on the reading thread. Safe for any number of
 * threads.
 */
public final class FrameClient implements Closeable {
  private final FrameChannel channel;
  private final Consumer<ObjectNode> events;
  private final AtomicLong ids = new AtomicLong();
  private final Map<Long, CompletableFuture<ObjectNode>> waiting = new ConcurrentHashMap<>();
  private final CompletableFuture<IOException> end = new CompletableFuture<>();

  /** Takes over a channel after the exchange of hellos. */
  public FrameClient(FrameChannel channel, Consumer<ObjectNode> events) {
    this.channel = channel;
    this.events = events;
    Thread reader = new Thread(this::read, "frames-reader");
    reader.setDaemon(true);
    reader.start();
  }

  /** Connects, says hello with these further fields, and ignores events. */
  public static FrameClient connect(Path socket, String build, ObjectNode hello)
      throws IOException {
    FrameChannel channel = FrameChannel.connect(socket);
    try {
      channel.hello(build, hello);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    return new FrameClient(channel, event -> {});
  }

  /**
   * Sends a request and waits for its reply.
   *
   * @param request with {@code op}; {@code id} is set here
   * @return the reply, whether it is ok or not
   * @throws FrameException TIMEOUT, or the reason that ended the connection
   */
  public ObjectNode request(ObjectNode request, Duration timeout) throws IOException {
    return request(request, InputStream.nullInputStream(), timeout);
  }

  /** As {@link #request(ObjectNode, Duration)}, followed by B frames. */
  public ObjectNode request(ObjectNode request, InputStream body, Duration timeout)
      throws IOException {
    long id = ids.incrementAndGet();
    CompletableFuture<ObjectNode> reply = new CompletableFuture<>();
    waiting.put(id, reply);
    try {
      if (end.isDone()) {
        throw end.join();
      }
      channel.writeJson(request.deepCopy().put("id", id), body);
      return reply.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      String op = request.path("op").asText();
      throw new FrameException(
          Reason.TIMEOUT, op + ": no answer in " + timeout.toMillis() + " ms", e);
    } catch (ExecutionException e) {
      throw new FrameException(Reason.CLOSED, String.valueOf(e.getCause().getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FrameException(Reason.CLOSED, "interrupted", e);
    } finally {
      waiting.remove(id);
    }
  }

  /** Completes, with the reason, when the connection has ended. */
  public CompletableFuture<IOException> end() {
    return end.copy();
  }

  public FrameChannel channel() {
    return channel;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private void read() {
    try {
      while (true) {
        deliver(channel.readJson());
      }
    } catch (IOException e) {
      end.complete(e);
    } catch (RuntimeException e) {
      end.complete(new IOException("the event listener failed", e));
    } finally {
      end.complete(new IOException("the reader ended"));
      waiting.values().forEach(reply -> reply.completeExceptionally(end.join()));
      closeQuietly();
    }
  }

  private void deliver(ObjectNode message) {
    if (message.has("event")) {
      events.accept(message);
      return;
    }
    // A reply nobody waits for came after its time-out.
    CompletableFuture<ObjectNode> reply = waiting.remove(message.path("id").asLong());
    if (reply != null) {
      reply.complete(message);
    }
  }

  private void closeQuietly() {
    try {
      channel.close();
    } catch (IOException e) {
      end.complete(e);
    }
  }
}
