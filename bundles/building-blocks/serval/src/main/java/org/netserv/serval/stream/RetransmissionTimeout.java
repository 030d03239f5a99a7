// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/**
 * The retransmission timeout of RFC 6298, in milliseconds. It begins with 1 s, and is 200 ms to 60
 * s. A doubled timeout holds until the next sample, or until the stream moves to another path.
 */
final class RetransmissionTimeout {
  static final long FIRST = 1_000;
  static final long LEAST = 200;
  static final long MOST = 60_000;

  private long smoothed = -1; // eight times SRTT; -1 = no sample
  private long variation; // four times RTTVAR
  private long timeout = FIRST;
  private int doublings;

  /** Takes the milliseconds between a segment that was sent once and its acknowledgement. */
  void sample(long measured) {
    if (smoothed < 0) {
      smoothed = measured * 8;
      variation = measured * 2;
    } else {
      long error = measured - smoothed / 8;
      variation += Math.abs(error) - variation / 4;
      smoothed += error;
    }
    doublings = 0;
    timeout = Math.max(LEAST, Math.min(MOST, smoothed / 8 + Math.max(1, variation)));
  }

  void backOff() {
    doublings = Math.min(30, doublings + 1);
  }

  /** Ends the doubling. */
  void restart() {
    doublings = 0;
  }

  long timeout() {
    return Math.min(MOST, timeout << Math.min(doublings, 16));
  }

  /** Returns SRTT, 0 without a sample. */
  long smoothed() {
    return Math.max(0, smoothed / 8);
  }

  boolean isMeasured() {
    return smoothed >= 0;
  }
}
