// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.netserv.frames.FrameChannel;
import org.netserv.frames.Json;

/**
 * The connection to the controller, made again and again. Modules and packets go on without it.
 *
 * <pre>
 *   CONNECTING --hello--> SERVING --end of stream, bad frame--> CONNECTING,
 *                                                              after 0.1 s doubling to 5 s
 * </pre>
 *
 * Requests that change modules run one after the other on a thread of their own, and so do traces
 * and questions to modules. Other questions are answered at once, so that {@code ping} and {@code
 * threads} work while a module hangs.
 */
final class ControlLink implements AutoCloseable {
  private static final long FIRST_PAUSE = 100;
  private static final long LONGEST_PAUSE = 5000;
  private static final int MOST_EVENTS = 64;

  private final Path socket;
  private final String build;
  private final Supplier<ObjectNode> hello;
  private final Operations operations;
  private final ExecutorService changes = worker("agent-changes");
  private final ExecutorService traces = worker("agent-traces");
  private final ExecutorService views = worker("agent-views");
  private final Deque<ObjectNode> events = new ArrayDeque<>();
  private final Thread thread = new Thread(this::run, "agent-control");
  private FrameChannel current;
  private volatile boolean closed;

  /**
   * @param build of this program, for the hello
   * @param hello further fields of it, asked for at each connection
   */
  ControlLink(Path socket, String build, Supplier<ObjectNode> hello, Operations operations) {
    this.socket = socket;
    this.build = build;
    this.hello = hello;
    this.operations = operations;
  }

  void start() {
    thread.setDaemon(true);
    thread.start();
  }

  /** Sends an event, now or when there is a connection again. */
  void event(String event, String module, String reason) {
    event(Json.object().put("event", event).put("module", module).put("reason", reason));
  }

  /** Sends an event. While events wait for a connection, the oldest are lost first. */
  void event(ObjectNode event) {
    synchronized (events) {
      if (events.size() == MOST_EVENTS) {
        events.removeFirst();
      }
      events.add(event);
    }
    flush();
  }

  @Override
  public void close() throws IOException {
    closed = true;
    thread.interrupt();
    changes.shutdownNow();
    traces.shutdownNow();
    views.shutdownNow();
    synchronized (events) {
      if (current != null) {
        current.close();
      }
    }
  }

  private void run() {
    long pause = FIRST_PAUSE;
    while (!closed) {
      try (FrameChannel channel = FrameChannel.connect(socket)) {
        channel.hello(build, hello.get());
        pause = FIRST_PAUSE;
        use(channel);
        flush();
        serve(channel);
      } catch (IOException e) {
        if (!closed) {
          System.err.println("agent: controller: " + e.getMessage());
        }
      } finally {
        use(null);
      }
      pause = pause(pause);
    }
  }

  private long pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(closed ? 0 : millis);
    } catch (InterruptedException e) {
      closed = true;
    }
    return Math.min(2 * millis, LONGEST_PAUSE);
  }

  private void serve(FrameChannel channel) throws IOException {
    while (true) {
      Request request = new Request(channel.readJson());
      switch (request.op()) {
        case "install", "prepare" -> {
          Artifact artifact = Artifact.read(channel, size(request));
          changes.execute(() -> answer(channel, request, artifact));
        }
        case "uninstall", "configure" -> changes.execute(() -> answer(channel, request, null));
        case "rules" -> views.execute(() -> answer(channel, request, null));
        case "trace" -> traces.execute(() -> answer(channel, request, null));
        default -> answer(channel, request, null);
      }
    }
  }

  /** Reads the size of the B frames, which cannot be told from the next request without it. */
  private static int size(Request request) throws IOException {
    try {
      return request.number("size", 0, Artifact.MOST);
    } catch (Refusal e) {
      throw new IOException(request.op() + ": " + e.getMessage(), e);
    }
  }

  private void answer(FrameChannel channel, Request request, Artifact artifact) {
    send(channel, operations.answer(request, artifact));
  }

  private void use(FrameChannel channel) {
    synchronized (events) {
      current = channel;
    }
  }

  private void flush() {
    synchronized (events) {
      while (current != null && !events.isEmpty() && send(current, events.peekFirst())) {
        events.removeFirst();
      }
    }
  }

  private static boolean send(FrameChannel channel, ObjectNode message) {
    try {
      channel.writeJson(message);
      return true;
    } catch (IOException e) {
      // The reading side sees the same end and connects again.
      return false;
    }
  }

  private static ExecutorService worker(String name) {
    return Executors.newSingleThreadExecutor(
        work -> {
          Thread thread = new Thread(work, name);
          thread.setDaemon(true);
          return thread;
        });
  }
}
