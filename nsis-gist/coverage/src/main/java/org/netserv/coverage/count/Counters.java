// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.count;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts of a process: its own, and those of its coverage. Safe for several threads. */
public final class Counters {
  private final Map<Count, LongAdder> counts = new LinkedHashMap<>();

  /** Counts of a process, all zero. Those of its coverage follow. */
  public Counters(Count... own) {
    for (Count count : own) {
      counts.put(count, new LongAdder());
    }
    for (Count count : PathCounter.values()) {
      counts.put(count, new LongAdder());
    }
  }

  public void add(Count count) {
    counts.get(count).increment();
  }

  public long get(Count count) {
    return counts.get(count).sum();
  }

  /** Returns all counts by name. */
  public Map<String, Long> snapshot() {
    Map<String, Long> all = new LinkedHashMap<>();
    counts.forEach((count, number) -> all.put(count.text(), number.sum()));
    return all;
  }
}
