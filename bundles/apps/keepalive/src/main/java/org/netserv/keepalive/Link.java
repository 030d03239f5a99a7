// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.security.SecureRandom;
import java.util.Map;

/**
 * The thread and the socket of {@link LinkTurns}. A container without a network has no use for the
 * socket, and then every send is refused. If no socket can be made at all, the thread ends, and the
 * module works as without a link. Where the thread ends, no server stays ALIVE or DEAD that nobody
 * watches.
 */
final class Link implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Link.class.getName());
  private static final long TURN_MILLIS = 200;
  private static final int DATAGRAM_MOST = 4096;
  private static final long JOIN_MILLIS = 2_000;
  private static final int DATAGRAMS_A_TURN = 64;

  private final LinkTurns turns;
  private final Thread thread = new Thread(this::run, "keepalive-link");
  private final ByteBuffer datagram = ByteBuffer.allocate(DATAGRAM_MOST);
  private final long begin = System.nanoTime();
  private volatile boolean closed;
  private DatagramChannel channel;

  Link(LinkSettings settings, Servers servers, Seen seen, KernelAnswers kernel) {
    turns = new LinkTurns(settings, servers, seen, kernel, new SecureRandom(), this::send);
    thread.setDaemon(true);
  }

  Link start() {
    thread.start();
    return this;
  }

  /** Ends the thread. Returns when it has ended, or after two seconds. */
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

  /** Adds the counters. From any thread. */
  void counters(Map<String, Long> into) {
    turns.counters(into);
  }

  private void run() {
    try (DatagramChannel open = DatagramChannel.open();
        Selector selector = Selector.open()) {
      channel = open;
      open.configureBlocking(false);
      open.bind(null);
      open.register(selector, SelectionKey.OP_READ);
      while (!closed) {
        turns.turn(now(), System.currentTimeMillis());
        selector.select(TURN_MILLIS);
        selector.selectedKeys().clear();
        receive();
      }
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "the link to the server has ended", e);
    } finally {
      turns.end();
    }
  }

  private long now() {
    return (System.nanoTime() - begin) / 1_000_000;
  }

  private void receive() {
    for (int i = 0; i < DATAGRAMS_A_TURN && !closed; i++) {
      datagram.clear();
      try {
        InetSocketAddress from = (InetSocketAddress) channel.receive(datagram);
        if (from == null) {
          return;
        }
        turns.received(datagram.flip(), from, now());
      } catch (IOException e) {
        return; // an ICMP error about an earlier datagram: the missing answer says the same
      }
    }
  }

  private boolean send(ByteBuffer bytes, InetSocketAddress to) {
    try {
      return channel.send(bytes, to) > 0;
    } catch (IOException e) {
      return false;
    }
  }
}
