// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.netserv.overload.TransactionMachine.Act;
import org.netserv.overload.TransactionMachine.Event;
import org.netserv.overload.TransactionMachine.State;
import org.netserv.overload.feedback.Feedback;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Tally;
import org.netserv.sip.SipError;
import org.netserv.sip.SipOverload;

/**
 * The sending entity: takes one packet from classification to its answer. Requests go to the server
 * or are rejected here; responses, where the filters show them, tell how the server does.
 *
 * <pre>
 *   packet -- envelope -- Message -- TransactionTable -- TransactionMachine -- act
 *                                                              | ask
 *                                                           Throttle
 * </pre>
 *
 * Holds all the memory that this needs, made once. Belongs to the packet thread; feedback of the
 * monitor comes in by one reference.
 */
final class Edge {
  private static final int BROADCAST = 0xffffffff;
  private static final int SWEEPS = 8;
  private static final long NANOS = 1000;
  private static final long MILLI = 1000;
  private static final long FACTOR = 0x9e3779b97f4a7c15L;

  private final OverloadSettings settings;
  private final LongSupplier nanos;
  private final Tally<Why> tally;
  private final Tally<SipError> errors;
  private final AtomicReference<Feedback> inbox;
  private final Message message;
  private final TransactionTable table;
  private final Throttle throttle;
  private final Answers answers;
  private final ViaOffer offer = new ViaOffer();
  private final ViaFeedback viaFeedback = new ViaFeedback();
  private long signed; // end of the validity of the monitor's last feedback
  private volatile int inFlight;
  private volatile int code;

  /**
   * Makes an edge without memory of transactions.
   *
   * @param nanos a monotonic clock
   * @param inbox the monitor's newest feedback; the edge takes it out
   */
  Edge(
      OverloadSettings settings,
      LongSupplier nanos,
      RandomGenerator random,
      AtomicReference<Feedback> inbox,
      Tally<Why> tally,
      Tally<SipError> errors) {
    this.settings = settings;
    this.nanos = nanos;
    this.inbox = inbox;
    this.tally = tally;
    this.errors = errors;
    message = new Message(random.nextLong(), settings.preferred());
    table = new TransactionTable(settings.maxTransactions());
    throttle = new Throttle(settings, table, random);
    answers = new Answers(random.nextLong(), settings.retryAfter());
  }

  Decision process(Packet packet, Decision decision) {
    Why why = envelope(packet);
    if (why == null) {
      why = message.reset(packet);
    }
    if (why != null) {
      if (why == Why.MALFORMED) {
        errors.count(message.error());
      }
      return pass(decision, why);
    }
    long now = nanos.getAsLong() / NANOS;
    feedback(now);
    Decision made =
        message.isRequest() ? request(packet, decision, now) : response(packet, decision, now);
    table.sweep(SWEEPS, (int) (now / MILLI));
    inFlight = table.inFlight();
    return made;
  }

  /** Returns the reason to pass the packet unread, or null if its payload is worth a look. */
  private static Why envelope(Packet packet) {
    if (packet.protocol() != Packet.UDP) {
      return Why.NOT_UDP;
    }
    if (packet.isFragment() || !packet.hasPorts()) {
      return Why.FRAGMENT;
    }
    if (packet.isSample()) {
      return Why.SAMPLE;
    }
    boolean usable =
        packet.family() == 4
            ? isUnicast4(packet.source4()) && isUnicast4(packet.destination4())
            : isUnicast6(packet.sourceHigh(), packet.sourceLow())
                && isUnicast6(packet.destinationHigh(), packet.destinationLow());
    if (!usable || packet.sourcePort() == 0) {
      return Why.ADDRESS; // 18.1.1: no response to multicast from here; and none to nowhere
    }
    int first = packet.payloadLength() == 0 ? 0 : packet.get(packet.payloadOffset()) | 0x20;
    return first >= 'a' && first <= 'z' ? null : Why.NOT_SIP;
  }

  private static boolean isUnicast4(int address) {
    return address != 0 && address != BROADCAST && address >>> 28 != 0xe;
  }

  private static boolean isUnicast6(long high, long low) {
    return high >>> 56 != 0xff && (high | low) != 0;
  }

  /** Takes the monitor's newest feedback, if there is any since the last packet. */
  private void feedback(long now) {
    if (inbox.getPlain() != null) {
      Feedback news = inbox.getAndSet(null);
      throttle.set(news, now);
      signed = now + news.validity() * MILLI;
    }
    throttle.turn(now);
    code = throttle.code();
  }

  private Decision request(Packet packet, Decision decision, long now) {
    int millis = (int) (now / MILLI);
    Event event = message.event();
    long key = message.key();
    int at = table.find(key, millis);
    State state = at < 0 ? State.NONE : table.state(at);
    Act act = TransactionMachine.act(state, event);
    if (at >= 0) {
      table.touch(at, millis);
    }
    return switch (act) {
      case ASK -> ask(packet, decision, key, now);
      case PASS -> pass(packet, decision, event, at, now);
      case ANSWER_100 -> answered(decision, Why.TRYING, answers.trying(message, packet));
      case ANSWER_503 ->
          answered(decision, Why.REJECTED_AGAIN, answers.unavailable(message, packet));
      case ANSWER_200 -> answered(decision, Why.CANCEL_ANSWERED, answers.ok(message, packet));
      case ABSORB -> {
        tally.count(Why.ACK_ABSORBED);
        yield decision.drop(Why.ACK_ABSORBED.text());
      }
    };
  }

  /** Lets the throttle decide about a new request. Exempt requests need no memory. */
  private Decision ask(Packet packet, Decision decision, long key, long now) {
    Rank rank = message.rank();
    Why why = throttle.decide(rank, source(packet), now);
    int millis = (int) (now / MILLI);
    if (why.isRejected()) {
      table.add(key, State.REJECTED, millis);
      return answered(decision, why, answers.unavailable(message, packet));
    }
    if (rank == Rank.EXEMPT) {
      return pass(decision, why);
    }
    return forward(packet, decision, why, table.add(key, State.ADMITTED, millis));
  }

  /** Lets a repetition go on, or an ACK or CANCEL, which count as new requests. */
  private Decision pass(Packet packet, Decision decision, Event event, int at, long now) {
    if (event == Event.REQUEST) {
      if (table.isMarked(at)) {
        return forward(packet, decision, Why.REPEATED, at);
      }
      return pass(decision, Why.REPEATED);
    }
    return pass(decision, throttle.decide(Rank.EXEMPT, source(packet), now));
  }

  private Decision forward(Packet packet, Decision decision, Why why, int at) {
    if (settings.offer() && offer.add(message, packet)) {
      table.mark(at);
      tally.count(why);
      return decision.changed(why.text());
    }
    return pass(decision, why);
  }

  private long source(Packet packet) {
    long hash = (packet.sourceHigh() * FACTOR ^ packet.sourceLow()) * FACTOR;
    return hash + (settings.fairPort() ? packet.sourcePort() : 0);
  }

  private Decision response(Packet packet, Decision decision, long now) {
    int millis = (int) (now / MILLI);
    int at = table.find(message.key(), millis);
    if (at < 0) {
      return pass(decision, Why.RESPONSE_UNKNOWN);
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
    if (!table.isMarked(at)) {
      return pass(decision, Why.RESPONSE);
    }
    read(now);
    if (offer.strip(message, packet)) {
      tally.count(Why.RESPONSE_STRIPPED);
      return decision.changed(Why.RESPONSE_STRIPPED.text());
    }
    return pass(decision, Why.RESPONSE);
  }

  /** Takes the feedback in a response, unless the monitor's own word is in effect. */
  private void read(long now) {
    SipOverload overload = offer.feedback(message);
    Feedback news = overload == null ? null : viaFeedback.news(overload);
    if (news != null && now - signed >= 0) {
      throttle.set(news, now);
    }
  }

  private Decision answered(Decision decision, Why why, boolean done) {
    Why counted = done ? why : Why.TOO_LONG;
    tally.count(counted);
    return done ? decision.changed(counted.text()) : decision.drop(counted.text());
  }

  private Decision pass(Decision decision, Why why) {
    tally.count(why);
    return decision.pass(why == Why.MALFORMED ? message.error().text() : why.text());
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
