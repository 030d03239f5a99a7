// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

/** A token bucket: so much a second, and a burst. Times are nanoseconds, compared by difference. */
public final class Bucket {
  private static final double NANOS = 1e9;

  private final double perSecond;
  private final double burst;
  private double tokens;
  private long last;

  /**
   * @param perSecond tokens a second, 0 = no limit
   * @param burst tokens that a full bucket has
   * @param now the time at which it is full
   */
  public Bucket(long perSecond, long burst, long now) {
    this.perSecond = perSecond;
    this.burst = burst;
    tokens = burst;
    last = now;
  }

  /** Takes tokens. Returns false, and takes none, if there are too few. */
  public boolean take(long count, long now) {
    if (perSecond == 0) {
      return true;
    }
    long passed = now - last;
    if (passed > 0) {
      tokens = Math.min(burst, tokens + (double) passed * perSecond / NANOS);
      last = now;
    }
    if (tokens < count) {
      return false;
    }
    tokens -= count;
    return true;
  }
}
