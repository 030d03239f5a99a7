// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

/**
 * Rates of new requests by rank, measured in steps and smoothed. RFC 7339, 7.2, wants the shares of
 * its two categories measured in this way, so that the better one is spared at the cost of the
 * other.
 */
final class Mix {
  /** Weight of the newest step. */
  static final double WEIGHT = 0.5;

  private static final int RANKS = Rank.values().length;

  private final int[] counts = new int[RANKS];
  private final double[] rates = new double[RANKS];
  private long admitted;
  private double admittedRate;

  @SuppressWarnings("EnumOrdinal") // places of a table that no file keeps
  void count(Rank rank) {
    counts[rank.ordinal()]++;
  }

  void admit() {
    admitted++;
  }

  /** Ends a step of so many seconds. */
  void turn(double seconds) {
    for (int i = 0; i < RANKS; i++) {
      rates[i] += WEIGHT * (counts[i] / seconds - rates[i]);
      counts[i] = 0;
    }
    admittedRate += WEIGHT * (admitted / seconds - admittedRate);
    admitted = 0;
  }

  /** Returns requests per second of a rank. */
  @SuppressWarnings("EnumOrdinal") // places of a table that no file keeps
  double rate(Rank rank) {
    return rates[rank.ordinal()];
  }

  /** Returns requests per second of all ranks. */
  double total() {
    double sum = 0;
    for (double rate : rates) {
      sum += rate;
    }
    return sum;
  }

  /** Returns requests per second that were admitted. */
  double admitted() {
    return admittedRate;
  }
}
