// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/**
 * Spreads the segments of a window over the round trip, so that no burst overruns a queue on the
 * way. The rate is twice the window in a round trip in slow start, and 1.2 times it otherwise. The
 * clock has milliseconds, so what may leave in two of them may leave at once, and a shorter round
 * trip has no pace.
 */
final class Pacer {
  private static final double SLOW_START = 2;
  private static final double OTHERWISE = 1.2;
  private static final int PERIOD = 2;

  private final int burst; // bytes that may always leave at once
  private double credit;
  private double rate; // bytes in a millisecond; 0 = no pace
  private long filledAt;

  Pacer(int mss) {
    burst = Cubic.INITIAL * mss;
    credit = burst;
  }

  /** Takes the window in bytes, and the round trip in milliseconds. */
  void set(long window, long rtt, boolean slowStart) {
    rate = rtt < PERIOD ? 0 : (slowStart ? SLOW_START : OTHERWISE) * window / rtt;
  }

  boolean allows(long now) {
    if (now > filledAt) {
      double most = Math.max(burst, PERIOD * rate);
      credit = rate == 0 ? burst : Math.min(most, credit + (now - filledAt) * rate);
      filledAt = now;
    }
    return rate == 0 || credit > 0;
  }

  void sent(int bytes) {
    credit -= rate == 0 ? 0 : bytes;
  }

  /** Returns the time at which the next segment may leave, if it may not now. */
  long allowsAt() {
    return filledAt + Math.max(1, (long) Math.ceil((1 - credit) / rate));
  }
}
