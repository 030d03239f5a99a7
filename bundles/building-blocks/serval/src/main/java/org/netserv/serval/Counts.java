// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One counter for each value of an enum, such as the refusals of one layer.
 *
 * @param <E> the enum
 */
public final class Counts<E extends Enum<E>> {
  private final String layer;
  private final Map<E, long[]> counts;

  /**
   * Makes counters of zero.
   *
   * @param layer the first part of each counter's name
   */
  public Counts(String layer, Class<E> values) {
    this.layer = layer;
    counts = new EnumMap<>(values);
    for (E value : values.getEnumConstants()) {
      counts.put(value, new long[1]);
    }
  }

  /** Counts a value, and returns it. */
  public E count(E value) {
    counts.get(value)[0]++;
    return value;
  }

  public long of(E value) {
    return counts.get(value)[0];
  }

  /** Returns the name of a counter, such as {@code host.no-listener}. */
  public String name(E value) {
    return layer + "." + value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns all counters by name, in the order of the enum. */
  public Map<String, Long> snapshot() {
    Map<String, Long> snapshot = new LinkedHashMap<>();
    counts.keySet().forEach(value -> snapshot.put(name(value), of(value)));
    return snapshot;
  }
}
