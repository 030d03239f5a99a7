// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.util.random.RandomGenerator;

/**
 * The rate-based scheme (RFC 7415, 3.5): a leaky bucket that fills by T for each request that
 * passes and drains by one microsecond each microsecond. It has one threshold per rank, and
 * randomises the phase when control begins and when the bucket empties (3.5.3).
 *
 * <pre>
 *   NORMAL  TAU1 = TAU2 / 2                   a request passes if the content is at most its threshold
 *   NORMAL, light source    TAU2 = burst * T
 *   HIGH    3/2 TAU2
 *   DIALOG  2 * TAU2
 *   EXEMPT  none, and fills the bucket too
 * </pre>
 */
final class RateAlgorithm implements Algorithm {
  private static final double MICROS = 1e6;

  /** Multiple of TAU2 at which exempt requests fill the bucket no further. */
  private static final double FULL = 4;

  private final int burst;
  private final RandomGenerator random;
  private double rate;
  private double interval; // T in microseconds
  private double content; // X
  private long last; // LCT

  /**
   * Makes a bucket.
   *
   * @param burst TAU2 in multiples of T
   */
  RateAlgorithm(int burst, RandomGenerator random) {
    this.burst = burst;
    this.random = random;
  }

  @Override
  public void set(int value, boolean first, long now) {
    double before = interval;
    rate = value;
    interval = value == 0 ? 0 : MICROS / value;
    if (first || before == 0) {
      last = now;
      content = Math.max(0, phase() * interval);
    } else {
      content *= interval / before; // as many requests as before
    }
  }

  private double phase() {
    return random.nextDouble() - 0.5;
  }

  @Override
  public double target(Mix mix) {
    return rate;
  }

  @Override
  public boolean admits(Rank rank, boolean light, long now) {
    if (rate == 0) {
      return rank == Rank.EXEMPT;
    }
    double left = content - (now - last);
    if (left > threshold(rank, light)) {
      return false;
    }
    double step = left > 0 ? interval : interval * (1 + phase());
    content = Math.min(Math.max(0, left) + step, FULL * burst * interval);
    last = now;
    return true;
  }

  private double threshold(Rank rank, boolean light) {
    double most = burst * interval;
    return switch (rank) {
      case EXEMPT -> Double.MAX_VALUE;
      case DIALOG -> 2 * most;
      case HIGH -> 1.5 * most;
      case NORMAL -> light ? most : 0.5 * most;
    };
  }
}
