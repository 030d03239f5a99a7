// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
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
      assertTrue(
          PageTables.reached(StreamTransitions.TABLE, Event.class, state).contains(State.OVER),
          state.name());
    }
    Set<State> all = PageTables.reached(StreamTransitions.TABLE, Event.class, State.SYN_SENT);
    all.addAll(PageTables.reached(StreamTransitions.TABLE, Event.class, State.SYN_RECEIVED));
    assertEquals(EnumSet.allOf(State.class), all);
    assertEquals(
        EnumSet.of(State.OVER),
        PageTables.reached(StreamTransitions.TABLE, Event.class, State.OVER));
  }
}
