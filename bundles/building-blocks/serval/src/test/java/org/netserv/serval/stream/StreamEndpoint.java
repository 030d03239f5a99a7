// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A program at one end of a stream: writes an array as room comes, and reads in odd pieces. */
final class StreamEndpoint implements ConnectionPort {
  final Pair pair;
  final int flow;
  final int peer;
  final List<String> heard = new ArrayList<>();
  final ByteArrayOutputStream got = new ByteArrayOutputStream();
  final List<StreamVerdict> verdicts = new ArrayList<>();
  Connection connection;
  ByteBuffer data = ByteBuffer.allocate(0);
  boolean finishes;
  boolean reads = true;
  boolean ended;
  int largest; // bytes of memory
  private final ByteBuffer out = ByteBuffer.allocate(70_000);
  private final Segment segment = new Segment();

  StreamEndpoint(Pair pair, int flow, int peer) {
    this.pair = pair;
    this.flow = flow;
    this.peer = peer;
  }

  /** Writes all of an array, and the end if it should. */
  void write(byte[] bytes, boolean end) {
    data = ByteBuffer.wrap(bytes);
    finishes = end;
    more();
  }

  private void more() {
    connection.write(data);
    if (finishes && !data.hasRemaining()) {
      finishes = false;
      connection.finish(pair.now());
    }
  }

  void read() {
    ByteBuffer piece = ByteBuffer.allocate(1 + pair.random.nextInt(5_000));
    int count = connection.read(piece);
    for (; count > 0; count = connection.read(piece.clear())) {
      got.write(piece.array(), 0, count);
    }
    ended |= count < 0;
  }

  void take(byte[] bytes) {
    take(bytes, peer, flow);
  }

  private void take(byte[] bytes, int from, int to) {
    assertEquals(SegmentFault.OK, segment.reset(ByteBuffer.wrap(bytes), 0, bytes.length, from, to));
    verdicts.add(connection.take(segment, pair.now()));
    largest = Math.max(largest, connection.memory());
  }

  void due() {
    if (connection.dueAt() <= pair.now()) {
      connection.due(pair.now());
    }
  }

  @Override
  public void send(OutgoingSegment segment) {
    int stop = segment.write(out, 0, flow, peer);
    byte[] bytes = new byte[stop];
    out.get(0, bytes);
    pair.carry(this, bytes);
  }

  @Override
  public void readable() {
    if (reads) {
      read();
    }
  }

  @Override
  public void writable() {
    more();
  }

  @Override
  public void finished() {
    heard.add("finished");
  }

  @Override
  public void broken() {
    heard.add("reset");
  }

  @Override
  public void unanswered() {
    heard.add("silent");
  }

  @Override
  public void closeFlow() {
    heard.add("close flow");
  }

  @Override
  public void abortFlow() {
    heard.add("abort flow");
  }
}
