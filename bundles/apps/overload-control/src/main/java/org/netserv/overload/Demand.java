// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

/**
 * The requests per second that come by one way, datagrams or streams, told to the other way. Both
 * share the server's feedback max-min fair, as two edges would. Each way has a thread of its own;
 * the owner of a demand writes it, and the other reads it without a lock.
 */
final class Demand {
  /** Microseconds after which a demand that nobody has renewed counts as none. */
  private static final long STALE = 2_000_000;

  /** Room above a small demand, so that it can grow. */
  private static final double HEADROOM = 1.1;

  private volatile double perSecond;
  private volatile long told;

  void tell(double requests, long now) {
    perSecond = requests;
    told = now;
  }

  /**
   * Returns the part of a rate that is left beside this demand: half of it, or more when this
   * demand is below half.
   */
  double leaves(double whole, long now) {
    return Math.max(whole / 2, whole - HEADROOM * asked(now));
  }

  /**
   * Returns the fraction of anything else than a rate that is left beside this demand for a way
   * with its own: half, or its share when that is more.
   */
  double fraction(double own, long now) {
    double asked = asked(now);
    return asked == 0 ? 1 : Math.max(0.5, own / (own + asked));
  }

  private double asked(long now) {
    return now - told > STALE ? 0 : perSecond;
  }
}
