// SPDX-License-Identifier: Apache-2.0
package org.netserv.frames;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.netserv.frames.FrameException.Reason;

/**
 * Listens on a UNIX socket. Each peer gets a daemon thread. The socket appears under its name only
 * when its mode and group are set, and replaces the socket of a dead server.
 */
public final class FrameServer implements Closeable {
  /** Serves one connection. The hello is yet to be exchanged; the channel is closed on return. */
  @FunctionalInterface
  public interface Handler {
    void serve(FrameChannel channel, Peer peer) throws IOException;
  }

  /** Admits peers before anything is read, and before a thread is made. */
  public interface Door {
    /**
     * Decides about a peer on the accepting thread, which must not wait. Returns false to close the
     * connection. The server then accepts the next connection {@value #REFUSAL_MILLIS} ms later, so
     * that a peer that connects in a loop costs a bounded share of a processor.
     */
    boolean enter(Peer peer);

    /** Hears once of each admitted peer, when its connection has ended. */
    void leave(Peer peer);
  }

  /**
   * Connections at a time, unless {@code listen} says otherwise; further ones are closed at once.
   */
  public static final int MAX_PEERS = 128;

  private static final int REFUSAL_MILLIS = 1;
  private static final int DESCRIPTORS_MILLIS = 100;

  private static final Door OPEN =
      new Door() {
        @Override
        public boolean enter(Peer peer) {
          return true;
        }

        @Override
        public void leave(Peer peer) {}
      };

  private final Path path;
  private final int most;
  private final Door door;
  private final ServerSocketChannel listener;
  private final Handler handler;
  private final Set<FrameChannel> open = ConcurrentHashMap.newKeySet();
  private final Map<Reason, Long> refusals = new EnumMap<>(Reason.class);

  private FrameServer(
      Path path, ServerSocketChannel listener, int most, Door door, Handler handler) {
    this.path = path;
    this.listener = listener;
    this.most = most;
    this.door = door;
    this.handler = handler;
  }

  /**
   * Listens.
   *
   * @param mode as {@code rw-rw----}
   * @param gid numeric group of the socket, or -1 to leave it
   * @param handler called on a thread per connection
   */
  public static FrameServer listen(Path path, String mode, long gid, Handler handler)
      throws IOException {
    return listen(path, mode, gid, MAX_PEERS, OPEN, handler);
  }

  /**
   * Listens, and asks the door about each peer.
   *
   * @param most connections at a time
   */
  public static FrameServer listen(
      Path path, String mode, long gid, int most, Door door, Handler handler) throws IOException {
    Path hidden = path.resolveSibling("." + path.getFileName() + ".new");
    Files.deleteIfExists(hidden);
    ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      listener.bind(UnixDomainSocketAddress.of(hidden));
      if (gid >= 0) {
        Files.setAttribute(hidden, "unix:gid", (int) gid);
      }
      Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString(mode));
      Files.move(hidden, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | RuntimeException e) {
      listener.close();
      Files.deleteIfExists(hidden);
      throw e;
    }
    FrameServer server = new FrameServer(path, listener, most, door, handler);
    daemon("frames-accept " + path.getFileName(), server::accept);
    return server;
  }

  /** Returns the numbers of connections that ended by a fault of the peer, by reason. */
  public Map<Reason, Long> refusals() {
    synchronized (refusals) {
      return new EnumMap<>(refusals);
    }
  }

  /** Stops listening, removes the socket and closes all connections. */
  @Override
  public void close() throws IOException {
    listener.close();
    Files.deleteIfExists(path);
    for (FrameChannel channel : open) {
      channel.close();
    }
  }

  private void accept() {
    while (listener.isOpen()) {
      try {
        receive(new FrameChannel(listener.accept()));
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException e) {
        // Out of file descriptors, most likely: others must close some first.
        pause(DESCRIPTORS_MILLIS);
      }
    }
  }

  private void receive(FrameChannel channel) throws IOException {
    Peer peer = open.size() < most ? peer(channel) : null;
    if (peer == null || !door.enter(peer)) {
      channel.close();
      pause(REFUSAL_MILLIS);
      return;
    }
    open.add(channel);
    try {
      daemon("frames-peer " + path.getFileName(), () -> serve(channel, peer));
    } catch (OutOfMemoryError e) {
      // No thread could be made. The server must still hear other peers that connect.
      leave(channel, peer);
      channel.close();
      pause(DESCRIPTORS_MILLIS);
    }
  }

  /** Null if it has gone already. */
  private static Peer peer(FrameChannel channel) {
    try {
      return channel.peer();
    } catch (IOException e) {
      return null;
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(FrameChannel channel, Peer peer) {
    try (channel) {
      handler.serve(channel, peer);
    } catch (FrameException e) {
      count(e.reason());
    } catch (IOException e) {
      // The connection broke; the peer knows, and nothing else depends on it.
      count(Reason.CLOSED);
    } finally {
      leave(channel, peer);
    }
  }

  private void leave(FrameChannel channel, Peer peer) {
    door.leave(peer);
    open.remove(channel);
  }

  private void count(Reason reason) {
    synchronized (refusals) {
      refusals.merge(reason, 1L, Long::sum);
    }
  }

  /** Connections that are open now. */
  public int peers() {
    return open.size();
  }

  private static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
