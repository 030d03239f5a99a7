// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/**
 * The bytes of payload for which a packet of the path has room (RFC 8899, in small). A path may
 * lose all long packets and tell nobody. Then timeouts repeat themselves, and shorter segments
 * pass. A longer segment is tried from time to time. Milliseconds.
 */
final class PathSize {
  /** Timeouts of the same first segment after which shorter ones are tried. */
  static final int TIMEOUTS = 2;

  /**
   * The time until a longer segment is tried, in case all packets were lost, whatever their size.
   */
  static final long SOON = 1_000;

  /** The time after a longer segment was lost. It doubles with each one. */
  static final long PAUSE = 30_000;

  static final long LONGEST_PAUSE = 600_000;

  private static final long NEVER = Long.MAX_VALUE;
  private static final int[] STEPS = {1_200, 536};

  private final int most;
  private int size;
  private int timeouts;
  private boolean trying; // a longer segment is under way
  private int trialEnd; // sequence number behind it
  private long raiseAt = NEVER;
  private long pause = PAUSE;

  /** Begins with the payload that both ends have agreed on. */
  PathSize(int mss) {
    most = mss;
    size = mss;
  }

  /** Returns the bytes of payload of a segment that should pass. */
  int size() {
    return size;
  }

  /**
   * Returns the bytes of the next new segment: as {@link #size}, or more to try that.
   *
   * @param left bytes that may be sent. Others follow a trial, and show its loss
   */
  int next(int left, long now) {
    int longer = longer();
    return raiseAt <= now && !trying && left >= longer + size ? longer : size;
  }

  /** A segment from {@link #next} has left that is longer than the size. */
  void tried(int end) {
    trying = true;
    trialEnd = end;
  }

  /** All in front of a sequence number is acknowledged, and more than before. */
  void acknowledged(int una, long now) {
    timeouts = 0;
    if (trying && !Sequence.isBefore(una, trialEnd)) {
      trying = false;
      size = longer();
      pause = PAUSE;
      raiseAt = size == most ? NEVER : now;
    }
  }

  /** A segment that is too long now has to leave again. */
  void lost(long now) {
    if (trying) {
      trying = false;
      raiseAt = now + pause;
      pause = Math.min(LONGEST_PAUSE, 2 * pause);
    }
  }

  /** The retransmission timer has fired for a first segment with so many bytes. */
  void timedOut(int length, long now) {
    int step = shorter(Math.min(length, size));
    if (!trying && step > 0 && ++timeouts >= TIMEOUTS) {
      size = step;
      raiseAt = now + SOON;
    }
  }

  /** The path is another. */
  void moved(long now) {
    timeouts = 0;
    trying = false;
    pause = PAUSE;
    raiseAt = size == most ? NEVER : now + SOON;
  }

  private int longer() {
    int next = most;
    for (int step : STEPS) {
      next = step > size && step < next ? step : next;
    }
    return next;
  }

  private static int shorter(int length) {
    for (int step : STEPS) {
      if (step < length) {
        return step;
      }
    }
    return 0;
  }
}
