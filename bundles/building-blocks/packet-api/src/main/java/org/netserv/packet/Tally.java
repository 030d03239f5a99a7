// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters of a module, one for each constant of an enum of outcomes. One thread at a time counts,
 * and nothing is allocated then. Any thread reads a value that is at most a moment old.
 *
 * @param <E> the outcomes
 */
public final class Tally<E extends Enum<E>> {
  private final Map<E, AtomicLong> cells;

  /** Begins with zeros. */
  public Tally(Class<E> outcomes) {
    cells = new EnumMap<>(outcomes);
    for (E outcome : outcomes.getEnumConstants()) {
      cells.put(outcome, new AtomicLong());
    }
  }

  /** Adds 1. Each counter has one writer at a time, so no atomic addition is needed. */
  public void count(E outcome) {
    AtomicLong cell = cells.get(outcome);
    cell.setOpaque(cell.getPlain() + 1);
  }

  /** Returns the count of this outcome. */
  public long get(E outcome) {
    return cells.get(outcome).getOpaque();
  }

  /** Returns the counters above zero, by name in the order of the alphabet. */
  public Map<String, Long> snapshot() {
    Map<String, Long> counts = new TreeMap<>();
    cells.forEach(
        (outcome, cell) -> {
          long count = cell.getOpaque();
          if (count > 0) {
            counts.put(outcome.name(), count);
          }
        });
    return counts;
  }
}
