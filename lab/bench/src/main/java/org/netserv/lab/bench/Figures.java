// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Numbers of which the middle and the spread are wanted. */
public final class Figures {
  private final List<Double> sorted = new ArrayList<>();

  /** One more. */
  public void add(double value) {
    int at = Collections.binarySearch(sorted, value);
    sorted.add(at < 0 ? -at - 1 : at, value);
  }

  /** How many. */
  public int count() {
    return sorted.size();
  }

  /** The middle one. */
  public double median() {
    return percentile(50);
  }

  /** The smallest of them. */
  public double least() {
    return sorted.get(0);
  }

  /** The smallest of them that at least so many percent do not exceed; not of none. */
  double percentile(int percent) {
    int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
    return sorted.get(Math.max(1, rank) - 1);
  }

  /**
   * A number of which the median is no less, with a confidence of 90 percent: by rank, so nothing
   * is assumed of how they spread. Of fewer than five the extremes are less sure than that.
   */
  public double low() {
    return sorted.get(beyond());
  }

  /** The same at the other end. */
  public double high() {
    return sorted.get(sorted.size() - 1 - beyond());
  }

  /**
   * Values left out at each end, so that median and interval miss each other one time in ten at
   * most.
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

  /** Lowest and highest. */
  String spread() {
    return String.format(Locale.ROOT, "%,.0f - %,.0f", sorted.get(0), percentile(100));
  }
}
