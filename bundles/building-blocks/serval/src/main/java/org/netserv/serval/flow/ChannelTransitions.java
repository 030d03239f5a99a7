// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import static org.netserv.serval.flow.ChannelTransitions.Action.*;
import static org.netserv.serval.flow.ChannelTransitions.State.*;

/**
 * The table of the control channel's sending half: stop and wait, with one message.
 *
 * <pre>
 *           POST
 *   QUIET ---------> WAITING ---+  POST, DUE
 *     ^               | |  ^    |
 *     +---- ACKED ----+ |  +----+
 *                       | LAST_DUE
 *                       v
 *   any -- STOP -->   ENDED
 * </pre>
 *
 * A message that replaces one which waits takes the next verno, and inherits its flags. So an
 * acknowledgement of the last verno acknowledges all of them. An acknowledgement of an earlier one
 * tells that the peer has got a FIN that was in it, but not that it knows the last address.
 */
final class ChannelTransitions {
  enum State {
    /** Nothing waits. */
    QUIET,
    /** A message waits for its acknowledgement. */
    WAITING,
    /** The peer is silent, or the flow is over. */
    ENDED
  }

  enum Event {
    /** SYN, SYN-ACK, RSYN or FIN is to be sent. */
    POST,
    /** The peer expects the verno behind the last one. */
    ACKED,
    /** The peer has got an earlier message, which the one that waits has replaced. */
    ACKED_IN_PART,
    /** The time for an acknowledgement is over. */
    DUE,
    /** The same, after the last try. */
    LAST_DUE,
    /** The flow is over. */
    STOP
  }

  enum Action {
    /** Take the next verno. */
    NUMBER,
    /** Take over the flags of the message that waits. */
    INHERIT,
    /** Send the message. */
    TRANSMIT,
    /** Leave FIN out from now on, because the peer has got it. */
    DROP_FIN,
    /** Measure the round trip, unless the message was sent more than once. */
    MEASURE,
    /** Double the time. */
    BACK_OFF,
    START_TIMER,
    STOP_TIMER,
    /** Tell the flow that the peer is silent. */
    GIVE_UP,
    /** Cannot happen here: count it, do nothing. */
    UNEXPECTED
  }

  static final TransitionTable<State, Event, Action> TABLE =
      new TransitionTable<>(State.class, Event.class, UNEXPECTED);

  static {
    TABLE.on(QUIET, Event.POST, WAITING, NUMBER, TRANSMIT, START_TIMER);
    TABLE.on(QUIET, Event.ACKED, QUIET); // acknowledged before
    TABLE.on(QUIET, Event.ACKED_IN_PART, QUIET);
    TABLE.on(QUIET, Event.STOP, ENDED);

    TABLE.on(WAITING, Event.POST, WAITING, INHERIT, NUMBER, TRANSMIT, START_TIMER);
    TABLE.on(WAITING, Event.ACKED, QUIET, STOP_TIMER, MEASURE);
    TABLE.on(WAITING, Event.ACKED_IN_PART, WAITING, DROP_FIN);
    TABLE.on(WAITING, Event.DUE, WAITING, BACK_OFF, TRANSMIT, START_TIMER);
    TABLE.on(WAITING, Event.LAST_DUE, ENDED, STOP_TIMER, GIVE_UP);
    TABLE.on(WAITING, Event.STOP, ENDED, STOP_TIMER);

    TABLE.on(ENDED, Event.ACKED, ENDED);
    TABLE.on(ENDED, Event.ACKED_IN_PART, ENDED);
    TABLE.on(ENDED, Event.STOP, ENDED);
  }

  private ChannelTransitions() {}
}
