// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One counter for each {@link Why}. Whoever holds the relay's lock counts. Any thread reads a value
 * that is at most a moment old.
 */
public final class Tally {
  private final EnumMap<Why, AtomicLong> cells = new EnumMap<>(Why.class);

  /** Begins with zeros. */
  public Tally() {
    for (Why what : Why.values()) {
      cells.put(what, new AtomicLong());
    }
  }

  public void count(Why what) {
    AtomicLong cell = cells.get(what);
    cell.setOpaque(cell.getPlain() + 1);
  }

  public long get(Why what) {
    return cells.get(what).getOpaque();
  }

  /** Returns the counters above zero, by name. */
  public Map<String, Long> snapshot() {
    Map<String, Long> counts = new TreeMap<>();
    cells.forEach(
        (what, cell) -> {
          long count = cell.getOpaque();
          if (count > 0) {
            counts.put(what.name(), count);
          }
        });
    return counts;
  }
}
