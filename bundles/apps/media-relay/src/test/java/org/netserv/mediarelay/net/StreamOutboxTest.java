// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.junit.jupiter.api.Test;

class StreamOutboxTest {
  private final StreamOutbox outbox = new StreamOutbox();
  private final Pipe pipe = new Pipe();
  private final ByteBuffer scratch = ByteBuffer.allocate(16);

  /** Takes as many bytes as the test lets it. */
  private static final class Pipe implements WritableByteChannel {
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
    private int room;

    @Override
    public int write(ByteBuffer from) {
      int count = Math.min(room, from.remaining());
      for (int i = 0; i < count; i++) {
        taken.write(from.get());
      }
      room -= count;
      return count;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  private static byte[] row(int from, int count) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) (from + i);
    }
    return bytes;
  }

  @Test
  void bytesLeaveInOrderWhateverTheChannelTakes() throws IOException {
    int written = 0;
    for (int round = 0; round < 400; round++) {
      pipe.room = (round * 7) % 13;
      outbox.write(ByteBuffer.wrap(row(written, 5)), pipe);
      written += 5;
      pipe.room += round % 5;
      outbox.flush(pipe, scratch);
    }
    pipe.room = Integer.MAX_VALUE;
    assertTrue(outbox.flush(pipe, scratch));
    assertArrayEquals(row(0, written), pipe.taken.toByteArray());
    assertEquals(0, outbox.count());
  }

  @Test
  void aFullChannelKeepsBytes() throws IOException {
    pipe.room = 3;
    outbox.write(ByteBuffer.wrap(row(0, 10)), pipe);
    assertEquals(7, outbox.count());
    assertArrayEquals(row(3, 7), outbox.waiting());
    pipe.room = 4;
    assertFalse(outbox.flush(pipe, scratch));
    assertArrayEquals(row(7, 3), outbox.waiting());
  }

  @Test
  void mediaHasLessRoomThanAnswers() throws IOException {
    outbox.write(ByteBuffer.allocate(StreamOutbox.DATA_MOST - 100), pipe);
    assertTrue(outbox.hasRoom(100, true));
    assertFalse(outbox.hasRoom(101, true));
    assertTrue(outbox.hasRoom(101, false));
    assertFalse(outbox.hasRoom(StreamOutbox.ALL_MOST, false));
    assertTrue(new StreamOutbox().hasRoom(1_000_000, true)); // one message always has room
  }
}
