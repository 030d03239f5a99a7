// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.serval.flow.FlowTransitions.Action;
import org.netserv.serval.flow.FlowTransitions.Event;
import org.netserv.serval.flow.FlowTransitions.State;
import org.netserv.serval.flow.TransitionTable.Transition;

/** Every state, every event of the three tables, each against the page of the protocol. */
class TransitionsTest {
  @Test
  void everyTableIsThatOfThePage() throws IOException {
    assertEquals(
        PageTables.table("flow"),
        PageTables.lines(FlowTransitions.TABLE, State.class, Event.class));
    assertEquals(
        PageTables.table("move"),
        PageTables.lines(
            MoveTransitions.TABLE, MoveTransitions.State.class, MoveTransitions.Event.class));
    assertEquals(
        PageTables.table("channel"),
        PageTables.lines(
            ChannelTransitions.TABLE,
            ChannelTransitions.State.class,
            ChannelTransitions.Event.class));
  }

  /** A flow ends once, and forgets itself last. */
  @Test
  void theEndIsTheLastAction() {
    for (State state : State.values()) {
      for (Event event : Event.values()) {
        Transition<State, Action> answer = FlowTransitions.TABLE.of(state, event);
        List<Action> actions = answer.actions();
        boolean ends = answer.next() == State.OVER && state != State.OVER;
        assertEquals(ends, actions.contains(Action.FORGET), state + " " + event);
        assertTrue(!ends || actions.indexOf(Action.FORGET) == actions.size() - 1);
      }
    }
  }

  /** From every state a way leads to OVER, and from CLOSED a way leads to every state. */
  @Test
  void everyStateIsReachedAndLeft() {
    for (State state : State.values()) {
      assertTrue(
          PageTables.reached(FlowTransitions.TABLE, Event.class, state).contains(State.OVER),
          state.name());
    }
    assertEquals(
        EnumSet.allOf(State.class),
        PageTables.reached(FlowTransitions.TABLE, Event.class, State.CLOSED));
    assertEquals(
        EnumSet.of(State.OVER), PageTables.reached(FlowTransitions.TABLE, Event.class, State.OVER));
  }

  /** A state that waits without a message of its own to repeat has a time after which it ends. */
  @Test
  void whatMayLastForeverIsOpenAtThePeer() {
    for (State state : EnumSet.of(State.RESPOND, State.FINWAIT2, State.TIMEWAIT)) {
      assertEquals(State.OVER, FlowTransitions.TABLE.of(state, Event.LATE).next());
    }
    assertFalse(FlowTransitions.OPEN.contains(State.RESPOND));
  }
}
