// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import static org.netserv.serval.flow.MoveTransitions.Action.*;
import static org.netserv.serval.flow.MoveTransitions.State.*;

import java.util.EnumSet;

/**
 * The table of RSYN, by which a live flow moves to another address.
 *
 * <pre>
 *                 MOVE                          RSYN
 *      +--------------------> SENT ----------------------------+
 *      |        ACKED        |  ^                              v
 *   SETTLED <----------------+  +-------- CONFIRM --------- SENT_RECV
 *      ^  |      RSYN                                         |  ^
 *      |  +-----------------> RECV <---------- ACKED ---------+  |
 *      +--- CONFIRM, ---------+  +------------- MOVE ------------+
 *           ANSWERS_OVER
 * </pre>
 *
 * The mover sends RSYN from its new address, and keeps the old one for data until the peer has
 * acknowledged. The peer notes the new address, freezes its transport, and switches when the mover
 * confirms from there. Each end does both independently of the other, so both may move at once as
 * long as the old addresses still reach them.
 */
final class MoveTransitions {
  enum State {
    /** No move is under way. */
    SETTLED,
    /** The RSYN of this end waits for its acknowledgement. */
    SENT,
    /** The peer has moved, and has not confirmed its new address. */
    RECV,
    /** Both. */
    SENT_RECV
  }

  enum Event {
    /** This end has another address. */
    MOVE,
    /** The peer acknowledges the last RSYN. */
    ACKED,
    /** The peer acknowledges it again. */
    ACKED_AGAIN,
    /** A RSYN that is newer than all before. */
    RSYN,
    /** A copy of the last RSYN, from the noted address. */
    RSYN_AGAIN,
    /** The peer acknowledges the answer, from the noted address. */
    CONFIRM,
    /** The peer has not confirmed for a while. */
    ANSWER_DUE,
    /** The peer has not confirmed after all tries. */
    ANSWERS_OVER
  }

  enum Action {
    SEND_RSYN,
    /** The address of this end is the new one from now on. */
    SWITCH_OWN,
    SEND_ACK,
    /** Keep the source of the RSYN. */
    NOTE,
    /** Stop the transport's timer. */
    FREEZE,
    /** Send RSYN and ACK to the noted address, and again after a while. */
    ANSWER,
    /** The address of the peer is the noted one from now on. */
    SWITCH_PEER,
    /** The transport goes on, at once. */
    THAW,
    /** Forget the noted address. */
    DISCARD,
    /** Cannot happen here: count it, do nothing. */
    UNEXPECTED
  }

  static final TransitionTable<State, Event, Action> TABLE =
      new TransitionTable<>(State.class, Event.class, UNEXPECTED);

  static {
    TABLE.on(SETTLED, Event.MOVE, SENT, SEND_RSYN);
    TABLE.on(SENT, Event.MOVE, SENT, SEND_RSYN);
    TABLE.on(RECV, Event.MOVE, SENT_RECV, SEND_RSYN);
    TABLE.on(SENT_RECV, Event.MOVE, SENT_RECV, SEND_RSYN);

    TABLE.on(SENT, Event.ACKED, SETTLED, SWITCH_OWN, SEND_ACK);
    TABLE.on(SENT_RECV, Event.ACKED, RECV, SWITCH_OWN, SEND_ACK);
    TABLE.stay(EnumSet.of(SETTLED, RECV), Event.ACKED_AGAIN, SEND_ACK); // the confirmation was lost
    TABLE.stay(EnumSet.of(SENT, SENT_RECV), Event.ACKED_AGAIN); // of an earlier move

    TABLE.on(SETTLED, Event.RSYN, RECV, NOTE, FREEZE, ANSWER);
    TABLE.on(SENT, Event.RSYN, SENT_RECV, NOTE, FREEZE, ANSWER);
    TABLE.stay(EnumSet.of(RECV, SENT_RECV), Event.RSYN, NOTE, ANSWER);
    TABLE.stay(EnumSet.of(RECV, SENT_RECV), Event.RSYN_AGAIN, ANSWER);
    TABLE.stay(EnumSet.of(RECV, SENT_RECV), Event.ANSWER_DUE, ANSWER);

    TABLE.on(RECV, Event.CONFIRM, SETTLED, SWITCH_PEER, THAW);
    TABLE.on(SENT_RECV, Event.CONFIRM, SENT, SWITCH_PEER, THAW);
    TABLE.on(RECV, Event.ANSWERS_OVER, SETTLED, DISCARD, THAW);
    TABLE.on(SENT_RECV, Event.ANSWERS_OVER, SENT, DISCARD, THAW);
  }

  private MoveTransitions() {}
}
