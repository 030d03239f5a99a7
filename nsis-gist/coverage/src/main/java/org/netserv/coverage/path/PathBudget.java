// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.path;

/**
 * Bounds the messages of all parts together: so many at a time, and so many a minute. Belongs to
 * the coverage's thread.
 */
public final class PathBudget {
  private static final double MINUTE = 60_000;

  private final int most;
  private final double perMilli;
  private final double burst;
  private double tokens;
  private long last;
  private int inFlight;

  /**
   * A full budget.
   *
   * @param most messages at a time
   * @param now milliseconds
   */
  public PathBudget(int most, int perMinute, long now) {
    this.most = most;
    this.perMilli = perMinute / MINUTE;
    this.burst = Math.max(1, Math.min(most, perMinute));
    this.tokens = burst;
    this.last = now;
  }

  /** Takes the place of one message. Returns false if there is none now. */
  public boolean take(long now) {
    tokens = Math.min(burst, tokens + Math.max(0, now - last) * perMilli);
    last = now;
    if (inFlight >= most || tokens < 1) {
      return false;
    }
    tokens--;
    inFlight++;
    return true;
  }

  /** Gives the place back when the message is answered. */
  public void release() {
    inFlight--;
  }

  public int inFlight() {
    return inFlight;
  }
}
