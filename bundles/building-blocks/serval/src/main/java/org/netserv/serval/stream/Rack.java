// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/**
 * The time by which losses are found (RACK, RFC 8985 section 6): a segment is lost if one that was
 * sent later has arrived, and a round trip and a time for reordering are over since. So the loss of
 * a retransmission is found like any other. Milliseconds.
 */
final class Rack {
  private static final int DUPLICATES = 3; // DupThresh
  private static final int MOST_MULTIPLIER = 16;

  private boolean known;
  private long sentAt; // of the segment that was sent last of all that have arrived
  private int end;
  private long trip; // of that segment
  private long shortest = Long.MAX_VALUE; // round trip
  private int farthest; // end of the data that have arrived
  private boolean reorders;
  private int multiplier = 1; // of the time for reordering

  /**
   * A segment has arrived.
   *
   * @param sent the last time at which it was sent
   * @param again it was sent more than once, so that an earlier copy may have arrived
   */
  void arrived(long sent, int segmentEnd, boolean again, long now) {
    long measured = now - sent;
    if (again && measured < shortest) {
      return;
    }
    shortest = again ? shortest : Math.min(shortest, measured);
    if (known && !again && Sequence.isBefore(segmentEnd, farthest)) {
      reorders = true;
    }
    farthest = known ? Sequence.later(farthest, segmentEnd) : segmentEnd;
    if (!known || isLater(sent, segmentEnd)) {
      known = true;
      sentAt = sent;
      end = segmentEnd;
      trip = measured;
    }
  }

  private boolean isLater(long sent, int segmentEnd) {
    return sent > sentAt || (sent == sentAt && Sequence.isBefore(end, segmentEnd));
  }

  /** Tells whether a segment was sent before one that has arrived. */
  boolean isPast(long sent, int segmentEnd) {
    return known && (sent < sentAt || (sent == sentAt && Sequence.isBefore(segmentEnd, end)));
  }

  /**
   * Returns the time for which such a segment is waited for since it was sent.
   *
   * @param holes segments that have arrived beyond a missing one
   */
  long patience(int holes, boolean recovers, long smoothed) {
    if (!reorders && (recovers || holes >= DUPLICATES)) {
      return trip;
    }
    long least = shortest == Long.MAX_VALUE ? 0 : shortest / 4;
    return trip + Math.max(1, Math.min(Math.max(1, least) * multiplier, Math.max(1, smoothed)));
  }

  /** The peer has got a segment twice, so one was taken for lost too early (RFC 2883). */
  void duplicated() {
    reorders = true;
    multiplier = Math.min(MOST_MULTIPLIER, multiplier + 1);
  }

  /** Forgets the round trips of a path that the stream has left. */
  void moved() {
    shortest = Long.MAX_VALUE;
    reorders = false;
    multiplier = 1;
  }
}
