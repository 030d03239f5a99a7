// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The Internet checksum beside one that adds word by word, as RFC 1071 has it. */
class SalChecksumTest {
  private static final int SIZE = 320;

  private static int reference(byte[] bytes, int first, int stop) {
    long sum = 0;
    for (int at = first; at < stop; at++) {
      sum += (long) (bytes[at] & 0xff) << ((at - first) % 2 == 0 ? 8 : 0);
    }
    while (sum > 0xffff) {
      sum = (sum & 0xffff) + (sum >>> 16);
    }
    return (int) (~sum & 0xffff);
  }

  private static void assertSame(byte[] bytes) {
    ByteBuffer heap = ByteBuffer.wrap(bytes);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).clear();
    for (int first = 0; first < 16; first++) {
      for (int stop = first; stop <= bytes.length; stop++) {
        int expected = reference(bytes, first, stop);
        assertEquals(expected, SalChecksum.of(heap, first, stop), first + " to " + stop);
        assertEquals(expected, SalChecksum.of(direct, first, stop), first + " to " + stop);
      }
    }
  }

  @Test
  void eachLengthAtEachPlace() {
    byte[] bytes = new byte[SIZE];
    new Random(1071).nextBytes(bytes);
    assertSame(bytes);
  }

  @Test
  void onesCarryToTheEnd() {
    byte[] bytes = new byte[SIZE];
    Arrays.fill(bytes, (byte) 0xff);
    assertSame(bytes);
  }

  @Test
  void theLongestSegment() {
    byte[] bytes = new byte[65_535];
    Arrays.fill(bytes, (byte) 0xff);
    assertEquals(
        reference(bytes, 0, bytes.length), SalChecksum.of(ByteBuffer.wrap(bytes), 0, 65_535));
  }

  @Test
  void bytesWithTheirChecksumGiveZero() {
    byte[] bytes = new byte[1_400];
    new Random(1624).nextBytes(bytes);
    ByteBuffer segment = ByteBuffer.wrap(bytes).putShort(16, (short) 0);
    int sum = SalChecksum.ofFlow(segment, 0, bytes.length, SalPacket.TCP, 7, -9);
    segment.putShort(16, (short) sum);
    assertEquals(0, SalChecksum.ofFlow(segment, 0, bytes.length, SalPacket.TCP, 7, -9));
  }
}
