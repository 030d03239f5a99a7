// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.base;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** A count for each {@link Counter}. Safe for several threads. */
public final class Counters {
  private final Map<Counter, LongAdder> counts = new EnumMap<>(Counter.class);

  public Counters() {
    for (Counter counter : Counter.values()) {
      counts.put(counter, new LongAdder());
    }
  }

  public void add(Counter counter) {
    counts.get(counter).increment();
  }

  public long get(Counter counter) {
    return counts.get(counter).sum();
  }

  /** Returns all counts by name, in the enum's order. */
  public Map<String, Long> snapshot() {
    Map<String, Long> all = new LinkedHashMap<>();
    for (Counter counter : Counter.values()) {
      all.put(counter.text(), get(counter));
    }
    return all;
  }
}
