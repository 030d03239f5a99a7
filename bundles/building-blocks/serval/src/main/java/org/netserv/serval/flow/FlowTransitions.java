// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import static org.netserv.serval.flow.FlowTransitions.Action.*;
import static org.netserv.serval.flow.FlowTransitions.State.*;

import java.util.EnumSet;
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
    /** The third message of a handshake whose SYN this host has answered without state. */
    PROVEN,
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

  /** States in which the peer is known and the program has the flow. */
  static final Set<State> OPEN = EnumSet.range(CONNECTED, LASTACK);

  static final TransitionTable<State, Event, Action> TABLE =
      new TransitionTable<>(State.class, Event.class, UNEXPECTED);

  static {
    TABLE.on(CLOSED, Event.CONNECT, REQUEST, SEND_SYN);
    TABLE.on(CLOSED, Event.SYN, RESPOND, SEND_SYN_ACK, START_WAIT);
    TABLE.on(CLOSED, Event.PROVEN, CONNECTED, TELL_CONNECTED);
    TABLE.on(REQUEST, Event.SYN_ACK, CONNECTED, SEND_HANDSHAKE_ACK, TELL_CONNECTED);
    TABLE.on(RESPOND, Event.SYN, RESPOND, SEND_SYN_ACK);
    TABLE.on(RESPOND, Event.ACKED, CONNECTED, TELL_CONNECTED);
    TABLE.stay(OPEN, Event.SYN_ACK, SEND_HANDSHAKE_ACK); // the first was lost
    TABLE.stay(OPEN, Event.SYN); // the client has had the answer since

    TABLE.on(CONNECTED, Event.CLOSE, FINWAIT1, SEND_FIN);
    TABLE.on(CONNECTED, Event.FIN, CLOSEWAIT, SEND_ACK, TELL_PEER_CLOSED);
    TABLE.on(FINWAIT1, Event.ACKED, FINWAIT2, START_WAIT);
    TABLE.on(FINWAIT1, Event.FIN, CLOSING, SEND_ACK, TELL_PEER_CLOSED);
    TABLE.on(FINWAIT2, Event.FIN, TIMEWAIT, SEND_ACK, TELL_PEER_CLOSED, START_WAIT);
    TABLE.on(CLOSING, Event.ACKED, TIMEWAIT, START_WAIT);
    TABLE.on(CLOSEWAIT, Event.CLOSE, LASTACK, SEND_FIN);
    TABLE.on(LASTACK, Event.ACKED, OVER, FORGET);
    // A later message that inherited the FIN.
    TABLE.stay(EnumSet.of(CLOSING, TIMEWAIT, CLOSEWAIT, LASTACK), Event.FIN, SEND_ACK);
    TABLE.on(FINWAIT2, Event.LATE, OVER, FORGET);
    TABLE.on(TIMEWAIT, Event.LATE, OVER, FORGET);

    TABLE.on(EnumSet.of(CLOSED, REQUEST), Event.CLOSE, OVER, FORGET);
    TABLE.on(RESPOND, Event.CLOSE, OVER, SEND_RST, FORGET);
    Set<State> closed = EnumSet.of(FINWAIT1, FINWAIT2, CLOSING, TIMEWAIT, LASTACK, OVER);
    TABLE.stay(closed, Event.CLOSE);
    TABLE.on(EnumSet.of(CLOSED, REQUEST), Event.ABORT, OVER, FORGET);
    TABLE.on(EnumSet.range(RESPOND, CLOSING), Event.ABORT, OVER, SEND_RST, FORGET);
    TABLE.on(EnumSet.of(CLOSEWAIT, LASTACK), Event.ABORT, OVER, SEND_RST, FORGET);
    TABLE.on(TIMEWAIT, Event.ABORT, TIMEWAIT); // nothing is left to break off
    TABLE.on(OVER, Event.ABORT, OVER);

    TABLE.on(EnumSet.range(REQUEST, LASTACK), Event.RST, OVER, TELL_RESET, FORGET);
    Set<State> untold = EnumSet.of(RESPOND, CLOSING, TIMEWAIT, LASTACK);
    TABLE.on(untold, Event.RST, OVER, FORGET); // nobody to tell
    TABLE.on(EnumSet.range(REQUEST, LASTACK), Event.TRIES_OVER, OVER, TELL_SILENT, FORGET);
    TABLE.on(EnumSet.of(RESPOND, TIMEWAIT), Event.TRIES_OVER, OVER, FORGET);
    TABLE.on(RESPOND, Event.LATE, OVER, FORGET);
  }

  private FlowTransitions() {}
}
