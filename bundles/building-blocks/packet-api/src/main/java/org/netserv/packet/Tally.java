// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counters of a module, one for each constant of an enum of outcomes. One thread at a time counts,
 * and nothing is allocated then. Any thread reads a value that is at most a moment old.
 *
 * <p>A module that registers a tally as an OSGi service under this class shows its counters to the
 * operator of the node: at most 64 names. Tallies of one module that share a name add up.
 *
 * @param <E> the outcomes
 */
public final class Tally<E extends Enum<E>> {
  private final E[] outcomes;
  private final AtomicLongArray cells; // by place of the outcome: a map costs more for each packet

  /** Begins with zeros. */
  public Tally(Class<E> outcomes) {
    this.outcomes = outcomes.getEnumConstants();
    cells = new AtomicLongArray(this.outcomes.length);
  }

  /** Adds 1. Each counter has one writer at a time, so no atomic addition is needed. */
  public void count(E outcome) {
    int place = place(outcome);
    cells.setOpaque(place, cells.getPlain(place) + 1);
  }

  /** Returns the count of this outcome. */
  public long get(E outcome) {
    return cells.getOpaque(place(outcome));
  }

  /** Returns the counters above zero, by name in the order of the alphabet. */
  public Map<String, Long> snapshot() {
    Map<String, Long> counts = new TreeMap<>();
    for (E outcome : outcomes) {
      long count = get(outcome);
      if (count > 0) {
        counts.put(outcome.name(), count);
      }
    }
    return counts;
  }

  @SuppressWarnings("EnumOrdinal") // an index of this process, which no file keeps
  private int place(E outcome) {
    return outcome.ordinal();
  }
}
