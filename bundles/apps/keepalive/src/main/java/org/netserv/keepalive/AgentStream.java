// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.netserv.sip.SipScanner;

/**
 * An agent's connection, and the connection to the server that belongs to it. The end of either is
 * the end of both, after what was read has been written. A side is read only while the other side
 * has taken everything, so memory is bounded. Belongs to the thread of {@link AgentStreams}.
 */
final class AgentStream {
  private static final byte[] PONG = {'\r', '\n'};

  /** Pongs that wait for an agent which does not read. It needs no more of them. */
  private static final int PONGS_MOST = 16;

  private final SocketChannel agent;
  private final SocketChannel server;
  private final InetAddress address;
  private final SelectionKey agentKey;
  private final SelectionKey serverKey;
  private final AgentStreams.Counter counter;
  private final PingRota rota;
  private final StreamSide fromAgent;
  private final StreamSide fromServer;
  private final Outgoing toServer;
  private final Outgoing toAgent;
  private int pongs; // to write between two messages of the server
  private boolean connected;
  private boolean ending;
  private long lastMillis;

  /** Takes over an agent's connection, and begins to connect to the server. */
  AgentStream(
      SocketChannel agent,
      InetSocketAddress to,
      Selector selector,
      SipScanner scanner,
      int every,
      AgentStreams.Counter counter,
      long now)
      throws IOException {
    this.agent = agent;
    this.counter = counter;
    address = ((InetSocketAddress) agent.getRemoteAddress()).getAddress();
    rota = new PingRota(every);
    fromAgent = new StreamSide(scanner, true, new PingJudge());
    fromServer = new StreamSide(scanner, false, new PongJudge());
    lastMillis = now;
    server = SocketChannel.open();
    toServer = new Outgoing(server);
    toAgent = new Outgoing(agent);
    try {
      prepare(agent);
      prepare(server);
      connected = server.connect(to);
      agentKey = agent.register(selector, 0, this);
      serverKey = server.register(selector, 0, this);
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
    interest();
  }

  private static void prepare(SocketChannel channel) throws IOException {
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
  }

  InetAddress address() {
    return address;
  }

  /** Milliseconds of the last byte, or of the begin. */
  long lastMillis() {
    return lastMillis;
  }

  boolean isConnected() {
    return connected;
  }

  private final class PingJudge implements StreamSide.Judge {
    @Override
    public boolean ping() {
      boolean mayAnswer = !fromServer.isOpaque() && toServer.isEmpty();
      if (rota.ping(mayAnswer)) {
        counter.count(AgentStreams.Count.STREAM_PING_PASSED);
        return true;
      }
      counter.count(AgentStreams.Count.STREAM_PING);
      pongs = Math.min(pongs + 1, PONGS_MOST);
      return false;
    }

    @Override
    public void lineEnd() {
      // a line end in front of a message, which travels on
    }
  }

  private final class PongJudge implements StreamSide.Judge {
    @Override
    public boolean ping() {
      return true;
    }

    @Override
    public void lineEnd() {
      rota.pong();
    }
  }

  /**
   * Does what the selector found ready.
   *
   * @param scratch room for two of the largest messages, which the next stream may use
   * @return false if the stream has ended and is to be closed
   */
  boolean ready(long now, ByteBuffer scratch) throws IOException {
    if (!connected && serverKey.isConnectable()) {
      connected = server.finishConnect();
    }
    if (connected) {
      lastMillis = agentKey.isReadable() || serverKey.isReadable() ? now : lastMillis;
      toServer.flush();
      toAgent.flush();
      pass(agentKey, agent, fromAgent, toServer, scratch);
      pass(serverKey, server, fromServer, toAgent, scratch);
      answer(scratch);
    }
    interest();
    return !ending || !toServer.isEmpty() || !toAgent.isEmpty();
  }

  /** Moves bytes from one socket to the other, if that has taken all bytes before. */
  private void pass(
      SelectionKey key, SocketChannel from, StreamSide side, Outgoing to, ByteBuffer scratch)
      throws IOException {
    if (!key.isReadable() || !to.isEmpty()) {
      return;
    }
    ending |= from.read(side.room()) < 0;
    scratch.clear();
    side.move(scratch);
    to.send(scratch.flip());
  }

  /** Writes pongs. All that was written before ends with a message. */
  private void answer(ByteBuffer scratch) throws IOException {
    if (pongs > 0 && toAgent.isEmpty()) {
      scratch.clear();
      for (; pongs > 0; pongs--) {
        scratch.put(PONG);
      }
      toAgent.send(scratch.flip());
    }
  }

  private void interest() {
    boolean open = connected && !ending;
    agentKey.interestOps(
        (open && toServer.isEmpty() ? SelectionKey.OP_READ : 0)
            | (toAgent.isEmpty() ? 0 : SelectionKey.OP_WRITE));
    serverKey.interestOps(
        !connected
            ? SelectionKey.OP_CONNECT
            : (open && toAgent.isEmpty() ? SelectionKey.OP_READ : 0)
                | (toServer.isEmpty() ? 0 : SelectionKey.OP_WRITE));
  }

  /** Closes both connections. */
  void close() {
    quietly(agent);
    quietly(server);
  }

  static void quietly(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      return; // the descriptor is gone either way
    }
  }
}
