// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A peer that breaks the rules changes nothing but its own lot. */
class LyingPeerTest {
  private static final StreamSettings SMALL = new StreamSettings(1_000, 1 << 16, 1 << 16);

  private Pair pair;
  private Connection server;
  private int own; // the server's next sequence number
  private int peer; // the client's

  @BeforeEach
  void open() {
    pair = new Pair(4, SMALL);
    pair.client.write(new byte[10], false);
    pair.run(1_000);
    server = pair.server.connection;
    own = server.sending().next();
    peer = server.receiving().expected();
    pair.dead = true;
  }

  private StreamVerdict take(int sequence, int ack, int flags, int window, int length) {
    return server.take(Peers.segment(sequence, ack, flags, window, new byte[length]), pair.now());
  }

  private void answers(int count) {
    long before = pair.segments;
    pair.server.due();
    assertEquals(count, pair.segments - before);
  }

  @Test
  void acknowledgementsOfWhatWasNeverSent() {
    assertEquals(StreamVerdict.WRONG_ACK, take(peer, own + 1, TcpFlags.ACK, 100, 0));
    answers(1);
    assertEquals(StreamVerdict.WRONG_ACK, take(peer, own + 1, TcpFlags.ACK, 100, 50));
    answers(1);
    assertEquals(10, pair.server.got.size(), "its data are not taken either");
  }

  @Test
  void anOldAcknowledgementChangesNothing() {
    pair.server.write(new byte[500], false);
    pair.run(pair.now() + 10);
    assertEquals(StreamVerdict.TAKEN, take(peer, own - 70_000, TcpFlags.ACK, 9, 0));
    assertEquals(500, server.unacknowledged());
  }

  @Test
  void blocksOfSackOutsideOfWhatWasSent() {
    pair.server.write(new byte[5_000], false);
    pair.run(pair.now() + 10);
    int[][] lies = {
      {own + 5_000, own + 6_000},
      {own + 3_000, own + 9_000},
      {own - 5_000, own + 2_000},
      {own + 3_000, own + 3_000},
      {own + 4_000, own + 3_000},
      {own + 0x70000000, own + 0x70001000}
    };
    for (int[] lie : lies) {
      OutgoingSegment out =
          new OutgoingSegment().begin(peer, own, TcpFlags.ACK, 60_000).block(lie[0], lie[1]);
      assertEquals(
          StreamVerdict.TAKEN, server.take(Peers.segment(out, 0, new byte[0]), pair.now()));
    }
    assertEquals(5_000, server.unacknowledged());
    pair.dead = false;
    pair.run(pair.now() + 60_000);
    assertEquals(5_000, pair.client.got.size());
  }

  /** SACK of all, and never an acknowledgement: nothing is forgotten, and the timer goes on. */
  @Test
  void aPeerThatTakesBackWhatItHasAcknowledged() {
    byte[] down = StreamLossTest.random(1, 5_000);
    pair.server.write(down, false);
    pair.run(pair.now() + 10);
    OutgoingSegment out =
        new OutgoingSegment()
            .begin(peer, own, TcpFlags.ACK, 60_000)
            .block(own + 1_000, own + 5_000);
    server.take(Peers.segment(out, 0, new byte[0]), pair.now());
    pair.dead = false;
    pair.run(pair.now() + 60_000);
    assertArrayEquals(down, pair.client.got.toByteArray());
  }

  @Test
  void aWindowThatShrinks() {
    byte[] down = StreamLossTest.random(1, 50_000);
    pair.server.write(down, true);
    pair.run(pair.now() + 10);
    assertEquals(StreamVerdict.TAKEN, take(peer, own, TcpFlags.ACK, 0, 0));
    pair.run(pair.now() + 5_000);
    pair.dead = false;
    pair.run(pair.now() + 60_000);
    assertArrayEquals(down, pair.client.got.toByteArray());
  }

  /** Bytes that are there stay, also those behind a gap. */
  @Test
  void otherBytesInTheSamePlace() {
    byte[] first = StreamLossTest.random(1, 300);
    byte[] lie = StreamLossTest.random(2, 600);
    pair.server.reads = false;
    server.take(Peers.segment(peer + 300, own, TcpFlags.ACK, 9, first), pair.now());
    assertEquals(
        StreamVerdict.DUPLICATE,
        server.take(Peers.segment(peer + 300, own, TcpFlags.ACK, 9, first), pair.now()));
    server.take(Peers.segment(peer, own, TcpFlags.ACK, 9, lie), pair.now());
    pair.server.got.reset();
    pair.server.read();
    byte[] expected = lie.clone();
    System.arraycopy(first, 0, expected, 300, 300);
    assertArrayEquals(expected, pair.server.got.toByteArray());
  }

  @Test
  void dataOutsideOfTheWindow() {
    assertEquals(StreamVerdict.OUTSIDE, take(peer + 70_000, own, TcpFlags.ACK, 9, 100));
    answers(1);
    assertEquals(StreamVerdict.DUPLICATE, take(peer - 10, own, TcpFlags.ACK, 9, 10));
    answers(1);
    assertEquals(StreamVerdict.TAKEN, take(peer + 65_530, own, TcpFlags.ACK, 9, 100));
    assertTrue(server.memory() <= 2 << 16);
  }

  /** Segments without payload are answered ten times a second at most, so that no storm begins. */
  @Test
  void strayAcknowledgementsAreAnsweredSeldom() {
    long before = pair.segments;
    for (int i = 0; i < 1_000; i++) {
      pair.run(pair.now() + 1);
      take(peer - 1, own, TcpFlags.ACK, 9, 0);
      pair.server.due();
    }
    assertEquals(10, pair.segments - before);
  }

  @Test
  void resetsCountWithTheExpectedNumberAlone() {
    for (int off : new int[] {-1, 1, 1_000, -100_000, 1 << 30}) {
      assertEquals(StreamVerdict.WRONG_RESET, take(peer + off, own, TcpFlags.RST, 0, 0));
    }
    assertTrue(pair.server.heard.isEmpty());
    assertEquals(StreamVerdict.SYN, take(peer, own, TcpFlags.SYN | TcpFlags.ACK, 9, 0));
    assertEquals(StreamVerdict.NO_ACK, take(peer, own, 0, 9, 10));
    assertEquals(StreamVerdict.RESET, take(peer, 0, TcpFlags.RST, 0, 0));
    assertEquals(List.of("abort flow", "reset"), pair.server.heard);
    assertEquals(StreamVerdict.NOT_OPEN, take(peer, own, TcpFlags.ACK, 9, 5));
  }

  @Test
  void dataBehindTheEnd() {
    assertEquals(StreamVerdict.TAKEN, take(peer + 50, own, TcpFlags.ACK | TcpFlags.FIN, 9, 50));
    assertEquals(StreamVerdict.AFTER_FIN, take(peer + 90, own, TcpFlags.ACK, 9, 50));
    assertEquals(StreamVerdict.TAKEN, take(peer, own, TcpFlags.ACK, 9, 50));
    assertTrue(pair.server.ended);
    assertEquals(110, pair.server.got.size());
    assertEquals(StreamVerdict.OUTSIDE, take(peer + 90_000, own, TcpFlags.ACK, 9, 5));
  }

  /** Gaps everywhere: ranges and memory are bounded. */
  @Test
  void manyGaps() {
    int dropped = 0;
    for (int i = 1; i < 3_000; i++) {
      StreamVerdict verdict = take(peer + i * 20, own, TcpFlags.ACK, 9, 10);
      dropped += verdict == StreamVerdict.RANGES ? 1 : 0;
    }
    assertEquals(2_999 - Reassembly.RANGES, dropped);
    assertEquals(Reassembly.RANGES, server.receiving().ranges());
    assertTrue(server.memory() <= 1 << 16, "memory " + server.memory());
  }

  /** Segments of chance neither throw nor break the stream's memory. */
  @Test
  void segmentsOfChance() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      Pair stream = new Pair(seed, SMALL);
      stream.client.write(new byte[200_000], false);
      stream.server.write(new byte[200_000], false);
      for (int i = 0; i < 500; i++) {
        Connection end = random.nextBoolean() ? stream.client.connection : stream.server.connection;
        int sequence = end.receiving().expected() + random.nextInt(140_000) - 70_000;
        int ack = end.sending().next() - random.nextInt(70_000);
        int flags = random.nextInt(50) == 0 ? random.nextInt(32) & ~TcpFlags.RST : TcpFlags.ACK;
        OutgoingSegment out =
            new OutgoingSegment().begin(sequence, ack, flags, random.nextInt(0x10000));
        for (int j = random.nextInt(5); j > 0; j--) {
          int left = ack + random.nextInt(60_000);
          out.block(left, left + random.nextInt(10_000));
        }
        end.take(Peers.segment(out, sequence, new byte[random.nextInt(1_200)]), stream.now());
        stream.run(stream.now() + random.nextInt(50));
        assertTrue(end.memory() <= 4 << 16, "memory " + end.memory());
        assertEquals(0, end.unexpected());
      }
    }
  }

  @Test
  void aPeerThatTakesNothingHoldsNoStreamWhoseProgramHasGone() {
    take(peer, own, TcpFlags.ACK, 0, 0);
    pair.server.write(new byte[500], false);
    server.close(pair.now());
    for (int probe = 0; probe < SendTimers.TRIES; probe++) {
      pair.run(server.dueAt() == Long.MIN_VALUE ? pair.now() : server.dueAt());
      assertEquals(StreamVerdict.TAKEN, take(peer, own, TcpFlags.ACK, 0, 0));
      server.due(pair.now());
      assertEquals("FIN_WAIT_1", server.state());
    }
    pair.run(pair.now() + 2 * RetransmissionTimeout.MOST);
    assertEquals("OVER", server.state());
    assertEquals(0, server.memory());
    assertEquals(List.of("abort flow", "silent"), pair.server.heard);
  }

  @Test
  void aFinAtTheEndOfTheWaitLeavesNothingDue() {
    server.close(pair.now());
    server.due(pair.now());
    assertEquals(StreamVerdict.TAKEN, take(peer, own + 1, TcpFlags.ACK, 9, 0));
    server.due(pair.now());
    assertEquals("FIN_WAIT_2", server.state());
    pair.run(pair.now() + Connection.WAIT - 1);
    assertEquals(StreamVerdict.TAKEN, take(peer, own + 1, TcpFlags.ACK | TcpFlags.FIN, 9, 0));
    server.due(pair.now());
    assertEquals("TIME_WAIT", server.state());
    assertEquals(Long.MAX_VALUE, server.dueAt());
    assertEquals(0, server.unexpected());
  }
}
