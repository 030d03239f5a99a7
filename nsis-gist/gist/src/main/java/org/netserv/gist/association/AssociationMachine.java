// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The machine of one messaging association: RFC 5971 section 6.4, figure 9, as one table.
 *
 * <pre>
 *   AWAITING_CONNECTION -- LINK_UP --> CONNECTED -- UNNEEDED --> IDLE
 *           |                              | ^                   | |
 *        FAILURE                 FAILURE,  | +-- SEND, MESSAGE, -+ | NO_SIGN,
 *           |                    NO_SIGN   |     NEEDED            | FAILURE
 *           +----------------> DEAD <------+-----------------------+
 * </pre>
 *
 * Two things differ from the figure. NEEDED is new. It keeps an idle association when routing state
 * turns to it, before routing state has sent anything. A sign of life is wanted in CONNECTED, too.
 * A peer that is IDLE sends no MA-Hello, so it is asked with R=1 before its silence counts.
 */
final class AssociationMachine {
  enum State {
    /** Connecting. Messages wait. */
    AWAITING_CONNECTION,
    /** Open and wanted: MA-Hello goes out. */
    CONNECTED,
    /** Open for as long as the peer wants it. */
    IDLE,
    DEAD
  }

  enum Event {
    /** tg_RawData: a message of ours. */
    SEND,
    /** rx_Message: a message of the peer, other than MA-Hello. */
    MESSAGE,
    /** rx_MA-Hello. */
    HELLO,
    /** to_SendHello. */
    HELLO_DUE,
    /** tg_Connected. */
    LINK_UP,
    /** er_MAConnect and er_MAFailure. */
    FAILURE,
    /** tg_MAIdle: no user is left here. */
    UNNEEDED,
    /** A user here needs it. */
    NEEDED,
    /** to_NoHello: no sign of the peer for our MA-Hold-Time. */
    NO_SIGN
  }

  enum Action {
    /** Keep the message for later, in order. */
    QUEUE,
    /** Give the message to the link. */
    TRANSMIT,
    /** Give the waiting messages to the link; connecting is over. */
    FLUSH,
    /** Pass the message to routing state. */
    DELIVER,
    /** Answer an MA-Hello that asks for it. */
    ANSWER,
    /** Send an MA-Hello. */
    SEND_HELLO,
    START_HELLO,
    STOP_HELLO,
    /** The peer's silence counts from now. */
    RESTART_SILENCE,
    /** Tell the users, close the link, forget the association. */
    END,
    /** A message came too late to be sent. */
    DROP,
    /** Cannot happen here: count it, do nothing. */
    UNEXPECTED
  }

  /** The result of an event in a state. */
  record Transition(State next, List<Action> actions) {}

  private static final Map<State, Map<Event, Transition>> TABLE = new EnumMap<>(State.class);

  static {
    State s = State.AWAITING_CONNECTION;
    on(s, Event.SEND, s, Action.QUEUE);
    on(s, Event.MESSAGE, s, Action.UNEXPECTED);
    on(s, Event.HELLO, s, Action.UNEXPECTED);
    on(s, Event.HELLO_DUE, s, Action.UNEXPECTED);
    on(s, Event.LINK_UP, State.CONNECTED, Action.FLUSH, Action.START_HELLO, Action.RESTART_SILENCE);
    on(s, Event.FAILURE, State.DEAD, Action.END);
    on(s, Event.UNNEEDED, s); // waiting messages are still sent
    on(s, Event.NEEDED, s);
    on(s, Event.NO_SIGN, s, Action.UNEXPECTED);

    s = State.CONNECTED;
    on(s, Event.SEND, s, Action.TRANSMIT);
    on(s, Event.MESSAGE, s, Action.DELIVER);
    on(s, Event.HELLO, s, Action.ANSWER);
    on(s, Event.HELLO_DUE, s, Action.SEND_HELLO);
    on(s, Event.LINK_UP, s, Action.UNEXPECTED);
    on(s, Event.FAILURE, State.DEAD, Action.END);
    on(s, Event.UNNEEDED, State.IDLE, Action.STOP_HELLO, Action.RESTART_SILENCE);
    on(s, Event.NEEDED, s);
    on(s, Event.NO_SIGN, State.DEAD, Action.END);

    s = State.IDLE;
    on(s, Event.SEND, State.CONNECTED, Action.START_HELLO, Action.TRANSMIT);
    on(s, Event.MESSAGE, State.CONNECTED, Action.START_HELLO, Action.DELIVER);
    on(s, Event.HELLO, s, Action.ANSWER, Action.RESTART_SILENCE);
    on(s, Event.HELLO_DUE, s, Action.UNEXPECTED);
    on(s, Event.LINK_UP, s, Action.UNEXPECTED);
    on(s, Event.FAILURE, State.DEAD, Action.END);
    on(s, Event.UNNEEDED, s);
    on(s, Event.NEEDED, State.CONNECTED, Action.START_HELLO);
    on(s, Event.NO_SIGN, State.DEAD, Action.END);

    s = State.DEAD;
    on(s, Event.SEND, s, Action.DROP);
    on(s, Event.MESSAGE, s, Action.UNEXPECTED);
    on(s, Event.HELLO, s, Action.UNEXPECTED);
    on(s, Event.HELLO_DUE, s, Action.UNEXPECTED);
    on(s, Event.LINK_UP, s, Action.UNEXPECTED);
    on(s, Event.FAILURE, s); // ends once
    on(s, Event.UNNEEDED, s);
    on(s, Event.NEEDED, s);
    on(s, Event.NO_SIGN, s, Action.UNEXPECTED);
  }

  private State state;

  AssociationMachine(State birth) {
    state = birth;
  }

  State state() {
    return state;
  }

  /** Takes an event; the state has changed when the actions are done. */
  List<Action> take(Event event) {
    Transition transition = transition(state, event);
    state = transition.next();
    return transition.actions();
  }

  static Transition transition(State state, Event event) {
    return TABLE.get(state).get(event);
  }

  private static void on(State state, Event event, State next, Action... actions) {
    TABLE
        .computeIfAbsent(state, s -> new EnumMap<>(Event.class))
        .put(event, new Transition(next, List.of(actions)));
  }
}
