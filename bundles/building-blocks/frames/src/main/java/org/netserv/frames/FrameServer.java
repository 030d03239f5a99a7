// SPDX-License-Identifier: Apache-2.0
package org.netserv.frames;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
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
 * Listens on a UNIX socket; each peer gets a daemon thread. The socket appears under its name only
 * when its mode and group are set, and takes the place of one that a dead server left.
 */
public final class FrameServer implements Closeable {
  /** Serves one connection. The hello is yet to be exchanged; the channel is closed on return. */
  @FunctionalInterface
  public interface Handler {
    void serve(FrameChannel channel, Peer peer) throws IOException;
  }

  /** Connections at a time; further ones are closed at once. */
  public static final int MAX_PEERS = 128;

  private final Path path;
  private final ServerSocketChannel listener;
  private final Handler handler;
  private final Set<FrameChannel> open = ConcurrentHashMap.newKeySet();
  private final Map<Reason, Long> refusals = new EnumMap<>(Reason.class);

  private FrameServer(Path path, ServerSocketChannel listener, Handler handler) {
    this.path = path;
    this.listener = listener;
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
    FrameServer server = new FrameServer(path, listener, handler);
    daemon("frames-accept " + path.getFileName(), server::accept);
    return server;
  }

  /** Connections that ended by a fault of the peer's, by reason. */
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
        SocketChannel socket = listener.accept();
        FrameChannel channel = new FrameChannel(socket);
        if (open.size() >= MAX_PEERS) {
          channel.close();
          continue;
        }
        open.add(channel);
        daemon("frames-peer " + path.getFileName(), () -> serve(channel));
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException e) {
        pause();
      }
    }
  }

  /** Out of file descriptors, most likely: others must close some first. */
  private static void pause() {
    try {
      Thread.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(FrameChannel channel) {
    try (channel) {
      handler.serve(channel, channel.peer());
    } catch (FrameException e) {
      synchronized (refusals) {
        refusals.merge(e.reason(), 1L, Long::sum);
      }
    } catch (IOException e) {
      // The connection broke; the peer knows, and nothing else depends on it.
      synchronized (refusals) {
        refusals.merge(Reason.CLOSED, 1L, Long::sum);
      }
    } finally {
      open.remove(channel);
    }
  }

  private static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
