// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.netserv.controller.loop.Loop;
import org.netserv.frames.FrameChannel;
import org.netserv.frames.FrameServer;
import org.netserv.frames.Json;
import org.netserv.frames.Peer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the admin or the signaling socket. Reads requests, hands them to the loop, and writes
 * replies in the order in which they are ready. At most 64 requests of a connection are under way.
 * A peer that sends more waits.
 */
public final class AdminServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
  private static final int UNDER_WAY = 64;

  /** Milliseconds for a peer's hello, after which the connection is closed. */
  private static final long HELLO_MILLIS = 5_000;

  /** Answers requests, on the loop. */
  public interface Handler {
    /**
     * Answers once, now or later, on the loop.
     *
     * @param source the asking peer, for the audit log
     */
    void handle(ObjectNode request, String source, Reply reply);
  }

  /** Takes the answer to one request, without its id. */
  public interface Reply {
    void send(ObjectNode answer);
  }

  private final String role;
  private final String build;
  private final Loop loop;
  private final Handler handler;
  private final AdminDoor door;
  private final FrameServer server;

  /**
   * Listens on a socket.
   *
   * @param gid numeric group that may connect besides ourselves; -1 to leave the socket's group
   * @param role that peers have to give in their hello: {@code admin} or {@code signaling}
   * @param refusals counts refused and evicted connections by name, on any thread
   */
  public AdminServer(
      Path socket,
      long gid,
      String role,
      String build,
      Loop loop,
      Consumer<String> refusals,
      Handler handler)
      throws IOException {
    this.role = role;
    this.build = build;
    this.loop = loop;
    this.handler = handler;
    this.door = new AdminDoor(role, loop::monotonic, refusals);
    this.server =
        FrameServer.listen(socket, "rw-rw----", gid, FrameServer.MAX_PEERS, door, this::serve);
  }

  private void serve(FrameChannel channel, Peer peer) throws IOException {
    AdminDoor.Guest guest = door.begin(peer, channel);
    try {
      serve(channel, peer, guest);
    } finally {
      door.end(guest);
    }
  }

  private void serve(FrameChannel channel, Peer peer, AdminDoor.Guest guest) throws IOException {
    AtomicBoolean greeted = new AtomicBoolean();
    loop.execute(() -> loop.after(HELLO_MILLIS, () -> late(channel, greeted)));
    ObjectNode hello = channel.hello(build, Json.object().put("role", "controller"));
    greeted.set(true);
    String said = hello.path("role").asText("");
    if (!said.equals(role)) {
      channel.writeJson(
          Json.object().put("error", "role " + role + " expected here, not '" + said + "'"));
      return;
    }
    String source = role + " uid=" + peer.uid();
    Semaphore room = new Semaphore(UNDER_WAY);
    ExecutorService writer = Executors.newSingleThreadExecutor(AdminServer::daemon);
    try {
      while (true) {
        ObjectNode request = channel.readJson();
        room.acquire();
        door.asked(guest);
        loop.execute(
            () ->
                handler.handle(
                    request,
                    source,
                    answer -> {
                      door.answered(guest);
                      reply(channel, writer, room, request, answer);
                    }));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      writer.shutdown();
    }
  }

  private void late(FrameChannel channel, AtomicBoolean greeted) {
    if (!greeted.get()) {
      try {
        channel.close();
      } catch (IOException e) {
        LOG.debug("{} socket: close: {}", role, e.getMessage());
      }
    }
  }

  private static void reply(
      FrameChannel channel,
      ExecutorService writer,
      Semaphore room,
      ObjectNode request,
      ObjectNode answer) {
    answer.set("id", request.path("id"));
    try {
      writer.execute(
          () -> {
            room.release();
            try {
              channel.writeJson(answer);
            } catch (IOException e) {
              LOG.debug("reply: {}", e.getMessage());
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("reply: the peer has gone");
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "admin-writer");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      LOG.warn("{} socket: close: {}", role, e.getMessage());
    }
  }
}
