// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.ArrayDeque;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.OutboundDatagram;

/**
 * The one way by which D-mode messages of our own leave (RFC 5971 section 5.3.3): a token bucket
 * with three queues before it, each in order. What keeps up sessions that are there goes first, so
 * that new ones, however many, wait and do not cost the others their state. Then what our own
 * sessions send besides, and answers to strangers, take turns, so that a flood of Queries cannot
 * hold up our own. Forwarded packets do not come here.
 */
public final class RateLimiter extends TimerWheel.Entry {
  /** How urgent a message is. */
  enum Rank {
    /** Confirms, refreshes, and Responses to them: few by {@link Validity}. */
    UPKEEP,
    /** Queries of new sessions, Data. */
    OWN,
    /** To somebody of whom we hold no state, or who had his answer: Responses, Errors. */
    ANSWER
  }

  /** Own messages that wait at most, in seconds of the rate. */
  private static final int QUEUE_SECONDS = 4;

  /** An answer that would wait longer than this part of a second is late: it is not sent. */
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

  /** At most {@code burst} at once and {@code rate} a second in the long run. */
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
   * @return false: it was dropped, the queue is full
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

  /** How long a message of this rank that is sent now may wait, in milliseconds. */
  long delay(Rank rank) {
    long before = upkeep.size();
    if (rank != Rank.UPKEEP) {
      before += 2L * queue(rank).size(); // every second one is of the other queue
    }
    return 1000 * before / rate;
  }

  /** Messages that wait. */
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

  /** One of those that wait: there is one. */
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
