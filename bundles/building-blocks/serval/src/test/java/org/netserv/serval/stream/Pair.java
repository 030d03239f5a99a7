// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BiPredicate;

/**
 * Two ends of a stream, and a network in virtual time that loses, doubles and reorders segments by
 * a seed. SAL's part of the handshake is played without loss.
 */
final class Pair {
  private record Event(long at, long number, Runnable act) {}

  static final int CLIENT_FLOW = 0x01020304;
  static final int SERVER_FLOW = 0x0a0b0c0d;

  final Random random;
  final StreamEndpoint client;
  final StreamEndpoint server;
  double lost;
  double doubled;
  long jitter;
  long delay = 10;
  boolean dead; // the path
  BiPredicate<StreamEndpoint, byte[]> drops = (from, segment) -> false;
  long segments;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
  private long numbers;
  private long now;

  Pair(long seed, StreamSettings settings) {
    this(seed, settings, settings);
  }

  Pair(long seed, StreamSettings clients, StreamSettings servers) {
    random = new Random(seed);
    client = new StreamEndpoint(this, CLIENT_FLOW, SERVER_FLOW);
    server = new StreamEndpoint(this, SERVER_FLOW, CLIENT_FLOW);
    client.connection = Connection.client(clients, client, random.nextInt());
    ByteBuffer bytes = ByteBuffer.allocate(100);
    Segment syn = copy(client, bytes);
    server.connection = Connection.server(servers, server, random.nextInt(), syn);
    client.connection.answered(copy(server, bytes), now);
    server.connection.opened(now);
  }

  private static Segment copy(StreamEndpoint from, ByteBuffer bytes) {
    int stop = from.connection.handshake().write(bytes.clear(), 0, from.flow, from.peer);
    Segment segment = new Segment();
    assertEquals(SegmentFault.OK, segment.reset(bytes, 0, stop, from.flow, from.peer));
    return segment;
  }

  StreamEndpoint other(StreamEndpoint end) {
    return end == client ? server : client;
  }

  long now() {
    return now;
  }

  void at(long time, Runnable act) {
    events.add(new Event(time, numbers++, act));
  }

  void carry(StreamEndpoint from, byte[] bytes) {
    segments++;
    boolean gone = drops.test(from, bytes) || dead || random.nextDouble() < lost;
    int copies = gone ? 0 : 1;
    copies += copies > 0 && random.nextDouble() < doubled ? 1 : 0;
    for (int i = 0; i < copies; i++) {
      long late = (long) (random.nextDouble() * jitter);
      at(now + delay + late, () -> other(from).take(bytes));
    }
  }

  /** Runs all that happens up to a time. */
  void run(long until) {
    for (long next = next(); next <= until; next = next()) {
      now = Math.max(now, next);
      if (!events.isEmpty() && events.peek().at() <= now) {
        events.poll().act().run();
      } else {
        client.due();
        server.due();
      }
    }
    now = until;
  }

  private long next() {
    long timers = Math.min(client.connection.dueAt(), server.connection.dueAt());
    return events.isEmpty() ? timers : Math.min(timers, events.peek().at());
  }
}
