// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.netserv.packet.Tally;
import org.netserv.sip.SipError;

/**
 * The sending entity for streams: decides about each whole message of a user, and hears each
 * response of the server, because all of them pass here. A message goes on as it came or is
 * answered; nothing in it is changed. Belongs to the thread of {@link UserStreams}.
 */
final class StreamEdge {
  private static final long NANOS = 1000;
  private static final int ANSWER_MOST = 2 * StreamCutter.MOST;
  private static final int IDLE_TURNS = 32;

  private final LongSupplier nanos;
  private final boolean fairPort;
  private final Tally<Why> tally;
  private final Tally<SipError> errors;
  private final Arbiter arbiter;
  private final Message message;
  private final Answers answers;

  /**
   * Makes an edge.
   *
   * @param nanos a monotonic clock
   */
  StreamEdge(
      OverloadSettings settings,
      LongSupplier nanos,
      RandomGenerator random,
      Arbiter arbiter,
      Tally<Why> tally,
      Tally<SipError> errors) {
    this.nanos = nanos;
    this.arbiter = arbiter;
    this.tally = tally;
    this.errors = errors;
    fairPort = settings.fairPort();
    message = new Message(random.nextLong(), settings.preferred());
    answers = new Answers(random.nextLong(), settings.retryAfter(), ANSWER_MOST);
  }

  /** The message that cutters point at their bytes. */
  Message message() {
    return message;
  }

  /** Ends validities and steps whether messages come or not. */
  void turn() {
    long now = micros();
    arbiter.turn(now);
    for (int i = 0; i < IDLE_TURNS; i++) {
      arbiter.sweep(now);
    }
  }

  private long micros() {
    return nanos.getAsLong() / NANOS;
  }

  /**
   * Decides about the message of a user.
   *
   * @param high upper half of the user's address, IPv4 as ::ffff:a.b.c.d
   * @param open whether the server takes bytes
   * @param answer has the response afterwards, if there is one
   * @return whether the message goes on to the server
   */
  boolean fromUser(long high, long low, int port, boolean open, ByteBuffer answer) {
    Why why = message.read();
    if (why == null && !message.isRequest()) {
      why = Why.RESPONSE_USER;
    }
    if (why != null) {
      tally.count(why);
      return true;
    }
    long now = micros();
    arbiter.turn(now);
    why = arbiter.request(message, Edge.source(high, low) + (fairPort ? port : 0), open, now);
    arbiter.sweep(now);
    return switch (why) {
      case REJECTED, REJECTED_SHARE, REJECTED_BLOCKED, REJECTED_AGAIN, TRYING, CANCEL_ANSWERED -> {
        boolean fits =
            answers.compose(why, message, high, low, port)
                && answer.remaining() >= answers.length();
        tally.count(fits ? why : Why.TOO_LONG);
        if (fits) {
          answer.put(answers.bytes(), 0, answers.length());
        }
        yield false;
      }
      case ACK_ABSORBED -> {
        tally.count(why);
        yield false;
      }
      default -> {
        tally.count(why);
        yield true;
      }
    };
  }

  /** Takes note of a message of the server, which goes on in any case. */
  void fromServer() {
    if (message.isRequest() || message.read() != null) {
      tally.count(Why.SERVER);
      return;
    }
    long now = micros();
    tally.count(arbiter.response(message, now));
    arbiter.sweep(now);
  }

  /** Counts the fault of a stream that has to end. */
  void fault(SipError error) {
    errors.count(error);
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
