// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.capture;

import java.util.Arrays;

/** Round-trip times; immutable. */
public final class RoundTrips {
  private final long[] ascending;

  private RoundTrips(long[] ascending) {
    this.ascending = ascending;
  }

  /** Makes round-trip times of the first {@code count} of these nanoseconds, in any order. */
  public static RoundTrips of(long[] nanos, int count) {
    long[] copy = Arrays.copyOf(nanos, count);
    Arrays.sort(copy);
    return new RoundTrips(copy);
  }

  /**
   * Returns the milliseconds that {@code percent} of the answers took at most; NaN without answers.
   */
  public double percentile(double percent) {
    if (ascending.length == 0) {
      return Double.NaN;
    }
    int rank = (int) Math.ceil(percent / 100 * ascending.length);
    return ascending[Math.max(rank - 1, 0)] / 1e6;
  }
}
