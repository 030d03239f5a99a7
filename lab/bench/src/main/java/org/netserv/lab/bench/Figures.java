// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Measured numbers with their median and spread. */
public final class Figures {
  private final List<Double> sorted = new ArrayList<>();

  /** Adds a number. */
  public void add(double value) {
    int at = Collections.binarySearch(sorted, value);
    sorted.add(at < 0 ? -at - 1 : at, value);
  }

  /** Returns the count of the numbers. */
  public int count() {
    return sorted.size();
  }

  /** Returns the median. */
  public double median() {
    return percentile(50);
  }

  /** Returns the smallest number. */
  public double least() {
    return sorted.get(0);
  }

  /**
   * Returns the smallest number that at least so many percent of the numbers do not exceed. There
   * must be a number.
   */
  public double percentile(int percent) {
    int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
    return sorted.get(Math.max(1, rank) - 1);
  }

  /**
   * Returns a lower bound of the median, with a confidence of 90 percent. The bound goes by rank,
   * so it assumes nothing about the distribution. With fewer than five numbers the extremes are
   * less sure than that.
   */
  public double low() {
    return sorted.get(beyond());
  }

  /** Returns the upper bound of the median; see {@link #low}. */
  public double high() {
    return sorted.get(sorted.size() - 1 - beyond());
  }

  /**
   * Returns the count of values to leave out at each end, so that the interval misses the median at
   * most one time in ten.
   */
  private int beyond() {
    int n = sorted.size();
    double tail = Math.pow(0.5, n);
    double term = tail;
    int out = 0;
    for (int k = 1; k < n / 2; k++) {
      term *= (double) (n - k + 1) / k;
      tail += term;
      if (2 * tail > 0.1) {
        break;
      }
      out = k;
    }
    return out;
  }

  /** Returns the lowest and the highest number as text. */
  String spread() {
    return String.format(Locale.ROOT, "%,.0f - %,.0f", sorted.get(0), percentile(100));
  }
}
