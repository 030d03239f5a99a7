// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Captured;
import org.netserv.serval.SalPacket;

/** The captured handshake of the published stack, with this block in the place of one end. */
class PublishedStackTest {
  private static final StreamSettings LIKE_THAT = new StreamSettings(1_448, 1 << 16, 1 << 16);

  private final Pair pair = new Pair(1, LIKE_THAT);

  private static Segment captured(int frame) {
    Captured packet = Captured.of("direct", frame);
    SalPacket view = packet.packet();
    Segment segment = new Segment();
    assertEquals(
        SegmentFault.OK,
        segment.reset(
            view.buffer(), view.transport(), view.end(), packet.source(), packet.destination()));
    return segment;
  }

  /** Returns the segment without its window and checksum, which are of the moment. */
  private static byte[] lasting(Segment segment) {
    byte[] bytes = Arrays.copyOf(segment.buffer().array(), segment.buffer().limit());
    int start = segment.payload() - 28;
    bytes = Arrays.copyOfRange(bytes, start, segment.payload());
    Arrays.fill(bytes, 14, 18, (byte) 0);
    return bytes;
  }

  private static Segment written(Connection connection) {
    ByteBuffer bytes = ByteBuffer.allocate(100);
    int stop = connection.handshake().write(bytes, 0, 1, 2);
    Segment segment = new Segment();
    assertEquals(SegmentFault.OK, segment.reset(bytes, 0, stop, 1, 2));
    return segment;
  }

  @Test
  void inThePlaceOfTheServer() {
    int initial = captured(2).sequence();
    Connection server = Connection.server(LIKE_THAT, pair.server, initial, captured(1));
    assertArrayEquals(lasting(captured(2)), lasting(written(server)));
    server.opened(0);
    assertEquals(StreamVerdict.TAKEN, server.take(captured(3), 0));
    assertEquals("ESTABLISHED", server.state());
    assertFalse(server.sending().sack());
  }

  @Test
  void inThePlaceOfTheClient() {
    Connection client = Connection.client(LIKE_THAT, pair.client, captured(1).sequence());
    assertEquals(new StreamOffer(1_448, 1, true), written(client).offer());
    client.answered(captured(2), 0);
    Segment ack = written(client);
    assertEquals(captured(3).sequence(), ack.sequence());
    assertEquals(captured(3).acknowledgement(), ack.acknowledgement());
    assertEquals("ESTABLISHED", client.state());
    assertFalse(client.sending().sack());
  }
}
