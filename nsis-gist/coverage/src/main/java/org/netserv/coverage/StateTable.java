// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The next state for each state and event. It is written as a picture: a line with all events, then
 * a line for each state, which begins with the state itself.
 */
public final class StateTable<S extends Enum<S>, E extends Enum<E>> {
  private final Map<S, Map<E, S>> rows;

  /**
   * Reads the picture.
   *
   * @throws IllegalArgumentException if the picture lacks a state or an event, or has another name
   */
  public StateTable(Class<S> states, Class<E> events, String picture) {
    List<String> lines = picture.strip().lines().toList();
    List<E> columns = words(lines.get(0)).stream().map(name -> Enum.valueOf(events, name)).toList();
    rows = new EnumMap<>(states);
    for (String line : lines.subList(1, lines.size())) {
      List<S> names = words(line).stream().map(name -> Enum.valueOf(states, name)).toList();
      Map<E, S> row = new EnumMap<>(events);
      for (int i = 0; i < columns.size() && i + 1 < names.size(); i++) {
        row.put(columns.get(i), names.get(i + 1));
      }
      if (names.size() != columns.size() + 1 || row.size() != events.getEnumConstants().length) {
        throw new IllegalArgumentException("not an entry for each event: " + line);
      }
      rows.put(names.get(0), row);
    }
    if (rows.size() != states.getEnumConstants().length) {
      throw new IllegalArgumentException("not a line for each state: " + rows.keySet());
    }
  }

  private static List<String> words(String line) {
    return List.of(line.strip().split(" +", -1));
  }

  /** Returns the state that follows. */
  public S next(S state, E event) {
    return rows.get(state).get(event);
  }
}
