// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.netserv.gist.routing.QueryingTransitions.Action;
import org.netserv.gist.routing.QueryingTransitions.Event;
import org.netserv.gist.routing.QueryingTransitions.State;
import org.netserv.gist.routing.QueryingTransitions.Transition;

/** Every state, every event: the form of each answer, and figure 7 of RFC 5971 rule by rule. */
class QueryingTransitionsTest {
  /** State, event, next state, actions; with the number of the RFC's rule. */
  private static final String FIGURE =
      """
      DORMANT SEND AWAITING_RESPONSE [KEEP, BEGIN]
      1 AWAITING_RESPONSE SEND AWAITING_RESPONSE [KEEP]
      2 AWAITING_RESPONSE NO_RESPONSE AWAITING_RESPONSE [RETRANSMIT]
      2 AWAITING_RESPONSE NO_NODE OVER [TELL_LAST_NODE, END]
      2 AWAITING_REFRESH NO_RESPONSE AWAITING_REFRESH [RETRANSMIT]
      2 AWAITING_REFRESH PEER_SILENT OVER [END]
      3 ESTABLISHED NO_STATE AWAITING_RESPONSE [RECALL, RESTART, BEGIN]
      3 AWAITING_REFRESH NO_STATE AWAITING_RESPONSE [RECALL, RESTART, BEGIN]
      4 AWAITING_RESPONSE RESPONSE ESTABLISHED [ESTABLISH, DELIVER, FLUSH]
      4 ESTABLISHED RESPONSE ESTABLISHED [ESTABLISH, DELIVER, FLUSH]
      4 AWAITING_REFRESH RESPONSE ESTABLISHED [ESTABLISH, DELIVER, FLUSH]
      5 ESTABLISHED SEND ESTABLISHED [TRANSMIT]
      5 AWAITING_REFRESH SEND AWAITING_REFRESH [TRANSMIT]
      6 AWAITING_RESPONSE INACTIVE OVER [END]
      6 ESTABLISHED INACTIVE OVER [END]
      6 AWAITING_REFRESH INACTIVE OVER [END]
      7 ESTABLISHED DATA ESTABLISHED [PROVED, DELIVER]
      7 AWAITING_REFRESH DATA AWAITING_REFRESH [PROVED, DELIVER]
      8 ESTABLISHED REFRESH_DUE AWAITING_REFRESH [AGE, BEGIN]
      """;

  private static void each(BiConsumer<String, Transition> check) {
    for (State state : State.values()) {
      for (Event event : Event.values()) {
        check.accept(state + " " + event, QueryingTransitions.of(state, event));
      }
    }
  }

  private static State state(String pair) {
    return State.valueOf(pair.substring(0, pair.indexOf(' ')));
  }

  private static boolean ends(Action action) {
    return action == Action.END || action == Action.LEAVE;
  }

  @Test
  void theFigureHolds() {
    for (String line : FIGURE.lines().toList()) {
      String rule = line.replaceFirst("^[1-8] ", "");
      String event = rule.substring(rule.indexOf(' ') + 1).replaceFirst(" .*", "");
      Transition answer = QueryingTransitions.of(state(rule), Event.valueOf(event));
      String next = " " + answer.next() + " " + answer.actions();
      assertEquals(rule, state(rule) + " " + event + next, line);
    }
  }

  @Test
  void everyPairHasAnAnswer() {
    each((pair, answer) -> assertNotNull(answer, pair));
  }

  @Test
  void anUnexpectedEventChangesNothing() {
    each(
        (pair, answer) -> {
          if (answer.actions().contains(Action.UNEXPECTED)) {
            assertEquals(List.of(Action.UNEXPECTED), answer.actions(), pair);
            assertEquals(state(pair), answer.next(), pair);
          }
        });
  }

  @Test
  void theStateEndsOnceAndTheEndIsTheLastAction() {
    each(
        (pair, answer) -> {
          List<Action> actions = answer.actions();
          boolean over = answer.next() == State.OVER && state(pair) != State.OVER;
          assertEquals(
              over ? 1 : 0, actions.stream().filter(QueryingTransitionsTest::ends).count(), pair);
          assertTrue(!over || ends(actions.get(actions.size() - 1)), pair);
          if (state(pair) == State.OVER) {
            assertEquals(List.of(Action.UNEXPECTED), actions, pair);
          }
        });
  }

  /** A state that waits for a Response is entered with a Query. */
  @Test
  void aHandshakeBeginsWithAQuery() {
    each(
        (pair, answer) -> {
          boolean waits =
              answer.next() == State.AWAITING_RESPONSE || answer.next() == State.AWAITING_REFRESH;
          boolean begins = answer.actions().contains(Action.BEGIN);
          assertTrue(waits || !begins, pair);
          assertTrue(!waits || begins || answer.next() == state(pair), pair);
        });
  }

  /** A message of the application is sent or kept, whatever the state of the transport. */
  @Test
  void noMessageIsDropped() {
    each(
        (pair, answer) -> {
          if (pair.contains(" SEND") && state(pair) != State.OVER) {
            String first = answer.actions().get(0).name();
            boolean kept = first.startsWith("KEEP") || first.equals("ENQUEUE");
            assertTrue(kept || first.equals("TRANSMIT"), pair);
          }
        });
  }
}
