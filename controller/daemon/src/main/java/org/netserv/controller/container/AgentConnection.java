// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.netserv.controller.loop.Loop;
import org.netserv.frames.FrameChannel;
import org.netserv.frames.Json;

/**
 * {@link Agent} over a channel: ids, time-outs and the queue of changes on the loop, writing on a
 * thread of its own.
 */
final class AgentConnection implements Agent {
  private final FrameChannel channel;
  private final Loop loop;
  private final ExecutorService writer;
  private final Map<Long, Pending> pending = new HashMap<>();
  private final Deque<Change> changes = new ArrayDeque<>();
  private boolean changing;
  private String ended;
  private long lastId;

  AgentConnection(FrameChannel channel, Loop loop) {
    this.channel = channel;
    this.loop = loop;
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), AgentConnection::daemon);
    pool.allowCoreThreadTimeOut(true);
    this.writer = pool;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "agent-writer");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void ask(ObjectNode op, long timeoutMillis, Consumer<ObjectNode> reply) {
    send(op, null, timeoutMillis, reply);
  }

  @Override
  public void change(ObjectNode op, Path body, long timeoutMillis, Consumer<ObjectNode> reply) {
    changes.add(new Change(op, body, timeoutMillis, reply));
    nextChange();
  }

  @Override
  public boolean changing() {
    return changing;
  }

  private void nextChange() {
    Change change = changing ? null : changes.poll();
    if (change != null) {
      changing = true;
      send(
          change.op,
          change.body,
          change.timeout,
          reply -> {
            changing = false;
            change.reply.accept(reply);
            nextChange();
          });
    }
  }

  private void send(ObjectNode op, Path body, long timeout, Consumer<ObjectNode> reply) {
    if (ended != null) {
      String why = ended;
      loop.execute(() -> reply.accept(failure(why)));
      return;
    }
    long id = ++lastId;
    ObjectNode message = op.deepCopy().put("id", id);
    String name = op.path("op").asText();
    Loop.Timer timer =
        loop.after(timeout, () -> finish(id, failure(name + ": no answer in " + timeout + " ms")));
    pending.put(id, new Pending(reply, timer));
    writer.execute(() -> write(id, message, body));
  }

  private void write(long id, ObjectNode message, Path body) {
    if (body == null) {
      write(id, message, InputStream.nullInputStream());
      return;
    }
    // Opened before the frame is begun: a file that is gone must not leave half a request on the
    // wire.
    try (InputStream in = Files.newInputStream(body)) {
      write(id, message, in);
    } catch (IOException e) {
      loop.execute(() -> finish(id, failure(String.valueOf(e.getMessage()))));
    }
  }

  private void write(long id, ObjectNode message, InputStream body) {
    try {
      channel.writeJson(message, body);
    } catch (IOException e) {
      loop.execute(() -> finish(id, failure(String.valueOf(e.getMessage()))));
      close();
    }
  }

  /** A reply has come; whether anybody waits for it, as nobody does after its time-out. */
  boolean answered(ObjectNode reply) {
    return finish(reply.path("id").asLong(-1), reply);
  }

  private boolean finish(long id, ObjectNode reply) {
    Pending waiting = pending.remove(id);
    if (waiting != null) {
      waiting.timer.cancel();
      waiting.reply.accept(reply);
    }
    return waiting != null;
  }

  /** The connection is gone: all that waits is answered. */
  void lost(String why) {
    ended = "connection lost: " + why;
    List.copyOf(pending.keySet()).forEach(id -> finish(id, failure(ended)));
    writer.shutdown();
  }

  private static ObjectNode failure(String why) {
    return Json.object().put("ok", false).put("error", why).put("here", true);
  }

  /** Safe on any thread. */
  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      loop.execute(() -> lost(e.getMessage()));
    }
  }

  private record Pending(Consumer<ObjectNode> reply, Loop.Timer timer) {}

  private record Change(ObjectNode op, Path body, long timeout, Consumer<ObjectNode> reply) {}
}
