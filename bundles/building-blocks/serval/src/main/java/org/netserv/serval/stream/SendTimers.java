// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/**
 * The times at which a sender repeats itself: the retransmission timer, and the probes of a closed
 * window. Milliseconds.
 */
final class SendTimers {
  /**
   * Timeouts without a segment of the peer, or without progress if the program has gone, after
   * which the peer counts as silent.
   */
  static final int TRIES = 15;

  static final long NEVER = Long.MAX_VALUE;

  private final RetransmissionTimeout timeout = new RetransmissionTimeout();
  private boolean frozen;
  private boolean orphaned; // no program waits for the end
  private int tries;
  private long timeoutAt = NEVER;
  private long probeAt = NEVER;

  /** Returns the length of the timer. */
  RetransmissionTimeout timeout() {
    return timeout;
  }

  /** Stops all times until {@link #moved}. */
  void freeze() {
    frozen = true;
  }

  boolean isFrozen() {
    return frozen;
  }

  /** The program has gone, so acknowledgements of nothing new count as silence. */
  void orphan() {
    orphaned = true;
  }

  /** A segment of the peer has come. It acknowledges data, or nothing new. */
  void heard(boolean advances) {
    tries = advances || !orphaned ? 0 : tries;
  }

  /** Counts one more try. False if it is one too many. */
  boolean tryAgain() {
    return ++tries <= TRIES;
  }

  // ---- retransmission

  boolean isTimeoutDue(long now) {
    return timeoutAt <= now;
  }

  long timeoutAt() {
    return timeoutAt;
  }

  /** Starts the timer anew, or stops it if nothing is under way. */
  void restart(boolean flying, long now) {
    timeoutAt = flying ? now + timeout.timeout() : NEVER;
  }

  /** Starts the timer unless it runs. */
  void start(long now) {
    timeoutAt = timeoutAt == NEVER ? now + timeout.timeout() : timeoutAt;
  }

  // ---- probes

  boolean isProbeDue(long now) {
    return probeAt <= now;
  }

  /** Begins to probe, or goes on. */
  void probe(long now) {
    probeAt = now + timeout.timeout();
  }

  /** Begins to probe unless a probe is due. */
  void startProbes(long now) {
    if (probeAt == NEVER) {
      probe(now);
    }
  }

  /** The window is open. */
  void endProbes() {
    if (probeAt != NEVER) {
      probeAt = NEVER;
      timeout.restart();
    }
  }

  // ---- both

  /** The path is another: the timer starts without its doublings, and a probe is due at once. */
  void moved(boolean flying, long now) {
    frozen = false;
    tries = 0;
    timeout.restart();
    restart(flying, now);
    probeAt = probeAt == NEVER ? NEVER : now;
  }

  /** Returns the time at which something is due. */
  long dueAt() {
    return frozen ? NEVER : Math.min(timeoutAt, probeAt);
  }

  void stop() {
    timeoutAt = NEVER;
    probeAt = NEVER;
  }
}
