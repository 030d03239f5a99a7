// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.ArrayDeque;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.OutboundDatagram;

/**
 * The one way by which D-mode messages of our own leave (RFC 5971 section 5.3.3): a token bucket
 * with two queues before it, one for what our own sessions send and one for answers to strangers
 * (stateless Responses, Errors). They take turns, so that a flood of Queries cannot hold up our
 * own; each keeps its order. Forwarded packets do not come here.
 */
public final class RateLimiter extends TimerWheel.Entry {
  /** Own messages that wait at most, in seconds of the rate. */
  private static final int QUEUE_SECONDS = 4;

  /** An answer that would wait longer than this part of a second is late: it is not sent. */
  private static final int ANSWER_PART = 2;

  private final DatagramPort port;
  private final TimerWheel wheel;
  private final GistCounters counters;
  private final TokenBucket bucket;
  private final int rate;
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
   * Sends a message of one of our sessions, or lets it wait.
   *
   * @return false: it was dropped, the queue is full
   */
  boolean send(OutboundDatagram datagram) {
    return send(own, rate * QUEUE_SECONDS, datagram);
  }

  /** Sends an answer to a stranger, or lets it wait, or drops it. */
  boolean answer(OutboundDatagram datagram) {
    return send(answers, Math.max(1, rate / ANSWER_PART), datagram);
  }

  private boolean send(ArrayDeque<OutboundDatagram> queue, int max, OutboundDatagram datagram) {
    if (queued() == 0 && bucket.take(wheel.now())) {
      port.send(datagram);
      return true;
    }
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

  /** How long a message of our own that is sent now may wait, in milliseconds. */
  long delay() {
    return 2000L * own.size() / rate;
  }

  int queued() {
    return own.size() + answers.size();
  }

  @Override
  protected void due() {
    while (queued() > 0 && bucket.take(wheel.now())) {
      boolean answer = !answers.isEmpty() && (answersNext || own.isEmpty());
      answersNext = !answer;
      port.send(answer ? answers.remove() : own.remove());
    }
    if (queued() > 0) {
      waitForToken();
    }
  }

  private void waitForToken() {
    wheel.set(this, wheel.now() + bucket.delay(wheel.now()));
  }
}
