// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.ArrayDeque;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.OutboundDatagram;

/**
 * The only way by which D-mode messages of our own leave (RFC 5971 section 5.3.3). It is a token
 * bucket with three queues before it, each in order. Messages that keep up existing sessions go
 * first, so that any number of new sessions waits and costs the others no state. Other messages of
 * our own sessions and answers to strangers take turns, so that a flood of Queries cannot hold up
 * our own. Forwarded packets do not come here.
 */
public final class RateLimiter extends TimerWheel.Entry {
  /** The urgency of a message. */
  enum Rank {
    /** Confirms, refreshes, and Responses to them. {@link Validity} keeps them few. */
    UPKEEP,
    /** Queries of new sessions, Data. */
    OWN,
    /** Responses and Errors to a node for which we hold no state, or which had its answer. */
    ANSWER
  }

  /** Own messages that wait at most, in seconds of the rate. */
  private static final int QUEUE_SECONDS = 4;

  /** Fraction (1/2) of a second. An answer that would wait longer is late and is not sent. */
  private static final int ANSWER_PART = 2;

  private final DatagramPort port;
  private final TimerWheel wheel;
  private final GistCounters counters;
  private final TokenBucket bucket;
  private final int rate;
  private final ArrayDeque<OutboundDatagram> upkeep = new ArrayDeque<>();
  private final ArrayDeque<OutboundDatagram> own = new ArrayDeque<>();
  private final ArrayDeque<OutboundDatagram> answers = new ArrayDeque<>();
  private boolean answersNext;

  /**
   * Creates a limiter for {@code burst} messages at once and {@code rate} a second in the long run.
   */
  RateLimiter(DatagramPort port, TimerWheel wheel, int rate, int burst, GistCounters counters) {
    this.port = port;
    this.wheel = wheel;
    this.rate = Math.max(1, rate);
    this.bucket = new TokenBucket(this.rate, burst, wheel.now());
    this.counters = counters;
  }

  /**
   * Sends a message, or lets it wait.
   *
   * @return false: the message was dropped, because the queue is full
   */
  boolean send(Rank rank, OutboundDatagram datagram) {
    int before = rank == Rank.UPKEEP ? upkeep.size() : queued();
    if (before == 0 && bucket.take(wheel.now())) {
      port.send(datagram);
      return true;
    }
    ArrayDeque<OutboundDatagram> queue = queue(rank);
    int max = rank == Rank.ANSWER ? Math.max(1, rate / ANSWER_PART) : rate * QUEUE_SECONDS;
    if (queue.size() >= max) {
      counters.count(Counter.SEND_OVERFLOW);
      return false;
    }
    counters.count(Counter.SEND_QUEUED);
    queue.add(datagram);
    if (!isSet()) {
      waitForToken();
    }
    return true;
  }

  private ArrayDeque<OutboundDatagram> queue(Rank rank) {
    return switch (rank) {
      case UPKEEP -> upkeep;
      case OWN -> own;
      case ANSWER -> answers;
    };
  }

  /** Returns the milliseconds that a message of this rank may wait if it is sent now. */
  long delay(Rank rank) {
    long before = upkeep.size();
    if (rank != Rank.UPKEEP) {
      before += 2L * queue(rank).size(); // every second message is of the other queue
    }
    return 1000 * before / rate;
  }

  /** Returns the number of messages that wait. */
  int queued() {
    return upkeep.size() + own.size() + answers.size();
  }

  @Override
  protected void due() {
    while (queued() > 0 && bucket.take(wheel.now())) {
      port.send(next());
    }
    if (queued() > 0) {
      waitForToken();
    }
  }

  /** Returns the next message. At least one waits. */
  private OutboundDatagram next() {
    if (!upkeep.isEmpty()) {
      return upkeep.remove();
    }
    boolean answer = !answers.isEmpty() && (answersNext || own.isEmpty());
    answersNext = !answer;
    return answer ? answers.remove() : own.remove();
  }

  private void waitForToken() {
    wheel.set(this, wheel.now() + bucket.delay(wheel.now()));
  }
}
