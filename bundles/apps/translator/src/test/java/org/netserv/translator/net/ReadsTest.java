// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

/** The sizes of reads. */
@SuppressWarnings("deprecation") // handles have this type
class ReadsTest {
  private final ChannelConfig config = new EmbeddedChannel().config();
  private final RecvByteBufAllocator.ExtendedHandle handle =
      (RecvByteBufAllocator.ExtendedHandle) new Reads().newHandle();

  /** Fills a buffer, and returns its size. */
  private int fill() {
    ByteBuf bytes = handle.allocate(UnpooledByteBufAllocator.DEFAULT);
    int size = bytes.writableBytes();
    assertEquals(size, bytes.capacity());
    handle.attemptedBytesRead(size);
    handle.lastBytesRead(size);
    handle.incMessagesRead(1);
    bytes.release();
    return size;
  }

  /** A read of the most fills one message of 65,000 bytes with segments, and lacks none. */
  @Test
  void sizesGrowToOnePacket() {
    int size = 0;
    for (int i = 0; i < 10; i++) {
      handle.reset(config);
      int next = fill();
      assertTrue(next >= size && next <= Reads.MOST);
      size = next;
      handle.readComplete();
    }
    assertEquals(Reads.MOST, size);
    int segment = Server.MSS + 12 + 20; // with the headers of SAL and of TCP
    assertEquals(0, size % Server.MSS);
    assertEquals(65_000 / segment, size / Server.MSS);
  }

  /** One connection reads again while its buffers are full, but not for ever. */
  @Test
  void readsEnd() {
    handle.reset(config);
    int reads = 1;
    for (fill(); handle.continueReading(); fill()) {
      reads++;
    }
    assertEquals(16, reads);
    handle.reset(config);
    handle.attemptedBytesRead(2048);
    handle.lastBytesRead(100);
    handle.incMessagesRead(1);
    assertFalse(handle.continueReading());
  }
}
