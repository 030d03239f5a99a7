// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.util.Arrays;

/**
 * Divides a rate among sources, max-min fair: a source that asks for less than the level gets all,
 * and every other source gets the level. Sources are hashed into buckets (stochastic fairness), so
 * memory and work are bounded whatever the number of sources. The hash changes now and then, so two
 * sources in one bucket do not stay together.
 *
 * <pre>
 *   requests/s   ########                        level L, so that the sum of min(asked, L) is
 *          L  ---########--######---             the rate that may pass
 *                ########  ###### ##  #          a request of a source above L passes with L / asked
 * </pre>
 */
final class FairShares {
  static final int BUCKETS = 1024;

  private static final int ROUNDS = 20;
  private static final double LITTLE = 1e-3;

  private final int[] counts = new int[BUCKETS];
  private final double[] rates = new double[BUCKETS];
  private final double[] passes = new double[BUCKETS];
  private final double[] credits = new double[BUCKETS];
  private long salt;
  private double modest = Double.MAX_VALUE; // rate of a source that is light
  private boolean fresh; // no step has been measured with this hash

  FairShares(long salt) {
    this.salt = salt;
    Arrays.fill(passes, 1);
  }

  /** Returns the bucket of a source. */
  int bucket(long source) {
    long hash = (source ^ salt) * 0x9e3779b97f4a7c15L;
    return (int) (((hash ^ hash >>> 29) * 0xbf58476d1ce4e5b9L) >>> 54);
  }

  void count(int bucket) {
    counts[bucket]++;
  }

  /** Tells whether the bucket's sources together ask for at most their share. */
  boolean isLight(int bucket) {
    return rates[bucket] <= modest;
  }

  /** Tells whether the bucket's sources are light beside others that are not. */
  boolean isFavoured(int bucket) {
    return modest < Double.MAX_VALUE && isLight(bucket);
  }

  /** Decides about one request. Of n requests in a row it passes n times the bucket's share. */
  boolean admits(int bucket) {
    credits[bucket] += passes[bucket];
    if (credits[bucket] < 1) {
      return false;
    }
    credits[bucket] = Math.min(credits[bucket] - 1, 1);
    return true;
  }

  /** Ends a step of so many seconds, and divides rates as {@link #divide} does. */
  void turn(double seconds, double rate, double through) {
    measure(seconds);
    divide(rate, through);
  }

  /**
   * Divides a rate by what the sources asked for in the steps before.
   *
   * @param rate requests per second that may pass here
   * @param through requests per second that get through in the end. Its shares tell which source is
   *     light
   */
  void divide(double rate, double through) {
    double asked = 0;
    for (double each : rates) {
      asked += each;
    }
    double level = asked <= rate ? Double.MAX_VALUE : level(rate);
    modest = asked <= through ? Double.MAX_VALUE : level(through);
    for (int i = 0; i < BUCKETS; i++) {
      passes[i] = rates[i] > level ? level / rates[i] : 1;
    }
  }

  private void measure(double seconds) {
    double weight = fresh ? 1 : Mix.WEIGHT;
    fresh = false;
    for (int i = 0; i < BUCKETS; i++) {
      rates[i] += weight * (counts[i] / seconds - rates[i]);
      rates[i] = rates[i] < LITTLE ? 0 : rates[i];
      counts[i] = 0;
    }
  }

  /** Raises the level from the equal share, until all of the rate is used. */
  private double level(double rate) {
    double level = 0;
    for (int round = 0; round < ROUNDS; round++) {
      double below = 0;
      int above = 0;
      for (double asked : rates) {
        if (asked <= level) {
          below += asked;
        } else {
          above++;
        }
      }
      double next = above == 0 ? level : (rate - below) / above;
      if (next <= level * (1 + LITTLE)) {
        return Math.max(level, 0);
      }
      level = next;
    }
    return level;
  }

  /**
   * Changes the hash. All buckets then begin with the share that the average source has. None is
   * light until the next step, unless all are.
   */
  void rehash(long newSalt) {
    double passed = 0;
    double asked = 0;
    for (int i = 0; i < BUCKETS; i++) {
      passed += rates[i] * passes[i];
      asked += rates[i];
    }
    salt = newSalt;
    fresh = true;
    modest = modest < Double.MAX_VALUE ? -1 : modest;
    Arrays.fill(passes, asked > 0 ? passed / asked : 1);
    Arrays.fill(rates, 0);
    Arrays.fill(counts, 0);
    Arrays.fill(credits, 0);
  }
}
