// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.netserv.controller.loop.Loop;
import org.netserv.frames.FrameChannel;
import org.netserv.frames.FrameException;
import org.netserv.frames.FrameException.Reason;
import org.netserv.frames.FrameServer;
import org.netserv.frames.Json;
import org.netserv.frames.Peer;
import org.netserv.process.ForeignText;
import org.netserv.process.Overload;
import org.netserv.process.Work;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The container socket. Each container has one agent, known by the peer's uid. Every message is
 * bounded before it is kept, and each refusal is counted in {@link Misdeeds}.
 *
 * <pre>
 *   connected --hello in 5 s--> agent --event, reply, ...--> gone
 *       |                         |
 *       +-- refused, counted -----+---- a frame that breaks the rules
 * </pre>
 */
public final class AgentServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentServer.class);

  /** Milliseconds for a hello, after which the connection is closed. */
  static final long HELLO_MILLIS = 5_000;

  /** Connections of all containers together. */
  public static final int MOST = 1024;

  /**
   * Messages of one container that wait for the loop. The container is read no further until some
   * are done.
   */
  private static final int WAITING = 16;

  private final Loop loop;
  private final AgentListener listener;
  private final String build;
  private final Misdeeds misdeeds;
  private final Overload overload;
  private final AgentDoor door = new AgentDoor();
  private final FrameServer server;

  /**
   * Listens on a socket.
   *
   * @param gid numeric group of the socket, or -1 to leave it
   */
  public AgentServer(
      Path socket,
      long gid,
      String build,
      Loop loop,
      Misdeeds misdeeds,
      Overload overload,
      AgentListener listener)
      throws IOException {
    this.loop = loop;
    this.listener = listener;
    this.build = build;
    this.misdeeds = misdeeds;
    this.overload = overload;
    this.server = FrameServer.listen(socket, "rw-rw----", gid, MOST, new ByUid(), this::serve);
  }

  /** Admits connections by uid. Called on the accepting thread. */
  private final class ByUid implements FrameServer.Door {
    @Override
    public boolean enter(Peer peer) {
      long uid = uidOf(peer);
      Optional<Misdeed> refusal = door.enters(uid, crowded(), loop.monotonic());
      refusal.ifPresent(misdeed -> refuse(uid, misdeed, "closed"));
      return refusal.isEmpty();
    }

    @Override
    public void leave(Peer peer) {
      door.leaves(uidOf(peer));
    }
  }

  /** Returns true under load. A container then keeps its share, which is one connection. */
  private boolean crowded() {
    return overload.refuses(Work.OVER_SHARE);
  }

  /**
   * Returns the uid of a container. A container that policy gives no uid of its own runs as root.
   * It keeps its group, which has the number of its uid (docs/protocols/spawner.md, Layers).
   */
  private static long uidOf(Peer peer) {
    return peer.uid() == 0 ? peer.gid() : peer.uid();
  }

  private void serve(FrameChannel channel, Peer peer) throws IOException {
    long uid = uidOf(peer);
    Visit visit = new Visit(channel, uid);
    try {
      loop.execute(() -> loop.after(HELLO_MILLIS, visit::late));
      AgentHello hello = hello(channel);
      if (door.greets(uid)) {
        visit.greeted = true;
        converse(channel, uid, hello);
      } else {
        refuse(uid, Misdeed.SECOND_AGENT, "closed");
        channel.writeJson(Json.object().put("error", "another connection has greeted"));
      }
    } catch (FrameException e) {
      blame(visit, e);
      throw e;
    }
  }

  private AgentHello hello(FrameChannel channel) throws IOException {
    channel.limit(AgentText.FRAME).sayHello(build, Json.object());
    AgentText text = AgentText.of(channel.readText());
    if (text.kind() != AgentText.Kind.HELLO) {
      throw new FrameException(Reason.PROTOCOL, "the first message is no hello");
    }
    AgentHello hello = AgentHello.of(text);
    channel.agree(hello.protocol());
    return hello;
  }

  private void blame(Visit visit, FrameException e) {
    Misdeed misdeed = visit.late ? Misdeed.LATE_HELLO : Misdeed.of(e.reason());
    if (misdeed != null) {
      refuse(visit.uid, misdeed, ForeignText.bounded(e.getMessage()));
    } else if (visit.greeted && misdeeds.mayLog(visit.uid, loop.monotonic())) {
      LOG.info("agent of uid {}: {}", visit.uid, ForeignText.bounded(e.getMessage()));
    }
  }

  private void refuse(long uid, Misdeed misdeed, String text) {
    misdeeds
        .add(uid, misdeed, text, loop.monotonic())
        .ifPresent(why -> loop.execute(() -> listener.misused(uid, why)));
  }

  private void converse(FrameChannel channel, long uid, AgentHello hello) throws IOException {
    AgentConnection agent = new AgentConnection(channel, loop);
    loop.execute(() -> listener.greeted(uid, agent, hello));
    String why = "closed";
    try {
      Semaphore room = new Semaphore(WAITING);
      while (true) {
        byte[] frame = channel.readText();
        pause(door.pause(uid, frame.length, loop.monotonic()));
        room.acquireUninterruptibly();
        Runnable news = understand(uid, agent, frame);
        loop.execute(
            () -> {
              room.release();
              news.run();
            });
      }
    } catch (IOException e) {
      why = ForeignText.bounded(e.getMessage());
      throw e;
    } finally {
      String end = why;
      loop.execute(
          () -> {
            agent.lost(end);
            listener.lost(uid, agent, end);
          });
      // The end of this connection is on the loop before another connection can greet.
      door.parts(uid);
    }
  }

  /** Reads a frame on the connection's thread. The loop gets the part that is kept. */
  private Runnable understand(long uid, AgentConnection agent, byte[] frame) throws FrameException {
    AgentText text = AgentText.of(frame);
    String op = text.kind() == AgentText.Kind.REPLY ? agent.op(text.id()) : null;
    if (frame.length >= AgentText.FRAME && (op == null || !AgentShapes.large(op))) {
      throw new FrameException(Reason.TOO_LONG, "length " + frame.length + " of what is no dump");
    }
    switch (text.kind()) {
      case EVENT -> {
        AgentEvent event = AgentEvent.of(text);
        if (event.known()) {
          return () -> listener.event(uid, agent, event);
        }
        refuse(uid, Misdeed.UNKNOWN_EVENT, "'" + event.kind() + "'");
      }
      case REPLY -> {
        if (op != null) {
          ObjectNode reply = text.read(AgentShapes.reply(op));
          return () -> agent.answered(text.id(), reply);
        }
        refuse(uid, Misdeed.UNASKED_REPLY, "id " + text.id());
        return () -> listener.unasked(uid, agent);
      }
      case HELLO -> refuse(uid, Misdeed.SECOND_HELLO, "dropped");
      case OTHER -> refuse(uid, Misdeed.UNKNOWN_MESSAGE, "dropped");
    }
    return () -> {};
  }

  private static void pause(long millis) throws FrameException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FrameException(Reason.CLOSED, "interrupted", e);
    }
  }

  /** Connections that are open now. */
  public int connections() {
    return server.peers();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      LOG.warn("container socket: close: {}", e.getMessage());
    }
  }

  /** A connection and its progress to a hello. */
  private static final class Visit {
    private final FrameChannel channel;
    private final long uid;
    private volatile boolean greeted;
    private volatile boolean late;

    Visit(FrameChannel channel, long uid) {
      this.channel = channel;
      this.uid = uid;
    }

    /** Closes a connection that has not greeted in time. On the loop. */
    private void late() {
      if (greeted || !channel.isOpen()) {
        return;
      }
      late = true;
      try {
        channel.close();
      } catch (IOException e) {
        LOG.debug("close: {}", e.getMessage());
      }
    }
  }
}
