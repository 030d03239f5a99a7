// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The store of data that have come, beside a bit for each byte. */
class ReassemblyTest {
  private static final int WINDOW = 20_000;

  /** The bytes that came first stay, whatever comes later in their place. */
  @Test
  void randomPiecesWithOtherBytes() {
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      int base = random.nextInt();
      Reassembly data = new Reassembly(base);
      byte[] model = new byte[200_000];
      BitSet there = new BitSet();
      int read = 0;
      byte[] noise = new byte[5_000];
      while (read < 100_000) {
        int expected = there.nextClearBit(0);
        assertEquals(base + expected, data.expected());
        int farthest = random.nextInt(4) == 0 ? 1 : Math.max(1, (read + WINDOW - expected) / 2);
        int start = expected + random.nextInt(farthest);
        int count = Math.min(1 + random.nextInt(noise.length), read + WINDOW - start);
        random.nextBytes(noise);
        boolean had = there.nextClearBit(start) >= start + count;
        assertEquals(had, data.has(base + start, base + start + count), "seed " + seed);
        if (count > 0 && data.take(base + start, ByteBuffer.wrap(noise), 0, count)) {
          for (int i = 0; i < count; i++) {
            model[start + i] = there.get(start + i) ? model[start + i] : noise[i];
          }
          there.set(start, start + count);
        }
        assertEquals(ranges(there), data.ranges(), "seed " + seed);
        ByteBuffer got = ByteBuffer.allocate(random.nextInt(9_000));
        int length = data.read(got);
        assertArrayEquals(
            Arrays.copyOfRange(model, read, read + length),
            Arrays.copyOf(got.array(), length),
            "seed " + seed);
        read += length;
        assertTrue(data.size() <= 32_768, "memory " + data.size());
      }
    }
  }

  private static int ranges(BitSet there) {
    int ranges = 0;
    for (int at = there.nextSetBit(there.nextClearBit(0)); at >= 0; ) {
      ranges++;
      at = there.nextSetBit(there.nextClearBit(at));
    }
    return ranges;
  }

  @Test
  void rangesAreBounded() {
    Reassembly data = new Reassembly(0);
    ByteBuffer one = ByteBuffer.allocate(1);
    for (int i = 1; i <= Reassembly.RANGES; i++) {
      assertTrue(data.take(i * 2, one, 0, 1));
    }
    assertFalse(data.take(1_000, one, 0, 1));
    assertTrue(data.take(3, one, 0, 1), "fills a gap");
    assertEquals(Reassembly.RANGES - 1, data.ranges());
    assertTrue(data.take(0, ByteBuffer.allocate(200), 0, 200));
    assertEquals(0, data.ranges());
    assertEquals(200, data.readable());
  }

  /** RFC 2018 section 4: the block that has changed last is the first one. */
  @Test
  void theNewestBlockIsTheFirst() {
    Reassembly data = new Reassembly(0);
    ByteBuffer bytes = ByteBuffer.allocate(500);
    for (int start : new int[] {5_000, 1_000, 3_000, 7_000, 9_000, 1_500}) {
      assertTrue(data.take(start, bytes, 0, 500));
    }
    OutgoingSegment out = new OutgoingSegment().begin(0, 0, TcpFlags.ACK, 0);
    data.sack(out, TcpOption.BLOCKS);
    Segment segment = Peers.segment(out, 0, new byte[0]);
    int[] left = {1_000, 9_000, 7_000, 3_000};
    int[] right = {2_000, 9_500, 7_500, 3_500};
    assertEquals(4, segment.blocks());
    for (int i = 0; i < 4; i++) {
      assertEquals(left[i], segment.left(i));
      assertEquals(right[i], segment.right(i));
    }
  }
}
