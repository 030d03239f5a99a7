// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/** Reads the blocks of SACK: segments that have arrived behind a gap, and copies (RFC 2883). */
final class SackBlocks {
  private final Scoreboard scoreboard;
  private final Rack rack;
  private final TailProbe tail;

  SackBlocks(Scoreboard scoreboard, Rack rack, TailProbe tail) {
    this.scoreboard = scoreboard;
    this.rack = rack;
    this.tail = tail;
  }

  /**
   * Takes the blocks of an acknowledgement. Those are passed over that are not of data under way.
   *
   * @param una first sequence number that is not acknowledged
   * @param next first one that was not sent
   */
  void take(Segment segment, int una, int next, long now) {
    for (int i = 0; i < segment.blocks(); i++) {
      int left = segment.left(i);
      int right = segment.right(i);
      boolean sound = Sequence.isBefore(left, right) && !Sequence.isBefore(next, right);
      boolean below = !Sequence.isBefore(segment.acknowledgement(), right);
      boolean inside = i == 0 && segment.blocks() > 1 && isInside(left, right, segment);
      if (sound && (below || inside)) {
        if (i == 0) {
          copied(left);
        }
      } else if (sound && !Sequence.isBefore(left, una)) {
        scoreboard.sacked(left, right, now);
      }
    }
    if (scoreboard.isReneged()) {
      scoreboard.forget();
    }
  }

  /** The peer has got a segment twice. A probe that was not needed tells nothing of the path. */
  private void copied(int left) {
    if (tail.isCopy(left)) {
      tail.copied();
    } else {
      rack.duplicated();
    }
  }

  /** Tells whether the first block repeats a part of the second one (RFC 2883 section 4.1). */
  private static boolean isInside(int left, int right, Segment segment) {
    return !Sequence.isBefore(left, segment.left(1)) && !Sequence.isBefore(segment.right(1), right);
  }
}
