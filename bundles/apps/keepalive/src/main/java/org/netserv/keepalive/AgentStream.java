// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.netserv.sip.stream.Outgoing;
import org.netserv.sip.stream.StreamPair;

/**
 * An agent's connection with its connection to the server. Messages travel as they came; pings of
 * the agent are answered, but for those that the server is to answer.
 */
final class AgentStream extends StreamPair {
  private static final byte[] PONG = {'\r', '\n'};

  /** Pongs that wait for an agent which does not read. It needs no more of them. */
  private static final int PONGS_MOST = 16;

  private final AgentStreams streams;
  private final PingRota rota;
  private final StreamSide fromAgent;
  private final StreamSide fromServer;
  private int pongs; // to write between two messages of the server

  AgentStream(Opening opening, AgentStreams streams) throws IOException {
    super(opening);
    this.streams = streams;
    rota = new PingRota(streams.every());
    fromAgent = new StreamSide(streams.scanner(), true, new PingJudge());
    fromServer = new StreamSide(streams.scanner(), false, new PongJudge());
  }

  private final class PingJudge implements StreamSide.Judge {
    @Override
    public boolean ping() {
      boolean mayAnswer = !fromServer.isOpaque() && toServer().isEmpty();
      if (rota.ping(mayAnswer)) {
        streams.count(AgentStreams.Ping.STREAM_PING_PASSED);
        return true;
      }
      streams.count(AgentStreams.Ping.STREAM_PING);
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

  @Override
  protected void move() throws IOException {
    if (userReady()) {
      readUser(fromAgent.room());
      pass(fromAgent, toServer());
    }
    if (serverReady()) {
      readServer(fromServer.room());
      pass(fromServer, toUser());
    }
    answer();
  }

  private void pass(StreamSide side, Outgoing to) throws IOException {
    ByteBuffer scratch = streams.scratch();
    side.move(scratch);
    to.send(scratch.flip());
  }

  /** Writes pongs. All that was written before ends with a message. */
  private void answer() throws IOException {
    if (pongs > 0 && toUser().isEmpty()) {
      ByteBuffer scratch = streams.scratch();
      for (; pongs > 0; pongs--) {
        scratch.put(PONG);
      }
      toUser().send(scratch.flip());
    }
  }
}
