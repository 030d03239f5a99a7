// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.netserv.gist.routing.QueryAction.AGE;
import static org.netserv.gist.routing.QueryAction.ASK;
import static org.netserv.gist.routing.QueryAction.BEGIN;
import static org.netserv.gist.routing.QueryAction.CONFIRMED;
import static org.netserv.gist.routing.QueryAction.COUNT_EXPIRED;
import static org.netserv.gist.routing.QueryAction.COUNT_FAILED;
import static org.netserv.gist.routing.QueryAction.COUNT_INACTIVE;
import static org.netserv.gist.routing.QueryAction.DELIVER;
import static org.netserv.gist.routing.QueryAction.DOUBT;
import static org.netserv.gist.routing.QueryAction.END_HOLD;
import static org.netserv.gist.routing.QueryAction.END_LAST_NODE;
import static org.netserv.gist.routing.QueryAction.END_NO_ASSOCIATION;
import static org.netserv.gist.routing.QueryAction.END_NO_RESPONSE;
import static org.netserv.gist.routing.QueryAction.END_NO_ROUTE;
import static org.netserv.gist.routing.QueryAction.END_REFUSED;
import static org.netserv.gist.routing.QueryAction.END_STATELESS;
import static org.netserv.gist.routing.QueryAction.ESTABLISH;
import static org.netserv.gist.routing.QueryAction.FAIL_UNANSWERED;
import static org.netserv.gist.routing.QueryAction.FAIL_UNCONNECTED;
import static org.netserv.gist.routing.QueryAction.FLUSH;
import static org.netserv.gist.routing.QueryAction.HOLD;
import static org.netserv.gist.routing.QueryAction.KEEP;
import static org.netserv.gist.routing.QueryAction.KEEP_CONNECTING;
import static org.netserv.gist.routing.QueryAction.KEEP_HELD;
import static org.netserv.gist.routing.QueryAction.KEEP_UNSUITED;
import static org.netserv.gist.routing.QueryAction.LEAVE;
import static org.netserv.gist.routing.QueryAction.LEAVE_TLS;
import static org.netserv.gist.routing.QueryAction.NOTE_BAD;
import static org.netserv.gist.routing.QueryAction.NOTE_REFUSAL;
import static org.netserv.gist.routing.QueryAction.NOTE_TENTATIVE;
import static org.netserv.gist.routing.QueryAction.PROVED;
import static org.netserv.gist.routing.QueryAction.RECALL;
import static org.netserv.gist.routing.QueryAction.REFRESH_SOON;
import static org.netserv.gist.routing.QueryAction.RELEASE;
import static org.netserv.gist.routing.QueryAction.REPEAT;
import static org.netserv.gist.routing.QueryAction.RESTART;
import static org.netserv.gist.routing.QueryAction.RETRANSMIT;
import static org.netserv.gist.routing.QueryAction.SHORTEN;
import static org.netserv.gist.routing.QueryAction.SLEEP;
import static org.netserv.gist.routing.QueryAction.TAKE_BACK;
import static org.netserv.gist.routing.QueryAction.TELL_BAD;
import static org.netserv.gist.routing.QueryAction.TELL_LAST_NODE;
import static org.netserv.gist.routing.QueryAction.TOUCH;
import static org.netserv.gist.routing.QueryAction.TRANSMIT;
import static org.netserv.gist.routing.QueryAction.UNEXPECTED;
import static org.netserv.gist.routing.QueryAction.WAIT;
import static org.netserv.gist.routing.QueryingTransitions.State.AWAITING_REFRESH;
import static org.netserv.gist.routing.QueryingTransitions.State.AWAITING_RESPONSE;
import static org.netserv.gist.routing.QueryingTransitions.State.DORMANT;
import static org.netserv.gist.routing.QueryingTransitions.State.ESTABLISHED;
import static org.netserv.gist.routing.QueryingTransitions.State.OVER;

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
 *   any state -- INACTIVE, EXPIRED, no answer to the last Query --> OVER
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
    OVER;

    /** Returns whether messages go to the peer. */
    boolean sends() {
      return this == ESTABLISHED || this == AWAITING_REFRESH;
    }
  }

  /** The result of an event in a state. */
  record Transition(State next, List<QueryAction> actions) {}

  private static final Map<State, Map<QueryEvent, Transition>> TABLE = new EnumMap<>(State.class);

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
    for (QueryEvent send : EnumSet.range(QueryEvent.SEND, QueryEvent.SEND_HELD)) {
      on(DORMANT, send, AWAITING_RESPONSE, TOUCH, KEEP, BEGIN);
      stay(AWAITING_RESPONSE, send, TOUCH, KEEP);
    }
    stay(SENDING, QueryEvent.SEND, TOUCH, TRANSMIT);
    on(ESTABLISHED, QueryEvent.SEND_IN_DOUBT, AWAITING_REFRESH, TOUCH, TRANSMIT, BEGIN);
    stay(AWAITING_REFRESH, QueryEvent.SEND_IN_DOUBT, TOUCH, TRANSMIT);
    stay(SENDING, QueryEvent.SEND_CONNECTING, TOUCH, KEEP_CONNECTING);
    on(ESTABLISHED, QueryEvent.SEND_UNSUITED, AWAITING_REFRESH, TOUCH, KEEP_UNSUITED, BEGIN);
    stay(AWAITING_REFRESH, QueryEvent.SEND_UNSUITED, TOUCH, KEEP_UNSUITED);
    stay(SENDING, QueryEvent.SEND_HELD, TOUCH, KEEP_HELD);

    on(PEERED, QueryEvent.INVALIDATE_BAD, DORMANT, NOTE_BAD, SLEEP);
    on(PEERED, QueryEvent.INVALIDATE_BAD_NOW, AWAITING_RESPONSE, NOTE_BAD, BEGIN);
    stay(PEERED, QueryEvent.INVALIDATE_TENTATIVE, NOTE_TENTATIVE, DOUBT);
    on(PEERED, QueryEvent.INVALIDATE_TENTATIVE_NOW, AWAITING_REFRESH, NOTE_TENTATIVE, BEGIN);
    for (QueryEvent event :
        EnumSet.range(QueryEvent.INVALIDATE_BAD, QueryEvent.INVALIDATE_TENTATIVE_NOW)) {
      stay(AWAITING_RESPONSE, event);
    }
    stay(WAITING, QueryEvent.VERIFY);
    on(ESTABLISHED, QueryEvent.VERIFY, AWAITING_REFRESH, HOLD, BEGIN);
    stay(AWAITING_REFRESH, QueryEvent.VERIFY, HOLD);
    stay(LIVE, QueryEvent.VERIFY_NEEDLESS);
    stay(LIVE, QueryEvent.LIFETIME, TOUCH);
    on(LIVE, QueryEvent.GIVEN_UP, OVER, COUNT_INACTIVE, END_NO_ROUTE);

    on(LIVE, QueryEvent.RESPONSE, ESTABLISHED, ESTABLISH, DELIVER, FLUSH);
    on(LIVE, QueryEvent.RESPONSE_CONFIRMED, ESTABLISHED, CONFIRMED, ESTABLISH, DELIVER, FLUSH);
    on(LIVE, QueryEvent.RESPONSE_UNSUITED, OVER, END_NO_ASSOCIATION);
    on(LIVE, QueryEvent.RESPONSE_TRANSLATED, OVER, END_REFUSED);
    stay(LIVE, QueryEvent.DATA, TOUCH, PROVED, DELIVER);
    stay(
        AWAITING_RESPONSE,
        QueryEvent.NO_STATE,
        TAKE_BACK); // one Query answers any number of Errors
    on(PEERED, QueryEvent.NO_STATE, AWAITING_RESPONSE, RECALL, RESTART, BEGIN);
    stay(AWAITING_RESPONSE, QueryEvent.NO_STATE_AGAIN, TAKE_BACK);
    on(PEERED, QueryEvent.NO_STATE_AGAIN, OVER, RECALL, COUNT_FAILED, END_STATELESS);
    stay(AWAITING_RESPONSE, QueryEvent.CONFIRM_REFUSED, NOTE_REFUSAL, TAKE_BACK);
    on(PEERED, QueryEvent.CONFIRM_REFUSED, AWAITING_RESPONSE, NOTE_REFUSAL, RECALL, RESTART, BEGIN);
    stay(AWAITING_RESPONSE, QueryEvent.CONFIRM_REFUSED_AGAIN, NOTE_REFUSAL, TAKE_BACK);
    on(
        PEERED,
        QueryEvent.CONFIRM_REFUSED_AGAIN,
        OVER,
        NOTE_REFUSAL,
        RECALL,
        COUNT_FAILED,
        END_STATELESS);
    stay(AWAITING_RESPONSE, QueryEvent.CONFIRM_REFUSED_FORMER, NOTE_REFUSAL, TAKE_BACK);
    on(
        DORMANT,
        QueryEvent.CONFIRM_REFUSED_FORMER,
        AWAITING_RESPONSE,
        NOTE_REFUSAL,
        RECALL,
        RESTART,
        BEGIN);
    stay(SENDING, QueryEvent.CONFIRM_REFUSED_FORMER, UNEXPECTED);
    stay(LIVE, QueryEvent.CONFIRM_REFUSED_LATER, UNEXPECTED);
    on(ASKING, QueryEvent.END_OF_PATH, OVER, TELL_LAST_NODE, END_LAST_NODE);
    stay(RESTING, QueryEvent.END_OF_PATH, UNEXPECTED);
    on(AWAITING_RESPONSE, QueryEvent.QUERY_REFUSED, OVER, END_REFUSED);
    stay(PEERED, QueryEvent.QUERY_REFUSED, UNEXPECTED); // an Error does not end established state
    stay(ASKING, QueryEvent.QUERY_TOO_LARGE, SHORTEN, BEGIN);
    stay(RESTING, QueryEvent.QUERY_TOO_LARGE);
    stay(LIVE, QueryEvent.QUERY_TOO_LARGE_EVER); // the next retransmission is soon enough
    on(LIVE, QueryEvent.REPLACED, OVER, LEAVE);

    stay(ASKING, QueryEvent.QUERY_QUEUED, WAIT);
    stay(ASKING, QueryEvent.QUERY_DROPPED, REPEAT);
    stay(ASKING, QueryEvent.NO_RESPONSE, RETRANSMIT);
    on(ASKING, QueryEvent.NO_NODE, OVER, COUNT_FAILED, TELL_LAST_NODE, END_NO_RESPONSE);
    on(ASKING, QueryEvent.PEER_SILENT, OVER, COUNT_FAILED, END_NO_RESPONSE);
    for (QueryEvent event : EnumSet.range(QueryEvent.QUERY_QUEUED, QueryEvent.PEER_SILENT)) {
      stay(RESTING, event, UNEXPECTED);
    }
    on(ESTABLISHED, QueryEvent.REFRESH_DUE, AWAITING_REFRESH, AGE, BEGIN);
    stay(ASKING, QueryEvent.REFRESH_DUE, UNEXPECTED);
    stay(DORMANT, QueryEvent.REFRESH_DUE, UNEXPECTED);
    on(LIVE, QueryEvent.EXPIRED, OVER, COUNT_EXPIRED, END_NO_RESPONSE);
    on(LIVE, QueryEvent.INACTIVE, OVER, COUNT_INACTIVE, END_NO_ROUTE);
    stay(WAITING, QueryEvent.REQUEST_LATE, FAIL_UNANSWERED);
    stay(SENDING, QueryEvent.REQUEST_LATE, FAIL_UNCONNECTED);
    stay(WAITING, QueryEvent.HOLD_OVER, END_HOLD);
    stay(SENDING, QueryEvent.HOLD_OVER, END_HOLD, RELEASE);

    stay(ESTABLISHED, QueryEvent.ASSOCIATION_LOST, REFRESH_SOON);
    on(ESTABLISHED, QueryEvent.ASSOCIATION_LOST_WANTED, AWAITING_REFRESH, BEGIN);
    on(ESTABLISHED, QueryEvent.UNCONNECTED, AWAITING_RESPONSE, BEGIN); // the Confirm was in it
    for (QueryEvent event : EnumSet.range(QueryEvent.ASSOCIATION_LOST, QueryEvent.UNCONNECTED)) {
      stay(ASKING, event); // the Response decides about the next association
      stay(DORMANT, event);
    }
    on(LIVE, QueryEvent.UNCONNECTABLE, OVER, END_NO_ASSOCIATION);
    stay(AWAITING_RESPONSE, QueryEvent.WITHOUT_TLS, LEAVE_TLS);
    on(PEERED, QueryEvent.WITHOUT_TLS, AWAITING_RESPONSE, LEAVE_TLS, TELL_BAD, BEGIN);
    on(LIVE, QueryEvent.REVOKED, OVER, END_NO_ASSOCIATION);

    on(ASKING, QueryEvent.NO_STACK, OVER, END_NO_ASSOCIATION);
    stay(RESTING, QueryEvent.NO_STACK, UNEXPECTED);
    on(SENDING, QueryEvent.UNASKED, AWAITING_REFRESH, ASK, BEGIN);
    stay(WAITING, QueryEvent.UNASKED, UNEXPECTED);

    for (QueryEvent event : QueryEvent.values()) {
      stay(OVER, event, UNEXPECTED);
    }
  }

  private QueryingTransitions() {}

  static Transition of(State state, QueryEvent event) {
    return TABLE.get(state).get(event);
  }

  private static void on(Set<State> states, QueryEvent event, State next, QueryAction... actions) {
    states.forEach(state -> on(state, event, next, actions));
  }

  private static void stay(Set<State> states, QueryEvent event, QueryAction... actions) {
    states.forEach(state -> on(state, event, state, actions));
  }

  private static void stay(State state, QueryEvent event, QueryAction... actions) {
    on(state, event, state, actions);
  }

  private static void on(State state, QueryEvent event, State next, QueryAction... actions) {
    Transition former =
        TABLE
            .computeIfAbsent(state, s -> new EnumMap<>(QueryEvent.class))
            .put(event, new Transition(next, List.of(actions)));
    if (former != null) {
      throw new IllegalStateException("two answers to " + event + " in " + state);
    }
  }
}
