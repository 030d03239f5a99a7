// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Vectors of the scoreboard: which segments are lost after which acknowledgements. */
class ScoreboardTest {
  private static final int BASE = -2_500; // the numbers wrap in the middle

  private final Rack rack = new Rack();
  private final Scoreboard board = new Scoreboard(rack);

  /** Sends segments of 1,000 bytes, one each millisecond. */
  private void send(int count) {
    for (int i = 0; i < count; i++) {
      board.sent(BASE + i * 1_000, BASE + (i + 1) * 1_000, i);
    }
  }

  private void sack(int first, int last, long now) {
    board.begin();
    board.sacked(BASE + first * 1_000, BASE + last * 1_000, now);
  }

  /** Returns the lost segments by their index, which count as sent again from then on. */
  private List<Integer> resend(long now) {
    List<Integer> lost = new ArrayList<>();
    for (int at = board.nextLost(); at >= 0; at = board.nextLost()) {
      lost.add((board.start(at) - BASE) / 1_000);
      board.sentAgain(at, now);
    }
    return lost;
  }

  @Test
  void threeSegmentsBehindAGapTellALoss() {
    send(10);
    sack(1, 3, 101);
    assertEquals(-1, board.detect(false, 100, 102));
    assertEquals(8_000, board.flying());
    sack(1, 4, 103);
    assertEquals(0, board.detect(false, 100, 103));
    assertEquals(List.of(0), resend(103));
    assertEquals(7_000, board.flying());
  }

  /** The scoreboard of RFC 2018 section 4: each block tells once. */
  @Test
  void gapsBetweenBlocks() {
    send(12);
    sack(1, 2, 101);
    sack(3, 4, 103);
    sack(5, 8, 107);
    assertTrue(board.detect(false, 100, 107) >= 0);
    assertEquals(List.of(0, 2, 4), resend(107));
    sack(1, 8, 110);
    assertEquals(2_000, board.delivered(), "2 and 4 had been missing");
    board.begin();
    board.acked(BASE + 8_000, 207);
    assertEquals(1_000, board.delivered());
    assertEquals(4_000, board.flying());
  }

  /** A retransmission that is lost, too, is found by a segment that was sent after it. */
  @Test
  void aLostRetransmission() {
    send(10);
    sack(1, 5, 105);
    assertEquals(0, board.detect(false, 100, 105));
    assertEquals(List.of(0), resend(105));
    sack(1, 10, 109);
    assertEquals(-1, board.detect(true, 100, 109), "sent before the retransmission");
    board.sent(BASE + 10_000, BASE + 11_000, 110);
    sack(10, 11, 210);
    assertEquals(105, board.detect(true, 100, 210));
    assertEquals(List.of(0), resend(210));
  }

  /** Less than three segments behind a gap: the time for reordering is a quarter of a trip. */
  @Test
  void aShortTailWaitsForReordering() {
    send(3);
    sack(2, 3, 102);
    assertEquals(-1, board.detect(false, 100, 102));
    long due = board.dueAt();
    assertEquals(0 + 100 + 25, due);
    assertEquals(0, board.detect(false, 100, due));
    assertEquals(List.of(0), resend(due));
    assertEquals(1, board.detect(false, 100, due + 1), "the second one was sent 1 ms later");
  }

  @Test
  void samplesAreOfSegmentsSentOnce() {
    send(4);
    sack(1, 4, 103);
    assertEquals(100, board.sample());
    assertEquals(0, board.detect(false, 100, 110));
    assertEquals(List.of(0), resend(110));
    board.begin();
    board.acked(BASE + 4_000, 112);
    assertEquals(-1, board.sample(), "Karn");
    assertTrue(board.isEmpty());
  }

  @Test
  void anAcknowledgementInsideASegment() {
    send(2);
    board.begin();
    board.acked(BASE + 400, 100);
    assertEquals(400, board.delivered());
    assertEquals(1_600, board.flying());
    board.begin();
    board.acked(BASE + 2_000, 101);
    assertEquals(1_600, board.delivered());
    assertEquals(0, board.flying());
  }

  @Test
  void blocksThatCutSegmentsCountForWholeOnes() {
    send(4);
    board.begin();
    board.sacked(BASE + 1_500, BASE + 3_500, 100);
    assertEquals(1_000, board.delivered(), "segment 2 alone lies inside");
    assertEquals(1, board.arrived());
  }

  @Test
  void aPeerThatThrowsAwayWhatItHasAcknowledged() {
    send(4);
    sack(1, 4, 100);
    board.begin();
    board.acked(BASE + 1_000, 101);
    assertTrue(board.isReneged());
    board.forget();
    assertEquals(List.of(1, 2, 3), resend(102));
    assertEquals(3_000, board.flying());
    assertFalse(board.isReneged());
  }

  @Test
  void manySegments() {
    send(Scoreboard.MOST);
    assertTrue(board.isFull());
    board.begin();
    board.acked(BASE + (Scoreboard.MOST - 1) * 1_000, 9_000);
    assertEquals(1_000, board.flying());
    board.loseAll();
    assertEquals(0, board.flying());
    assertEquals(1, board.lost());
  }

  /** Cuts one in the middle of a full ring, whose numbers begin behind its end. */
  @Test
  void aLostSegmentInTwo() {
    send(30);
    board.begin();
    board.acked(BASE + 28_000, 100);
    for (int i = 30; i < 60; i++) {
      board.sent(BASE + i * 1_000, BASE + (i + 1) * 1_000, i);
    }
    board.loseAll();
    assertEquals(32, board.lost());
    board.sentAgain(board.nextLost(), 200);
    int at = board.cut(board.nextLost(), 300);
    assertEquals(BASE + 29_000, board.start(at));
    assertEquals(BASE + 29_300, board.end(at));
    board.sentAgain(at, 200);
    assertEquals(1_300, board.flying());
    at = board.nextLost();
    assertEquals(BASE + 29_300, board.start(at));
    assertEquals(BASE + 30_000, board.end(at));
    assertEquals(31, board.lost());
    for (int i = 0; i < 31; i++) {
      board.sentAgain(board.nextLost(), 201);
    }
    assertEquals(32_000, board.flying());
    board.begin();
    board.acked(BASE + 60_000, 300);
    assertTrue(board.isEmpty());
    assertEquals(0, board.flying());
    assertEquals(0, board.arrived());
  }
}
