// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Captured;
import org.netserv.serval.SalChecksum;
import org.netserv.serval.SalPacket;

/** The TCP header: written and read again, cut, changed, and as the published stack sent it. */
class SegmentTest {
  private static final int FROM = 0x01020304;
  private static final int TO = 0xfefdfcfb;

  private final ByteBuffer bytes = ByteBuffer.allocate(2_000);
  private final Segment segment = new Segment();

  private SegmentFault read(int stop) {
    return segment.reset(bytes, 0, stop, FROM, TO);
  }

  private static OutgoingSegment random(Random random, ByteRing ring) {
    int sequence = random.nextInt();
    OutgoingSegment out =
        new OutgoingSegment()
            .begin(sequence, random.nextInt(), random.nextInt(32), random.nextInt(0x10000));
    if (random.nextBoolean()) {
      int scale = random.nextInt(16) - 1;
      out.offer(new StreamOffer(random.nextInt(0x10000), scale, random.nextBoolean()));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      out.block(random.nextInt(), random.nextInt());
    }
    int length = random.nextInt(1_400);
    ring.reserve(sequence, 1_400);
    byte[] payload = new byte[length];
    random.nextBytes(payload);
    ring.put(sequence, ByteBuffer.wrap(payload), 0, length);
    return out.payload(ring, length);
  }

  /** All that is written is read, and written again from there to the same bytes. */
  @Test
  void writtenAndReadAgain() {
    for (int seed = 0; seed < 10_000; seed++) {
      OutgoingSegment out = random(new Random(seed), new ByteRing());
      int stop = out.write(bytes, 0, FROM, TO);
      assertEquals(SegmentFault.OK, read(stop));
      byte[] first = Arrays.copyOf(bytes.array(), stop);
      int flags = bytes.get(13);
      ByteRing ring = new ByteRing();
      ring.reserve(segment.sequence(), segment.length() + 1);
      ring.put(segment.sequence(), bytes, segment.payload(), segment.length());
      OutgoingSegment again =
          new OutgoingSegment()
              .begin(segment.sequence(), segment.acknowledgement(), flags, segment.window())
              .payload(ring, segment.length());
      if (segment.payload() > Segment.HEADER && first[Segment.HEADER] == TcpOption.MSS) {
        again.offer(segment.offer());
      }
      for (int i = 0; i < segment.blocks(); i++) {
        again.block(segment.left(i), segment.right(i));
      }
      int length = again.write(bytes, 0, FROM, TO);
      assertArrayEquals(first, Arrays.copyOf(bytes.array(), length), "seed " + seed);
    }
  }

  @Test
  void cutAtEveryLength() {
    int stop = random(new Random(5), new ByteRing()).write(bytes, 0, FROM, TO);
    for (int length = 0; length < stop; length++) {
      SegmentFault fault = read(length);
      assertTrue(fault != SegmentFault.OK, "length " + length);
      assertEquals(length < Segment.HEADER, fault == SegmentFault.SHORT);
    }
  }

  private SegmentFault options(int... values) {
    byte[] options = new byte[(values.length + 3) / 4 * 4];
    for (int i = 0; i < values.length; i++) {
      options[i] = (byte) values[i];
    }
    int stop = Segment.HEADER + options.length;
    bytes.clear().put(new byte[stop]);
    bytes.put(12, (byte) ((stop / 4) << 4));
    bytes.put(Segment.HEADER, options);
    int sum = SalChecksum.ofFlow(bytes, 0, stop, SalPacket.TCP, FROM, TO);
    bytes.putShort(16, (short) sum);
    return read(stop);
  }

  @Test
  void optionsOfEveryLength() {
    for (int kind = 0; kind < 256; kind++) {
      for (int length = 0; length <= 40; length++) {
        int[] option = new int[Math.max(2, Math.min(40, length))];
        option[0] = kind;
        option[1] = length;
        boolean sound =
            switch (kind) {
              case TcpOption.END, TcpOption.NOP -> true;
              case TcpOption.MSS -> length == 4;
              case TcpOption.SCALE -> length == 3;
              case TcpOption.SACK_PERMITTED -> length == 2;
              case TcpOption.SACK -> length >= 10 && (length - 2) % 8 == 0;
              default -> length >= 2;
            };
        if (kind != TcpOption.NOP) {
          SegmentFault expected = sound ? SegmentFault.OK : SegmentFault.OPTION;
          assertEquals(expected, options(option), kind + " " + length);
        }
      }
    }
    assertEquals(SegmentFault.OPTION, options(1, 1, 1, 2), "a kind without a length");
    assertEquals(SegmentFault.OPTION, options(2, 5, 1, 1), "beyond the header");
    assertEquals(SegmentFault.OK, options(0, 2, 1, 9), "behind the end of the list");
  }

  @Test
  void headersThatLieAboutTheirLength() {
    assertEquals(SegmentFault.OK, options());
    for (int words = 0; words < 16; words++) {
      bytes.put(12, (byte) (words << 4));
      SegmentFault expected = words == 5 ? SegmentFault.OK : SegmentFault.OFFSET;
      assertEquals(expected, read(Segment.HEADER), "words " + words);
    }
    assertEquals(SegmentFault.OK, options());
    bytes.put(3, (byte) 1);
    assertEquals(SegmentFault.CHECKSUM, read(Segment.HEADER));
  }

  /** Changed bytes are refused or read, and never throw. */
  @Test
  void mutants() {
    Random random = new Random(11);
    int refused = 0;
    for (int i = 0; i < 200_000; i++) {
      int stop = random(random, new ByteRing()).write(bytes, 0, FROM, TO);
      for (int j = random.nextInt(4); j >= 0; j--) {
        bytes.put(random.nextInt(Math.min(stop, 60)), (byte) random.nextInt());
      }
      if (random.nextBoolean() && stop > 18) {
        bytes.putShort(16, (short) 0);
        int sum = SalChecksum.ofFlow(bytes, 0, stop, SalPacket.TCP, FROM, TO);
        bytes.putShort(16, (short) sum);
      }
      refused += read(stop) == SegmentFault.OK ? 0 : 1;
      assertTrue(segment.blocks() <= TcpOption.BLOCKS);
    }
    assertTrue(refused > 100_000 && refused < 199_000, "refused " + refused);
  }

  /** The SYN and the SYN-ACK of the published stack, made again. Raw IP has the addresses. */
  @Test
  void theHandshakeOfThePublishedStack() {
    for (int frame = 1; frame <= 3; frame++) {
      SalPacket packet = Captured.of("direct", frame).packet();
      int from = Captured.of("direct", frame).source();
      int to = Captured.of("direct", frame).destination();
      ByteBuffer captured = packet.buffer();
      int start = packet.transport();
      int stop = packet.end();
      assertEquals(SegmentFault.OK, segment.reset(captured, start, stop, from, to), "" + frame);
      if (frame < 3) {
        assertEquals(new StreamOffer(1_448, 1, false), segment.offer());
      }
      assertFalse(segment.has(TcpFlags.RST));
      OutgoingSegment again =
          new OutgoingSegment()
              .begin(
                  segment.sequence(),
                  segment.acknowledgement(),
                  captured.get(start + 13),
                  segment.window());
      if (frame < 3) {
        again.offer(segment.offer());
      }
      byte[] out = new byte[stop - start];
      assertEquals(out.length, again.write(ByteBuffer.wrap(out), 0, from, to));
      assertArrayEquals(
          Arrays.copyOfRange(Captured.of("direct", frame).bytes(), start, stop), out, "" + frame);
    }
  }

  @Test
  void offersInEightBits() {
    for (int code = 0; code < 256; code++) {
      assertEquals(code, StreamOffer.of(code).code());
    }
    assertEquals(1_360, StreamOffer.of(new StreamOffer(1_399, 3, true).code()).mss());
    assertEquals(StreamOffer.LEAST_MSS, new StreamOffer(0, 99, false).mss());
    assertEquals(StreamOffer.MOST_SCALE, new StreamOffer(0, 99, false).scale());
  }
}
