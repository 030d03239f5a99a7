// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.io.IOException;
import java.util.Map;
import org.netserv.sip.stream.StreamEvent;
import org.netserv.sip.stream.StreamPair;
import org.netserv.sip.stream.StreamServer;
import org.netserv.sip.stream.StreamSettings;

/** The server part of the module: users' TCP streams, whose requests an edge decides about. */
final class UserStreams implements StreamServer.Streams, AutoCloseable {
  private static final long TURN_MILLIS = 100;

  private final StreamRoom room = new StreamRoom();
  private final StreamServer server;
  private volatile StreamEdge next;
  private StreamEdge edge; // of this turn
  private long number;

  UserStreams(StreamSettings settings, StreamEdge edge) {
    next = edge;
    server = new StreamServer(settings, "overload-streams", TURN_MILLIS, this);
  }

  UserStreams start() {
    server.start();
    return this;
  }

  /** Has another edge decide from the next turn on. Streams stay open. */
  void decideBy(StreamEdge other) {
    next = other;
  }

  @Override
  public StreamPair open(StreamPair.Opening opening) throws IOException {
    return new UserStream(opening, this, ++number);
  }

  @Override
  public void begin() {
    edge = next;
  }

  @Override
  public void end() {
    edge.turn();
  }

  /** Returns the edge of this turn. On the streams' thread. */
  StreamEdge edge() {
    return edge;
  }

  /** Returns the room of the streams' thread, which the next stream uses as well. */
  StreamRoom room() {
    return room;
  }

  @Override
  public void close() {
    server.close();
  }

  /** Returns the port that users connect to, 0 until it is open. */
  int port() {
    return server.port();
  }

  long counted(StreamEvent event) {
    return server.events().get(event);
  }

  /** Returns the counters above zero. From any thread. */
  Map<String, Long> counters() {
    return server.events().snapshot();
  }
}
