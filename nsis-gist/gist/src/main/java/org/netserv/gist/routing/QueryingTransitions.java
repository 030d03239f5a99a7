// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.netserv.gist.routing.QueryingTransitions.Action.*;
import static org.netserv.gist.routing.QueryingTransitions.State.*;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The table of Querying-SM: RFC 5971 section 6.2, figure 7.
 *
 * <pre>
 *                      SEND                       RESPONSE
 *          DORMANT ----------> AWAITING_RESPONSE ----------> ESTABLISHED
 *             ^                   ^                             |    ^
 *     INVALIDATE_BAD           NO_STATE                REFRESH_DUE   RESPONSE
 *             |                   |                             v    |
 *             +-------------------+--------------------- AWAITING_REFRESH
 *
 *   any state -- INACTIVE, EXPIRED, NO_WAY, no answer to the last Query --> OVER
 * </pre>
 *
 * Three things differ from the figure. DORMANT is new. The application calls the peer wrong there,
 * and no message asks for another peer. The end of the validity ends the state, because the peer
 * has no state then either. {@code er_NoRSM} begins no handshake in AWAITING_RESPONSE, because one
 * Query answers any number of Errors.
 */
final class QueryingTransitions {
  enum State {
    /** Birth, or the application calls the peer wrong. The next message begins a handshake. */
    DORMANT,
    /** A Query is under way, and messages wait. */
    AWAITING_RESPONSE,
    ESTABLISHED,
    /** A Query is under way, and messages go to the known peer. */
    AWAITING_REFRESH,
    /** Death: the state is out of the table. */
    OVER
  }

  enum Event {
    /** tg_NSLPData; the peer can have it at once. */
    SEND,
    /** tg_NSLPData; the peer can have it at once, but the application doubts the peer. */
    SEND_IN_DOUBT,
    /** tg_NSLPData; the association for it is being connected. */
    SEND_CONNECTING,
    /** tg_NSLPData; it needs an association, and there is none that suits. */
    SEND_UNSUITED,
    /** tg_NSLPData; messages wait until the peer is verified. */
    SEND_HELD,
    /** InvalidateRoutingState (appendix B.6), status BAD or TENTATIVE; NOW: urgent. */
    INVALIDATE_BAD,
    INVALIDATE_BAD_NOW,
    INVALIDATE_TENTATIVE,
    INVALIDATE_TENTATIVE_NOW,
    /** The application wants the peer verified; the next messages wait until it is. */
    VERIFY,
    /** rx_Response; the transport is chosen, and the Confirm is sent. */
    RESPONSE,
    /** rx_Data of our peer. */
    DATA,
    /** er_NoRSM. */
    NO_STATE,
    /** An Error about the Confirm that was the first of the session by its association. */
    CONFIRM_REFUSED,
    /** As CONFIRM_REFUSED; the session has left that association. */
    CONFIRM_REFUSED_FORMER,
    /** Endpoint Found or ICMP shows that no node is behind us. */
    END_OF_PATH,
    /** Another Error about our Query. */
    QUERY_REFUSED,
    /** An Error about the length of our Query, which can be shorter. */
    QUERY_TOO_LARGE,
    /** Responding-SM takes the place of this machine. */
    REPLACED,
    /** to_No_Response. */
    NO_RESPONSE,
    /** nResp_reached, or no request is left; no peer is known. */
    NO_NODE,
    /** nResp_reached; a peer is known. */
    PEER_SILENT,
    /** to_Refresh_QNode. */
    REFRESH_DUE,
    /** The validity of the last Response is over. */
    EXPIRED,
    /** to_Inactive_QNode, or SetStateLifetime zero (appendix B.5). */
    INACTIVE,
    /** A waiting request is out of time. */
    REQUEST_LATE,
    /** The held messages have waited long enough. */
    HOLD_OVER,
    /** er_MAFailure; no message waits. */
    ASSOCIATION_LOST,
    /** er_MAFailure; messages wait. */
    ASSOCIATION_LOST_WANTED,
    /** er_MAConnect; another try may help. */
    UNCONNECTED,
    /** er_MAConnect; TCP may help where TLS did not. */
    WITHOUT_TLS,
    /** FLUSH: the next message needs an association that no Query asked for. */
    UNASKED,
    /** No transport to the peer is left, or it is not allowed. */
    NO_WAY
  }

  /** The actions. {@link QueryActions} carries them out, and says what each does. */
  enum Action {
    // messages of the application
    KEEP,
    KEEP_FOR_PEER,
    ENQUEUE,
    TRANSMIT,
    RELEASE,
    FLUSH,
    FAIL_UNANSWERED,
    FAIL_UNCONNECTED,
    // the handshake
    BEGIN,
    RETRANSMIT,
    SHORTEN,
    ASK,
    SLEEP,
    REFRESH_SOON,
    ESTABLISH,
    // the word of the application about the peer
    NOTE_BAD,
    NOTE_TENTATIVE,
    DOUBT,
    // messages that the peer may not have
    DELIVER,
    PROVED,
    AGE,
    NOTE_REFUSAL,
    TAKE_BACK,
    RECALL,
    RESTART,
    LEAVE_TLS,
    // the end
    TELL_BAD,
    TELL_LAST_NODE,
    END,
    LEAVE,
    /** Cannot happen here: count it, do nothing. */
    UNEXPECTED
  }

  /** The result of an event in a state. */
  record Transition(State next, List<Action> actions) {}

  private static final Map<State, Map<Event, Transition>> TABLE = new EnumMap<>(State.class);

  private static final Set<State> LIVE = EnumSet.complementOf(EnumSet.of(OVER));

  /** A Query is under way; {@code RESTING}: none is. */
  private static final Set<State> ASKING = EnumSet.of(AWAITING_RESPONSE, AWAITING_REFRESH);

  private static final Set<State> RESTING = EnumSet.of(DORMANT, ESTABLISHED);

  /** Messages wait for a Response; {@code SENDING}: they go to the peer. */
  private static final Set<State> WAITING = EnumSet.of(DORMANT, AWAITING_RESPONSE);

  private static final Set<State> SENDING = EnumSet.of(ESTABLISHED, AWAITING_REFRESH);

  /** Every live state in which no handshake from nothing is under way. */
  private static final Set<State> PEERED = EnumSet.of(DORMANT, ESTABLISHED, AWAITING_REFRESH);

  static {
    // An answer for every pair that no line below names.
    for (State state : State.values()) {
      Map<Event, Transition> row = new EnumMap<>(Event.class);
      for (Event event : Event.values()) {
        row.put(event, new Transition(state, List.of(UNEXPECTED)));
      }
      TABLE.put(state, row);
    }

    for (Event send : EnumSet.range(Event.SEND, Event.SEND_HELD)) {
      on(DORMANT, send, AWAITING_RESPONSE, KEEP, BEGIN);
      stay(AWAITING_RESPONSE, send, KEEP);
    }
    stay(SENDING, Event.SEND, TRANSMIT);
    on(ESTABLISHED, Event.SEND_IN_DOUBT, AWAITING_REFRESH, TRANSMIT, BEGIN);
    stay(AWAITING_REFRESH, Event.SEND_IN_DOUBT, TRANSMIT);
    stay(SENDING, Event.SEND_CONNECTING, ENQUEUE);
    on(ESTABLISHED, Event.SEND_UNSUITED, AWAITING_REFRESH, KEEP_FOR_PEER, BEGIN);
    stay(AWAITING_REFRESH, Event.SEND_UNSUITED, KEEP_FOR_PEER);
    stay(SENDING, Event.SEND_HELD, KEEP_FOR_PEER);

    on(PEERED, Event.INVALIDATE_BAD, DORMANT, NOTE_BAD, SLEEP);
    on(PEERED, Event.INVALIDATE_BAD_NOW, AWAITING_RESPONSE, NOTE_BAD, BEGIN);
    stay(PEERED, Event.INVALIDATE_TENTATIVE, NOTE_TENTATIVE, DOUBT);
    on(PEERED, Event.INVALIDATE_TENTATIVE_NOW, AWAITING_REFRESH, NOTE_TENTATIVE, BEGIN);
    for (Event event : EnumSet.range(Event.INVALIDATE_BAD, Event.INVALIDATE_TENTATIVE_NOW)) {
      stay(AWAITING_RESPONSE, event); // another peer is being looked for
    }
    on(ESTABLISHED, Event.VERIFY, AWAITING_REFRESH, BEGIN);
    stay(AWAITING_REFRESH, Event.VERIFY);

    on(LIVE, Event.RESPONSE, ESTABLISHED, ESTABLISH, DELIVER, FLUSH);
    stay(LIVE, Event.DATA, PROVED, DELIVER);
    stay(AWAITING_RESPONSE, Event.NO_STATE, TAKE_BACK);
    on(PEERED, Event.NO_STATE, AWAITING_RESPONSE, RECALL, RESTART, BEGIN);
    stay(AWAITING_RESPONSE, Event.CONFIRM_REFUSED, NOTE_REFUSAL, TAKE_BACK);
    on(PEERED, Event.CONFIRM_REFUSED, AWAITING_RESPONSE, NOTE_REFUSAL, RECALL, RESTART, BEGIN);
    for (State state : WAITING) {
      TABLE.get(state).put(Event.CONFIRM_REFUSED_FORMER, of(state, Event.CONFIRM_REFUSED));
    }
    on(ASKING, Event.END_OF_PATH, OVER, TELL_LAST_NODE, END);
    on(AWAITING_RESPONSE, Event.QUERY_REFUSED, OVER, END);
    stay(ASKING, Event.QUERY_TOO_LARGE, SHORTEN, BEGIN);
    stay(RESTING, Event.QUERY_TOO_LARGE);
    on(LIVE, Event.REPLACED, OVER, LEAVE);

    stay(ASKING, Event.NO_RESPONSE, RETRANSMIT);
    on(ASKING, Event.NO_NODE, OVER, TELL_LAST_NODE, END);
    on(ASKING, Event.PEER_SILENT, OVER, END);
    on(ESTABLISHED, Event.REFRESH_DUE, AWAITING_REFRESH, AGE, BEGIN);
    on(LIVE, Event.EXPIRED, OVER, END);
    on(LIVE, Event.INACTIVE, OVER, END);
    stay(WAITING, Event.REQUEST_LATE, FAIL_UNANSWERED);
    stay(SENDING, Event.REQUEST_LATE, FAIL_UNCONNECTED);
    stay(WAITING, Event.HOLD_OVER); // messages wait for the Response as it is
    stay(SENDING, Event.HOLD_OVER, RELEASE);

    stay(ESTABLISHED, Event.ASSOCIATION_LOST, REFRESH_SOON);
    on(ESTABLISHED, Event.ASSOCIATION_LOST_WANTED, AWAITING_REFRESH, BEGIN);
    on(ESTABLISHED, Event.UNCONNECTED, AWAITING_RESPONSE, BEGIN); // the Confirm was in it
    for (Event event : EnumSet.range(Event.ASSOCIATION_LOST, Event.UNCONNECTED)) {
      stay(ASKING, event); // the Response decides about the next association
      stay(DORMANT, event);
    }
    stay(AWAITING_RESPONSE, Event.WITHOUT_TLS, LEAVE_TLS);
    on(PEERED, Event.WITHOUT_TLS, AWAITING_RESPONSE, LEAVE_TLS, TELL_BAD, BEGIN);
    on(SENDING, Event.UNASKED, AWAITING_REFRESH, ASK, BEGIN);
    on(LIVE, Event.NO_WAY, OVER, END);
  }

  private QueryingTransitions() {}

  static Transition of(State state, Event event) {
    return TABLE.get(state).get(event);
  }

  private static void on(Set<State> states, Event event, State next, Action... actions) {
    states.forEach(state -> on(state, event, next, actions));
  }

  private static void on(State state, Event event, State next, Action... actions) {
    TABLE.get(state).put(event, new Transition(next, List.of(actions)));
  }

  private static void stay(Set<State> states, Event event, Action... actions) {
    states.forEach(state -> on(state, event, state, actions));
  }

  private static void stay(State state, Event event, Action... actions) {
    on(state, event, state, actions);
  }
}
