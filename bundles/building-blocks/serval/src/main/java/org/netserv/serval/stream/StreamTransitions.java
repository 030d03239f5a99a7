// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.netserv.serval.stream.StreamTransitions.Action.*;
import static org.netserv.serval.stream.StreamTransitions.State.*;

import java.util.EnumSet;
import java.util.Set;
import org.netserv.serval.flow.TransitionTable;

/**
 * The table of a stream: TCP inside a flow of SAL (RFC 9293 section 3.3.2).
 *
 * <pre>
 *   SYN_SENT -----+ OPENED         CLOSE              FIN_ACKED              FIN
 *                 +--> ESTABLISHED -----> FIN_WAIT_1 ----------> FIN_WAIT_2 ----> TIME_WAIT
 *   SYN_RECEIVED -+        |                  | FIN      FIN_ACKED                  ^  |
 *                      FIN |                  +------> CLOSING ---------------------+  |
 *                          v     CLOSE               FIN_ACKED         FORGOTTEN       |
 *                      CLOSE_WAIT ---> LAST_ACK -------------> CLOSED ---------> OVER <+
 *
 *   any state -- RESET, ABORT, TRIES_OVER --> OVER
 * </pre>
 *
 * SAL sends SYN and SYN-ACK again, and its acknowledgement opens the stream. SAL closes the flow
 * when TCP has closed both directions.
 */
final class StreamTransitions {
  enum State {
    /** The client waits for an answer. */
    SYN_SENT,
    /** The server has answered. */
    SYN_RECEIVED,
    ESTABLISHED,
    /** The FIN of this end waits behind its data, or for its acknowledgement. */
    FIN_WAIT_1,
    /** The FIN of this end is acknowledged, and the peer may send. */
    FIN_WAIT_2,
    /** Both have sent FIN, and that of this end is not acknowledged. */
    CLOSING,
    /** Both have closed. Copies of the peer's FIN are acknowledged while the flow lasts. */
    TIME_WAIT,
    /** The peer has sent FIN, and this end may send. */
    CLOSE_WAIT,
    /** The FIN of this end is the last one, and not acknowledged. */
    LAST_ACK,
    /** The last FIN is acknowledged. */
    CLOSED,
    /** Death: broken off, or the flow is gone. */
    OVER
  }

  enum Event {
    /** The SYN-ACK has come, or SAL knows that it has come to the client. */
    OPENED,
    /** The program has written all. */
    CLOSE,
    /** All data of the peer have come, and its FIN. */
    FIN,
    /** The peer acknowledges the FIN of this end. */
    FIN_ACKED,
    /** The peer breaks off: a RST of TCP or of SAL. */
    RESET,
    /** The program breaks off. */
    ABORT,
    /** The peer does not acknowledge. */
    TRIES_OVER,
    /** SAL's FIN: the peer closes the flow. */
    FLOW_FIN,
    /** The program has closed, and the peer has not for a while. */
    LATE,
    /** SAL has forgotten the flow. */
    FORGOTTEN
  }

  enum Action {
    /** Send FIN behind all data. */
    SEND_FIN,
    /** Tell the program that it has read, or will read, all. */
    TELL_END,
    /** Close the flow of SAL. */
    CLOSE_FLOW,
    /** Break off the flow of SAL, which tells the peer. */
    ABORT_FLOW,
    TELL_FINISHED,
    TELL_RESET,
    TELL_SILENT,
    /** Wait for the peer's FIN for a while if the program has closed. */
    START_WAIT,
    /** Give the buffers back. */
    RELEASE,
    /** Cannot happen here: count it, do nothing. */
    UNEXPECTED
  }

  /** States in which the peer's data may come. */
  static final Set<State> RECEIVES = EnumSet.of(SYN_RECEIVED, ESTABLISHED, FIN_WAIT_1, FIN_WAIT_2);

  /** States in which the program may write. */
  static final Set<State> WRITES = EnumSet.of(SYN_SENT, SYN_RECEIVED, ESTABLISHED, CLOSE_WAIT);

  /** States in which segments are taken. */
  static final Set<State> OPEN = EnumSet.range(SYN_RECEIVED, CLOSED);

  static final TransitionTable<State, Event, Action> TABLE =
      new TransitionTable<>(State.class, Event.class, UNEXPECTED);

  static {
    TABLE.on(EnumSet.of(SYN_SENT, SYN_RECEIVED), Event.OPENED, ESTABLISHED);
    TABLE.on(ESTABLISHED, Event.CLOSE, FIN_WAIT_1, SEND_FIN);
    TABLE.on(ESTABLISHED, Event.FIN, CLOSE_WAIT, TELL_END);
    TABLE.on(FIN_WAIT_1, Event.FIN_ACKED, FIN_WAIT_2, START_WAIT);
    TABLE.on(FIN_WAIT_1, Event.FIN, CLOSING, TELL_END);
    TABLE.on(FIN_WAIT_2, Event.FIN, TIME_WAIT, TELL_END, CLOSE_FLOW, TELL_FINISHED);
    TABLE.on(FIN_WAIT_2, Event.LATE, OVER, ABORT_FLOW, RELEASE);
    TABLE.on(CLOSING, Event.FIN_ACKED, TIME_WAIT, CLOSE_FLOW, TELL_FINISHED);
    TABLE.on(CLOSE_WAIT, Event.CLOSE, LAST_ACK, SEND_FIN);
    TABLE.on(LAST_ACK, Event.FIN_ACKED, CLOSED, CLOSE_FLOW, TELL_FINISHED);

    TABLE.on(SYN_SENT, Event.CLOSE, OVER, ABORT_FLOW, RELEASE);
    TABLE.on(SYN_RECEIVED, Event.CLOSE, OVER, ABORT_FLOW, RELEASE);
    TABLE.stay(EnumSet.range(FIN_WAIT_1, TIME_WAIT), Event.CLOSE);
    TABLE.stay(EnumSet.of(LAST_ACK, CLOSED, OVER), Event.CLOSE);

    Set<State> alive = EnumSet.range(SYN_SENT, CLOSING);
    alive.addAll(EnumSet.of(CLOSE_WAIT, LAST_ACK));
    TABLE.on(alive, Event.RESET, OVER, ABORT_FLOW, TELL_RESET, RELEASE);
    TABLE.on(alive, Event.TRIES_OVER, OVER, ABORT_FLOW, TELL_SILENT, RELEASE);
    TABLE.on(alive, Event.ABORT, OVER, ABORT_FLOW, RELEASE);
    TABLE.on(alive, Event.FORGOTTEN, OVER, TELL_SILENT, RELEASE);
    // Not all data of the peer have come, and no more will.
    Set<State> unfinished = EnumSet.of(SYN_SENT, SYN_RECEIVED, ESTABLISHED, FIN_WAIT_1, FIN_WAIT_2);
    TABLE.on(unfinished, Event.FLOW_FIN, OVER, ABORT_FLOW, TELL_RESET, RELEASE);
    TABLE.stay(EnumSet.of(CLOSING, TIME_WAIT, CLOSE_WAIT, LAST_ACK, CLOSED), Event.FLOW_FIN);

    Set<State> closed = EnumSet.of(TIME_WAIT, CLOSED);
    TABLE.stay(closed, Event.RESET); // nothing is left to break off
    TABLE.stay(closed, Event.TRIES_OVER);
    TABLE.on(closed, Event.ABORT, OVER, RELEASE);
    TABLE.on(closed, Event.FORGOTTEN, OVER);
    Set<Event> late = EnumSet.of(Event.RESET, Event.ABORT, Event.TRIES_OVER);
    late.addAll(EnumSet.of(Event.FLOW_FIN, Event.FORGOTTEN));
    late.forEach(event -> TABLE.on(OVER, event, OVER));
  }

  private StreamTransitions() {}
}
