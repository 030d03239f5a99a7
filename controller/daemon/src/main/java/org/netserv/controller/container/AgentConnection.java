// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.netserv.controller.loop.Loop;
import org.netserv.frames.FrameChannel;
import org.netserv.frames.Json;

/**
 * {@link Agent} over a channel. Ids, time-outs and the queue of changes are on the loop, and a
 * thread of its own writes.
 */
final class AgentConnection implements Agent {
  /** Requests without an answer. An agent that leaves more of them is asked nothing else. */
  static final int PENDING = 64;

  private static final int PART = 1 << 16;

  private final FrameChannel channel;
  private final Loop loop;
  private final ExecutorService writer;
  private final Map<Long, Pending> pending = new HashMap<>();

  /** The ops of the pending requests by id, for the thread that reads. */
  private final Map<Long, String> ops = new ConcurrentHashMap<>();

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
  public void change(AgentOrder order, Path body, long timeoutMillis, Consumer<AgentReply> reply) {
    changes.add(new Change(order, body, timeoutMillis, reply));
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
          change.order.json(),
          change.body,
          change.timeout,
          reply -> {
            changing = false;
            change.reply.accept(AgentReply.of(reply));
            nextChange();
          });
    }
  }

  private void send(ObjectNode op, Path body, long timeout, Consumer<ObjectNode> reply) {
    String name = op.path("op").asText();
    Optional<String> refusal = refusal(name);
    if (refusal.isPresent()) {
      loop.execute(() -> reply.accept(failure(refusal.get())));
      return;
    }
    long id = ++lastId;
    ObjectNode message = op.deepCopy().put("id", id);
    Loop.Timer timer =
        loop.after(timeout, () -> finish(id, failure(name + ": no answer in " + timeout + " ms")));
    pending.put(id, new Pending(reply, timer));
    ops.put(id, name);
    limit();
    writer.execute(() -> write(id, message, body));
  }

  private Optional<String> refusal(String op) {
    if (ended != null) {
      return Optional.of(ended);
    }
    if (pending.size() >= PENDING) {
      return Optional.of(op + ": " + PENDING + " requests wait for an answer");
    }
    return AgentShapes.large(op) && asksLarge()
        ? Optional.of(op + ": another trace or thread dump is under way")
        : Optional.empty();
  }

  private boolean asksLarge() {
    return ops.values().stream().anyMatch(AgentShapes::large);
  }

  /** Allows long frames only while a request for one is pending. */
  private void limit() {
    channel.limit(asksLarge() ? AgentText.LARGE_FRAME : AgentText.FRAME);
  }

  private void write(long id, ObjectNode message, Path body) {
    if (body == null) {
      write(id, message, InputStream.nullInputStream());
      return;
    }
    // The file is read before the frame is begun, because a file that is gone must not leave half a
    // request on the wire.
    try {
      String found = sha256(body);
      if (found.equals(message.path("sha256").asText())) {
        try (InputStream in = Files.newInputStream(body)) {
          write(id, message, in);
        }
      } else {
        loop.execute(() -> finish(id, otherBundle(found)));
      }
    } catch (IOException e) {
      loop.execute(() -> finish(id, failure(String.valueOf(e.getMessage()))));
    }
  }

  /**
   * Returns the digest of a stored bundle. The controller compares it with the order's, because a
   * container that has just started interprets the hash.
   */
  private static String sha256(Path bundle) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IOException(e);
    }
    byte[] part = new byte[PART];
    try (InputStream in = Files.newInputStream(bundle)) {
      for (int n = in.read(part); n >= 0; n = in.read(part)) {
        digest.update(part, 0, n);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static ObjectNode otherBundle(String sha256) {
    return Json.object()
        .put("ok", false)
        .put("phase", "install")
        .put("error", "sha256: the stored bundle has " + sha256);
  }

  private void write(long id, ObjectNode message, InputStream body) {
    try {
      channel.writeJson(message, body);
    } catch (IOException e) {
      loop.execute(() -> finish(id, failure(String.valueOf(e.getMessage()))));
      close();
    }
  }

  /** Returns the op that waits for this reply; null if none does any more. Safe on any thread. */
  String op(long id) {
    return ops.get(id);
  }

  /** Takes a reply. Nobody hears it after its time-out. */
  void answered(long id, ObjectNode reply) {
    finish(id, reply);
  }

  private void finish(long id, ObjectNode reply) {
    Pending waiting = pending.remove(id);
    if (waiting != null) {
      ops.remove(id);
      limit();
      waiting.timer.cancel();
      waiting.reply.accept(reply);
    }
  }

  /** Answers all pending requests, because the connection is gone. */
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

  private record Change(AgentOrder order, Path body, long timeout, Consumer<AgentReply> reply) {}
}
