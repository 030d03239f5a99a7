// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Tally;
import org.netserv.sip.SipError;

/**
 * The sending entity for datagrams: takes one packet from classification to its answer. Requests go
 * to the server or are rejected here; responses, where the filters show them, tell how the server
 * does.
 *
 * <pre>
 *   packet -- envelope -- Message -- Arbiter -- act
 * </pre>
 *
 * Holds all the memory that this needs, made once. Belongs to the packet thread.
 */
final class Edge {
  private static final int BROADCAST = 0xffffffff;
  private static final long NANOS = 1000;
  private static final long FACTOR = 0x9e3779b97f4a7c15L;

  private final OverloadSettings settings;
  private final LongSupplier nanos;
  private final Tally<Why> tally;
  private final Tally<SipError> errors;
  private final Arbiter arbiter;
  private final Message message;
  private final Answers answers;
  private final ViaOffer offer = new ViaOffer();

  /**
   * Makes an edge.
   *
   * @param nanos a monotonic clock
   */
  Edge(
      OverloadSettings settings,
      LongSupplier nanos,
      RandomGenerator random,
      Arbiter arbiter,
      Tally<Why> tally,
      Tally<SipError> errors) {
    this.settings = settings;
    this.nanos = nanos;
    this.arbiter = arbiter;
    this.tally = tally;
    this.errors = errors;
    message = new Message(random.nextLong(), settings.preferred());
    answers = new Answers(random.nextLong(), settings.retryAfter(), Answers.DATAGRAM_MOST);
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
    arbiter.turn(now);
    Decision made =
        message.isRequest() ? request(packet, decision, now) : response(packet, decision, now);
    arbiter.sweep(now);
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

  private Decision request(Packet packet, Decision decision, long now) {
    Why why = arbiter.request(message, source(packet), true, now);
    return switch (why) {
      case REJECTED, REJECTED_SHARE, REJECTED_BLOCKED, REJECTED_AGAIN, TRYING, CANCEL_ANSWERED ->
          answered(decision, why, answers.answer(why, message, packet));
      case ACK_ABSORBED -> {
        tally.count(why);
        yield decision.drop(why.text());
      }
      case ADMITTED, PREFERRED, DIALOG -> forward(packet, decision, why);
      default -> arbiter.isMarked() ? forward(packet, decision, why) : pass(decision, why);
    };
  }

  private Decision forward(Packet packet, Decision decision, Why why) {
    if (settings.offer() && why != Why.EXEMPT && offer.add(message, packet)) {
      arbiter.mark();
      tally.count(why);
      return decision.changed(why.text());
    }
    return pass(decision, why);
  }

  private long source(Packet packet) {
    long hash = source(packet.sourceHigh(), packet.sourceLow());
    return hash + (settings.fairPort() ? packet.sourcePort() : 0);
  }

  /** Returns the hash of an address by which sources share what may pass. */
  static long source(long high, long low) {
    return (high * FACTOR ^ low) * FACTOR;
  }

  private Decision response(Packet packet, Decision decision, long now) {
    Why why = arbiter.response(message, now);
    if (why == Why.RESPONSE && arbiter.isMarked()) {
      arbiter.take(offer.feedback(message), now);
      if (offer.strip(message, packet)) {
        tally.count(Why.RESPONSE_STRIPPED);
        return decision.changed(Why.RESPONSE_STRIPPED.text());
      }
    }
    return pass(decision, why);
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
    return arbiter.inFlight();
  }

  /** Returns the code of the algorithm in effect, 0 = none. From any thread. */
  int code() {
    return arbiter.code();
  }
}
