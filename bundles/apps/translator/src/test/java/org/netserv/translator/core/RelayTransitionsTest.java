// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.serval.flow.TransitionTable.Transition;
import org.netserv.translator.core.RelayTransitions.Action;
import org.netserv.translator.core.RelayTransitions.Event;
import org.netserv.translator.core.RelayTransitions.State;

class RelayTransitionsTest {
  private static Transition<State, Action> of(State state, Event event) {
    return RelayTransitions.TABLE.of(state, event);
  }

  /** Each way to the end closes both sides, and nothing else does. */
  @Test
  void theEndClosesBothSides() {
    for (State state : State.values()) {
      for (Event event : Event.values()) {
        Transition<State, Action> answer = of(state, event);
        boolean ends = state != State.OVER && answer.next() == State.OVER;
        boolean closes =
            answer.actions().contains(Action.CLOSE) || answer.actions().contains(Action.BREAK_OFF);
        assertEquals(ends, closes, state + " " + event);
      }
    }
  }

  @Test
  void faultsEndEveryStateAndTheEndStays() {
    for (State state : EnumSet.complementOf(EnumSet.of(State.OVER))) {
      for (Event event : List.of(Event.BROKEN, Event.IDLE, Event.DRAINED)) {
        assertEquals(State.OVER, of(state, event).next());
        assertEquals(List.of(Action.BREAK_OFF), of(state, event).actions());
      }
    }
    for (Event event : Event.values()) {
      assertEquals(State.OVER, of(State.OVER, event).next());
      assertEquals(List.of(Action.IGNORE), of(State.OVER, event).actions());
    }
  }

  /** In any order of events each end is passed on once at most, and only while both are open. */
  @Test
  void anyOrderOfEventsPassesEachEndOnOnce() {
    Random random = new Random(17);
    List<Event> events = List.of(Event.values());
    Set<State> seen = EnumSet.of(State.CONNECTING);
    for (int run = 0; run < 10_000; run++) {
      State state = State.CONNECTING;
      Map<Action, Integer> done = new EnumMap<>(Action.class);
      for (int step = 0; step < 20; step++) {
        Event event = events.get(random.nextInt(events.size()));
        Transition<State, Action> answer = of(state, event);
        state = answer.next();
        seen.add(state);
        answer.actions().forEach(action -> done.merge(action, 1, Integer::sum));
      }
      done.remove(Action.IGNORE);
      assertTrue(done.values().stream().allMatch(count -> count == 1), done.toString());
      if (done.containsKey(Action.CLOSE)) {
        assertTrue(
            done.keySet().containsAll(Set.of(Action.START, Action.END_CLIENT, Action.END_SERVER)));
        assertTrue(!done.containsKey(Action.BREAK_OFF));
      }
    }
    assertEquals(EnumSet.allOf(State.class), seen);
  }
}
