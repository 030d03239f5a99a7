// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.netserv.packet.Tally;

/**
 * The server part of the module: users' TCP streams, which lead on to the SIP server. A packet
 * module cannot take a request out of a TCP stream or put a response into it, because the sequence
 * numbers of both ends would differ from then on. So users connect to the node, on a port that the
 * policy lists in {@code listen}, and each stream has one of its own to the server.
 *
 * <p>Bounded: {@code tcp-streams} at once, of which one address has at most a quarter. One thread.
 */
final class UserStreams implements AutoCloseable {
  /** Events of streams, counted by name. */
  enum Count {
    STREAM_ACCEPTED,
    STREAM_CLOSED,
    /** Refused: as many streams as there may be. */
    STREAM_FULL,
    /** Refused: the user's address has its share. */
    STREAM_SHARE,
    /** Closed: the server does not accept it, or not in time. */
    STREAM_NO_SERVER,
    /** Closed: no byte came for long. */
    STREAM_IDLE,
    /** Closed: bytes that are no SIP message, or a message without an end. */
    STREAM_BROKEN,
    /** Closed: an error of one of its sockets. */
    STREAM_FAILED
  }

  static final long CONNECT_MILLIS = 10_000;

  private static final System.Logger LOG = System.getLogger(UserStreams.class.getName());
  private static final long TURN_MILLIS = 100;
  private static final long JOIN_MILLIS = 2_000;
  private static final int SHARES = 4;
  private static final long AGAIN_NANOS = 1_000_000_000L;
  private static final long PAUSE_NANOS = 50_000_000L;

  private final StreamSettings settings;
  private final Tally<Count> counts = new Tally<>(Count.class);
  private final Set<UserStream> streams = new LinkedHashSet<>();
  private final Map<InetAddress, Integer> perAddress = new HashMap<>();
  private final StreamRoom room = new StreamRoom();
  private final Thread thread = new Thread(this::run, "overload-streams");
  private volatile StreamEdge edge;
  private volatile boolean closed;
  private volatile int port;
  private Selector selector;
  private ServerSocketChannel listening;
  private long number;
  private long swept;

  UserStreams(StreamSettings settings, StreamEdge edge) {
    this.settings = settings;
    this.edge = edge;
    thread.setDaemon(true);
  }

  UserStreams start() {
    thread.start();
    return this;
  }

  /** Has another edge decide from now on. Streams stay open. */
  void decideBy(StreamEdge next) {
    edge = next;
  }

  /** Ends the thread and all streams. Returns when it has ended, or after two seconds. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(JOIN_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the port that users connect to, 0 until it is open. */
  int port() {
    return port;
  }

  private void run() {
    try (Selector open = Selector.open();
        ServerSocketChannel socket = listen()) {
      if (socket == null) {
        return;
      }
      selector = open;
      listening = socket;
      SelectionKey key = socket.register(open, SelectionKey.OP_ACCEPT);
      port = ((InetSocketAddress) socket.getLocalAddress()).getPort();
      while (!closed) {
        open.select(TURN_MILLIS);
        boolean users = open.selectedKeys().remove(key);
        serve();
        sweep(millis());
        if (users) {
          accept(millis());
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "users' TCP streams have ended", e);
    } finally {
      streams.forEach(UserStream::close);
      streams.clear();
    }
  }

  /**
   * Opens the port. While it is taken, for instance by the version of this module that is about to
   * be replaced, it tries again each second. Returns null if the module stops before.
   */
  private ServerSocketChannel listen() throws IOException {
    String told = "";
    while (!closed) {
      ServerSocketChannel socket = ServerSocketChannel.open();
      try {
        socket.configureBlocking(false);
        return socket.bind(new InetSocketAddress(settings.listen()));
      } catch (IOException e) {
        socket.close();
        if (!told.equals(e.toString())) {
          told = e.toString();
          LOG.log(
              System.Logger.Level.WARNING,
              "tcp-listen {0}: {1}",
              Integer.toString(settings.listen()),
              told);
        }
        LockSupport.parkNanos(AGAIN_NANOS);
      }
    }
    return null;
  }

  private static long millis() {
    return System.nanoTime() / 1_000_000;
  }

  private void serve() {
    StreamEdge now = edge;
    Set<UserStream> ready = new LinkedHashSet<>();
    selector.selectedKeys().forEach(key -> ready.add((UserStream) key.attachment()));
    selector.selectedKeys().clear();
    for (UserStream stream : ready) {
      boolean connected = stream.isConnected();
      try {
        if (!stream.ready(millis(), now, room)) {
          end(stream, Count.STREAM_CLOSED);
        }
      } catch (UserStream.BrokenException e) {
        end(stream, Count.STREAM_BROKEN);
      } catch (IOException e) {
        end(stream, connected ? Count.STREAM_FAILED : Count.STREAM_NO_SERVER);
      }
    }
    now.turn();
  }

  private void accept(long now) {
    try {
      for (SocketChannel user = listening.accept(); user != null; user = listening.accept()) {
        begin(user, now);
      }
    } catch (IOException e) { // no descriptor is left: the others go on, and this one waits
      counts.count(Count.STREAM_FAILED);
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void begin(SocketChannel user, long now) {
    try {
      InetAddress address = ((InetSocketAddress) user.getRemoteAddress()).getAddress();
      Count refusal = refusal(address);
      if (refusal != null) {
        counts.count(refusal);
        UserStream.quietly(user);
        return;
      }
      streams.add(new UserStream(user, settings.server(), selector, ++number, now));
      perAddress.merge(address, 1, Integer::sum);
      counts.count(Count.STREAM_ACCEPTED);
    } catch (IOException e) {
      counts.count(Count.STREAM_NO_SERVER);
      UserStream.quietly(user);
    }
  }

  private Count refusal(InetAddress address) {
    if (streams.size() >= settings.most()) {
      return Count.STREAM_FULL;
    }
    int share = Math.max(1, settings.most() / SHARES);
    return perAddress.getOrDefault(address, 0) >= share ? Count.STREAM_SHARE : null;
  }

  /**
   * Closes streams that do not come to the server, or on which nothing is said. Looks once in a
   * turn's time, however busy the streams are.
   */
  private void sweep(long now) {
    if (now - swept < TURN_MILLIS) {
      return;
    }
    swept = now;
    for (Iterator<UserStream> all = streams.iterator(); all.hasNext(); ) {
      UserStream stream = all.next();
      long most = stream.isConnected() ? settings.idle() : CONNECT_MILLIS;
      if (now - stream.lastMillis() > most) {
        all.remove();
        forget(stream, stream.isConnected() ? Count.STREAM_IDLE : Count.STREAM_NO_SERVER);
      }
    }
  }

  private void end(UserStream stream, Count why) {
    if (streams.remove(stream)) {
      forget(stream, why);
    }
  }

  private void forget(UserStream stream, Count why) {
    counts.count(why);
    stream.close();
    perAddress.computeIfPresent(
        stream.address(), (address, count) -> count == 1 ? null : count - 1);
  }

  long counted(Count what) {
    return counts.get(what);
  }

  /** Returns the counters above zero. From any thread. */
  Map<String, Long> counters() {
    return counts.snapshot();
  }
}
