// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.netserv.serval.flow.PageTables;
import org.netserv.serval.flow.TransitionTable.Transition;
import org.netserv.serval.stream.StreamTransitions.Action;
import org.netserv.serval.stream.StreamTransitions.Event;
import org.netserv.serval.stream.StreamTransitions.State;

/** Every state, every event of a stream, against the page of the protocol. */
class StreamTransitionsTest {
  @Test
  void theTableIsThatOfThePage() throws IOException {
    assertEquals(
        PageTables.table("stream"),
        PageTables.lines(StreamTransitions.TABLE, State.class, Event.class));
  }

  /** A stream that ends gives its buffers back, unless the program may still read. */
  @Test
  void theEndReleases() {
    for (State state : EnumSet.complementOf(EnumSet.of(State.OVER))) {
      for (Event event : Event.values()) {
        Transition<State, Action> answer = StreamTransitions.TABLE.of(state, event);
        boolean ends = answer.next() == State.OVER;
        boolean read =
            event == Event.FORGOTTEN && EnumSet.of(State.TIME_WAIT, State.CLOSED).contains(state);
        assertEquals(ends && !read, answer.actions().contains(Action.RELEASE), state + " " + event);
      }
    }
  }

  /** From every state a way leads to OVER, and from the two first ones to every state. */
  @Test
  void everyStateIsReachedAndLeft() {
    for (State state : State.values()) {
      assertTrue(reached(state).contains(State.OVER), state.name());
    }
    Set<State> all = reached(State.SYN_SENT);
    all.addAll(reached(State.SYN_RECEIVED));
    assertEquals(EnumSet.allOf(State.class), all);
    assertEquals(EnumSet.of(State.OVER), reached(State.OVER));
  }

  private static Set<State> reached(State from) {
    Set<State> reached = EnumSet.of(from);
    TreeSet<State> open = new TreeSet<>(reached);
    while (!open.isEmpty()) {
      State state = open.pollFirst();
      for (Event event : Event.values()) {
        State next = StreamTransitions.TABLE.of(state, event).next();
        if (reached.add(next)) {
          open.add(next);
        }
      }
    }
    return reached;
  }
}
