// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;

/** Segments of a peer that a test makes by itself. */
final class Peers {
  private Peers() {}

  /** Returns a view of a segment without options. */
  static Segment segment(int sequence, int ack, int flags, int window, byte[] payload) {
    return segment(new OutgoingSegment().begin(sequence, ack, flags, window), sequence, payload);
  }

  static Segment segment(OutgoingSegment out, int sequence, byte[] payload) {
    ByteRing ring = new ByteRing();
    ring.reserve(sequence, payload.length);
    if (payload.length > 0) {
      ring.put(sequence, ByteBuffer.wrap(payload), 0, payload.length);
      out.payload(ring, payload.length);
    }
    ByteBuffer bytes = ByteBuffer.allocate(OutgoingSegment.LONGEST_HEADER + payload.length);
    int stop = out.write(bytes, 0, 1, 2);
    Segment segment = new Segment();
    assertEquals(SegmentFault.OK, segment.reset(bytes, 0, stop, 1, 2));
    return segment;
  }

  /** Connects the ends anew, as if the client's SYN had the MSS alone. */
  static void meetWithoutSack(Pair pair, StreamSettings settings) {
    int initial = pair.random.nextInt();
    Connection client = pair.client.connection;
    OutgoingSegment bare =
        new OutgoingSegment()
            .begin(sequence(client), 0, TcpFlags.SYN, 0)
            .offer(new StreamOffer(900, StreamOffer.NO_SCALE, false));
    Segment syn = segment(bare, 0, new byte[0]);
    pair.server.connection = Connection.server(settings, pair.server, initial, syn);
    ByteBuffer bytes = ByteBuffer.allocate(100);
    int stop = pair.server.connection.handshake().write(bytes, 0, 1, 2);
    Segment synAck = new Segment();
    assertEquals(SegmentFault.OK, synAck.reset(bytes, 0, stop, 1, 2));
    assertEquals(24, synAck.payload(), "a peer without SACK sees the MSS alone");
    client.answered(synAck, pair.now());
    pair.server.connection.opened(pair.now());
  }

  /** Returns the sequence number of a SYN. */
  private static int sequence(Connection client) {
    ByteBuffer bytes = ByteBuffer.allocate(100);
    client.handshake().write(bytes, 0, 1, 2);
    return bytes.getInt(4);
  }
}
