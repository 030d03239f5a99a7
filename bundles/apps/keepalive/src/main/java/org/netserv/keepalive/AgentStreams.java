// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.netserv.packet.Tally;
import org.netserv.sip.SipScanner;
import org.netserv.sip.stream.StreamEvent;
import org.netserv.sip.stream.StreamPair;
import org.netserv.sip.stream.StreamServer;
import org.netserv.sip.stream.StreamSettings;

/** The server part of the module: agents' TCP streams, whose pings are answered here. */
final class AgentStreams implements StreamServer.Streams, AutoCloseable {
  /** Outcomes of pings, counted by name. */
  enum Ping {
    /** Answered here. */
    STREAM_PING,
    /** Travelled on. */
    STREAM_PING_PASSED
  }

  private static final long TURN_MILLIS = 500;

  private final int every;
  private final Tally<Ping> pings = new Tally<>(Ping.class);
  private final SipScanner scanner = new SipScanner();
  private final ByteBuffer scratch = ByteBuffer.allocate(2 * StreamSide.MESSAGE_MOST);
  private final StreamServer server;

  /**
   * @param every each n-th ping of a stream travels on
   */
  AgentStreams(StreamSettings settings, int every) {
    this.every = every;
    server = new StreamServer(settings, "keepalive-streams", TURN_MILLIS, this);
  }

  AgentStreams start() {
    server.start();
    return this;
  }

  @Override
  public StreamPair open(StreamPair.Opening opening) throws IOException {
    return new AgentStream(opening, this);
  }

  /** Returns the scanner of the streams' thread. */
  SipScanner scanner() {
    return scanner;
  }

  /** Returns room for two of the largest messages, which the next stream may use. */
  ByteBuffer scratch() {
    return scratch.clear();
  }

  /** Returns the number of pings of a stream of which one travels on. */
  int every() {
    return every;
  }

  void count(Ping outcome) {
    pings.count(outcome);
  }

  @Override
  public void close() {
    server.close();
  }

  /** Returns the port that agents connect to, 0 until it is open. */
  int port() {
    return server.port();
  }

  long counted(Ping outcome) {
    return pings.get(outcome);
  }

  long counted(StreamEvent event) {
    return server.events().get(event);
  }

  /** Adds the counters above zero. From any thread. */
  void counters(Map<String, Long> into) {
    into.putAll(server.events().snapshot());
    into.putAll(pings.snapshot());
  }
}
