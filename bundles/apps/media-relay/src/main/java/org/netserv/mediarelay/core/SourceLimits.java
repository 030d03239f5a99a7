// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

/**
 * Limits what the relay answers to strangers, by source: an IPv4 address, or the /64 of an IPv6
 * address. A source that writes other people's addresses on its packets gets nothing more for it
 * than the victims themselves could have. The table has a fixed size; two sources of one place
 * share its bucket unless the place has been idle.
 */
final class SourceLimits {
  private static final int PLACES = 4096;
  private static final double NANOS = 1e9;

  private final int perSecond;
  private final int burst;
  private final long seed;
  private final long[] sources = new long[PLACES];
  private final double[] tokens = new double[PLACES];
  private final long[] last = new long[PLACES];

  /**
   * @param perSecond answers a second to one source, 0 = no limit
   * @param burst answers at once
   * @param seed random
   */
  SourceLimits(int perSecond, int burst, long seed) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.seed = seed;
  }

  /** Tells whether the source may have an answer now, and counts it. */
  boolean take(long high, long low, long now) {
    if (perSecond == 0) {
      return true;
    }
    long source = Ip.isV4(high, low) ? low : high;
    int at = Ip.hash(source, 0, 0, seed) & (PLACES - 1);
    double idle = (double) (now - last[at]) * perSecond / NANOS;
    double there = Math.min(burst, tokens[at] + Math.max(0, idle));
    if (sources[at] != source && (there >= burst || last[at] == 0)) {
      sources[at] = source;
      there = burst;
    }
    last[at] = now;
    tokens[at] = there < 1 ? there : there - 1;
    return there >= 1;
  }
}
