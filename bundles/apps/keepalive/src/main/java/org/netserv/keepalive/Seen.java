// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A queue of agents that sent a keep-alive, from the packet thread to the link's thread. Neither
 * waits for the other. A full queue refuses an agent, which then comes with its next keep-alive.
 * The clock travels the other way, because the packet thread asks no system clock.
 */
final class Seen {
  static final int PLACES = 8192;

  private static final int MASK = PLACES - 1;

  private final long[] high = new long[PLACES];
  private final long[] low = new long[PLACES];
  private final int[] port = new int[PLACES];
  private final int[] server = new int[PLACES];
  private final AtomicLong head = new AtomicLong(); // next to take
  private final AtomicLong tail = new AtomicLong(); // next free
  private final AtomicLong refused = new AtomicLong();
  private volatile int seconds;

  /** Seconds since the link began. */
  int seconds() {
    return seconds;
  }

  /** Sets the clock. Only the link. */
  void seconds(int now) {
    seconds = now;
  }

  /** Offers an agent. Returns false if the queue is full. Only the packet thread. */
  boolean offer(long agentHigh, long agentLow, int agentPort, int serverPlace) {
    long at = tail.getPlain();
    if (at - head.getAcquire() == PLACES) {
      refused.setOpaque(refused.getPlain() + 1);
      return false;
    }
    int i = (int) at & MASK;
    high[i] = agentHigh;
    low[i] = agentLow;
    port[i] = agentPort;
    server[i] = serverPlace;
    tail.setRelease(at + 1);
    return true;
  }

  /** Receives agents. */
  interface Taker {
    void take(long agentHigh, long agentLow, int agentPort, int serverPlace);
  }

  /** Hands over at most so many agents. Only the link. */
  int drain(int most, Taker taker) {
    long at = head.getPlain();
    int count = (int) Math.min(most, tail.getAcquire() - at);
    for (int n = 0; n < count; n++) {
      int i = (int) (at + n) & MASK;
      taker.take(high[i], low[i], port[i], server[i]);
    }
    head.setRelease(at + count);
    return count;
  }

  /** Returns how often the queue was full. From any thread. */
  long refused() {
    return refused.getOpaque();
  }
}
