// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.netserv.overload.TransactionMachine.Act;
import org.netserv.overload.TransactionMachine.Event;
import org.netserv.overload.TransactionMachine.State;
import org.netserv.overload.feedback.Feedback;
import org.netserv.sip.SipOverload;

/**
 * Decides about messages by their transactions and the server's feedback. It knows neither packets
 * nor streams: {@link Edge} asks it about packets, and {@link StreamEdge} about streams.
 *
 * <pre>
 *   Message -- TransactionTable -- TransactionMachine -- Why
 *                                        | ask
 *                                     Throttle
 * </pre>
 *
 * Holds all the memory that this needs, made once. Time is in microseconds of a monotonic clock.
 * Belongs to one thread; feedback of the monitor comes in by one reference.
 */
final class Arbiter {
  private static final int SWEEPS = 8;
  private static final long MILLI = 1000;

  private final TransactionTable table;
  private final Throttle throttle;
  private final AtomicReference<Feedback> inbox;
  private final ViaFeedback viaFeedback = new ViaFeedback();
  private long signed; // end of the validity of the monitor's last feedback
  private int at = -1;
  private volatile int inFlight;
  private volatile int code;

  /**
   * Makes an arbiter without memory of transactions.
   *
   * @param inbox the monitor's newest feedback; the arbiter takes it out
   * @param own where it tells how much it is asked
   * @param other how much the other way of requests is asked
   */
  Arbiter(
      OverloadSettings settings,
      RandomGenerator random,
      AtomicReference<Feedback> inbox,
      Demand own,
      Demand other) {
    this.inbox = inbox;
    table = new TransactionTable(settings.maxTransactions());
    throttle = new Throttle(settings, table, random, own, other);
  }

  /** Takes the monitor's newest feedback, if there is any since the last call. */
  void turn(long now) {
    if (inbox.getPlain() != null) {
      Feedback news = inbox.getAndSet(null);
      throttle.set(news, now);
      signed = now + news.validity() * MILLI;
    }
    throttle.turn(now);
    code = throttle.code();
  }

  /**
   * Decides about a request.
   *
   * @param source hash of the address that it came from
   * @param open whether there is a way to the server now; without one a new request is rejected,
   *     unless its rank is above HIGH
   */
  Why request(Message message, long source, boolean open, long now) {
    int millis = (int) (now / MILLI);
    long key = message.key();
    at = table.find(key, millis);
    State state = at < 0 ? State.NONE : table.state(at);
    Act act = TransactionMachine.act(state, message.event());
    if (at >= 0) {
      table.touch(at, millis);
    }
    return switch (act) {
      case ASK -> ask(message.rank(), key, source, open, now);
      case PASS ->
          message.event() == Event.REQUEST
              ? Why.REPEATED
              : throttle.decide(Rank.EXEMPT, source, now); // ACK and CANCEL count as new requests
      case ANSWER_100 -> Why.TRYING;
      case ANSWER_503 -> Why.REJECTED_AGAIN;
      case ANSWER_200 -> Why.CANCEL_ANSWERED;
      case ABSORB -> Why.ACK_ABSORBED;
    };
  }

  /** Lets the throttle decide about a new request. Exempt requests need no memory. */
  private Why ask(Rank rank, long key, long source, boolean open, long now) {
    Why why = throttle.decide(rank, source, now);
    boolean waits = rank == Rank.EXEMPT || rank == Rank.DIALOG;
    if (!open && !waits && !why.isRejected()) {
      why = Why.REJECTED_BLOCKED;
    }
    if (rank != Rank.EXEMPT) {
      State state = why.isRejected() ? State.REJECTED : State.ADMITTED;
      at = table.add(key, state, (int) (now / MILLI));
    }
    return why;
  }

  /** Takes note of a response of the server. */
  Why response(Message message, long now) {
    int millis = (int) (now / MILLI);
    at = table.find(message.key(), millis);
    if (at < 0) {
      return Why.RESPONSE_UNKNOWN;
    }
    State state = table.state(at);
    if (state == State.ADMITTED) {
      throttle.responded(table.age(at, millis) * MILLI, now);
    }
    State next = TransactionMachine.next(state, message.event());
    if (next != state) {
      table.set(at, next);
    }
    table.touch(at, millis);
    return Why.RESPONSE;
  }

  /** Remembers that the last message's request got our Via parameters. */
  void mark() {
    table.mark(at);
  }

  /** Tells whether the request of the last message's transaction got our Via parameters. */
  boolean isMarked() {
    return at >= 0 && table.isMarked(at);
  }

  /** Takes feedback of a response, unless the monitor's own word is in effect. */
  void take(SipOverload overload, long now) {
    Feedback news = overload == null ? null : viaFeedback.news(overload);
    if (news != null && now - signed >= 0) {
      throttle.set(news, now);
    }
  }

  /** Lets go of some transactions that are too old, and publishes the number in flight. */
  void sweep(long now) {
    table.sweep(SWEEPS, (int) (now / MILLI));
    inFlight = table.inFlight();
  }

  /** Returns the requests in flight. From any thread. */
  int inFlight() {
    return inFlight;
  }

  /** Returns the code of the algorithm in effect, 0 = none. From any thread. */
  int code() {
    return code;
  }
}
