// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.netserv.controller.loop.Loop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Client of docs/protocols/spawner.md over its UNIX socket. One thread reads, one thread writes,
 * and the loop owns the state. A lost connection is tried again after 0.1 s, doubling to 2 s, for
 * as long as the client lives. Anything that breaks the protocol closes the connection.
 */
public final class SpawnerClient implements Spawner, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SpawnerClient.class);
  private static final long FIRST_RETRY = 100;
  private static final long LAST_RETRY = 2_000;

  private final Path path;
  private final String build;
  private final Loop loop;
  private final SpawnerListener listener;

  /**
   * Writes to the socket. Drops tasks after its end, because the reader may still have a hello to
   * send.
   */
  private final ExecutorService writer =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.MILLISECONDS,
          new LinkedBlockingQueue<>(),
          r -> daemon(r, "spawner-writer"),
          new ThreadPoolExecutor.DiscardPolicy());

  private final Map<Long, Pending> pending = new HashMap<>();
  private Connection connection;
  private long retry = FIRST_RETRY;
  private long lastId;
  private boolean closed;

  public SpawnerClient(Path path, String build, Loop loop, SpawnerListener listener) {
    this.path = path;
    this.build = build;
    this.loop = loop;
    this.listener = listener;
  }

  /** Begins to connect. Called once, on any thread. */
  public void start() {
    loop.execute(this::connect);
  }

  private void connect() {
    if (!closed) {
      Connection fresh = new Connection();
      connection = fresh;
      daemon(fresh::run, "spawner-reader").start();
    }
  }

  @Override
  public boolean connected() {
    return connection != null && connection.greeted;
  }

  @Override
  public void request(SpawnerRequest request, Consumer<SpawnerReply> reply) {
    if (!connected()) {
      loop.execute(() -> reply.accept(SpawnerReply.refused("spawner: not connected")));
      return;
    }
    long id = ++lastId;
    Map<String, String> values = new LinkedHashMap<>();
    values.put("id", "" + id);
    values.putAll(request.values());
    StringBuilder text =
        new StringBuilder(new SpawnerLine(request.verb(), values).print()).append('\n');
    if (text.length() > SpawnerLine.MAX) {
      loop.execute(
          () ->
              reply.accept(
                  SpawnerReply.refused("spawner: request " + request.verb() + " is too long")));
      return;
    }
    request.lines().forEach(line -> text.append(line).append('\n'));
    Loop.Timer timer =
        loop.after(
            request.timeoutMillis(),
            () -> answer(id, SpawnerReply.refused("spawner: " + request.verb() + ": time-out")));
    pending.put(id, new Pending(reply, timer));
    connection.send(text.toString());
  }

  private void answer(long id, SpawnerReply reply) {
    Pending waiting = pending.remove(id);
    if (waiting != null) {
      waiting.timer.cancel();
      waiting.reply.accept(reply);
    }
  }

  /**
   * Ends the connection and all tries, and answers pending requests. The listener is not told,
   * because the end is wanted. Called on the loop.
   */
  @Override
  public void close() {
    closed = true;
    Connection last = connection;
    connection = null;
    if (last != null) {
      last.end();
    }
    writer.shutdown();
    answerAll("spawner: connection closed");
  }

  private void answerAll(String reason) {
    List.copyOf(pending.keySet()).forEach(id -> answer(id, SpawnerReply.refused(reason)));
  }

  private void lost(Connection which, String why) {
    if (which != connection) {
      return;
    }
    boolean stood = which.greeted;
    connection = null;
    which.end();
    answerAll("spawner: connection lost");
    if (stood) {
      LOG.warn("spawner: connection lost: {}", why);
      listener.disconnected();
    } else if (retry == FIRST_RETRY) {
      LOG.info("spawner: waiting for {}: {}", path, why);
    }
    loop.after(retry, this::connect);
    retry = Math.min(LAST_RETRY, retry * 2);
  }

  private void line(Connection from, SpawnerLine line) {
    if (from != connection) {
      return;
    }
    if (!from.greeted) {
      greet(from, line);
    } else if (line.verb().startsWith("event ")) {
      listener.event(line.verb().substring("event ".length()), line.values());
    } else if (line.verb().equals("ok") || line.verb().equals("error")) {
      boolean ok = line.verb().equals("ok");
      Map<String, String> values = line.values();
      String reason = ok ? "" : values.getOrDefault("reason", "no reason given");
      answer(number(values.get("id")), new SpawnerReply(ok, values, reason));
    } else {
      lost(from, "unknown line: " + line.verb());
    }
  }

  private void greet(Connection from, SpawnerLine line) {
    String protocol = line.values().getOrDefault("protocol", "");
    if (!line.verb().equals("hello") || !protocol.startsWith("1.")) {
      String said =
          line.verb().equals("error") ? line.values().getOrDefault("reason", "") : line.print();
      lost(from, "no hello of protocol 1: " + said);
      return;
    }
    from.greeted = true;
    retry = FIRST_RETRY;
    LOG.info("spawner: connected, build {}", line.values().getOrDefault("build", "?"));
    listener.connected();
  }

  private static long number(String text) {
    try {
      return text == null ? -1 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  private record Pending(Consumer<SpawnerReply> reply, Loop.Timer timer) {}

  /**
   * One connection of the socket. {@code greeted} belongs to the loop, {@code channel} to the
   * thread that holds the lock.
   */
  private final class Connection {
    private SocketChannel channel;
    private boolean ended;
    private boolean greeted;

    void run() {
      try (SocketChannel opened = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
        if (!adopt(opened)) {
          return;
        }
        send("hello protocol=1.0 build=" + build + "\n");
        read(new BufferedInputStream(Channels.newInputStream(opened)));
        loop.execute(() -> lost(this, "closed by the spawner"));
      } catch (IOException e) {
        loop.execute(() -> lost(this, String.valueOf(e.getMessage())));
      }
    }

    private void read(InputStream in) throws IOException {
      byte[] line = new byte[SpawnerLine.MAX];
      int length = 0;
      for (int b = in.read(); b >= 0; b = in.read()) {
        if (b != '\n') {
          if (length == line.length) {
            throw new SpawnerException("line longer than " + SpawnerLine.MAX);
          }
          line[length++] = (byte) b;
          continue;
        }
        SpawnerLine parsed =
            SpawnerLine.parse(new String(line, 0, length, StandardCharsets.ISO_8859_1));
        length = 0;
        loop.execute(() -> line(this, parsed));
      }
    }

    void send(String text) {
      writer.execute(
          () -> {
            try {
              ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
              SocketChannel out = current();
              while (out != null && bytes.hasRemaining()) {
                out.write(bytes);
              }
            } catch (IOException e) {
              loop.execute(() -> lost(this, "write: " + e.getMessage()));
            }
          });
    }

    private synchronized boolean adopt(SocketChannel opened) {
      channel = opened;
      return !ended;
    }

    private synchronized SocketChannel current() {
      return ended ? null : channel;
    }

    synchronized void end() {
      ended = true;
      try {
        if (channel != null) {
          channel.close();
        }
      } catch (IOException e) {
        LOG.debug("spawner: close: {}", e.getMessage());
      }
    }
  }
}
