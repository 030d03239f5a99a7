// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.netserv.controller.loop.Loop;
import org.netserv.frames.FrameChannel;
import org.netserv.frames.FrameServer;
import org.netserv.frames.Json;
import org.netserv.frames.Peer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The container socket: one connection per container, known by the peer's uid. */
public final class AgentServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentServer.class);
  private static final int LIMIT = 2 << 20;

  /** Messages of one container that wait for the loop; it writes no more until some are done. */
  private static final int WAITING = 16;

  /** Of one uid at a time: one in use, one on its way, and those whose end was not seen yet. */
  static final int CONNECTIONS = 4;

  private final Loop loop;
  private final AgentListener listener;
  private final String build;
  private final Map<Long, Integer> connections = new ConcurrentHashMap<>();
  private final FrameServer server;

  /**
   * Listens.
   *
   * @param gid numeric group of the socket, or -1 to leave it
   */
  public AgentServer(Path socket, long gid, String build, Loop loop, AgentListener listener)
      throws IOException {
    this.loop = loop;
    this.listener = listener;
    this.build = build;
    this.server = FrameServer.listen(socket, "rw-rw----", gid, this::serve);
  }

  /**
   * A container that policy gives no uid of its own is root, and keeps its group, which has the
   * number of its uid (docs/protocols/spawner.md, Layers).
   */
  private static long uidOf(Peer peer) {
    return peer.uid() == 0 ? peer.gid() : peer.uid();
  }

  /** A container that opens connections and says nothing must not keep the others' agents out. */
  private void serve(FrameChannel channel, Peer peer) throws IOException {
    long id = uidOf(peer);
    try {
      if (connections.merge(id, 1, Integer::sum) <= CONNECTIONS) {
        talk(channel, id);
      } else {
        LOG.warn("agent of uid {}: more than {} connections: closed", id, CONNECTIONS);
      }
    } finally {
      connections.computeIfPresent(id, (uid, count) -> count == 1 ? null : count - 1);
    }
  }

  private void talk(FrameChannel channel, long uid) throws IOException {
    channel.limit(LIMIT);
    ObjectNode hello = channel.hello(build, Json.object());
    AgentConnection agent = new AgentConnection(channel, loop);
    loop.execute(() -> listener.greeted(uid, agent, hello));
    try {
      Semaphore room = new Semaphore(WAITING);
      while (true) {
        ObjectNode message = channel.readJson();
        room.acquireUninterruptibly();
        loop.execute(
            () -> {
              room.release();
              deliver(uid, agent, message);
            });
      }
    } catch (IOException e) {
      LOG.info("agent of uid {}: {}", uid, e.getMessage());
      loop.execute(
          () -> {
            agent.lost(e.getMessage());
            listener.lost(uid, agent, e.getMessage());
          });
      throw e;
    }
  }

  private void deliver(long uid, AgentConnection agent, ObjectNode message) {
    if (message.path("event").isTextual()) {
      listener.event(uid, agent, message);
    } else if (!agent.answered(message)) {
      listener.unasked(uid, agent);
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      LOG.warn("container socket: close: {}", e.getMessage());
    }
  }
}
