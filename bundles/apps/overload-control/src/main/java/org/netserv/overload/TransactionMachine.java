// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

/**
 * The state machine of a transaction at the edge, as one table. The edge stands between client and
 * server, so its part is smaller than that of RFC 3261, 17: the ends repeat and time out
 * themselves.
 *
 * <pre>
 *              REQUEST       PROVISIONAL        FINAL             ACK       CANCEL
 *   NONE       ask           pass               pass              pass      pass
 *   ADMITTED   pass          pass > PROCEEDING  pass > COMPLETED  pass      pass
 *   PROCEEDING answer 100    pass               pass > COMPLETED  pass      pass
 *   COMPLETED  pass          pass               pass              pass      pass
 *   REJECTED   answer 503    pass               pass              absorb    answer 200
 * </pre>
 *
 * ACK and CANCEL are events of the INVITE that they belong to. A CANCEL after the final response is
 * answered by 200 and has no effect (9.2). A response to a rejected request is none of this edge's
 * making, and passes.
 */
final class TransactionMachine {
  /** State of a transaction, a byte in {@link TransactionTable}. */
  enum State {
    NONE,
    /** The request went on, and no response has been seen. */
    ADMITTED,
    /** The server has sent a provisional response. */
    PROCEEDING,
    /** The server has sent a final response. */
    COMPLETED,
    /** The edge has sent a 503. */
    REJECTED
  }

  /** Message of a transaction. */
  enum Event {
    REQUEST,
    PROVISIONAL,
    FINAL,
    ACK,
    CANCEL
  }

  /** The edge's act on a message. */
  enum Act {
    /** The throttle decides. */
    ASK,
    PASS,
    ANSWER_100,
    ANSWER_503,
    ANSWER_200,
    ABSORB
  }

  private static final int EVENTS = Event.values().length;
  private static final State[] NEXT = new State[State.values().length * EVENTS];
  private static final Act[] ACTS = new Act[NEXT.length];

  static {
    row(State.NONE, Act.ASK, Act.PASS, Act.PASS, Act.PASS, Act.PASS);
    row(State.ADMITTED, Act.PASS, Act.PASS, Act.PASS, Act.PASS, Act.PASS);
    row(State.PROCEEDING, Act.ANSWER_100, Act.PASS, Act.PASS, Act.PASS, Act.PASS);
    row(State.COMPLETED, Act.PASS, Act.PASS, Act.PASS, Act.PASS, Act.PASS);
    row(State.REJECTED, Act.ANSWER_503, Act.PASS, Act.PASS, Act.ABSORB, Act.ANSWER_200);
    NEXT[place(State.ADMITTED, Event.PROVISIONAL)] = State.PROCEEDING;
    NEXT[place(State.ADMITTED, Event.FINAL)] = State.COMPLETED;
    NEXT[place(State.PROCEEDING, Event.FINAL)] = State.COMPLETED;
  }

  private TransactionMachine() {}

  private static void row(State state, Act... acts) {
    int first = place(state, Event.REQUEST);
    for (int i = 0; i < EVENTS; i++) {
      NEXT[first + i] = state;
      ACTS[first + i] = acts[i];
    }
  }

  @SuppressWarnings("EnumOrdinal") // places of a table that no file keeps
  private static int place(State state, Event event) {
    return state.ordinal() * EVENTS + event.ordinal();
  }

  static Act act(State state, Event event) {
    return ACTS[place(state, event)];
  }

  static State next(State state, Event event) {
    return NEXT[place(state, event)];
  }
}
