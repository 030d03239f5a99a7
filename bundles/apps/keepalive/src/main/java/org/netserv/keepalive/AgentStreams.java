// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.netserv.sip.SipScanner;

/**
 * The server part of the module: agents' TCP streams, which lead on to the SIP server. A packet
 * module cannot answer a ping inside a TCP stream, because the sequence numbers of both ends would
 * differ from then on. So agents connect to the node, on a port that the policy lists in {@code
 * listen}, and each stream has one of its own to the server.
 *
 * <p>Bounded: {@code tcp-streams} at once, of which one address has at most a quarter. One thread.
 */
final class AgentStreams implements AutoCloseable {
  /** Events of streams, counted by name. */
  enum Count {
    STREAM_ACCEPTED,
    STREAM_CLOSED,
    /** Refused: as many streams as there may be. */
    STREAM_FULL,
    /** Refused: the agent's address has its share. */
    STREAM_SHARE,
    /** Closed: the server does not accept it, or not in time. */
    STREAM_NO_SERVER,
    /** Closed: no byte came for long. */
    STREAM_IDLE,
    /** Closed: an error of one of its sockets. */
    STREAM_FAILED,
    /** Pings answered here. */
    STREAM_PING,
    /** Pings that travelled on. */
    STREAM_PING_PASSED
  }

  /** Counts an event. */
  interface Counter {
    void count(Count what);
  }

  static final long CONNECT_MILLIS = 10_000;

  private static final System.Logger LOG = System.getLogger(AgentStreams.class.getName());
  private static final long TURN_MILLIS = 500;
  private static final long JOIN_MILLIS = 2_000;
  private static final int SHARES = 4;
  private static final long AGAIN_NANOS = 1_000_000_000L;
  private static final long PAUSE_NANOS = 50_000_000L;

  private final StreamSettings settings;
  private final Map<Count, AtomicLong> counts = new EnumMap<>(Count.class);
  private final Set<AgentStream> streams = new LinkedHashSet<>();
  private final Map<InetAddress, Integer> perAddress = new HashMap<>();
  private final SipScanner scanner = new SipScanner();
  private final ByteBuffer scratch = ByteBuffer.allocate(2 * StreamSide.MESSAGE_MOST);
  private final Thread thread = new Thread(this::run, "keepalive-streams");
  private volatile boolean closed;
  private volatile int port;
  private Selector selector;
  private ServerSocketChannel listening;

  AgentStreams(StreamSettings settings) {
    this.settings = settings;
    thread.setDaemon(true);
    for (Count count : Count.values()) {
      counts.put(count, new AtomicLong());
    }
  }

  AgentStreams start() {
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

  /** Returns the port that agents connect to, 0 until it is open. */
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
        boolean agents = open.selectedKeys().remove(key);
        serve();
        sweep(millis());
        if (agents) {
          accept(millis());
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "agents' TCP streams have ended", e);
    } finally {
      streams.forEach(AgentStream::close);
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
    Set<AgentStream> ready = new LinkedHashSet<>();
    selector.selectedKeys().forEach(key -> ready.add((AgentStream) key.attachment()));
    selector.selectedKeys().clear();
    for (AgentStream stream : ready) {
      boolean connected = stream.isConnected();
      try {
        if (!stream.ready(millis(), scratch)) {
          end(stream, Count.STREAM_CLOSED);
        }
      } catch (IOException e) {
        end(stream, connected ? Count.STREAM_FAILED : Count.STREAM_NO_SERVER);
      }
    }
  }

  private void accept(long now) {
    try {
      for (SocketChannel agent = listening.accept(); agent != null; agent = listening.accept()) {
        begin(agent, now);
      }
    } catch (IOException e) { // no descriptor is left: the others go on, and this one waits
      count(Count.STREAM_FAILED);
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void begin(SocketChannel agent, long now) {
    try {
      InetAddress address = ((InetSocketAddress) agent.getRemoteAddress()).getAddress();
      Count refusal = refusal(address);
      if (refusal != null) {
        count(refusal);
        AgentStream.quietly(agent);
        return;
      }
      streams.add(
          new AgentStream(
              agent, settings.server(), selector, scanner, settings.every(), this::count, now));
      perAddress.merge(address, 1, Integer::sum);
      count(Count.STREAM_ACCEPTED);
    } catch (IOException e) {
      count(Count.STREAM_NO_SERVER);
      AgentStream.quietly(agent);
    }
  }

  private Count refusal(InetAddress address) {
    if (streams.size() >= settings.most()) {
      return Count.STREAM_FULL;
    }
    int share = Math.max(1, settings.most() / SHARES);
    return perAddress.getOrDefault(address, 0) >= share ? Count.STREAM_SHARE : null;
  }

  /** Closes streams that do not come to the server, or on which nothing is said. */
  private void sweep(long now) {
    for (Iterator<AgentStream> all = streams.iterator(); all.hasNext(); ) {
      AgentStream stream = all.next();
      long most = stream.isConnected() ? settings.idle() : CONNECT_MILLIS;
      if (now - stream.lastMillis() > most) {
        all.remove();
        forget(stream, stream.isConnected() ? Count.STREAM_IDLE : Count.STREAM_NO_SERVER);
      }
    }
  }

  private void end(AgentStream stream, Count why) {
    if (streams.remove(stream)) {
      forget(stream, why);
    }
  }

  private void forget(AgentStream stream, Count why) {
    count(why);
    stream.close();
    perAddress.computeIfPresent(
        stream.address(), (address, count) -> count == 1 ? null : count - 1);
  }

  private void count(Count what) {
    AtomicLong cell = counts.get(what);
    cell.setOpaque(cell.getPlain() + 1);
  }

  long counted(Count what) {
    return counts.get(what).getOpaque();
  }

  /** Adds the counters above zero. From any thread. */
  void counters(Map<String, Long> into) {
    counts.forEach(
        (what, cell) -> {
          if (cell.getOpaque() > 0) {
            into.put(what.name(), cell.getOpaque());
          }
        });
  }
}
