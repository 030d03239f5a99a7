// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters of the module, one for each outcome. Any thread may count. */
final class Counts {
  private final Map<Why, LongAdder> cells = new EnumMap<>(Why.class);

  Counts() {
    for (Why why : Why.values()) {
      cells.put(why, new LongAdder());
    }
  }

  void count(Why why) {
    cells.get(why).increment();
  }

  long get(Why why) {
    return cells.get(why).sum();
  }

  /** Returns the counters above zero, by name in the order of the alphabet. */
  Map<String, Long> snapshot() {
    Map<String, Long> counts = new TreeMap<>();
    cells.forEach(
        (why, cell) -> {
          if (cell.sum() > 0) {
            counts.put(why.name(), cell.sum());
          }
        });
    return counts;
  }
}
