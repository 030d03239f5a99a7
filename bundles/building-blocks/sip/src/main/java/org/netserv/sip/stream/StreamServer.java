// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip.stream;

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
 * Accepts users' TCP streams, which lead on to the SIP server. A packet module cannot take a
 * message out of a TCP stream or put one into it, because the sequence numbers of both ends would
 * differ from then on. So users connect to the node, on a port that the policy lists in {@code
 * listen}, and each stream has one of its own to the server.
 *
 * <p>Bounded: {@code tcp-streams} at once, of which one address has at most a quarter. One thread.
 */
public final class StreamServer implements AutoCloseable {
  static final long CONNECT_MILLIS = 10_000;

  private static final System.Logger LOG = System.getLogger(StreamServer.class.getName());
  private static final long JOIN_MILLIS = 2_000;
  private static final int SHARES = 4;
  private static final long AGAIN_NANOS = 1_000_000_000L;
  private static final long PAUSE_NANOS = 50_000_000L;

  /** Makes a module's streams. All calls come from the thread of the server. */
  public interface Streams {
    /** Takes over a user's connection. */
    StreamPair open(StreamPair.Opening opening) throws IOException;

    /** Begins a turn, before any stream is served. */
    default void begin() {}

    /** Ends a turn, whether streams had work or not. */
    default void end() {}
  }

  private final StreamSettings settings;
  private final Streams module;
  private final long turnMillis;
  private final Tally<StreamEvent> events = new Tally<>(StreamEvent.class);
  private final Set<StreamPair> streams = new LinkedHashSet<>();
  private final Map<InetAddress, Integer> perAddress = new HashMap<>();
  private final Thread thread;
  private volatile boolean closed;
  private volatile int port;
  private Selector selector;
  private ServerSocketChannel listening;
  private long swept;

  /**
   * Makes a server, which {@link #start} starts.
   *
   * @param name of its thread
   * @param turnMillis longest time between two turns
   */
  public StreamServer(StreamSettings settings, String name, long turnMillis, Streams module) {
    this.settings = settings;
    this.module = module;
    this.turnMillis = turnMillis;
    thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  public StreamServer start() {
    thread.start();
    return this;
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
  public int port() {
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
        open.select(turnMillis);
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
      streams.forEach(StreamPair::close);
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
              "{0} {1}: {2}",
              StreamSettings.LISTEN,
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
    module.begin();
    Set<StreamPair> ready = new LinkedHashSet<>();
    selector.selectedKeys().forEach(key -> ready.add((StreamPair) key.attachment()));
    selector.selectedKeys().clear();
    for (StreamPair stream : ready) {
      boolean connected = stream.isConnected();
      try {
        if (!stream.ready(millis())) {
          end(stream, StreamEvent.STREAM_CLOSED);
        }
      } catch (StreamBrokenException e) {
        end(stream, StreamEvent.STREAM_BROKEN);
      } catch (IOException e) {
        end(stream, connected ? StreamEvent.STREAM_FAILED : StreamEvent.STREAM_NO_SERVER);
      }
    }
    module.end();
  }

  private void accept(long now) {
    try {
      for (SocketChannel user = listening.accept(); user != null; user = listening.accept()) {
        begin(user, now);
      }
    } catch (IOException e) { // no descriptor is left: the others go on, and this one waits
      events.count(StreamEvent.STREAM_FAILED);
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void begin(SocketChannel user, long now) {
    try {
      InetAddress address = ((InetSocketAddress) user.getRemoteAddress()).getAddress();
      StreamEvent refusal = refusal(address);
      if (refusal != null) {
        events.count(refusal);
        StreamPair.quietly(user);
        return;
      }
      StreamPair stream =
          module.open(new StreamPair.Opening(user, settings.server(), selector, now));
      stream.begin();
      streams.add(stream);
      perAddress.merge(address, 1, Integer::sum);
      events.count(StreamEvent.STREAM_ACCEPTED);
    } catch (IOException e) {
      events.count(StreamEvent.STREAM_NO_SERVER);
      StreamPair.quietly(user);
    }
  }

  private StreamEvent refusal(InetAddress address) {
    if (streams.size() >= settings.most()) {
      return StreamEvent.STREAM_FULL;
    }
    int share = Math.max(1, settings.most() / SHARES);
    return perAddress.getOrDefault(address, 0) >= share ? StreamEvent.STREAM_SHARE : null;
  }

  /**
   * Closes streams that do not come to the server, or on which nothing is said. Looks once in a
   * turn's time, however busy the streams are.
   */
  private void sweep(long now) {
    if (now - swept < turnMillis) {
      return;
    }
    swept = now;
    for (Iterator<StreamPair> all = streams.iterator(); all.hasNext(); ) {
      StreamPair stream = all.next();
      long most = stream.isConnected() ? settings.idle() : CONNECT_MILLIS;
      if (now - stream.lastMillis() > most) {
        all.remove();
        forget(
            stream, stream.isConnected() ? StreamEvent.STREAM_IDLE : StreamEvent.STREAM_NO_SERVER);
      }
    }
  }

  private void end(StreamPair stream, StreamEvent why) {
    if (streams.remove(stream)) {
      forget(stream, why);
    }
  }

  private void forget(StreamPair stream, StreamEvent why) {
    events.count(why);
    stream.close();
    perAddress.computeIfPresent(
        stream.address(), (address, count) -> count == 1 ? null : count - 1);
  }

  /** Counts events since the start. From any thread. */
  public Tally<StreamEvent> events() {
    return events;
  }
}
