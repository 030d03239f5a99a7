// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One counter per constant. One thread counts. Any thread reads a value that is at most a moment
 * old.
 */
final class Tally<E extends Enum<E>> {
  private final EnumMap<E, AtomicLong> cells;

  Tally(Class<E> kind) {
    cells = new EnumMap<>(kind);
    for (E constant : kind.getEnumConstants()) {
      cells.put(constant, new AtomicLong());
    }
  }

  void count(E what) {
    AtomicLong cell = cells.get(what);
    cell.setOpaque(cell.getPlain() + 1);
  }

  long get(E what) {
    return cells.get(what).getOpaque();
  }

  /** Returns the counters above zero, by name. */
  Map<String, Long> snapshot() {
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
