// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The table of a state machine. It answers every pair of state and event: a pair without a line
 * changes nothing, and has the one action that counts it as unexpected.
 *
 * @param <S> states
 * @param <E> events
 * @param <A> actions
 */
@SuppressWarnings("varargs") // List.of copies the actions
public final class TransitionTable<S extends Enum<S>, E extends Enum<E>, A extends Enum<A>> {
  /** The result of an event in a state. */
  public record Transition<S, A>(S next, List<A> actions) {}

  private final Map<S, Map<E, Transition<S, A>>> rows;

  /** Makes a table without lines. */
  public TransitionTable(Class<S> states, Class<E> events, A unexpected) {
    rows = new EnumMap<>(states);
    for (S state : states.getEnumConstants()) {
      Map<E, Transition<S, A>> row = new EnumMap<>(events);
      for (E event : events.getEnumConstants()) {
        row.put(event, new Transition<>(state, List.of(unexpected)));
      }
      rows.put(state, row);
    }
  }

  public Transition<S, A> of(S state, E event) {
    return rows.get(state).get(event);
  }

  @SafeVarargs
  public final void on(S state, E event, S next, A... actions) {
    put(state, event, next, actions);
  }

  @SafeVarargs
  public final void on(Set<S> states, E event, S next, A... actions) {
    for (S state : states) {
      put(state, event, next, actions);
    }
  }

  /** Adds lines that keep the state. */
  @SafeVarargs
  public final void stay(Set<S> states, E event, A... actions) {
    for (S state : states) {
      put(state, event, state, actions);
    }
  }

  private void put(S state, E event, S next, A[] actions) {
    rows.get(state).put(event, new Transition<>(next, List.of(actions)));
  }
}
