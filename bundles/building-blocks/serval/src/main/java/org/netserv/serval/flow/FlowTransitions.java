// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import static org.netserv.serval.flow.FlowTransitions.Action.*;
import static org.netserv.serval.flow.FlowTransitions.State.*;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The table of set-up and close.
 *
 * <pre>
 *            CONNECT            SYN_ACK
 *   CLOSED ----------> REQUEST ---------+
 *      |      SYN                ACKED   v         CLOSE            ACKED            FIN
 *      +-------------> RESPOND ---> CONNECTED -----------> FINWAIT1 ----> FINWAIT2 ----> TIMEWAIT
 *                                        |                    | FIN      ACKED             ^  |
 *                                    FIN |                    +----> CLOSING --------------+  |
 *                                        v   CLOSE           ACKED                            |
 *                                    CLOSEWAIT ----> LASTACK ----> OVER <---------------------+
 *                                                                               LATE
 *   any state -- RST, ABORT, TRIES_OVER --> OVER
 * </pre>
 *
 * A server's flow begins in CLOSED with the SYN that made the listener make it. Close means SAL's
 * FIN, which says nothing about the transport's.
 */
final class FlowTransitions {
  enum State {
    /** Birth. */
    CLOSED,
    /** The client's SYN waits for an answer. */
    REQUEST,
    /** The server's SYN-ACK waits for its acknowledgement. */
    RESPOND,
    CONNECTED,
    /** The FIN of this end waits for its acknowledgement. */
    FINWAIT1,
    /** The FIN of this end is acknowledged, and the peer's is missing. */
    FINWAIT2,
    /** Both have sent FIN, and that of this end waits for its acknowledgement. */
    CLOSING,
    /** Both have closed. Copies of the peer's FIN are answered for a while. */
    TIMEWAIT,
    /** The peer has sent FIN. */
    CLOSEWAIT,
    /** The peer has sent FIN, and that of this end waits for its acknowledgement. */
    LASTACK,
    /** Death: the flow is forgotten. */
    OVER
  }

  enum Event {
    /** The program connects. */
    CONNECT,
    /** A SYN, or the same SYN again. */
    SYN,
    /** The answer to the SYN, or a copy of the answer. */
    SYN_ACK,
    /** The peer acknowledges the SYN-ACK or the FIN that waits. */
    ACKED,
    /** A FIN that is not stale. */
    FIN,
    /** A RST with one of the two nonces. */
    RST,
    /** The program closes. */
    CLOSE,
    /** The program closes with unread data. */
    ABORT,
    /** The peer has not acknowledged a message after all tries. */
    TRIES_OVER,
    /** The state has lasted as long as it may. */
    LATE
  }

  enum Action {
    SEND_SYN,
    SEND_SYN_ACK,
    /** The handshake's third message, with the target's serviceID. */
    SEND_HANDSHAKE_ACK,
    SEND_FIN,
    SEND_ACK,
    SEND_RST,
    /** The state may last for so long from now. */
    START_WAIT,
    /** Tells the program that the flow is there. */
    TELL_CONNECTED,
    /** Tells the program that the peer sends no more data. */
    TELL_PEER_CLOSED,
    /** Tells the program that the peer has broken off. */
    TELL_RESET,
    /** Tells the program that the peer does not answer. */
    TELL_SILENT,
    /** Forget the flow: timers stop, the flowID is free. */
    FORGET,
    /** Cannot happen here: count it, do nothing. */
    UNEXPECTED
  }

  /** The result of an event in a state. */
  record Transition(State next, List<Action> actions) {}

  /** States in which the peer is known and the program has the flow. */
  static final Set<State> OPEN = EnumSet.range(CONNECTED, LASTACK);

  private static final Map<State, Map<Event, Transition>> TABLE = new EnumMap<>(State.class);

  static {
    // An answer for every pair that no line below names.
    for (State state : State.values()) {
      Map<Event, Transition> row = new EnumMap<>(Event.class);
      for (Event event : Event.values()) {
        row.put(event, new Transition(state, List.of(UNEXPECTED)));
      }
      TABLE.put(state, row);
    }

    on(CLOSED, Event.CONNECT, REQUEST, SEND_SYN);
    on(CLOSED, Event.SYN, RESPOND, SEND_SYN_ACK, START_WAIT);
    on(REQUEST, Event.SYN_ACK, CONNECTED, SEND_HANDSHAKE_ACK, TELL_CONNECTED);
    on(RESPOND, Event.SYN, RESPOND, SEND_SYN_ACK);
    on(RESPOND, Event.ACKED, CONNECTED, TELL_CONNECTED);
    for (State state : OPEN) {
      on(state, Event.SYN_ACK, state, SEND_HANDSHAKE_ACK); // the first was lost
      on(state, Event.SYN, state); // the client has had the answer since
    }

    on(CONNECTED, Event.CLOSE, FINWAIT1, SEND_FIN);
    on(CONNECTED, Event.FIN, CLOSEWAIT, SEND_ACK, TELL_PEER_CLOSED);
    on(FINWAIT1, Event.ACKED, FINWAIT2, START_WAIT);
    on(FINWAIT1, Event.FIN, CLOSING, SEND_ACK, TELL_PEER_CLOSED);
    on(FINWAIT2, Event.FIN, TIMEWAIT, SEND_ACK, TELL_PEER_CLOSED, START_WAIT);
    on(CLOSING, Event.ACKED, TIMEWAIT, START_WAIT);
    on(CLOSEWAIT, Event.CLOSE, LASTACK, SEND_FIN);
    on(LASTACK, Event.ACKED, OVER, FORGET);
    for (State state : EnumSet.of(CLOSING, TIMEWAIT, CLOSEWAIT, LASTACK)) {
      on(state, Event.FIN, state, SEND_ACK); // a later message that inherited the FIN
    }
    on(FINWAIT2, Event.LATE, OVER, FORGET);
    on(TIMEWAIT, Event.LATE, OVER, FORGET);

    on(EnumSet.of(CLOSED, REQUEST), Event.CLOSE, OVER, FORGET);
    on(RESPOND, Event.CLOSE, OVER, SEND_RST, FORGET);
    for (State state : EnumSet.of(FINWAIT1, FINWAIT2, CLOSING, TIMEWAIT, LASTACK, OVER)) {
      on(state, Event.CLOSE, state); // closed before
    }
    on(EnumSet.of(CLOSED, REQUEST), Event.ABORT, OVER, FORGET);
    on(EnumSet.range(RESPOND, CLOSING), Event.ABORT, OVER, SEND_RST, FORGET);
    on(EnumSet.of(CLOSEWAIT, LASTACK), Event.ABORT, OVER, SEND_RST, FORGET);
    on(TIMEWAIT, Event.ABORT, TIMEWAIT); // nothing is left to break off
    on(OVER, Event.ABORT, OVER);

    on(EnumSet.range(REQUEST, LASTACK), Event.RST, OVER, TELL_RESET, FORGET);
    on(EnumSet.of(RESPOND, CLOSING, TIMEWAIT, LASTACK), Event.RST, OVER, FORGET); // nobody to tell
    on(EnumSet.range(REQUEST, LASTACK), Event.TRIES_OVER, OVER, TELL_SILENT, FORGET);
    on(EnumSet.of(RESPOND, TIMEWAIT), Event.TRIES_OVER, OVER, FORGET);
    on(RESPOND, Event.LATE, OVER, FORGET);
  }

  private FlowTransitions() {}

  static Transition of(State state, Event event) {
    return TABLE.get(state).get(event);
  }

  private static void on(Set<State> states, Event event, State next, Action... actions) {
    states.forEach(state -> on(state, event, next, actions));
  }

  private static void on(State state, Event event, State next, Action... actions) {
    TABLE.get(state).put(event, new Transition(next, List.of(actions)));
  }
}
