// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Numbers of which the middle and the spread are wanted. */
final class Figures {
  private final List<Double> sorted = new ArrayList<>();

  void add(double value) {
    int at = Collections.binarySearch(sorted, value);
    sorted.add(at < 0 ? -at - 1 : at, value);
  }

  int count() {
    return sorted.size();
  }

  double median() {
    return percentile(50);
  }

  /** The smallest of them that at least so many percent do not exceed; not of none. */
  double percentile(int percent) {
    int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
    return sorted.get(Math.max(1, rank) - 1);
  }

  /** Lowest and highest. */
  String spread() {
    return String.format(Locale.ROOT, "%,.0f - %,.0f", sorted.get(0), percentile(100));
  }
}
